"""The pages and the API of a league, by Django. The process holds no state."""
