"""The slots of an event: what plays its matches, and the slots of this machine."""
