"""Results: the database, standings, exports."""
