"""Counting the continuations of a position."""
