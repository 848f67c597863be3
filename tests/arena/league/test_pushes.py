"""A push by real git: the same way as every hand-in, and nothing of a hostile one is believed."""

import tarfile
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from leagues import Cast, cast, client_of, hand_in
from pushing import BOT, Repository, framed, repository, served
from waiting import becomes

from arena.league.files import place
from arena.league.folder import League
from arena.league.hand_ins import reception
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import new_token
from arena.league.seasons.deadlines import open_season, set_deadline
from arena.league.site.models import HandIn, Season
from arena.league.web import git


@pytest.fixture
def people() -> Cast:
    return cast()


@pytest.fixture
def own(league: League, people: Cast, tmp_path: Path) -> Iterator[Repository]:
    with served(league) as host:
        yield repository(tmp_path / "own", host, new_token(people.owner, "git"))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody checks a hand-in: a push waits for no answer."""
    monkeypatch.setattr(git, "ANSWER_S", 0.0)


def checked(end: Callable[[HandIn], None]) -> threading.Thread:
    """End the next hand-in as its check would, beside a push."""

    def check() -> None:
        from django.db import connection

        assert becomes(HandIn.objects.exists)
        row = HandIn.objects.select_related("bot").get()
        end(row)
        row.save()
        connection.close()

    thread = threading.Thread(target=check)
    thread.start()
    return thread


def accept(row: HandIn) -> None:
    row.report, row.state = ["built in 1.0 s", "slowest move: 3 of 500 ms"], HandIn.ACCEPTED
    row.version = add_version(row.bot, "tree")
    row.version.rating, row.version.error, row.version.matches = 1512.0, 90.0, 8
    row.version.save()


def refuse(row: HandIn) -> None:
    row.report, row.state = ["the build failed"], HandIn.REFUSED
    row.log = "main.c:1: no\x1b[31m semicolon"


def tree_of(league: League, row: HandIn) -> set[str]:
    with tarfile.open(place(league.files, row.digest)) as tar:
        return {entry.name for entry in tar if entry.isfile()}


def test_a_push_prints_its_receipt_and_the_answer(league: League, own: Repository) -> None:
    own.commit(BOT)

    checking = checked(accept)
    ended = own.push()
    checking.join()

    row = HandIn.objects.get()
    assert ended.returncode == 0, ended.stderr
    for line in (
        f"received: hand-in {row.pk}, {row.size} bytes, {row.digest}",
        f"/hand-ins/{row.pk}",
        "built in 1.0 s",
        "slowest move: 3 of 500 ms",
        "accepted: version 1 plays",
        "rating 1512 ±90 after 8 matches",
    ):
        assert line in ended.stderr
    assert (row.suffix, tree_of(league, row)) == (".tar", set(BOT))


@pytest.mark.usefixtures("league")
def test_a_push_fails_if_its_check_does_and_prints_the_log_as_text(own: Repository) -> None:
    own.commit(BOT)

    checking = checked(refuse)
    ended = own.push()
    checking.join()

    assert ended.returncode != 0
    assert "[remote rejected] main -> main (refused: the build failed)" in ended.stderr
    assert r"main.c:1: no\x1b[31m semicolon" in ended.stderr


@pytest.mark.usefixtures("quick")
def test_the_same_commit_may_be_pushed_again_and_gives_the_same_bytes(own: Repository) -> None:
    own.commit(BOT)

    assert [own.push().returncode, own.push().returncode] == [0, 0]

    one, other = HandIn.objects.order_by("pk")
    assert one.digest == other.digest
    assert (one.state, other.state) == (HandIn.REPLACED, HandIn.WAITING)


@pytest.mark.usefixtures("quick")
def test_a_shallow_clone_is_taken_and_tags_are_and_nothing_of_the_history_is(
    league: League, own: Repository, tmp_path: Path
) -> None:
    own.commit({"secret": "of the past"})
    (own.folder / "secret").unlink()
    own.commit(BOT)
    own.git("tag", "v1")
    source = own.folder.as_uri()
    own.git("clone", "--quiet", "--depth=1", source, str(tmp_path / "shallow"))
    shallow = Repository(tmp_path / "shallow", own.remote)

    for ended in (shallow.push("main"), own.push("main", "--tags")):
        assert ended.returncode == 0, ended.stderr
    for row in HandIn.objects.all():
        assert tree_of(league, row) == set(BOT)


@pytest.mark.usefixtures("quick")
def test_attributes_leave_nothing_out_and_change_nothing(league: League, own: Repository) -> None:
    own.commit({**BOT, ".gitattributes": "* export-ignore\n", "main.sh": "$Format:%H$\n"})

    assert own.push().returncode == 0
    assert tree_of(league, HandIn.objects.get()) == {*BOT, ".gitattributes"}


def test_more_bytes_than_waiting_needs_come_in_pieces(
    own: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "ANSWER_S", 0.0)
    own.git("config", "http.postBuffer", "1000")
    own.commit({**BOT, "table": "".join(f"{number:x}" for number in range(100_000))})

    ended = own.push()

    assert ended.returncode == 0, ended.stderr


REFUSALS = {
    "a branch of another name": "only the branch main is a hand-in: git push LEAGUE HEAD:main",
    "a link": "is a link",
    "a submodule": "is a submodule",
    "a pointer of LFS": "Git LFS",
    "an object that git refuses": "fsck error",
    "10^10 paths": "has more than 20000 files and folders",
    "10^10 empty folders": "[remote rejected]",
    "100 MB of zeros": "20 MB",
    "names without end": "[remote rejected]",
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_hostile_push_is_refused_with_a_reason(what: str, own: Repository) -> None:
    pushed = HOSTILE[what](own)

    ended = own.push(*pushed)

    assert ended.returncode != 0, ended.stderr
    assert REFUSALS[what] in ended.stderr, ended.stderr
    assert not HandIn.objects.exists()


def other_branch(own: Repository) -> tuple[str, ...]:
    own.commit(BOT)
    own.git("branch", "other")
    return ("main", "other")


def link(own: Repository) -> tuple[str, ...]:
    (own.folder / "link").symlink_to("/etc/passwd")
    own.commit(BOT)
    return ()


def submodule(own: Repository) -> tuple[str, ...]:
    own.commit_tree(own.entry("160000", "commit", "1" * 40, "part"))
    return ()


def lfs(own: Repository) -> tuple[str, ...]:
    head = "version https://git-lfs.github.com/spec/v1"
    own.commit({**BOT, "model.bin": f"{head}\noid sha256:{'a' * 64}\nsize 123456789\n"})
    return ()


def blob(own: Repository, data: bytes) -> str:
    return own.git("hash-object", "-w", "--stdin", data=data).decode().strip()


def forbidden_name(own: Repository) -> tuple[str, ...]:
    name = blob(own, b"x")
    tree = own.git(
        *("hash-object", "-t", "tree", "-w", "--literally", "--stdin"),
        data=b"100644 ..\0" + bytes.fromhex(name),
    )
    commit = own.git("commit-tree", "-m", "bad", tree.decode().strip())
    own.git("update-ref", "refs/heads/main", commit.decode().strip())
    return ()


def bomb(own: Repository, leaf: bytes) -> tuple[str, ...]:
    """Ten levels of trees, each of which has the next one ten times."""
    lines = leaf
    for _ in range(10):
        tree = own.git("mktree", data=lines).decode().strip()
        lines = b"".join(own.entry("040000", "tree", tree, f"d{n}") for n in range(10))
    own.commit_tree(lines)
    return ()


def files(own: Repository) -> tuple[str, ...]:
    return bomb(own, own.entry("100644", "blob", blob(own, b"x"), "f"))


def folders(own: Repository) -> tuple[str, ...]:
    return bomb(own, b"")


def zeros(own: Repository) -> tuple[str, ...]:
    with (own.folder / "zeros").open("wb") as file:
        file.truncate(100_000_000)
    own.git("-c", "core.compression=1", "-c", "core.bigFileThreshold=1m", "add", "zeros")
    own.commit({})
    return ()


def endless_names(own: Repository) -> tuple[str, ...]:
    """A tree of 3,000 levels with long names: paths of half a megabyte."""
    lines = own.entry("100644", "blob", blob(own, b"x"), "f")
    for _ in range(300):
        tree = own.git("mktree", data=lines).decode().strip()
        lines = own.entry("040000", "tree", tree, "d" * 200)
    for _ in range(3):
        tree = own.git("mktree", data=lines).decode().strip()
        lines = b"".join(own.entry("040000", "tree", tree, f"e{n}") for n in range(20))
    own.commit_tree(lines)
    return ()


HOSTILE: dict[str, Callable[[Repository], tuple[str, ...]]] = dict(
    zip(
        REFUSALS,
        (
            *(other_branch, link, submodule, lfs, forbidden_name),
            *(files, folders, zeros, endless_names),
        ),
        strict=True,
    )
)


TREE = b"1" * 40
COMMANDS = {
    "nothing": b"",
    "no push": b"hello",
    "a line without an end": b"ffff",
    "a line of no length": b"0001",
    "no command at all": b"0000PACK",
    "a deletion": framed(TREE + b" " + b"0" * 40 + b" refs/heads/main\0 report-status") + b"0000",
    "no name of a branch": framed(b"0" * 40 + b" " + TREE + b" HEAD\0 report-status") + b"0000",
    "a name with colours": framed(b"0" * 40 + b" " + TREE + b" refs/heads/\x1b[31m\0") + b"0000",
    "a certificate": framed(b"push-cert\0 report-status") + b"0000",
    "many names": framed(b"0" * 40 + b" " + TREE + b" refs/tags/x") * 101 + b"0000",
}


@pytest.mark.parametrize("what", COMMANDS)
def test_what_is_no_push_is_refused(what: str, people: Cast) -> None:
    assert posted(people, COMMANDS[what]).status_code == 400
    assert not HandIn.objects.exists()


def test_an_object_that_is_missing_or_damaged_is_refused(people: Cast) -> None:
    command = framed(b"0" * 40 + b" " + TREE + b" refs/heads/main\0 report-status") + b"0000"
    empty = b"PACK\0\0\0\2\0\0\0\0" + bytes.fromhex("029d08823bd8a8eab510ad6ac75c823cfd3ed31e")

    for pack in (empty, empty[:-1], b"", b"PACK" + bytes(100)):
        answer = posted(people, command + pack)
        assert answer.status_code == 200
        assert b"ng refs/heads/main" in answer.content
    assert not HandIn.objects.exists()


def posted(people: Cast, body: bytes) -> Any:
    kind = "application/x-git-receive-pack-request"
    pair = f"x:{new_token(people.owner, 'git')}".encode()
    return client_of().post(
        "/git/deep-blue.git/git-receive-pack",
        body,
        content_type=kind,
        headers={"Authorization": f"Basic {b64encode(pair).decode()}"},
    )


def test_one_person_has_one_place_of_those_who_push(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.league.hand_ins.pushes._READING", {people.owner.pk})
    command = framed(b"0" * 40 + b" " + TREE + b" refs/heads/main\0 report-status") + b"0000"

    assert b"another push of yours" in posted(people, command).content


@pytest.mark.usefixtures("quick")
def test_a_push_that_waits_for_others_was_received_when_it_came(
    own: Repository, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline passes while the pushes of others are read."""
    open_season("season-1")

    @contextmanager
    def wait(_: int) -> Iterator[None]:
        set_deadline(people.staff, timezone.now(), Season.CLOSED)
        yield

    monkeypatch.setattr("arena.league.hand_ins.pushes._place_of", wait)
    own.commit(BOT)

    assert "after its deadline" not in own.push().stderr
    assert not HandIn.objects.get().is_late


@pytest.mark.usefixtures("league")
def test_too_many_bytes_are_refused(own: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.league.web.server.HAND_IN_BYTES", 100_000)
    own.commit({**BOT, "noise": "".join(f"{n * n * 7919:x}" for n in range(100_000))})

    assert own.push().returncode != 0
    assert not HandIn.objects.exists()


def test_a_quota_refuses_before_git_reads_anything(
    league: League, people: Cast, own: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "ALL_PER_HOUR", 1)
    hand_in(league, people.bot, b"the first")
    monkeypatch.setattr(
        "arena.league.hand_ins.pushes.run_builder", lambda *_: pytest.fail("it was read")
    )
    own.commit(BOT)

    assert "the next one is accepted at" in own.push().stderr


def test_neither_strangers_nor_rivals_push_and_nobody_fetches(
    own: Repository, people: Cast, tmp_path: Path
) -> None:
    own.commit(BOT)
    rival = Repository(own.folder, own.remote.replace("deep-blue", "other"))
    host = own.remote.rpartition("@")[2]
    theirs = repository(tmp_path / "r", host.split("/")[0], new_token(people.rival, "r"))
    theirs.commit(BOT)
    stranger = Repository(own.folder, f"http://x:wrong@{host}")

    assert "403" in rival.push().stderr
    assert "403" in theirs.push().stderr
    assert "Authentication failed" in stranger.push().stderr
    assert "pushes only" in own.with_remote("fetch").stderr
    assert not HandIn.objects.exists()
