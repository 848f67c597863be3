"""The host machine: its sandboxes for bots, and the reliability of its measurements."""
