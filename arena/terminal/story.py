"""A match as text: its positions, and a line about each reply."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arena import text
from arena.errors import UsageError
from arena.people.result import result_text
from arena.results.printed import Output, outputs_of
from arena.results.remarks import remarks_of
from arena.results.seen import entry_for, is_remark_for, notation_for
from arena.schedule.openings import notation_of
from arena.terminal.board import Drawing, divided, draw
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.catalog import game_class
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.records.calls import Call, entry_of
from referee.records.checking import check_record
from referee.records.record import Record
from referee.records.replay import ReplayError, ReplayStep, game_of, steps


def title_text(match: int, record: Record) -> str:
    """Return the players with their seats."""
    job = record.job
    marks = game_class(job.game).seat_marks or ("",) * len(job.players)
    names = [
        f"{escaped(name)} {mark}".strip() for name, mark in zip(job.names(), marks, strict=False)
    ]
    return f"match {match}, {job.game}: {' - '.join(names)}"


def check_replay(record: Record, seat: Seat | None) -> None:
    """Raise UsageError unless the match can be replayed and has this seat; None is a spectator."""
    try:
        check_record(record)
    except ReplayError as error:
        raise UsageError(f"the match cannot be replayed: {error}") from None
    seats = len(record.job.players)
    if seat is not None and seat >= seats:
        raise UsageError(f"--seat {seat}: the match has the seats 0 to {seats - 1}")


def opening_text(job: Job) -> str:
    """Return the opening moves in notation; empty without an opening."""
    return notation_of(game_of(job), job.history) if job.history else ""


def opening_name(record: Record) -> str:
    """Return the ECO code and the name of the opening of a match; empty without one."""
    if record.job.game != "chess":
        return ""
    # slow imports, for this game only
    from arena.reports.openings.chess_openings import opening_of
    from referee.games.chess import Chess

    with suppress(ReplayError):
        game = game_of(record.job)
        played = [*opening_steps(record.job), *steps(record.job, record.calls)]
        if isinstance(game, Chess) and (found := opening_of(game, (each.state for each in played))):
            return f"{found.eco} {found.name}"
    return ""


def positions(record: Record, at: int) -> list[ReplayStep]:
    """Return all positions of a match; raise UsageError if `at` is not the index of one."""
    found = list(steps(record.job, record.calls))
    if not 0 <= at < len(found):
        raise UsageError(f"--at {at}: the match has the positions 0 to {len(found) - 1}")
    return found


def opening_steps(job: Job) -> list[ReplayStep]:
    """Return the positions of an opening before the start of a match, with negative plies."""
    game, codec = game_of(job), MoveCodec(game_of(job))
    state = game.start(len(job.players), job.board_seed)
    found = []
    for number, entry in enumerate(job.history):
        found.append(ReplayStep(number - len(job.history), state))
        state = game.apply(state, codec.read_played(entry))
    return found


def position_text(
    job: Job, found: list[ReplayStep], at: int, width: int | None = None, seat: Seat | None = None
) -> str:
    """Return a position and its last move, as a seat or a spectator (None) sees them."""
    drawing = step_drawing(job, found, at, seat)
    return f"{step_line(job, found[at], seat)}\n\n{divided(drawing, width)}"


def step_drawing(job: Job, found: list[ReplayStep], at: int, seat: Seat | None) -> Drawing:
    """Return the board of a position with its last move marked."""
    game, step = game_of(job), found[at]
    if not at:
        return draw(game, step.state, seat=seat)
    call = step.call
    is_seen = call and call.seat is not None and entry_for(game, step, seat) == entry_of(call)
    before = found[at - 1].state
    is_marked = is_seen and step.move is not None
    places = game.gesture_in(before, step.move) if is_marked else ()
    return draw(game, step.state, before, places, seat)


def step_line(job: Job, step: ReplayStep, seat: Seat | None = None) -> str:
    """Return one line about the move before a position."""
    if step.call is None:
        is_resumed = any(player.kind == "person" for player in job.players)
        words = "moves kept by a take-back" if is_resumed else "opening"
        if step.ply < 0:
            return f"{words}: {len(job.history) + step.ply} of {len(job.history)} moves"
        if seat is not None and job.history and game_of(job).has_hidden_information:
            return f"start, after the {words}"
        opening = opening_text(job)
        return f"start, after the {words} {opening}" if opening else "start"
    game, call = game_of(job), step.call
    seen = None if call.move is None else notation_for(game, entry_for(game, step, seat))
    if call.seat is None:
        return f"ply {step.ply}: {f'drawn {seen}' if seen else 'a hidden draw'}"
    player = escaped(job.player(call.seat).name)
    if not is_remark_for(game, call, seat):
        doing = "makes a hidden move" if not seen else f"plays {seen}"
        if call.move is not None:
            return f"ply {step.ply}: seat {call.seat} {player} {doing}"
    return ", ".join([call_line(call, step.ply, player), *remarks_of(game, step.state, call)])


def call_line(call: Call, ply: int, player: str) -> str:
    """Return one line about the reply of a player before the position at `ply`."""
    if call.move is None:
        return f"seat {call.seat} {player}: {call.fault or 'resigns'}"
    cpu, wall, charged = map(text.seconds, (call.cpu_ns, call.wall_ns, call.charged_ns))
    parts = [
        f"ply {ply}: seat {call.seat} {player} plays {call.notation}",
        f"CPU {cpu}",
        f"wall {wall}",
    ]
    if charged not in (cpu, wall):
        parts.append(f"charged {charged}")
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


def outputs_for(record: Record, seat: Seat | None) -> Mapping[int, Sequence[Output]]:
    """Return what a seat, or each bot (None), printed, by the number of the step."""
    return outputs_of(record, record.job.seats() if seat is None else [seat])


def printed_lines(job: Job, outputs: Sequence[Output]) -> list[str]:
    """Return what bots printed at one step, under a line for each bot and call."""
    lines, last = list[str](), ""
    for output in outputs:
        head = f"  {escaped(job.player(output.seat).name)} printed {output.moment}:"
        lines += [head] * (head != last)  # once above the two ends of a long one
        last = head
        lines += [f"    {line}" for line in output.lines()]
    return lines


def replay_lines(
    record: Record,
    *,
    has_boards: bool = False,
    width: int | None = None,
    seat: Seat | None = None,
) -> Iterator[str]:
    """Yield a match as text: a line per move, all boards or the last, who won and why."""
    found, outputs = positions(record, 0), outputs_for(record, seat)
    for at, step in enumerate(found):
        if has_boards:
            yield f"{position_text(record.job, found, at, width, seat)}\n"
        else:
            yield step_line(record.job, step, seat)
        yield from printed_lines(record.job, outputs.get(at, ()))
    if not has_boards:
        yield ""
        yield position_text(record.job, found, len(found) - 1, width, seat).partition("\n\n")[2]
        yield ""
    yield result_text(record)
