"""A screen without a terminal: keys come from a script, and every drawn screen is kept."""

from collections.abc import Sequence

from arena.terminal.screen import Screen


class FakeScreen(Screen):
    """Has the size it is given; a key like "80x24" changes it, "" is none in time."""

    def __init__(self, *keys: str, size: tuple[int, int] = (24, 80)) -> None:
        self.keys = list(keys)
        self.size = size
        self.frames: list[list[str]] = []
        self.waits: list[float | None] = []

    @property
    def height(self) -> int:
        return self.size[0]

    @property
    def width(self) -> int:
        return self.size[1]

    def draw(self, lines: Sequence[str], *, title: int | None = 0) -> None:
        del title
        self.frames.append(list(lines))

    def key(self, seconds: float | None = None) -> str:
        self.waits.append(seconds)
        key = self.keys.pop(0) if self.keys else "end of input"
        if "x" in key and key[0].isdigit():
            height, width = key.split("x")
            self.size = (int(height), int(width))
            return "resize"
        return key

    def redraw(self) -> None:
        """Nothing else writes here."""
