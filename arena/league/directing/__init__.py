"""The director of a league: who plays next, and what comes of it."""
