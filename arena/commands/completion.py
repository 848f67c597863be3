"""Names that a shell completes: games, bots and languages; paths are completed by the shell."""


def complete_game(beginning: str) -> list[str]:
    """Return the games whose names begin so."""
    from referee.catalog import game_names

    return [name for name in game_names() if name.startswith(beginning)]


def complete_bot(beginning: str) -> list[str]:
    """Return the shipped bots whose names begin so."""
    from arena.bots.shipped import shipped_bots

    return [name for name in sorted(shipped_bots()) if name.startswith(beginning)]


def complete_language(beginning: str) -> list[str]:
    """Return the languages of starters, and `tournament`, that begin so."""
    prefix = "starter/"
    found = [name.removeprefix(prefix) for name in complete_bot(prefix + beginning)]
    return found + ["tournament"] * "tournament".startswith(beginning)
