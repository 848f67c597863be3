"""One match: starts the bots, enforces the rules, times every call and decides."""
