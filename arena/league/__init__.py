"""The league: an arena that never closes. Bots are handed in, checked, and play for ever."""
