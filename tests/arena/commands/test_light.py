"""Help as a command of a light group."""

import re

import pytest
from typer.testing import CliRunner

from arena.commands.loading import application

app = application()


@pytest.mark.parametrize("words", [[], ["match"], ["cluster"], ["cluster", "keys"]])
def test_help_is_a_command_too(words: list[str]) -> None:
    help_text = CliRunner().invoke(app, [*words, "--help"]).stdout

    assert "Usage: arena" in help_text
    assert CliRunner().invoke(app, ["help", *words]).stdout == help_text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["match", "extra", "words"], r"unexpected extra argument\(s\) \(extra words\)"),
        (["cluster", "keys", "extra"], r"unexpected extra argument\(s\) \(extra\)"),
        (["nothing", "extra"], "No such command 'nothing'"),
        (["cluster", "nothing", "extra"], "No such command 'nothing'"),
    ],
)
def test_help_refuses_words_that_name_no_command(words: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["help", *words])

    assert done.exit_code == 2
    assert re.search(says, done.stderr)
    assert not done.stdout
