"""The seats of a match: bots and remote bots, started, asked, timed and judged."""
