"""An event in progress: the director, and what it decides between two matches."""
