"""A bot's sandboxed process: tiers, limits, control groups, directories, leftovers."""
