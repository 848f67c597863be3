"""Commands to copy into a shell."""

import shlex

import pytest

from arena.shell_words import DEFAULT_DB, db_option, resume_text


@pytest.mark.parametrize("name", ["other.db", "with a blank.db", "it's; rm -rf.db", "$(x).db"])
def test_a_database_is_one_word_of_the_command(name: str) -> None:
    assert shlex.split(db_option(name)) == ["--db", name]


def test_the_default_database_is_not_named() -> None:
    assert db_option(DEFAULT_DB) == ""


def test_a_command_is_resumed_without_the_options_for_one_run() -> None:
    words = ["tournament", "my contest.yaml", "--update", "--db", "a.db"]

    advice = resume_text(words, once=["--update", "--new"])

    assert advice == "resume with: arena tournament 'my contest.yaml' --db a.db"
