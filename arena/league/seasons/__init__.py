"""The seasons of a league: their deadlines, freezes, finals and grades."""
