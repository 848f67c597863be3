"""A person in a seat: the common part of a terminal and a page."""
