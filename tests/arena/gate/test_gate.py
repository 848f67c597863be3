"""A gate as it is stored: its bots, its pairs and the matches of one shard."""

from pathlib import Path
from typing import Any

import pytest

from arena.config.event import Event
from arena.config.loading import make_config
from arena.errors import EventError
from arena.gate.gate import Gate, gate_of, stored_gate
from arena.gate.schedule import GateSchedule, Shard, gate_pairs, matches_of
from arena.gate.tally import GateTest
from arena.results.store import EventRow

MATCHSTICKS = {"name": "matchsticks", "dimension": 8, "objectives": "both"}


def event(*names: str, game: dict[str, Any], **fields: Any) -> Event:
    """Return the event of a gate between copies of one bot."""
    bots = tuple({"name": name, "bot": "random"} for name in ("new", "base", *names))
    values = {"name": "g", "game": game, "bots": bots, **fields}
    return make_config({"format": "gate", **values}, folder=Path(), origin="g.yaml")


def test_new_comes_first_and_base_second_with_their_contents() -> None:
    config = event(game=MATCHSTICKS, gate={"cap": 20, "elo0": -10})

    found = gate_of(config, {"new": "content of NEW", "base": "content of BASE"})

    assert config.gate is not None
    assert found == Gate(
        new="new",
        base="base",
        new_content="content of NEW",
        base_content="content of BASE",
        others=(),
        game="matchsticks",
        options=found.options,
        rule=config.gate,
        shard=None,
        question=GateTest(config.gate),
        pairs=gate_pairs("new", "base", pairs=10, variants=["normal", "misere"]),
    )
    assert (found.options["dimension"], found.question.least_pairs) == (8, 10)
    assert not found.is_identical
    assert gate_of(config, {"new": "1", "base": "1"}).is_identical


def test_further_bots_are_the_field_of_both() -> None:
    config = event("far", "near", game={"name": "chinese_checkers"}, gate={"cap": 12})

    found = gate_of(config, dict.fromkeys(("new", "base", "far", "near"), "1"))

    assert found.others == ("far", "near")
    assert found.pairs == gate_pairs("new", "base", pairs=6, variants=[""], field=["far", "near"])


def test_in_a_game_of_one_seat_each_plays_alone() -> None:
    found = gate_of(
        event(game={"name": "rendezvous"}, gate={"cap": 4, "score0": -5}),
        {"new": "1", "base": "2"},
    )

    assert [[pairing.players for pairing in pair] for pair in found.pairs] == [
        [("new",), ("base",)]
    ] * 2


def test_a_whole_gate_is_decided_by_its_question_a_shard_plays_its_part() -> None:
    config = event(game=MATCHSTICKS, gate={"cap": 20})
    contents = {"new": "1", "base": "2"}
    whole = gate_of(config, contents)
    part = gate_of(config.model_copy(update={"shard": "2/3"}), contents)

    assert isinstance(whole.format(), GateSchedule)
    assert whole.format().known({}) == matches_of(whole.pairs)
    assert part.shard == Shard(2, 3)
    assert part.pairs == whole.pairs
    assert part.format().known({}) == matches_of(whole.pairs[1::3])
    assert part.schedule().known({}) == matches_of(whole.pairs)


def test_a_stored_gate_is_the_one_that_was_stored() -> None:
    config = event(game=MATCHSTICKS, gate={"cap": 20}, seed=3)
    contents = {"new": "1", "base": "2"}
    row = EventRow(1, "g", 3, config.form(), "", contents)

    assert stored_gate(row) == gate_of(config, contents)


def test_another_format_has_no_gate() -> None:
    config = event(game=MATCHSTICKS, format="round_robin")

    with pytest.raises(EventError, match=r"^g: the format is round_robin, not gate$"):
        gate_of(config, {"new": "1", "base": "2"})
