"""Formats: which matches an event has, as its results come in."""
