"""What a command and a push say of a hand-in after its deadline."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from leagues import Cast, cast
from pushing import BOT, Repository, repository, served
from test_pushes import accept, checked

from arena.league.folder import League
from arena.league.hand_ins.client import KEPT, hand_in_to
from arena.league.persons.people import new_token
from arena.league.seasons.deadlines import open_season, set_deadline
from arena.league.site.models import Person, Season


@pytest.fixture
def people() -> Cast:
    return cast()


@pytest.fixture
def host(league: League) -> Iterator[str]:
    with served(league) as host:
        yield host


@pytest.fixture
def own(host: str, people: Cast, tmp_path: Path) -> Repository:
    return repository(tmp_path / "own", host, new_token(people.owner, "git"))


def deadline_has_passed(staff: Person, late: str) -> None:
    open_season("season-1")
    set_deadline(staff, timezone.now() - timedelta(minutes=1), late)


def test_a_late_push_is_not_said_to_play(people: Cast, own: Repository) -> None:
    deadline_has_passed(people.staff, Season.UNRANKED)
    own.commit(BOT)

    checking = checked(accept)
    ended = own.push()
    checking.join()

    assert ended.returncode == 0, ended.stderr
    assert "accepted after the deadline: version 1 is kept and does not play" in ended.stderr
    assert "accepted: version 1 plays" not in ended.stderr


def test_a_late_push_that_is_kept_alone_is_no_failure(people: Cast, own: Repository) -> None:
    deadline_has_passed(people.staff, Season.CLOSED)
    own.commit(BOT)

    ended = own.push()

    assert ended.returncode == 0, ended.stderr
    assert KEPT in ended.stderr


TEXTS = {
    Season.RANKED: "accepted: version 1 plays",
    Season.UNRANKED: "accepted after the deadline: version 1 is kept and does not play",
    Season.CLOSED: KEPT,
}


@pytest.mark.parametrize("late", TEXTS)
def test_a_command_says_what_becomes_of_a_late_hand_in(
    late: str, host: str, people: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deadline_has_passed(people.staff, late)
    bot, token = tmp_path / "bot.py", tmp_path / "token"
    bot.write_text("import arena_bot")
    token.write_text(new_token(people.owner, "terminal"))
    checking = checked(accept) if late != Season.CLOSED else None

    code = hand_in_to(bot, f"http://{host}", "deep-blue", token, is_waiting=True, is_json=False)
    if checking is not None:
        checking.join()

    printed = capsys.readouterr()
    assert code == 0
    assert TEXTS[late] in printed.out.splitlines()
    assert "it came after its deadline" in printed.err
