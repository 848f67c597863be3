"""A match as text: its positions, and a line about each reply."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena import text
from arena.errors import UsageError
from arena.people.result import result_text
from arena.results.remarks import remarks_of
from arena.schedule.openings import notation_of
from arena.terminal.board import Drawing, draw, folded
from protocol.wording import escaped
from referee.border import Border
from referee.calls import Call
from referee.catalog import game_class
from referee.job import PERSON, Job
from referee.record import Record
from referee.replay import ReplayStep, game_of, steps


def title_text(match: int, record: Record) -> str:
    """Return the players with their seats."""
    job = record.job
    marks = game_class(job.game).seat_marks or ("",) * len(job.players)
    names = [
        f"{escaped(name)} {mark}".strip() for name, mark in zip(job.names(), marks, strict=False)
    ]
    return f"match {match}, {job.game}: {' - '.join(names)}"


def opening_text(job: Job) -> str:
    """Return the opening moves in notation; empty without an opening."""
    return notation_of(game_of(job), job.history) if job.history else ""


def positions(record: Record, at: int) -> list[ReplayStep]:
    """Return all positions of a match; raise UsageError if `at` is not the index of one."""
    found = list(steps(record.job, record.calls))
    if not 0 <= at < len(found):
        raise UsageError(f"--at {at}: the match has the positions 0 to {len(found) - 1}")
    return found


def opening_steps(job: Job) -> list[ReplayStep]:
    """Return the positions of an opening before the start of a match, with negative plies."""
    game, border = game_of(job), Border(game_of(job))
    state = game.start(len(job.players), job.board_seed)
    found = []
    for number, entry in enumerate(job.history):
        found.append(ReplayStep(number - len(job.history), state))
        state = game.apply(state, border.read_move(entry["move"]))
    return found


def position_text(job: Job, found: list[ReplayStep], at: int, width: int | None = None) -> str:
    """Return one position of a match with its last move marked, and a line about that move."""
    return f"{step_line(job, found[at])}\n\n{folded(step_drawing(job, found, at), width)}"


def step_drawing(job: Job, found: list[ReplayStep], at: int) -> Drawing:
    """Return the board of a position with its last move marked."""
    game = game_of(job)
    if not at:
        return draw(game, found[at].state)
    call = found[at].call
    moves = [Border(game).read_move(call.move)] if call and call.move else []
    return draw(game, found[at].state, found[at - 1].state, moves)


def step_line(job: Job, step: ReplayStep) -> str:
    """Return one line about the move before a position."""
    if step.call is None:
        is_resumed = any(player.content == PERSON for player in job.players)
        words = "moves kept by a take-back" if is_resumed else "opening"
        if step.ply < 0:
            return f"{words}: {len(job.history) + step.ply} of {len(job.history)} moves"
        opening = opening_text(job)
        return f"start, after the {words} {opening}" if opening else "start"
    line = call_line(step.call, step.ply, escaped(job.player(step.call.seat).name))
    return ", ".join([line, *remarks_of(game_of(job), step.state, step.call)])


def call_line(call: Call, ply: int, player: str) -> str:
    """Return one line about the reply of a player before the position at `ply`."""
    if call.move is None:
        return f"seat {call.seat} {player}: {call.fault or 'resigns'}"
    parts = [
        f"ply {ply}: seat {call.seat} {player} plays {call.notation}",
        f"CPU {text.seconds(call.cpu_ns)}",
        f"wall {text.seconds(call.wall_ns)}",
    ]
    if call.left_ms is not None:
        parts.append(f"bank {call.left_ms} ms")
    if call.claims:
        parts.append(claims_text(call.claims))
    return ", ".join(parts)


def claims_text(claims: Mapping[str, Any]) -> str:
    """Return in words what a bot asserted about its move."""
    return "claims " + " and ".join(_claim(name, value) for name, value in claims.items())


def _claim(name: str, value: Any) -> str:
    words = escaped(name.replace("_", " "))
    if isinstance(value, bool):
        return words if value else f"no {words}"
    if not isinstance(value, list | tuple):
        return f"{words} {escaped(str(value))}"
    if not value:
        return f"no {words}"
    if all(isinstance(row, str) for row in value):
        return f"a {words} of {text.plural(len(value), 'row')}"
    return f"{words} {', '.join(map(_item, value))}"


def _item(value: Any) -> str:
    """Return a point as (1,2), a list of points as (1,2)-(3,4)."""
    if not isinstance(value, list | tuple):
        return escaped(str(value))
    if any(isinstance(part, list | tuple) for part in value):
        return "-".join(map(_item, value))
    return f"({','.join(map(_item, value))})"


def replay_lines(
    record: Record, *, has_boards: bool = False, width: int | None = None
) -> Iterator[str]:
    """Yield a match as text: a line per move, all boards or the last, who won and why."""
    found = positions(record, 0)
    for at, step in enumerate(found):
        if has_boards:
            yield f"{position_text(record.job, found, at, width)}\n"
        else:
            yield step_line(record.job, step)
    if not has_boards:
        yield ""
        yield position_text(record.job, found, len(found) - 1, width).partition("\n\n")[2]
        yield ""
    yield result_text(record)
