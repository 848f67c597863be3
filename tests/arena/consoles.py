"""A console without a terminal: lines are typed by a script, and all that is shown is kept."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from arena.errors import UsageError
from arena.people.person import Aids, Person, PersonScene, Quit
from protocol.messages import Fields
from referee.job import Job, Player
from referee.options import make_game
from referee.play.match import Match
from referee.records.record import Record, SeatReport


class ScriptedConsole:
    """Types the lines of a script; the end of them is the end of the input."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.scenes: list[PersonScene] = []

    def show(self, scene: PersonScene) -> None:
        self.scenes.append(scene)

    def say(self, text: str) -> None:
        self.said.append(text)

    def read(self) -> str:
        if not self.lines:
            raise Quit
        return self.lines.pop(0)


def refuse(moves: Sequence[Fields], bot: str) -> str:
    raise UsageError(f"no bot {bot} after {len(moves)}")


def people_job(names: Sequence[str], game: str = "pente", **changes: Any) -> Job:
    """Return a match between people."""
    players = tuple(Player(name=name, argv=(), folder="", content="person") for name in names)
    job = Job(key="k", game=game, players=players, seed=1, board_seed=1)
    return replace(job, **changes)


def play_people(
    job: Job,
    *consoles: ScriptedConsole,
    hint: Callable[[Sequence[Fields], str], str] = refuse,
) -> Record:
    """Play a match of people, a console each."""
    game = make_game(job.game, job.options)
    aids = Aids(count=lambda *_: "7 games can follow", hint=hint, rules=lambda: "the rules")
    people = {seat: Person(seat, job, game, console, aids) for seat, console in enumerate(consoles)}
    match = Match(job, game, people, lambda _: None)
    verdict = match.play([])
    reports = [SeatReport(name=player.name, content=player.content) for player in job.players]
    return Record(job=job, calls=match.recorder.calls, seats=reports, verdict=verdict)
