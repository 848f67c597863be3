"""What a player is to its sandbox."""

from dataclasses import replace
from typing import Any

import pytest

from referee.cache import arena_cache
from referee.job import Player
from referee.sandbox.errors import SandboxError
from referee.sandbox.visible_paths import own_paths
from referee.seats.program import program_of

PLAYER = Player(name="bot", argv=("./bot",), folder="/srv/bot", content="-")


def test_no_bot_sees_the_cache_of_prepared_bots() -> None:
    program = program_of(replace(PLAYER, installations=(str(arena_cache() / "bots"),)))

    with pytest.raises(SandboxError, match="is in the cache of prepared bots"):
        own_paths(program)


def test_a_program_is_what_a_sandbox_needs_of_a_player() -> None:
    given: dict[str, Any] = {
        "tier": "limits",
        "installations": ("/opt/x",),
        "guests": ("/srv/guest",),
    }
    program = program_of(replace(PLAYER, **given, processes=True, scratch="/srv/kept"))

    assert (program.name, program.argv, program.folder) == ("bot", ("./bot",), "/srv/bot")
    assert {name: getattr(program, name) for name in given} == given
    assert program.asks_for_processes
    assert program.has_scratch
    assert not program_of(PLAYER).asks_for_processes
    assert not program_of(PLAYER).has_scratch
