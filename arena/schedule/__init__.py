"""Schedules: the pairings of players, their seats and the order of the matches."""
