"""What is kept of a match: its calls, its score, its record, and how a record is replayed."""
