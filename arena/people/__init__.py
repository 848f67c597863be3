"""A person in a seat: what is the same in a terminal and on a page."""
