"""What was played: the database, standings, exports."""
