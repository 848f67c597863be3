"""The report of what each seat learns of moves and draws, in words the author can check.

No test can tell what a game means to hide. It can tell what a seat learns, from random games.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from arena.testing.cases import Case, cases_of
from arena.testing.examination import SEEDS, Examination
from arena.testing.sight import Step, differing_parts, is_open, look, seen_part
from arena.testing.twins import is_silent, pairs
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.rules import move_fields, wire_name

_STARTS: Final = range(1, 9)
"""Seeds of the first positions that are compared."""
_BY_VIEW: Final = (
    "A seat learns of hidden moves and draws from its view alone (`is_known_by_view`); what that"
    " shows too much cannot be found."
)


def learned(game: str | type[AnyGame] | AnyGame, *, seats: int | None = None) -> str:
    """Return what each seat learns of each kind of move and draw, with three seats if possible."""
    found = list(cases_of(game, seats=seats))
    case = next((each for each in found if each.seats == 3), found[0])
    exam = Examination(case)
    lines = [f"What the seats of {_title(case)} learn in {len(SEEDS)} random games:"]
    parts = [_of_steps(exam), _of_rounds(exam), _of_starts(exam), _of_views(exam)]
    return "\n  ".join([*lines, *(line for part in parts for line in part)])


def _title(case: Case) -> str:
    return f"{case.game.name} with {case.seats} seat{'s' * (case.seats != 1)}"


def _steps(exam: Examination) -> Iterator[Step]:
    for seed in SEEDS:
        for state, move in exam.playout(seed):
            if move is not None:
                mover = None if exam.due_draw(state, seed) is not None else exam.game.turn(state)
                yield Step(mover, state, move, exam.game.apply(state, move))


def _of_steps(exam: Examination) -> Iterator[str]:
    """Yield a sentence for each kind of move or draw, and each seat that learns something else."""
    kinds: dict[str, dict[Seat, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for step in _steps(exam):
        for seat in range(exam.seats):
            if seat != step.mover:
                kinds[_kind(step)][seat][_part(exam, step, seat)] += 1
    for kind, seats in kinds.items():
        texts = {seat: _counted(counts) for seat, counts in sorted(seats.items())}
        is_equal = len({*texts.values()}) == 1 == max(map(len, seats.values()))
        if is_equal and len(texts) == exam.seats:
            yield f"Each seat learns of {kind}: {texts[0]}."
        else:
            yield from (f"Seat {seat} learns of {kind}: {text}." for seat, text in texts.items())
    if not exam.game.has_chance:
        yield "Nothing is drawn."


def _kind(step: Step) -> str:
    names = ", ".join(wire_name(field.name) for field in fields(step.move))
    whose = "a draw" if step.mover is None else "another's move"
    return f"{whose} {type(step.move).__name__}({names})"


def _part(exam: Examination, step: Step, seat: Seat) -> str:
    part, whole = seen_part(exam, step, seat), move_fields(step.move)
    if part is None:
        return "nothing"
    if part == whole:
        return "all"
    return f"only {', '.join(map(str, part))}"


def _counted(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    total = counts.total()
    return "; ".join(f"{text}, {count} of {total} times" for text, count in sorted(counts.items()))


def _of_rounds(exam: Examination) -> Iterator[str]:
    moves = [step for step in _steps(exam) if step.mover is not None]
    if held := sum(is_open(exam, step.after) for step in moves):
        yield f"{held} of {len(moves)} moves are withheld until their round is closed."
    elif exam.seats > 1:
        yield "No seats move at once: each learns of a move before the next one is made."


def _of_starts(exam: Examination) -> Iterator[str]:
    """Yield what a seat sees of a first position that depends on the seed."""
    starts = [exam.game.start(exam.seats, seed) for seed in _STARTS]
    if all(start == starts[0] for start in starts):
        return
    for seat in range(exam.seats):
        looks = [look(exam, start, seat) for start in starts]
        if parts := {part for each in looks for part in differing_parts(looks[0], each)}:
            yield f"Seat {seat} sees of the first position's random part: {_listed(parts)}."
        else:
            yield f"Seat {seat} sees nothing of the first position's random part."


def _of_views(exam: Examination) -> Iterator[str]:
    """Yield what a seat sees of hidden things after moves that it knows."""
    if not exam.game.has_hidden_information:
        return
    if exam.game.is_known_by_view:
        yield _BY_VIEW
        return
    for seat in range(exam.seats):
        found: dict[str, set[str]] = defaultdict(set)
        for step, twin in _telling_pairs(exam, seat):
            whose = "its own" if step.mover == seat else "another's"
            found[whose].update(
                differing_parts(*(look(exam, each.after, seat) for each in (step, twin)))
            )
        for whose in sorted(found):
            if parts := found[whose]:
                yield f"Seat {seat} sees of hidden things after {whose} move: {_listed(parts)}."


def _telling_pairs(exam: Examination, seat: Seat) -> Iterator[tuple[Step, Step]]:
    """Yield moves that a seat knows, made in two positions that it cannot tell apart."""
    for seed in SEEDS:
        for step, twin, _ in pairs(exam, seed, seat):
            if not is_silent(exam, step, seat) and exam.game.outcome(step.after) is None:
                yield step, twin


def _listed(parts: set[str]) -> str:
    return ", ".join(sorted(parts))
