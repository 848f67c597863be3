"""Running an event: the director, its slots and its decisions."""
