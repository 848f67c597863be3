"""A bot's process and what confines it: tiers, limits, control groups, folders, leftovers."""
