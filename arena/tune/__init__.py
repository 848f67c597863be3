"""Tuning: a search for the best values of a bot's options, by matches."""
