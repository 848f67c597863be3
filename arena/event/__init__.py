"""An event while it is played: the director, its slots, what it decides."""
