"""Matches of shipped bots under the real referee."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from c_programs import built
from router_seat import prepare

from referee.job import Job, Player
from referee.records.record import Record
from referee.service.slot import Slot


class Hall:
    """Prepares bots and plays matches between them, one after another in the same processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._players: dict[str, Player] = {}
        self._host = Slot(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._host.close()

    def play(self, bots: Sequence[str], game: str, board_seed: int = 1, **options: Any) -> Record:
        """Play a match; claims are required."""
        job = Job(
            key="a match",
            game=game,
            options=options,
            players=tuple(map(self._player, bots)),
            seed=board_seed,
            board_seed=board_seed,
            claims="required",
            restart="never",
        )
        return self._host.play(job)

    def restart(self) -> None:
        """End the bots: the next match is the first one of each process."""
        self._host.close()
        self._host = Slot(None)

    def _player(self, bot: str) -> Player:
        if bot not in self._players:
            room = self._folder / bot
            room.mkdir()
            argv = built(bot, room) if bot.endswith("-c") else prepare(bot, room)
            self._players[bot] = Player(name=bot, argv=tuple(argv), folder=str(room), content=bot)
        return self._players[bot]


def moves(record: Record) -> list[dict[str, Any]]:
    """Return the moves of a match as on the wire."""
    return [call.move for call in record.calls if call.move is not None]
