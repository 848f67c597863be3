"""Everything around matches: configs, schedules, slots, the store, standings, the command."""
