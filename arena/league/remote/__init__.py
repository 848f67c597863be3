"""Remote bots of a league: added with a key, present at its door."""
