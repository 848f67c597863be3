"""Pages for a browser: a report in one file, pictures of positions."""
