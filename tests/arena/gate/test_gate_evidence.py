"""The evidence of a running gate: a line every ten pairs, counted in order of the schedule."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from outcomes import won

from arena.config.loading import make_config
from arena.gate.evidence import EVERY, Evidence, pairs_left
from arena.gate.gate import gate_of
from arena.ratings.sprt import Bounds
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow


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
    evidence = Evidence(gate, begun)
    late, *rest = [match(pairing) for pairing in pairings[2 * earlier :]]

    first = [evidence.after(each) for each in rest[: 2 * EVERY]]
    then = [evidence.after(each) for each in (late, *rest[2 * EVERY :])]

    assert not any(first)  # the first pair is missing
    told = [line for line in then if line]
    heads = [f"after {EVERY + earlier} pairs", f"after {2 * EVERY + earlier} pairs"]
    assert [line.split(":")[0] for line in told] == heads
    assert "; fails at -2.94, passes at +2.94; " in told[0]


@pytest.mark.parametrize(
    ("llr", "ended", "most", "text"),
    [(1.5, 30, 270, "about 29 more at this rate"),
     (-1.0, 30, 270, "about 59 more at this rate"),
     (2.9, 30, 270, "about 1 more at this rate"),
     (0.01, 30, 270, "no end before the cap at this rate"),
     (0.0, 30, 270, "no end before the cap at this rate"),
     (1.5, 30, 29, "no end before the cap at this rate")],
)  # fmt: skip
def test_the_rate_so_far_says_how_many_more_pairs(
    llr: float, ended: int, most: int, text: str
) -> None:
    assert pairs_left(Bounds(), llr, ended, most) == text
