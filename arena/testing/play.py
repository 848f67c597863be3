"""Rules of positions and moves."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from itertools import compress
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from arena.testing.examination import LONGEST, SEEDS, Examination
from arena.text import plural
from protocol.wording import shown
from referee.options import build_game, game_options
from referee.rules import IllegalMoveError, NotationError, Outcome
from referee.rules.outcomes import outcome_fault

WILD = (-1, 0, 1, 2, 3, 5, 8, 99, -(2**53), 2**53)
"""Numbers for mostly illegal moves."""
NO_MOVES = ("", " ", "?", "e5e5e5", "1,", "∞", "a" * 5000, "9" * 5000, "\0")
"""Texts invalid as a move of any game."""


def legal_until_the_end(exam: Examination) -> None:
    """Moves are legal exactly until the game has an outcome, each once, in the same order."""
    sequences: list[Any] = []
    for state in exam.positions():
        legal, outcome = exam.legal(state), exam.game.outcome(state)
        draw = exam.due_draw(state, SEEDS[0])
        if (not legal) != (outcome is not None or draw is not None):
            due = "" if draw is None else f", and the draw {draw!r} is due"
            raise exam.broken(
                f"{plural(len(legal), 'legal move')}, and the outcome is {outcome}{due}"
            )
        if twice := [move for move, count in Counter(legal).items() if count > 1]:
            raise exam.broken(f"`legal` yields the same move more than once: {twice[0]!r}")
        if legal != list(exam.game.legal(state)):
            raise exam.broken("`legal` yields other moves, or another order, the second time")
        _check_choices(exam, exam.game.choices(state), legal, sequences)


def _check_choices(exam: Examination, choices: Any, legal: list[Any], sequences: list[Any]) -> None:
    if choices is None:
        return
    moves, flags = choices
    if type(flags) is not bytes or len(flags) != len(moves) or not set(flags) <= {0, 1}:
        raise exam.broken(
            f"`choices` must return bytes of 0 and 1, one for each of {plural(len(moves), 'move')},"
            f" not {shown(flags)}"
        )
    if list(compress(moves, flags)) != legal:
        raise exam.broken("`choices` and `legal` differ")
    if any(moves is not other for other in sequences):
        raise exam.broken(
            "`choices` returns another sequence of moves than before; make it once, for example in"
            " a `functools.cached_property`, and return the same object each time"
        )
    sequences[:] = [moves]


def states_never_change(exam: Examination) -> None:
    """A legal move can be made, gives the same state each time and leaves the old one unchanged."""
    for state in exam.some_positions():
        copy, mark = repr(state), hash(state)
        for move in exam.game.legal(state):
            exam.move = move
            after, again = exam.game.apply(state, move), exam.game.apply(state, move)
            if after != again or hash(after) != hash(again):
                raise exam.broken(f"`apply` returns {after!r} first, and then {again!r}")
            if (repr(state), hash(state)) != (copy, mark):
                raise exam.broken(f"`apply` has changed its state {copy}")
        exam.move = None


def same_seed_same_game(exam: Examination) -> None:
    """Equal options and the same seed give the same start."""
    twin = build_game(type(exam.game), game_options(exam.game))
    if twin != exam.game:
        raise exam.broken(f"another game with the same options is not equal: {twin!r}")
    for seed in (*SEEDS, 0, 2**64 - 1):
        one, other = exam.game.start(exam.seats, seed), twin.start(exam.seats, seed)
        if one != other:
            raise exam.broken(f"seed {seed} gives {one!r} first, and then {other!r}")


def turn_and_outcome(exam: Examination) -> None:
    """`turn` is a seat, and an outcome has points and a place for every seat."""
    for state in exam.positions():
        turn = exam.game.turn(state)
        if type(turn) is not int or turn not in range(exam.seats):
            raise exam.broken(f"`turn` is {turn!r}, with {plural(exam.seats, 'seat')}")
        if (outcome := exam.game.outcome(state)) is not None:
            check_outcome(exam, outcome, "outcome")
        adjudicated = exam.game.adjudicate(state, "stopped here")
        check_outcome(exam, adjudicated, "adjudicate")
        if adjudicated.reason != "stopped here":
            raise exam.broken(f"`adjudicate` has the reason {adjudicated.reason!r}, not the given")


def check_outcome(exam: Examination, outcome: Outcome, where: str) -> None:
    """Raise BrokenRuleError for an incomplete outcome."""
    if fault := outcome_fault(outcome, exam.seats):
        raise exam.broken(f"`{where}` {fault}")


def other_moves_are_illegal(exam: Examination) -> None:
    """`apply` refuses every other move with IllegalMoveError."""
    chance = random.Random(7)  # noqa: S311 - repeatable
    for state in exam.some_positions():
        legal = set(exam.game.legal(state))
        results = None
        for move in wild_moves(exam, state, chance):
            exam.move = move
            try:
                after = exam.game.apply(state, move)
            except IllegalMoveError:
                if move in legal:
                    raise exam.broken("`legal` yields this move, and `apply` refuses it") from None
                continue
            if move not in legal:
                # another form of a legal move, like a run from its end to its start
                results = results or {exam.game.apply(state, known) for known in legal}
                if after not in results:
                    raise exam.broken("`apply` makes this move, and `legal` does not yield it")
        exam.move = None


def wild_moves(exam: Examination, state: Any, chance: random.Random) -> Iterator[Any]:
    """Yield moves of the right type with any values, and neighbours of legal ones."""
    kind = exam.game.move_type
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    legal = list(exam.game.legal(state))
    for _ in range(40):
        values = {name: _wild_value(chance, hints[name]) for name in names}
        if legal and chance.random() < 0.5:
            spared = chance.choice(names)
            like = chance.choice(legal)
            values |= {name: getattr(like, name) for name in names if name != spared}
        yield kind(**values)


def _wild_value(chance: random.Random, hint: Any) -> Any:
    """Return a value of the type, on the board or far off it."""
    if hint is bool:
        return chance.random() < 0.5
    if hint is int:
        return chance.choice(WILD)
    if hint is str:
        return chance.choice(("", "x", "0" * 30))
    if get_origin(hint) is Literal:
        return chance.choice(get_args(hint))
    if get_origin(hint) is UnionType:
        return chance.choice([None, *(_wild_value(chance, kind) for kind in get_args(hint)[:-1])])
    if get_origin(hint) is tuple:
        return tuple(_wild_value(chance, part) for part in get_args(hint) if part is not ...)
    raise TypeError(f"a field of a move is a bool, int, str, Literal or tuple of them, not {hint}")


def over_is_over(exam: Examination) -> None:
    """After the end no move is legal."""
    for before, move, after in exam.steps():
        if exam.game.outcome(after) is None:
            continue
        for late in (move, *list(exam.game.legal(before))[:5]):
            exam.examine(after)
            exam.move = late
            try:
                exam.game.apply(after, late)
            except IllegalMoveError:
                continue
            raise exam.broken("`apply` makes a move after the end")


def notation_is_unique(exam: Examination) -> None:
    """Each legal move has a unique notation, and `parse` reads it back."""
    for state in exam.some_positions():
        seen: dict[str, Any] = {}
        for move in exam.game.legal(state):
            exam.move = move
            text = exam.game.notation(move)
            if not text.isprintable() or text != text.strip() or not text:
                raise exam.broken(f"the notation {text!r} is empty or has invisible characters")
            if seen.setdefault(text, move) != move:
                raise exam.broken(f"{seen[text]!r} has the same notation")
            if (read := exam.game.completed(state, exam.game.parse(text))) != move:
                raise exam.broken(f"`parse` reads {text!r} as {read!r}")
        exam.move = None


def other_text_is_no_notation(exam: Examination) -> None:
    """`parse` refuses other text with NotationError, or `completed` what it read, and a message."""
    state = exam.game.start(exam.seats, SEEDS[0])
    for text in NO_MOVES:
        shown = text if len(text) < 20 else f"{text[:9]}... ({len(text)} characters)"
        try:
            read = exam.game.completed(state, exam.game.parse(text))
        except (NotationError, IllegalMoveError) as error:
            if str(error):
                continue
            raise exam.broken(f"`parse` refuses {shown!r} without a message") from None
        raise exam.broken(f"`parse` reads {shown!r} as {read!r}; {_cure_of_words(exam)}")


def _cure_of_words(exam: Examination) -> str:
    """Return how to refuse a text; a field of any text has no words of its own."""
    hints = get_type_hints(exam.game.move_type)
    if texts := [name for name, hint in hints.items() if hint is str]:
        literal = f'`{texts[0]}: Literal["...", ...]`'
        return f"write the words as {literal}, or define `parse`, which refuses others"
    return "let `parse` raise NotationError"


def any_move_can_be_written(exam: Examination) -> None:
    """`notation` writes illegal moves, too."""
    for state, _ in exam.playout(SEEDS[0]):
        for move in wild_moves(exam, state, random.Random(7)):  # noqa: S311 - repeatable
            exam.move = move
            if not (text := exam.game.notation(move)).isprintable():
                raise exam.broken(f"the notation {text!r} has invisible characters")
        return


def counted_positions(exam: Examination) -> None:
    """`children` of a position are the positions after its legal moves, in a game without draws."""
    if exam.game.has_chance:
        return
    for state in exam.some_positions():
        made = [exam.game.position(exam.game.apply(state, move)) for move in exam.game.legal(state)]
        found = list(exam.game.children(exam.game.position(state)))
        if Counter(found) != Counter(made):
            raise exam.broken(
                f"{plural(len(made), 'legal move')}, but {len(found)} in `children`, or others"
            )


def counted_games(exam: Examination) -> None:
    """Counting two moves ahead gives the number of two legal moves, in a game without draws."""
    if exam.game.has_chance:
        return
    *_, (state, _) = list(exam.playout(3))[: LONGEST // 4]
    exam.examine(state)
    counted = sum(
        len(list(exam.game.children(child)))
        for child in exam.game.children(exam.game.position(state))
    )
    played = sum(
        len(list(exam.game.legal(exam.game.apply(state, move)))) for move in exam.game.legal(state)
    )
    if counted != played:
        raise exam.broken(f"{played} games of two moves can follow, {counted} are counted")


RULES: Final = (
    legal_until_the_end,
    states_never_change,
    same_seed_same_game,
    turn_and_outcome,
    other_moves_are_illegal,
    over_is_over,
    notation_is_unique,
    other_text_is_no_notation,
    any_move_can_be_written,
    counted_positions,
    counted_games,
)
