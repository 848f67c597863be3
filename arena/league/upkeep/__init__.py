"""The processes of a league, its copies, and its next version."""
