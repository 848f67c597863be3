"""Counting what can follow from a position."""
