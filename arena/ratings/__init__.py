"""Ratings, mean scores and sequential tests."""
