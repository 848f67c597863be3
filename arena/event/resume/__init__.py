"""How an event is begun or resumed: its players, its openings, and changes of its config."""
