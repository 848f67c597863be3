"""The people of a league: who they are, and what they may do."""
