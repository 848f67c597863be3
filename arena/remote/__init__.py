"""Bots that play from their owner's machine: keys, the door of the organiser, the owner's join."""
