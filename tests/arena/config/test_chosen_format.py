"""A format chosen by a config, and what may change once its event has begun."""

import os
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from outcomes import drawn, played
from three_formats import PLAYERS, event_of, swiss

import arena.config.formats as config_formats
from arena.config.formats import NO_PY4SWISS
from arena.config.loading import load_config
from arena.config.same_event import conflicts
from arena.errors import ConfigError, EventError
from arena.formats import dutch
from arena.formats.choosing import format_of
from arena.formats.event_results import format_text, table_of
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.swiss import Swiss
from arena.results.store import Store

ROOT = Path(__file__).parents[3]


def test_a_missing_py4swiss_is_reported_with_its_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dutch, "has_py4swiss", lambda: False)

    with pytest.raises(EventError, match="pip install") as error:
        swiss().known({})
    assert str(error.value) == NO_PY4SWISS


def test_the_command_that_installs_py4swiss_works() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wanted,) = project["optional-dependencies"]["swiss"]
    _, _, command = NO_PY4SWISS.partition("install it with: ")

    assert shlex.split(command)[-1] == wanted
    subprocess.run(
        ["bash", "-c", command], env={**os.environ, "PIP_NO_INDEX": "1"}, check=True, timeout=120
    )


@pytest.mark.parametrize(
    ("format_", "kind"), [("swiss", Swiss), ("knockout", Knockout), ("ladder", Ladder)]
)
def test_a_config_chooses_its_format(format_: str, kind: type) -> None:
    assert isinstance(format_of(event_of(format_), PLAYERS, 1), kind)


@pytest.mark.parametrize(("game", "points"), [("chinese_checkers", 0), ("chess", 1)])
def test_a_swiss_gives_half_a_point_for_draws_but_not_for_blocked_races(
    game: str, points: int
) -> None:
    event = event_of("swiss", game={"name": game}, rounds=1)
    subject = format_of(event, PLAYERS[:2], 1)

    assert isinstance(subject, Swiss)
    assert [row.halves for row in subject.standings(played(subject, drawn))] == [points] * 2


def test_a_config_of_a_swiss_without_py4swiss_fails_before_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "event.yaml").write_text(
        "name: event\ngame: {name: pente}\nbots: [random, greedy]\nformat: swiss\n"
    )
    monkeypatch.setattr(config_formats, "has_py4swiss", lambda: False)

    with pytest.raises(ConfigError) as error:
        load_config(str(tmp_path / "event.yaml"))

    assert f":4:9: {NO_PY4SWISS}\n  4 | format: swiss" in str(error.value)


def test_the_stored_results_of_a_swiss_are_shown_without_py4swiss(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = store.event(
        store.add_event("event", 1, event_of("swiss").form(), dict.fromkeys(PLAYERS, "content"))
    )
    assert event is not None
    table = table_of(store, event)
    assert format_text(store, event, table).startswith("swiss, 0 rounds of 4 played")
    monkeypatch.setattr(dutch, "has_py4swiss", lambda: False)

    assert format_text(store, event, table) == f"warning: {NO_PY4SWISS}"


@pytest.mark.parametrize(
    ("format_", "can"),
    [
        ("round_robin", True),
        ("gauntlet", True),
        ("ladder", True),
        ("swiss", False),
        ("knockout", False),
    ],
)
def test_bots_may_be_added_to_formats_without_dependent_matches(format_: str, *, can: bool) -> None:
    old = event_of(format_)
    new = event_of(format_, bots=[*old.form()["bots"], {"name": "new", "bot": "new"}])

    assert conflicts(old, new) == ([] if can else ["bots: new is new"])


@pytest.mark.parametrize(
    ("key", "value", "lines"),
    [
        ("matches", 100, []),
        ("matches", 10, ["matches: 50 -> 10"]),
        ("certainty", 0.99, []),
        ("certainty", 0.8, ["certainty: 0.9 -> 0.8"]),
        ("repeat", 4, ["repeat: absent -> 4"]),
    ],
)
def test_the_limit_of_a_ladder_may_grow(key: str, value: float, lines: list[str]) -> None:
    old = event_of("ladder", matches=50)

    assert conflicts(old, old.model_copy(update={key: value})) == lines


def test_a_round_robin_does_not_become_a_swiss() -> None:
    assert conflicts(event_of("round_robin"), event_of("swiss")) == ["format: round_robin -> swiss"]
