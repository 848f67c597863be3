"""Draw the boards of the tutorial for games: `python tests/docs/board_pictures.py`.

A block of Python there that begins with `layout =`, and the picture below it, belong together: the
block gives `layout` and `pieces`, and perhaps `gesture`, the marked places.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from arena.pages.svg import board_svg  # noqa: E402
from referee.rules.layout import Layout, Piece  # noqa: E402

TUTORIAL = ROOT / "docs/tutorial/first-game.md"
_BOARD = re.compile(
    r"```python\n(layout = .*?)```\n\n!\[[^\]]+\]\(\.\./(images/[\w-]+\.svg)\)", re.DOTALL
)


def boards() -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of each picture."""
    for code, name in _BOARD.findall(TUTORIAL.read_text()):
        given: dict[str, Any] = {"Layout": Layout, "Piece": Piece}
        exec(code, given)  # noqa: S102 - our own text
        yield (
            ROOT / "docs" / name,
            board_svg(given["layout"], given["pieces"], given.get("gesture", ())),
        )


if __name__ == "__main__":
    for path, content in boards():
        path.write_text(content)
