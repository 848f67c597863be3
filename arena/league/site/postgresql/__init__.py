"""PostgreSQL as the database of a league's site."""
