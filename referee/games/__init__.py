"""The games, one module each, found by name: adding a game is adding a file here."""
