"""What a command may ask of a tuning, and how a pair of matches is counted."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tuning import DB, Tune, add_bot, by_strength, peak, tune_in

from arena.errors import ConfigError, UsageError
from arena.tune.schedule import result_of
from referee.records.result import SeatRow


@pytest.fixture
def tune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tune:
    return tune_in(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"parameters": ()}, "name the options to tune, like -p depth:3:1:6"),
        ({"parameters": ("depth:3:1",)}, "write NAME:START:MIN:MAX"),
        ({"parameters": ("depth, int, 3, 1, 6, 1",)}, "a line of fishtest or OpenBench"),
        ({"parameters": ("depth:1:1:9", "depth:1:1:9")}, '"depth" is named twice'),
        ({"parameters": ("a:1:1:9", "{b}:1:1:9")}, "is no name of a parameter"),
        ({"parameters": ("depth:1e999:1:9",)}, "must be -1000000000000 to 1000000000000"),
        ({"parameters": (f"depth:{'9' * 25}:1:9",)}, "must be -1000000000000 to 1000000000000"),
        ({"parameters": ("depth:1:1:9:1e-300",)}, "a whole number needs 0.5 or more"),
        ({"arguments": "'--depth"}, "--args cannot be read"),
        ({"arguments": None}, "depth: nothing in the command of bot takes it"),
        ({"tune": {"iterations": 0}}, "iterations must be 1 or more"),
        ({"settings": ("tune.iterations=3",)}, "not for tune, which the command sets itself"),
    ],
)
def test_a_wrong_command_is_refused(tune: Tune, given: dict[str, Any], says: str) -> None:
    with pytest.raises((UsageError, ConfigError)) as raised:
        tune(by_strength(peak(7, 20)), **given)

    assert says in str(raised.value)
    assert not DB.exists()


def test_a_line_of_openbench_is_read(tune: Tune, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("depth, int, 3, 1, 9, 1.5, 0.01", "margin, float, 10, 1, 90, 4, 0.002")
    given = {"parameters": lines, "arguments": "{depth} {margin}", "is_dry": True}
    assert tune(by_strength(peak(7, 20)), **given) == 0

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    depth, margin = (
        next(row for row in rows if row and row[0] == name) for name in ("depth", "margin")
    )
    assert depth[:5] == ["depth", "whole", "3", "1", "9"]
    assert margin[1] == "real"
    assert float(depth[7]) == 1.5
    assert float(margin[10]) == pytest.approx(0.002 * 4)


def test_another_bot_has_not_the_name_of_a_side(tune: Tune, tmp_path: Path) -> None:
    add_bot(tmp_path, "ann")
    (tmp_path / "bot+").mkdir()
    (tmp_path / "bot+" / "bot.yaml").write_text("run: [./bot]\n")
    (tmp_path / "bot+" / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "bot+" / "bot").chmod(0o755)
    terms: dict[str, Any] = {
        "game": "chinese_checkers",
        "options": (),
        "others": ("./ann", "./bot+"),
    }

    with pytest.raises(UsageError, match='the name "bot\\+" is that of a side of the tuning'):
        tune(by_strength(peak(7, 20)), **terms)


def seat(player: str, place: int, score: str = "0", fault: str | None = None) -> SeatRow:
    return SeatRow(player, 0, place, score, fault, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("pair", "result"),
    [
        (((seat("+", 1), seat("-", 2)), (seat("-", 2), seat("+", 1))), 2.0),
        (((seat("+", 1), seat("-", 2)), (seat("-", 1), seat("+", 2))), 0.0),
        (((seat("+", 1), seat("-", 1)), (seat("-", 1), seat("+", 2))), -1.0),
        (((seat("+", 2), seat("x", 1)), (seat("-", 3), seat("x", 1))), 2.0),  # against a field
        (((seat("+", 2), seat("x", 1)), (seat("-", 2), seat("x", 1))), 0.0),
        (((seat("+", 1, "9.5"),), (seat("-", 1, "10"),)), -2.0),  # alone
        (((seat("+", 1, "10.0"),), (seat("-", 1, "10"),)), 0.0),
        (((seat("+", 1), seat("x", 2, fault="crash")), (seat("-", 1), seat("x", 2))), 0.0),
        (((seat("+", 1), seat("-", 2, fault="crash")), (seat("-", 2), seat("+", 1))), None),
        (((), (seat("-", 2), seat("+", 1))), None),
    ],
)
def test_a_pair_is_counted_by_wins_places_or_scores(
    pair: tuple[Sequence[SeatRow], ...], result: float | None
) -> None:
    assert result_of(("+", "-"), pair) == result
