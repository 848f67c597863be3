"""Names of openings, and their data."""
