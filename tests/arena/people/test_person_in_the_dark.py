"""What a person sees of games with hidden moves, draws and simultaneous moves."""

from collections.abc import Sequence
from typing import Any

import pytest
from consoles import ScriptedConsole, people_job, play_people

from arena.pages.playing.scene import scene_page
from arena.pages.scenes import Palette
from arena.people.game_help import count_text
from arena.people.person import PersonScene, Quit
from arena.terminal.lines import status
from arena.terminal.story import opening_steps, replay_lines
from protocol.messages import Fields
from referee.options import make_game

pytestmark = pytest.mark.usefixtures("small_games")

NAMES = ("ann", "bob")


def tables_of(game: str, *lines: tuple[str, ...], **job: Any) -> list[ScriptedConsole]:
    """Play until the lines of a person end; return the tables."""
    tables = [ScriptedConsole(*words) for words in lines]
    with pytest.raises(Quit):
        play_people(people_job(NAMES, game, **job), *tables)
    return tables


def page(scene: PersonScene) -> str:
    """Return all that a page receives, but for the order of pieces on the palette."""
    return repr(scene_page(scene, Palette()))


def test_a_person_sees_that_the_other_has_moved_but_not_where() -> None:
    one, other = tables_of("phantom", ("4",), ("0",))

    assert status(other.scenes[0]) == "size 3; ? for help"
    assert status(other.scenes[1]) == "ann makes a hidden move"
    assert other.scenes[1].places == ()  # nothing to mark
    assert status(one.scenes[-1]) == "bob makes a hidden move"


def test_nothing_that_a_page_receives_depends_on_a_hidden_move() -> None:
    pages = []
    for first in ("4", "5"):
        _, other = tables_of("phantom", (first,), ("0",))
        pages.append([page(scene) for scene in other.scenes])

    assert pages[0] == pages[1]
    assert len(pages[0]) > 2


def test_draws_are_described_in_words() -> None:
    one, other = tables_of("pig", ("roll", "hold"), ("roll", "hold"), options={"dice": 1})

    told = [status(scene) for table in (one, other) for scene in table.scenes]
    assert any(text.startswith("drawn a ") for text in told)
    assert any("plays roll, drawn a " in text for text in told)


def test_an_open_round_is_shown_when_it_is_closed() -> None:
    one, other = tables_of("roshambo", ("rock",), ("paper",))

    assert [status(scene) for scene in other.scenes[:2]] == ["rounds 3; ? for help"] * 2
    assert status(one.scenes[-1]) == "bob plays paper"
    assert scene_page(other.scenes[1], Palette())["diagram"] == "? - after nothing"


@pytest.mark.parametrize(
    ("game", "move"), [("phantom", "4"), ("pig", "hold"), ("roshambo", "rock")]
)
def test_nothing_is_taken_back_after_news_that_stay_known(game: str, move: str) -> None:
    one, other = ScriptedConsole(move, "undo"), ScriptedConsole("0" if game == "phantom" else move)

    with pytest.raises(Quit):
        play_people(people_job(NAMES, game), one, other)

    (said,) = one.said
    assert said.startswith("nothing can be taken back in a game with chance or hidden moves: you")


def test_a_hint_is_asked_for_with_all_that_was_made() -> None:
    asked: list[Any] = []

    def hint(moves: Sequence[Fields], bot: str) -> str:
        asked.append((list(moves), bot))
        return "none"

    tables = [ScriptedConsole("4", "hint"), ScriptedConsole("0")]
    with pytest.raises(Quit):
        play_people(people_job(NAMES, "phantom"), *tables, hint=hint)

    ((moves, _),) = asked
    assert [entry["move"]["cell"] for entry in moves] == [4, 0]  # the bot receives what it may see


def test_games_with_draws_are_not_counted() -> None:
    game = make_game("pig", {})

    assert count_text(game, game.start(2, 1)) == "not counted: the game has draws"


def test_a_match_played_on_shows_the_draws_before_it() -> None:
    history = (
        {"chance": True, "move": {"pips": 3}},
        {"seat": 1, "move": {"hold": True}},
    )
    tables = [ScriptedConsole("resign"), ScriptedConsole()]
    record = play_people(people_job(NAMES, "pig", history=history), *tables)

    assert status(tables[0].scenes[0]) == "bob plays hold"
    first, *_ = replay_lines(record)
    assert first == "start, after the moves kept by a take-back a 3 hold"
    assert [step.ply for step in opening_steps(record.job)] == [-2, -1]
