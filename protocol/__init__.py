"""The wire between a referee and its bots: SPEC.md in this folder is the authority."""
