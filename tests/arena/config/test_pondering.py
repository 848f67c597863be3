"""Engines in an event with `time.ponder`: their settings, and the cores that they need."""

import json

import pytest
from small_configs import PLAIN, config_of

from arena.bots.protocols import pondering
from arena.errors import ConfigError

CHESS = "name: event\ngame: {name: chess}\nbots: [./engine, {name: other, bot: ./engine}]\n"
PONDER = "time: {ponder: true, bank: 10s}\nlimits: {memory: 2GB}\n"


@pytest.mark.usefixtures("folder")
def test_an_engine_thinks_ahead_only_where_the_event_allows_it() -> None:
    plain = config_of(CHESS + "limits: {memory: 2GB}\n").bots[0].manifest.run
    ahead = config_of(CHESS + PONDER + "cores: 2\n").bots[0].manifest.run

    assert "ponder" not in json.loads(plain[2])
    assert json.loads(ahead[2]) == {**json.loads(plain[2]), "ponder": True}
    assert (ahead[:2], ahead[3:]) == (plain[:2], plain[3:])


@pytest.mark.usefixtures("folder")
def test_engines_that_think_ahead_need_a_core_each() -> None:
    with pytest.raises(ConfigError, match="each bot of a match needs a core; set cores: 2"):
        config_of(CHESS + PONDER)


@pytest.mark.usefixtures("folder")
def test_other_bots_decide_for_themselves() -> None:
    config = config_of(PLAIN + "time: {ponder: true}\n")

    assert [pondering(entrant.manifest.run) for entrant in config.bots] == [None, None]
