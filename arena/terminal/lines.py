"""A person's console without a screen: lines of text, for pipes and simple terminals."""

import shutil
from typing import TextIO

from arena.people.person import PersonScene, Quit
from arena.terminal.board import divided, draw
from arena.text import folded, width_of
from protocol.wording import visible
from referee.options import game_options

PROMPT = "your move: "


def header(scene: PersonScene) -> str:
    """Return the players with their seats."""
    game = scene.game
    described = []
    for seat, name in enumerate(scene.names):
        described.append(f"{name} ({game.role(seat) or f'seat {seat}'})")
    own = described.pop(scene.seat)
    against = f"{own} against {', '.join(described)}" if described else f"{scene.names[0]}, alone"
    return f"{game.name}: {against}"


def status(scene: PersonScene) -> str:
    """Return the last moves, or at the start the options; then what the person has to do."""
    is_own = not scene.is_over and scene.game.turn(scene.state) == scene.seat
    task = scene.game.task(scene.state) if is_own else ""
    return f"{_news(scene)}; {task}" if task else _news(scene)


def _news(scene: PersonScene) -> str:
    if scene.news:
        return ", ".join(scene.news)
    options = game_options(scene.game).items()
    chosen = ", ".join(f"{name} {value}" for name, value in options if value is not None)
    return f"{chosen}; ? for help" if chosen else "? for help"


class PlainConsole:
    """Lines of text from one stream and to another, for pipes and simple terminals."""

    def __init__(self, streams: tuple[TextIO, TextIO]) -> None:
        self._in, self._out = streams

    def show(self, scene: PersonScene) -> None:
        """Print the players, the last moves and the board."""
        width = shutil.get_terminal_size().columns if self._out.isatty() else None
        drawing = draw(scene.game, scene.state, scene.before, scene.places, scene.seat)
        self.say(f"\n{header(scene)}\n{status(scene)}\n\n{divided(drawing, width)}\n")

    def say(self, text: str) -> None:
        """Print a message."""
        self._out.write(f"{folded(visible(text), width_of(self._out))}\n")
        self._out.flush()

    def read(self) -> str:
        """Return the next line; raises Quit at the end of the input."""
        self._out.write(PROMPT)
        self._out.flush()
        line = self._in.readline()
        if not line:
            self.say("")
            raise Quit
        if not self._in.isatty():
            self.say(line.rstrip("\n"))
        return line
