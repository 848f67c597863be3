"""Openings of chess from books: PGN, EPD, FEN and Polyglot."""
