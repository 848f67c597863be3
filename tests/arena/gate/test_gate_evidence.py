"""The evidence of a running gate: a line every ten pairs, counted in order of the schedule."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest
from outcomes import won

from arena.config.loading import make_config
from arena.gate.evidence import EVERY, GateAudience
from arena.gate.gate import gate_of
from arena.schedule.pairing import Pairing
from referee.result import SeatRow


class Heard:
    """An audience and progress that keeps all lines."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.seen: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def follow(self, *_: object) -> "Heard":
        return self

    def finished(self, match: Any) -> None:
        self.seen.append(match.key)

    def expect(self, total: int) -> None:
        self.seen.append(str(total))

    def running(self, jobs: Sequence[Any]) -> None:
        self.seen += jobs

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.seen.append("over")


def seats(pairing: Pairing) -> list[SeatRow]:
    """Return a match that is won by one bot on even boards, by the other one on odd boards."""
    return won(pairing, ("random", "greedy")[pairing.board % 2])


def match(pairing: Pairing) -> Any:
    return SimpleNamespace(key=pairing.key, seats=seats(pairing))


@pytest.mark.parametrize("earlier", [0, 3])
def test_the_evidence_is_shown_after_every_ten_pairs(earlier: int) -> None:
    values = {"name": "g", "game": {"name": "pente"}, "bots": ("random", "greedy")}
    config = make_config({**values, "format": "gate"}, folder=Path(), origin="g.yaml")
    gate = gate_of(config, {"random": "1", "greedy": "2"})
    pairings = [pairing for pair in gate.pairs for pairing in pair][: 2 * (2 * EVERY + earlier)]
    begun = {pairing.key: seats(pairing) for pairing in pairings[: 2 * earlier]}
    heard = Heard()

    with GateAudience(heard, gate, begun).follow(600, 0, None) as progress:  # type: ignore[arg-type]
        late, *rest = [match(pairing) for pairing in pairings[2 * earlier :]]
        for each in rest[: 2 * EVERY]:
            progress.finished(each)
        assert heard.said == []  # the first pair is missing
        progress.finished(late)
        for each in rest[2 * EVERY :]:
            progress.finished(each)
        progress.expect(5)
        progress.running([])
        progress.say("hello")

    told = [line.split(":")[0] for line in heard.said]
    assert told == [f"after {EVERY + earlier} pairs", f"after {2 * EVERY + earlier} pairs", "hello"]
    assert heard.said[0].endswith("; fails at -2.94, passes at +2.94")
    assert heard.seen[-2:] == ["5", "over"]
    assert len(heard.seen) == 4 * EVERY + 2
