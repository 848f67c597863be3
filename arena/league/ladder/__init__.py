"""The heart of a league, without clock or files: who meets whom next, and how strong each is."""
