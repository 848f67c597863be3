"""Limits of a search in the words of UCI, USI and UCCI."""

from __future__ import annotations

from arena_bot import Fields

RESERVE_MS = 10


def limits_of(
    dialect: str,
    time: Fields,
    left_ms: int | None,
    made: int = 0,
    threads: int = 1,
    *,
    seat: int = 0,
    other: Fields | None = None,
) -> tuple[str, float]:
    """Return the limits of `go`, and the time in ms after which the engine is stopped.

    `left_ms` is the rest of the bank of the `seat` after `made` moves, `other` the clock of its
    opponent; without one, as where that has no bank, it stands at the same.
    """
    most, added = time["per_move_ms"] // threads, (time.get("increment_ms") or 0) // threads
    left = most if left_ms is None else left_ms // threads
    limit = min(most, left)
    stop = max(1, limit - max(RESERVE_MS, limit // 20))
    if left_ms is None:
        within = {"uci": "movetime", "usi": "btime 0 wtime 0 byoyomi", "ucci": "time"}
        return f"{within[dialect]} {stop}", stop + RESERVE_MS / 2
    clocks = [(left, added)] * 2
    if other is not None:
        clocks[1] = other["left_ms"] // threads, other.get("increment_ms", 0) // threads
    every = time.get("bank_moves")
    limits = _clocks_of(dialect, clocks, seat, is_known=other is not None)
    if every and dialect != "usi":  # which has no word for it
        limits += f" movestogo {every - made % every}"
    return limits, stop


def _clocks_of(dialect: str, clocks: list[tuple[int, int]], seat: int, *, is_known: bool) -> str:
    """Return the words of `go` for the clocks of the engine and of its opponent.

    A bank that is used up has 1 ms: by 0 some engines understand that there is no limit.
    """
    clocks = [(max(1, left), added) for left, added in clocks]
    has_increment = any(added for _, added in clocks)
    if dialect == "ucci":
        names = ("", "opp") if is_known else ("",)
        words = [f"{name}time {left}" for name, (left, _) in zip(names, clocks, strict=False)]
        if has_increment:
            words += [
                f"{name}increment {added}" for name, (_, added) in zip(names, clocks, strict=False)
            ]
        return " ".join(words)
    white, black = (1 - seat, seat) if dialect == "usi" else (seat, 1 - seat)  # Black is seat 0
    limits = f"wtime {clocks[white][0]} btime {clocks[black][0]}"
    if has_increment:
        limits += f" winc {clocks[white][1]} binc {clocks[black][1]}"
    return limits
