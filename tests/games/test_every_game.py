"""The contract of `referee.rules` for every game, tested by random play.

A new game is tested as soon as it is there, with its default options; `every_game.py` has more of
them for the games of ours.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from every_game import LONGEST, SEEDS, Case, every_game, playout, positions, some_positions, steps

from referee.options import game_options, make_game
from referee.rules import IllegalMoveError, NotationError, Outcome

WILD = (-1, 0, 1, 2, 3, 5, 8, 99, -(2**53), 2**53)
"""Numbers for mostly illegal moves."""


def assert_is_outcome(outcome: Outcome, seats: int) -> None:
    assert len(outcome.points) == len(outcome.places) == seats
    assert all(type(number) is int for number in (*outcome.points, *outcome.places))
    assert min(outcome.places) == 1
    assert set(outcome.places) <= set(range(1, seats + 1))
    assert outcome.reason


@every_game
def test_legal_moves_exist_exactly_until_the_end(case: Case) -> None:
    for state in positions(case):
        legal = list(case.game.legal(state))
        assert (not legal) == (case.game.outcome(state) is not None)
        assert len(set(legal)) == len(legal)
        assert legal == list(case.game.legal(state))
        assert all(type(move) is case.game.move_type for move in legal)


@every_game
def test_every_legal_move_can_be_made_and_leaves_the_old_state_unchanged(case: Case) -> None:
    for state in some_positions(case):
        copy, mark = repr(state), hash(state)
        for move in case.game.legal(state):
            after = case.game.apply(state, move)
            assert after == case.game.apply(state, move)
            assert hash(after) == hash(case.game.apply(state, move))
        assert (repr(state), hash(state)) == (copy, mark)


@every_game
def test_the_same_seed_gives_the_same_game(case: Case) -> None:
    twin = make_game(case.game.name, game_options(case.game))

    assert twin == case.game
    for seed in (*SEEDS, 0, 2**64 - 1):
        assert twin.start(case.seats, seed) == case.game.start(case.seats, seed)


@every_game
def test_turn_is_a_seat_and_the_outcome_one_for_every_seat(case: Case) -> None:
    for state in positions(case):
        assert case.game.turn(state) in range(case.seats)
        outcome = case.game.outcome(state)
        if outcome is not None:
            assert_is_outcome(outcome, case.seats)
        adjudicated = case.game.adjudicate(state, "stopped here")
        assert_is_outcome(adjudicated, case.seats)
        assert adjudicated.reason == "stopped here"


def wild_value(chance: random.Random, hint: Any) -> Any:
    """Return some value of the type, far off the board or near it."""
    if hint is bool:
        return chance.random() < 0.5
    if hint is int:
        return chance.choice(WILD)
    if hint is str:
        return chance.choice(("", "x", "0" * 30))
    assert get_origin(hint) is tuple, f"no wild values for {hint}: add them here"
    return tuple(wild_value(chance, part) for part in get_args(hint))


def wild_moves(case: Case, state: Any, chance: random.Random) -> Iterator[Any]:
    """Yield moves of the right type and any values, and neighbours of legal ones."""
    hints = get_type_hints(case.game.move_type)
    names = [field.name for field in fields(case.game.move_type)]
    legal = list(case.game.legal(state))
    for _ in range(40):
        values = {name: wild_value(chance, hints[name]) for name in names}
        if legal and chance.random() < 0.5:
            spared = chance.choice(names)
            like = chance.choice(legal)
            values |= {name: getattr(like, name) for name in names if name != spared}
        yield case.game.move_type(**values)


@every_game
def test_any_other_move_is_refused_as_illegal(case: Case) -> None:
    chance = random.Random(7)
    for state in some_positions(case):
        legal = set(case.game.legal(state))
        results = None
        for move in wild_moves(case, state, chance):
            try:
                after = case.game.apply(state, move)
            except IllegalMoveError:
                assert move not in legal
                continue
            if move not in legal:
                # another way to say a legal move, like a run from its end to its start
                results = results or {case.game.apply(state, known) for known in legal}
                assert after in results


@every_game
def test_once_the_game_is_over_no_move_is_legal(case: Case) -> None:
    for before, move, after in steps(case):
        if case.game.outcome(after) is not None:
            for late in (move, *list(case.game.legal(before))[:5]):
                with pytest.raises(IllegalMoveError):
                    case.game.apply(after, late)


@every_game
def test_notation_is_unique_per_move(case: Case) -> None:
    for state in some_positions(case):
        legal = list(case.game.legal(state))
        texts = [case.game.notation(move) for move in legal]
        assert len(set(texts)) == len(texts)
        assert [case.game.parse(text) for text in texts] == legal
        assert all(text.isprintable() and text == text.strip() for text in texts)


@every_game
@pytest.mark.parametrize("text", ["", " ", "?", "e5e5e5", "1,", "∞", "a" * 5000, "9" * 5000, "\0"])
def test_text_that_is_not_a_move_raises_the_notation_error(case: Case, text: str) -> None:
    with pytest.raises(NotationError, match=r"."):
        case.game.parse(text)


@every_game
def test_wild_moves_can_be_written_down(case: Case) -> None:
    chance = random.Random(7)
    state = case.game.start(case.seats, 1)

    for move in wild_moves(case, state, chance):
        assert case.game.notation(move).isprintable()


@every_game
def test_a_diagram_is_text_for_a_terminal(case: Case) -> None:
    for state in some_positions(case):
        lines = case.game.diagram(state).splitlines()
        assert lines
        assert all(line.isprintable() for line in lines)


@every_game
def test_the_board_of_a_diagram_is_within_its_margins_with_blanks_between_places(
    case: Case,
) -> None:
    above, left, below = case.game.margins
    heights = set()
    for state in some_positions(case):
        lines = case.game.diagram(state).splitlines()
        board = [line[left:] for line in lines[above : len(lines) - below]]
        heights.add(len(board))
        assert all(line[:left].strip() for line in lines[above : len(lines) - below] if left)
        if any(case.game.margins):
            assert all(re.fullmatch(r"( +\S)*", line.rstrip()) for line in board)
    assert len(heights) == 1


@every_game
def test_a_display_has_one_answer_and_retired_seats_have_none(
    case: Case,
) -> None:
    for state in positions(case):
        if case.game.is_display_due(state):
            picture = case.game.picture(state)
            assert list(picture) == list(case.game.picture(state))
            assert len({len(row) for row in picture}) == 1
            assert all(type(row) is str for row in picture)
        for seat in range(case.seats):
            retired = case.game.retire(state, seat)
            assert case.seats > 1 or not case.game.is_display_due(retired)


@every_game
def test_any_seat_can_retire_at_any_time_and_the_others_play_on(case: Case) -> None:
    chance = random.Random(7)
    for state in some_positions(case):
        if case.game.outcome(state) is not None:
            continue
        seats = list(range(case.seats))
        chance.shuffle(seats)
        for count, seat in enumerate(seats, start=1):
            before = state
            state = case.game.retire(state, seat)  # noqa: PLW2901 - one after the other
            assert case.game.retire(before, seat) == state
            outcome = case.game.outcome(state)
            if outcome is not None:
                assert_is_outcome(outcome, case.seats)
                assert not list(case.game.legal(state))
                break
            assert count < case.seats - 1
            assert case.game.turn(state) not in seats[:count]
            assert_plays_on(case, state, set(seats[:count]), chance)


def assert_plays_on(case: Case, state: Any, retired: set[int], chance: random.Random) -> None:
    for _ in range(LONGEST):
        if case.game.outcome(state) is not None:
            return
        assert case.game.turn(state) not in retired
        state = case.game.apply(state, chance.choice(list(case.game.legal(state))))


@every_game
def test_a_retired_seat_is_not_placed_before_the_others(case: Case) -> None:
    for state in some_positions(case):
        if case.game.outcome(state) is not None or case.seats == 1:
            continue
        for seat in range(case.seats):
            after = case.game.retire(state, seat)
            outcome = case.game.outcome(after) or case.game.adjudicate(after, "stopped")
            assert outcome.places[seat] == max(outcome.places) > 1


def continuations(case: Case, position: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(continuations(case, child, depth - 1) for child in case.game.children(position))


def plays(case: Case, state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    moves = list(case.game.legal(state))
    if depth == 1:
        return len(moves)
    return sum(plays(case, case.game.apply(state, move), depth - 1) for move in moves)


@every_game
def test_positions_for_counting_have_the_children_that_the_moves_lead_to(case: Case) -> None:
    for state in some_positions(case):
        made = [case.game.position(case.game.apply(state, move)) for move in case.game.legal(state)]
        assert Counter(case.game.children(case.game.position(state))) == Counter(made)


@every_game
def test_counting_two_moves_ahead_agrees_with_playing_them(case: Case) -> None:
    *_, (state, _) = list(playout(case, 3))[: LONGEST // 4]

    assert continuations(case, case.game.position(state), 2) == plays(case, state, 2)
