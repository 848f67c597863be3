"""The machine underneath: how it shuts bots in, how far it can be trusted."""
