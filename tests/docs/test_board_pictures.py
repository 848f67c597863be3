"""The boards in the tutorial for games are those of the code above them."""

import re
from pathlib import Path

import pytest
from board_pictures import TUTORIAL, boards

BOARDS = list(boards())


def test_every_drawn_picture_of_the_tutorial_has_its_code() -> None:
    named = re.findall(r"\.\./(images/[\w-]+\.svg)", TUTORIAL.read_text())

    assert [f"images/{path.name}" for path, _ in BOARDS] == named
    assert len(BOARDS) == 3


@pytest.mark.parametrize(("path", "content"), BOARDS, ids=lambda value: getattr(value, "stem", ""))
def test_a_board_is_drawn_as_its_code_says(path: Path, content: str) -> None:
    assert path.read_text() == content, "run: python tests/docs/board_pictures.py"
