"""The contract of a game in parts, of which only the first has names to define."""

from dataclasses import dataclass
from typing import Any

import pytest

from referee.rules import Game, Outcome
from referee.rules.claims import Claims
from referee.rules.game import Rules
from referee.rules.secrets import Secrets
from referee.rules.shortcuts import Shortcuts
from referee.rules.showing import Showing

FIRST_NAMES = {"seats", "move_type", "start", "turn", "legal", "apply", "outcome", "retire"}
OPTIONAL = (Secrets, Showing, Claims, Shortcuts)


def names(part: type[Any]) -> set[str]:
    own = {*vars(part), *vars(part).get("__annotations__", {})}
    return {name for name in own if not name.startswith("_")}


def test_the_rules_have_few_names_and_a_first_game_defines_eight() -> None:
    defaults = {name for name in names(Rules) if name not in Rules.__abstractmethods__}

    assert len(names(Rules)) <= 15
    assert names(Rules) - defaults | {"seats", "move_type"} == FIRST_NAMES


def test_every_other_part_is_optional_and_apart() -> None:
    for part in OPTIONAL:
        assert part.__abstractmethods__ == Rules.__abstractmethods__
        for other in OPTIONAL:
            assert part is other or not names(part) & names(other)
    assert names(Game) == set()


def test_a_game_is_named_by_its_class_and_described_by_its_docstring() -> None:
    @dataclass(frozen=True)
    class DropNHop(Game[Any, Any]):
        """Drop a stone, or hop.

        More of it.
        """

    @dataclass(frozen=True)
    class Other(DropNHop):
        name = "other-name"

    assert (DropNHop.name, DropNHop.summary) == ("drop_n_hop", "Drop a stone, or hop")
    assert (Other.name, Other.summary) == ("other-name", "Drop a stone, or hop")


class Stub(Game[int, Any]):
    seats = range(3, 4)

    def start(self, seats: int, seed: int) -> int:
        return 0

    def turn(self, state: int) -> int:
        return 0

    def legal(self, state: int) -> list[Any]:
        return []

    def apply(self, state: int, move: Any) -> int:
        return 0

    def outcome(self, state: int) -> Outcome | None:
        return None

    def retire(self, state: int, seat: int) -> int:
        return 0


def test_a_stopped_game_is_a_draw_of_all_seats_unless_their_number_varies() -> None:
    class Varied(Stub):
        seats = range(2, 5)

    assert Stub().adjudicate(0, "stopped") == Outcome((0, 0, 0), (1, 1, 1), "stopped")
    with pytest.raises(NotImplementedError, match="seats of stub vary: define adjudicate"):
        Varied().adjudicate(0, "stopped")


def test_a_game_that_hides_something_cannot_show_its_whole_state() -> None:
    class Secret(Stub):
        has_hidden_information = True

    with pytest.raises(NotImplementedError, match="stub has hidden information: define view"):
        Secret().view(0, 0)
