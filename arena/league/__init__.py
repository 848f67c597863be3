"""The league: an arena that never closes."""
