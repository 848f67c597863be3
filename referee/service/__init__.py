"""The service of a referee: jobs come in, matches are hosted one after another, ends go out."""
