"""The evidence of a running gate: pairs counted in order of the schedule."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from outcomes import won

from arena.config.loading import make_config
from arena.gate.evidence import Evidence, pairs_left
from arena.gate.gate import Gate, gate_of
from arena.ratings.sprt import Bounds
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow


def seats(pairing: Pairing) -> list[SeatRow]:
    """Return a match that is won by one bot on even boards, by the other one on odd boards."""
    return won(pairing, ("random", "greedy")[pairing.board % 2])


def match(pairing: Pairing) -> Any:
    return SimpleNamespace(key=pairing.key, seats=seats(pairing))


def gate(**rule: int) -> Gate:
    values = {"name": "g", "game": {"name": "pente"}, "bots": ("random", "greedy"), "gate": rule}
    config = make_config({**values, "format": "gate"}, folder=Path(), origin="g.yaml")
    return gate_of(config, {"random": "1", "greedy": "2"})


@pytest.mark.parametrize("earlier", [0, 3])
def test_the_evidence_is_that_of_the_pairs_up_to_the_first_missing_one(earlier: int) -> None:
    pairings = [pairing for pair in gate().pairs for pairing in pair][: 2 * (20 + earlier)]
    begun = {pairing.key: seats(pairing) for pairing in pairings[: 2 * earlier]}
    evidence = Evidence(gate(), begun)
    before = evidence.text()
    late, *rest = [match(pairing) for pairing in pairings[2 * earlier :]]

    for each in rest:
        evidence.add(each)
        assert evidence.text() == before  # the first pair is missing
    evidence.add(late)

    whole = Evidence(gate(), {pairing.key: seats(pairing) for pairing in pairings})
    assert evidence.text() == whole.text() != before
    assert before.startswith("LLR ") is (earlier > 0)
    assert ", fails at -2.94, passes at +2.94; " in evidence.text()


@pytest.mark.parametrize("terms", [{"elo0": 0, "elo1": 300}, {"score0": -0.1, "score1": 0}])
def test_the_pairs_left_lead_to_the_least_number_of_a_decision(terms: dict[str, float]) -> None:
    values = {"name": "g", "game": {"name": "pente"}, "bots": ("random", "greedy"), "gate": terms}
    config = make_config({**values, "format": "gate"}, folder=Path(), origin="g.yaml")
    found = gate_of(config, {"random": "1", "greedy": "2"})
    evidence, left = Evidence(found, {}), []
    for pair in found.pairs:
        for pairing in pair:
            ended: Any = SimpleNamespace(key=pairing.key, seats=won(pairing, "random"))
            evidence.add(ended)
        if not (text := evidence.text()):
            break
        left.append(int(text.split("about ")[1].split()[0]))

    assert left[-1] == 1
    assert all(number >= len(left) - at for at, number in enumerate(left))


@pytest.mark.parametrize(
    ("rule", "begin", "end"),
    [
        ({"cap": 100}, "LLR +1.36, ", "about 24 pairs more at this rate"),  # of 30
        ({"cap": 60}, "LLR +1.36, ", "no end before the cap at this rate"),  # of 10
        ({"cap": 100, "score0": -5}, "evidence +1.55, ", "about 19 pairs more at this rate"),
    ],
)
def test_the_evidence_of_twenty_pairs_says_how_many_more_of_the_cap(
    rule: dict[str, int], begin: str, end: str
) -> None:
    """NEW wins the matches of two boards of three."""
    pairings = [pairing for pair in gate(**rule).pairs for pairing in pair][:40]
    results = {
        pairing.key: won(pairing, ("random", "random", "greedy")[pairing.board % 3])
        for pairing in pairings
    }

    text = Evidence(gate(**rule), results).text()

    assert (text.startswith(begin), text.endswith(end)) == (True, True), text


def test_a_decided_gate_has_no_evidence_left_to_show() -> None:
    pairings = [pairing for pair in gate().pairs for pairing in pair]
    evidence = Evidence(gate(), {pairing.key: won(pairing, "greedy") for pairing in pairings})

    assert evidence.text() == ""


@pytest.mark.parametrize(
    ("llr", "ended", "most", "text"),
    [(1.5, 30, 270, "about 29 pairs more at this rate"),
     (-1.0, 30, 270, "about 59 pairs more at this rate"),
     (2.9, 30, 270, "about 1 pair more at this rate"),
     (0.01, 30, 270, "no end before the cap at this rate"),
     (0.0, 30, 270, "no end before the cap at this rate"),
     (1.5, 30, 29, "no end before the cap at this rate")],
)  # fmt: skip
def test_the_rate_so_far_says_how_many_more_pairs(
    llr: float, ended: int, most: int, text: str
) -> None:
    assert pairs_left(Bounds(), llr, ended, most) == text
