"""The contract test: each broken rule is found and reported with its position and move."""

# mypy: disable-error-code="misc"
# the base class of the broken games is read from a page, so mypy does not know it

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest
from first_game import Bachet, Move, State

from arena.testing import RULES, BrokenRuleError, check_game, title
from referee.catalog import UnknownGameError, game_class
from referee.rules import Game, IllegalMoveError, Outcome
from referee.rules.layout import Layout, Piece

MOVES = [Move(1), Move(2), Move(3)]


class Ends(Bachet):
    def outcome(self, state: Any) -> Outcome | None:
        return None if state.sticks == 0 and state.loser is None else super().outcome(state)


class Untyped(Bachet):
    def outcome(self, state: Any) -> Any:
        return (1, 0) if super().outcome(state) else None


class Twice(Bachet):
    def legal(self, state: Any) -> Iterator[Any]:
        yield from super().legal(state)
        if state.sticks > 3:
            yield Move(1)


class Fixed(Bachet):
    def choices(self, state: Any) -> tuple[list[Any], bytes]:
        return MOVES, b"\1\1" + bytes([state.sticks > 3])


class Booleans(Bachet):
    def choices(self, state: Any) -> tuple[list[Any], Any]:
        return [Move(1), Move(2)], [True, state.sticks > 1]


@dataclass(frozen=True)
class Word:
    take: Literal["one", "two"]


class Words(Bachet):
    move_type: ClassVar[type] = Word

    def legal(self, state: Any) -> Iterator[Any]:
        yield from (Word(("one", "two")[move.take - 1]) for move in super().legal(state))

    def apply(self, state: Any, move: Any) -> Any:
        return super().apply(state, Move(("one", "two").index(move.take) + 1))


@dataclass(frozen=True, kw_only=True)
class Plain(Game[State, Move]):
    """Bachet's game with a heap of 21, without options."""

    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move

    def start(self, seats: int, seed: int) -> Any:
        return Bachet().start(seats, seed)

    def turn(self, state: State) -> Any:
        return Bachet().turn(state)

    def legal(self, state: State) -> Any:
        return Bachet().legal(state)

    def apply(self, state: State, move: Move) -> Any:
        return Bachet().apply(state, move)

    def outcome(self, state: State) -> Any:
        return Bachet().outcome(state)

    def retire(self, state: State, seat: int) -> Any:
        return Bachet().retire(state, seat)


class TooFewFlags(Bachet):
    def choices(self, state: Any) -> tuple[list[Any], bytes]:
        del state
        return [Move(1), Move(2), Move(3)], b"\1\1"


class OtherFlags(Bachet):
    def choices(self, state: Any) -> tuple[list[Any], bytes]:
        del state
        return [Move(1), Move(2)], b"\1\2"


class Chance(Bachet):
    def apply(self, state: Any, move: Any) -> Any:
        after = super().apply(state, move)
        return after._replace(ply=after.ply + 2 * random.randrange(10**9))


class Seedless(Bachet):
    def start(self, seats: int, seed: int) -> Any:
        del seats, seed
        return State(10 + random.randrange(10**9))


class Places(Bachet):
    def adjudicate(self, state: Any, reason: str) -> Outcome:
        del state
        return Outcome((0, 0), (0, 1), reason)


class Turn(Bachet):
    def turn(self, state: Any) -> int:
        return int(state.ply)


class Lenient(Bachet):
    def apply(self, state: Any, move: Any) -> Any:
        return State(state.sticks - move.take, state.ply + 1)


class Wrong(Bachet):
    def apply(self, state: Any, move: Any) -> Any:
        if move.take > self.most:
            raise KeyError(move.take)
        return super().apply(state, move)


class SameText(Bachet):
    def notation(self, move: Any) -> str:
        return str(min(move.take, 2))


class Parses(Bachet):
    def parse(self, text: str) -> Any:
        return Move(int(text))


class Retires(Bachet):
    def retire(self, state: Any, seat: int) -> Any:
        del seat
        return state


class Wins(Bachet):
    def retire(self, state: Any, seat: int) -> Any:
        return state._replace(loser=1 - seat)


class Floats(Bachet):
    def view(self, state: Any, seat: int) -> dict[str, Any]:
        return {**super().view(state, seat), "half": state.sticks / 2}


class Wide(Bachet):
    def view(self, state: Any, seat: int) -> dict[str, Any]:
        return {**super().view(state, seat), "wide": "x" * 600_000}


class NoView(Bachet):
    def view(self, state: Any, seat: int) -> Any:
        del state, seat


class NoTurn(Bachet):
    def view(self, state: Any, seat: int) -> dict[str, Any]:
        del seat
        return {"sticks": state.sticks}


class Draws(Bachet):
    def diagram(self, state: Any, seat: int | None = None) -> str:
        return f"\x1b[31m{state.sticks} {seat}"


class Counts(Bachet):
    def children(self, position: Any) -> Any:
        return list(super().children(position))[:1]


class Off(Bachet):
    def layout(self, seats: int) -> Layout:
        del seats
        return Layout(kind="cells", rows=1, cols=2, names=("a", "b"))

    def pieces(self, state: Any, seat: int | None) -> dict[int, Piece]:
        del state, seat
        return {2: Piece(0)}


BROKEN: list[tuple[type[Game[Any, Any]], str]] = [
    (Ends, "no move is legal, and the game has no outcome"),
    (Untyped, r"`outcome` is \(1, 0\), not an Outcome"),
    (Twice, r"the same move more than once: Move\(take=1\)"),
    (Fixed, "`choices` and `legal` differ"),
    (Booleans, r"bytes of 0 and 1, one for each of 2 moves, not \["),
    (TooFewFlags, "bytes of 0 and 1, one for each of 3 moves"),
    (OtherFlags, "bytes of 0 and 1, one for each of 2 moves"),
    (Chance, r"`apply` returns State.* first, and then State"),
    (Seedless, r"seed 1 gives State.* first, and then State"),
    (Places, r"`adjudicate` needs whole points.* not Outcome"),
    (Turn, "`turn` is 2, with 2 seats"),
    (Lenient, "`apply` makes this move, and `legal` does not yield it"),
    (Wrong, "raises KeyError"),
    (SameText, r"Move\(take=2\) has the same notation"),
    (Parses, "raises ValueError"),
    (Retires, r"the game continues although the seats \[.\] have retired"),
    (Wins, "has retired, and the places are"),
    (
        Floats,
        "no message may have: view: half: 10.5 is neither None, bool, int, text, list nor map",
    ),
    (Wide, "`view` for seat 0 has 600[0-9]{3} bytes; 524288 fit into a call"),
    (NoView, r"`view` for seat 0 returns None, not a map like \{'turn': 0, 'ply': 0\}"),
    (NoTurn, r"the view has turn and ply \(None, None\), not \(0, 0\)"),
    (Draws, "the diagram is empty or has invisible characters"),
    (Counts, "legal moves, but 1 in `children`, or others"),
    (Off, "a piece is at place 2; the places are 0 to 1"),
]


def test_a_correct_game_passes_by_name_class_and_instance() -> None:
    check_game("damspel", seats=2)
    check_game(Bachet)
    check_game(Bachet(heap=5, most=2))
    with pytest.raises(UnknownGameError):
        check_game("no-such")


@pytest.mark.parametrize(("game", "detail"), BROKEN, ids=[game.__name__ for game, _ in BROKEN])
def test_a_broken_rule_is_named(game: type[Game[Any, Any]], detail: str) -> None:
    with pytest.raises(BrokenRuleError, match=detail) as caught:
        check_game(game)

    first, _, *others = str(caught.value).splitlines()
    assert first.removeprefix("bachet breaks a rule: ") in [title(rule) for rule in RULES]
    assert others[0] == "game: bachet(heap=21, most=3), 2 seats"


@pytest.mark.usefixtures("small_games")
def test_a_game_of_chance_whose_ply_counts_no_draws_learns_that_it_must(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pig = game_class("pig")
    view = pig.view
    monkeypatch.setattr(pig, "view", lambda *given: {**view(*given), "ply": 0})

    with pytest.raises(BrokenRuleError, match=r"and ply .*; `ply` counts moves and draws"):
        check_game("pig")


def test_a_game_without_options_learns_how_to_write_one() -> None:
    with pytest.raises(BrokenRuleError, match="a game needs an option: a field of its class, like"):
        check_game(Plain)


def test_a_move_may_be_one_of_several_words() -> None:
    check_game(Words(most=2))


@dataclass(frozen=True)
class AnyWord:
    take: str


class AnyWords(Words):
    move_type: ClassVar[type] = AnyWord

    def legal(self, state: Any) -> Iterator[Any]:
        yield from (AnyWord(move.take) for move in super().legal(state))

    def apply(self, state: Any, move: Any) -> Any:
        if move.take not in ("one", "two"):
            raise IllegalMoveError("no such word")
        return super().apply(state, move)


def test_a_move_of_any_text_learns_how_to_name_its_words() -> None:
    cure = 'write the words as `take: Literal["...", ...]`, or define `parse`, which refuses others'
    with pytest.raises(BrokenRuleError, match=re.escape(f"as AnyWord(take='?'); {cure}")):
        check_game(AnyWords(most=2))


def test_a_broken_rule_is_reported_with_its_position_and_move() -> None:
    with pytest.raises(BrokenRuleError) as caught:
        check_game(Lenient)

    rule, detail, game, start, moves, state, move = str(caught.value).splitlines()
    assert rule == "bachet breaks a rule: `apply` refuses every other move with IllegalMoveError"
    assert detail == "  `apply` makes this move, and `legal` does not yield it"
    assert start == "random game: start(seats=2, seed=1)"
    assert moves == "moves so far: none"
    assert state == "state: State(sticks=21, ply=0, loser=None)"
    assert re.fullmatch(r"move: Move\(take=(-?\d+)\), in notation '\1'", move)
    assert game
