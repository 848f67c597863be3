"""Options of games: made from a game's own fields, refused with the field and a way out."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import ValidationError

from referee import catalog, games
from referee.catalog import BrokenGameError, UnknownGameError, game_class, game_names
from referee.options import build_game, game_model, game_options, make_game, option_fault
from referee.rules import Game, Interval, OptionError, Outcome


@dataclass(frozen=True)
class Placement:
    """A move that is never made."""

    place: int


@dataclass(frozen=True, kw_only=True)
class Fake(Game[int, int]):
    """A game without matches."""

    name: ClassVar[str] = "fake"
    summary: ClassVar[str] = "never played"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Placement

    size: Annotated[int, Interval(ge=2, le=9)] = 3
    opening: Literal["free", "swap"] = "free"
    share: Annotated[float, Interval(ge=0, lt=1)] = 0.5
    board: tuple[str, ...] | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if self.board is not None and len(self.board) != self.size:
            raise OptionError("board", f"must have {self.size} rows")

    def start(self, seats: int, seed: int) -> int:
        raise NotImplementedError

    def turn(self, state: int) -> int:
        raise NotImplementedError

    def legal(self, state: int) -> Iterator[int]:
        raise NotImplementedError

    def apply(self, state: int, move: int) -> int:
        raise NotImplementedError

    def outcome(self, state: int) -> Outcome | None:
        raise NotImplementedError

    def retire(self, state: int, seat: int) -> int:
        raise NotImplementedError

    def adjudicate(self, state: int, reason: str) -> Outcome:
        raise NotImplementedError

    def notation(self, move: int) -> str:
        raise NotImplementedError

    def parse(self, text: str) -> int:
        raise NotImplementedError

    def view(self, state: int, seat: int) -> dict[str, Any]:
        raise NotImplementedError

    def diagram(self, state: int, seat: int | None = None) -> str:
        raise NotImplementedError


def fault_of(options: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as refusal:
        build_game(Fake, options)
    return option_fault(Fake, refusal.value.errors()[0])


def test_missing_options_have_the_defaults_of_the_game() -> None:
    assert build_game(Fake, {}) == Fake()
    assert list(game_model(Fake).model_fields) == ["size", "opening", "share", "board", "strict"]


def test_options_are_read_as_json_or_a_config_has_them() -> None:
    made = build_game(Fake, {"size": 2, "share": Decimal("0.25"), "board": ["ab", "cd"]})

    assert made == Fake(size=2, share=0.25, board=("ab", "cd"))
    assert build_game(Fake, {"share": 0}).share == 0  # type: ignore[attr-defined]


def test_options_are_read_back_as_stored() -> None:
    game = Fake(size=2, board=("ab", "cd"), opening="swap")

    assert build_game(Fake, game_options(game)) == game


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sise": 3}, 'fake has no option "sise"; did you mean "size"?'),
        ({"size": "3"}, 'size must be a whole number, not the text "3"'),
        ({"size": 3.0}, "size must be a whole number, not 3.0"),
        ({"size": True}, "size must be a whole number, not true"),
        ({"size": None}, "size must be a whole number, not nothing"),
        ({"size": [3]}, "size must be a whole number, not a list"),
        ({"size": 1}, "size must be 2 or more, not 1"),
        ({"size": 10**5000}, "size must be 9 or less, not a huge number"),
        ({"share": 1}, "share must be less than 1, not 1"),
        ({"share": float("nan")}, "share must be a finite number, not NaN"),
        ({"share": "half"}, 'share must be a number, not the text "half"'),
        ({"opening": "fre"}, 'opening must be "free" or "swap", not the text "fre"'),
        ({"strict": 1}, "strict must be true or false, not 1"),
        ({"board": "ab"}, 'board must be a list, not the text "ab"'),
        ({"board": {"a": 1}}, "board must be a list, not a map"),
        ({"board": ["ab"]}, "board: must have 3 rows"),
        ({"opening": "\x1b[2J" * 99}, None),
    ],
)
def test_a_wrong_option_is_named_with_its_allowed_values(
    options: dict[str, Any], says: str | None
) -> None:
    fault = fault_of(options)

    assert fault == says or says is None
    assert fault.isprintable()
    assert len(fault) < 200


def test_making_a_game_by_name_names_the_option_at_fault() -> None:
    with pytest.raises(OptionError) as refusal:
        make_game("pente", {"half_size": 3})

    assert refusal.value.option == "half_size"
    assert str(refusal.value) == "half_size must be 9 or more, not 3"


def test_every_game_is_found_by_its_name_and_made_of_its_own_options() -> None:
    for name in game_names():
        game = make_game(name, {})
        assert game.name == name
        assert make_game(name, game_options(game)) == game


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pent", "pente"),
        *((name.title(), name) for name in game_names()),
        *((name.upper().replace("_", " "), name) for name in game_names()),
    ],
)
def test_an_unknown_game_is_refused_with_the_nearest_name(written: str, meant: str) -> None:
    """A game of Arena is nearer than the game of OpenSpiel with its name."""
    with pytest.raises(UnknownGameError) as refusal:
        game_class(written)

    assert str(refusal.value) == f'unknown game "{written}"; did you mean "{meant}"?'


class Offer:
    """An entry point as used by the catalog."""

    def __init__(self, name: str, offered: object) -> None:
        self.name = name
        self.value = f"elsewhere:{name}"
        self._offered = offered

    def load(self) -> object:
        if isinstance(self._offered, BaseException):
            raise self._offered
        return self._offered


def forget_games() -> None:
    """Look for games again, as a new process does."""
    catalog.game_entries.cache_clear()
    game_class.cache_clear()


@pytest.fixture
def offers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Offer]]:
    made: list[Offer] = []
    monkeypatch.setattr(
        metadata, "entry_points", lambda group: made if group == "arena.games" else []
    )
    forget_games()
    yield made
    forget_games()


def test_another_package_offers_a_game_by_class_or_by_module(offers: list[Offer]) -> None:
    module = type(pytest)("elsewhere")
    module.__dict__["Fake"] = Fake
    offers += [Offer("fake", Fake)]

    assert "fake" in game_names()
    assert game_class("fake") is Fake

    forget_games()
    offers[:] = [Offer("fake", module)]
    assert game_class("fake") is Fake


def test_a_game_of_another_package_never_replaces_a_shipped_one(offers: list[Offer]) -> None:
    offers.append(Offer("pente", Fake))

    assert game_class("pente").__module__ == "referee.games.pente"


@pytest.mark.parametrize(
    ("offered", "says"),
    [
        ([RuntimeError("no luck")], "RuntimeError: no luck (test_options.py, line "),
        ([SystemExit(3)], "SystemExit: 3 (test_options.py, line "),
        ([SimpleNamespace()], 'no Game dataclass with the name "fake" is in it'),
        ([Fake, Fake], "offered more than once"),
    ],
)
def test_a_game_that_cannot_be_loaded_says_why(
    offers: list[Offer], offered: list[object], says: str
) -> None:
    offers += [Offer("fake", item) for item in offered]

    with pytest.raises(BrokenGameError) as refusal:
        game_class("fake")

    assert says in str(refusal.value)


def test_what_a_module_prints_stays_out_of_the_output(
    offers: list[Offer], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offers.append(Offer("fake", Fake))

    def load(offer: Offer) -> object:
        del offer
        print("hello")
        return Fake

    monkeypatch.setattr(Offer, "load", load)

    assert game_class("fake") is Fake
    assert capsys.readouterr() == ("", "hello\n")


HALMA = """
from dataclasses import dataclass
from referee.games.pente import Pente

@dataclass(frozen=True)
class Halma(Pente):
    name = "halma"
    {}
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def turn(self)\n", "SyntaxError: expected ':' (halma.py, line 1)"),
        ("\nimport absent_module\n", "No module named 'absent_module' (halma.py, line 2)"),
        (
            """
from dataclasses import dataclass
from referee.rules import Game

@dataclass(frozen=True)
class Halma(Game):
    name = "halma"
""",
            "Halma does not define apply, legal, outcome, retire, start, turn, ",
        ),
        ("\n\nimport sys\nsys.exit(3)\n", "SystemExit: 3 (halma.py, line 4)"),
        (
            HALMA.format("").replace('"halma"', '"ludo"'),
            'Halma has the name "ludo", and a Game is a dataclass with this name',
        ),
        (HALMA.format("seats = range(2, 2)"), "needs a range as seats, like range(2, 3)"),
        (HALMA.format("seats = 2; move_type = int"), "needs a range as seats, like range(2, 3)"),
        (HALMA.format("seats = range(2, 3); move_type = int"), "needs a frozen dataclass as move"),
    ],
    ids=["syntax", "import", "methods", "exit", "name", "no seats", "seats", "move type"],
)
def test_a_game_that_is_being_written_says_what_is_wrong_and_where(
    text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "halma.py").write_text(text)
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "referee.games.halma", raising=False)
    monkeypatch.setattr(catalog, "shipped_games", lambda: frozenset({"halma"}))

    with pytest.raises(BrokenGameError) as refusal:
        game_class("halma")

    assert says in str(refusal.value)
