"""Output and input in a terminal."""
