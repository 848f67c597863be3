"""Matches with people in a browser: routes and rights, choices, and a process for each match."""
