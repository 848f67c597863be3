"""The loop of a match: draw, report, ask, apply; what its calls say, and its history."""
