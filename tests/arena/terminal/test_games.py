"""The text of `arena games NAME`: rules, options, notation and fields of messages."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.commands.loading import application
from arena.errors import UsageError
from arena.terminal.games import game_text
from referee.catalog import game_names
from referee.games.pente import Pente, State
from referee.move_codec import MoveCodec
from referee.rules.plain import plain_notation

app = application()


@pytest.mark.parametrize("name", game_names())
def test_every_game_is_described(name: str) -> None:
    text = game_text(name)

    for head in ("Options (-o KEY=VALUE", "Moves, in notation", "Fields of `view`"):
        assert head in text
    assert "<class" not in text
    assert "typing." not in text


def test_rules_options_notation_and_fields_are_printed() -> None:
    text = game_text("pente")

    assert text.startswith("Pente, as in the Programmer's Challenge of November 1997.")
    assert "  half_size: integer 9..15, default 9\n" in text
    assert "  second_stone: box5 | both | free, default box5\n" in text
    assert '\n  v: integer\n  h: integer\n\n  0,0  =  {"v": 0, "h": 0}\n' in text
    assert "  captures: list of [[integer, integer], [integer, integer]]\n" in text
    meaning = 'their meaning: pente of "Messages and games" in the documentation'
    assert text.endswith(f"turn, ply, board, pairs; {meaning}")
    page = Path(__file__).parents[3] / "docs/reference/protocol.md"
    assert "\n### pente\n" in page.read_text()


def test_a_limit_that_is_excluded_is_named_as_such() -> None:
    assert "hole_fraction: number 0.. and less than 1, default 0.1\n" in game_text("matchsticks")
    for name in game_names():
        assert "..None" not in game_text(name)


def test_fields_have_their_names_of_the_wire() -> None:
    assert "\n  from: [integer, integer]\n" in game_text("damspel")


def test_the_command_lists_games_or_describes_one() -> None:
    run = CliRunner()

    listed = run.invoke(app, ["games"]).output.splitlines()
    assert [line.split()[0] for line in listed[2:]] == list(game_names())
    assert run.invoke(app, ["games", "pente"]).output == game_text("pente") + "\n"
    unknown = run.invoke(app, ["games", "pentte"])
    assert 'did you mean "pente"' in str(unknown.exception)


def test_a_shell_can_complete_commands() -> None:
    words = {"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": "arena ga", "COMP_CWORD": "1"}

    done = CliRunner().invoke(app, [], env=words, prog_name="arena")

    assert done.output.split() == ["gate", "games"]


@pytest.mark.usefixtures("small_games")
def test_draws_and_hidden_information_are_named() -> None:
    pig, phantom = game_text("pig"), game_text("phantom")

    assert "Draws, made by the referee:\n  A die that has fallen.\n  pips: integer" in pig
    assert '  roll  =  {"hold": false}' in pig  # the moves after the first draw
    assert "Hidden information" not in pig
    assert "Hidden information: a bot receives only what its seat may see." in phantom


def test_long_lines_of_rules_are_joined_to_be_wrapped_again() -> None:
    rules = game_text("pente", 70).partition("\n\nOptions")[0]

    assert "the organiser's program), at least three away in both" in rules
    assert rules.count("\n* ") == game_text("pente").partition("\n\nOptions")[0].count("\n* ")
    assert "\n\nTwo seats place stones" in rules


def test_a_game_that_lacks_a_part_is_named_with_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "referee.games.pente.Pente.notation", lambda _, move: plain_notation([move])
    )
    monkeypatch.setattr("referee.rules.plain.get_type_hints", lambda _: {"path": tuple})

    refused = CliRunner().invoke(app, ["games", "pente"])

    assert isinstance(refused.exception, UsageError)
    lack = "list has more than numbers and words: define notation and parse"
    assert str(refused.exception) == f"the game pente is incomplete: {lack}"


def refused(name: str) -> str:
    refusal = CliRunner().invoke(app, ["games", name])
    assert isinstance(refusal.exception, UsageError)
    return str(refusal.exception)


def test_an_error_of_the_rules_is_no_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def legal(_: Pente, state: State) -> None:
        raise KeyError(state.ply)

    check = "`pytest --arena-game pente` checks them"
    monkeypatch.setattr(Pente, "legal", legal)
    line = legal.__code__.co_firstlineno + 1
    placed = f"KeyError: 0 (test_games.py, line {line})"
    assert refused("pente") == f"the rules of pente fail: {placed}; {check}"

    monkeypatch.setattr(Pente, "legal", lambda *_: None)
    assert refused("pente").startswith("the rules of pente fail: TypeError: 'NoneType' object is")
    assert refused("pente").endswith(f"; {check}")


def test_words_of_a_move_are_printed_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MoveCodec, "wire_move", lambda *_: {"tat": "würfeln"})

    assert '{"tat": "würfeln"}' in game_text("pente")
