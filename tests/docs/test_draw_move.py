"""The page and the picture of a move's way agree with the code."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import draw_move


@pytest.mark.parametrize("stage", draw_move.STAGES, ids=lambda stage: stage.label)
def test_each_stage_exists_and_its_caller_uses_it(stage: draw_move.Stage) -> None:
    draw_move.check(stage)


def test_the_page_and_the_picture_are_up_to_date() -> None:
    advice = "run it again: python docs/draw_move.py"

    assert draw_move.in_page(draw_move.PAGE.read_text()) == draw_move.table(), advice
    assert draw_move.PICTURE.read_text() == draw_move.picture(), advice


@pytest.mark.parametrize(
    "change",
    [{"name": "referee.play.match.Match.gone"}, {"caller": "referee.play.match.Match.decide"}],
    ids=["missing function", "caller without a call"],
)
def test_a_stale_stage_is_refused(change: dict[str, Any]) -> None:
    stage = next(stage for stage in draw_move.STAGES if stage.name.endswith("Match._turn"))

    with pytest.raises(draw_move.StaleStageError, match="edit STAGES"):
        draw_move.check(replace(stage, **change))
