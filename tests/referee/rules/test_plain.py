"""The defaults of a first game: names, notation, view and diagram from fields."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pytest

from referee.rules import NotationError
from referee.rules.plain import plain_diagram, plain_move, plain_notation, plain_view


@dataclass(frozen=True)
class Lift:
    from_: int
    kind: str = "rook"


@dataclass(frozen=True)
class Bid:
    do: Literal["raise", "call"]
    chips: int = 0


class State(NamedTuple):
    heaps: tuple[tuple[int, ...], ...]
    ply: int
    last: Any = None


@pytest.mark.parametrize("move", [Lift(0), Lift(-7, "é"), Lift(123456789012, "a-b")])
def test_a_plain_notation_is_read_again(move: Lift) -> None:
    assert plain_move(Lift, plain_notation(move)) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "1 rook 2", " 1 rook", "1  rook", "x rook", "01 rook", "+1 rook", "1_0 rook"),
        *("1.0 rook", "٣ rook", "-0 rook", "9999999999999 rook", "1 \x1b"),
    ],
)
def test_another_text_is_refused_with_the_fields(text: str) -> None:
    with pytest.raises(NotationError, match=r"write from \(a number\) and kind \(a word\)"):
        plain_move(Lift, text)


def test_one_of_several_words_is_read_again_and_no_other() -> None:
    assert plain_move(Bid, plain_notation(Bid("raise", 2))) == Bid("raise", 2)
    for text in ("fold 2", "Raise 2", "raise", "2 raise"):
        with pytest.raises(NotationError, match=r"write do \(raise or call\) and chips \(a number"):
            plain_move(Bid, text)


@pytest.mark.parametrize("kind", [Literal[1, 2], Literal["go", 3], Literal["two words", ""]])
def test_choices_that_are_not_words_need_a_notation_of_their_own(kind: Any) -> None:
    chosen: Any = dataclass(frozen=True)(type("Chosen", (), {"__annotations__": {"do": kind}}))

    with pytest.raises(NotImplementedError, match="Chosen has more than numbers and words"):
        plain_notation(chosen("go"))


def test_a_move_of_other_types_needs_a_notation_of_its_own() -> None:
    @dataclass(frozen=True)
    class Hop:
        path: tuple[int, ...]

    with pytest.raises(NotImplementedError, match="Hop has more than numbers and words: define"):
        plain_notation(Hop((1, 2)))


def test_a_plain_view_has_the_fields_of_the_state_in_wire_form() -> None:
    assert plain_view(State(((1, 2), ()), 3)) == {"heaps": [[1, 2], []], "ply": 3, "last": None}


def test_a_state_without_fields_or_with_an_object_needs_a_view_of_its_own() -> None:
    for state in (5, *(State((), 0, last=last) for last in (Lift(1), b"x", 0.5))):
        with pytest.raises(NotImplementedError, match="define view"):
            plain_view(state)


def test_a_plain_diagram_leaves_out_turn_and_ply() -> None:
    assert plain_diagram({"turn": 0, "ply": 3, "heap": 5, "last": None}) == "heap: 5\nlast: None"
