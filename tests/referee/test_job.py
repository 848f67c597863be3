"""Facts of a job that follow from others."""

import pytest

from referee.job import PERSON, REMOTE, Player


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("0f3a", "bot"),
        ("", "bot"),
        (f"{PERSON}s", "bot"),
        (PERSON, "person"),
        (f"{REMOTE}0f3a", "remote"),
    ],
)
def test_the_content_of_a_player_says_who_plays(content: str, kind: str) -> None:
    player = Player(name="ann", argv=(), folder="/", content=content)

    assert (player.kind, player.is_remote) == (kind, kind == "remote")
