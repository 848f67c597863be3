"""Schedules: who meets whom, who sits where, in which order."""
