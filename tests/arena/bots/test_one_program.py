"""One program as several bots: with other settings, or in another sandbox."""

from pathlib import Path

from builds import MakeBot

from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.bots.prepare import PreparedBot, prepare_all


def test_one_program_with_two_settings_is_two_bots(tmp_path: Path, cache: Path) -> None:
    program = tmp_path / "engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    references = ("uci:./engine?nodes=300", "uci:./engine?nodes=250", "uci:./engine?nodes=300")

    one, other, same = prepare_all([find_bot(each, tmp_path) for each in references], cache)

    assert isinstance(one, PreparedBot)
    assert isinstance(other, PreparedBot)
    assert one == same
    assert "nodes 300" in one.argv[2]
    assert "nodes 250" in other.argv[2]
    assert one.content != other.content


def test_a_program_with_a_hard_link_plays_if_its_user_names_it(tmp_path: Path, cache: Path) -> None:
    """Cargo leaves each program as a hard link to one of its own folder."""
    program = tmp_path / "engine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "engine-0a1b").hardlink_to(program)

    for prepared in prepare_all(
        [find_bot(each, tmp_path) for each in ("uci:./engine", "./engine")], cache
    ):
        assert isinstance(prepared, PreparedBot)
        assert (prepared.folder / "engine").stat().st_nlink == 1


def test_one_bot_with_two_isolations_is_prepared_by_the_terms_of_each(
    make_bot: MakeBot, cache: Path
) -> None:
    bot = make_bot()

    inside, outside = prepare_all([bot, bot], cache, [BuildTerms(), BuildTerms(isolation="none")])

    assert isinstance(inside, PreparedBot)
    assert isinstance(outside, PreparedBot)
    assert (inside.shown, outside.shown) == ((), None)
