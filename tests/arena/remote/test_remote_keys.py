"""Files of keys and the list of entrants: what is written, what is refused, in words."""

import os
from pathlib import Path

import pytest
from doors import new_pair

from arena.errors import ConfigError, UsageError
from arena.reading.hosts import parse_endpoint
from arena.remote.entrants import WatchedEntrants, read_entrants
from arena.remote.keys import read_key, read_public, write_key

KEY = new_pair().public
OTHER = new_pair().public


def test_a_new_key_is_readable_by_its_owner_only_and_has_its_public_key(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path, public = write_key("alice", tmp_path)
    finally:
        os.umask(before)

    assert path.stat().st_mode & 0o777 == 0o600
    assert read_key(path).public == public
    assert read_key(path).secret not in repr(read_key(path))


def test_an_existing_key_is_kept(tmp_path: Path) -> None:
    path, public = write_key("alice", tmp_path)

    with pytest.raises(UsageError, match="exists already and is kept"):
        write_key("alice", tmp_path)

    assert read_key(path).public == public


@pytest.mark.parametrize("text", ["{}\n", '# list\n"{}"\n', "ann: x\n'{}'"])
def test_a_key_without_a_name_in_a_list_is_named_as_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "entrants.yaml"
    for key in (KEY, OTHER, *(new_pair().public for _ in range(20))):  # some are YAML of a kind
        path.write_text(text.format(key))

        with pytest.raises(ConfigError, match=r"is a key without a name; a list has lines like"):
            read_entrants(path)


def test_a_name_of_a_key_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must consist of letters"):
        write_key("../alice", tmp_path)


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        ("x" * 39, 0o600, "must be a key of 40 characters, not of 39"),
        ("", 0o600, "must be a key of 40 characters, not of 0"),
        ("~" * 40, 0o600, 'is not a key: "~" is no character of Z85'),
        (KEY, 0o640, "other users of this machine may read"),
        (KEY, 0o604, "chmod 600"),
    ],
    ids=["short", "empty", "no Z85", "readable by the group", "readable by others"],
)
def test_a_wrong_secret_key_is_refused_in_words(
    tmp_path: Path, text: str, mode: int, says: str
) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(mode)

    with pytest.raises(UsageError, match=says):
        read_key(path)


def test_a_missing_key_is_refused_with_its_cure(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`arena keys new NAME` makes one"):
        read_key(tmp_path / "key")


def test_a_wrong_key_of_the_host_is_refused() -> None:
    assert read_public(KEY) == KEY
    with pytest.raises(UsageError, match="put it in single quotes"):
        read_public("short")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "must be a map of keys"),
        ("alice: 5\n", 'put it in quotes, alice: "KEY"'),
        ('alice: "short"\n', "the key of alice must be a key of 40 characters, not of 5"),
        (f'alice: "{KEY}"\nALICE: "{OTHER}"\n', "exists already"),
        (f'alice: "{KEY}"\nbob: "{KEY}"\n', "bob has the key of alice"),
        (f'"../x": "{KEY}"\n', "the name must consist of letters"),
    ],
    ids=["list", "number", "short", "same name", "same key", "path"],
)
def test_a_wrong_list_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "entrants.yaml"
    path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        read_entrants(path)

    assert says in str(caught.value)


Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def test_a_list_that_does_not_exist_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"does not exist; .*`arena keys new` prints.*alice: "):
        read_entrants(tmp_path / "entrants.yaml")


@pytest.mark.parametrize(
    "tail", [KEY[1:], "-" + KEY[2:], ":" + KEY[2:-1] + ":"], ids=["plain", "dash", "colons"]
)
def test_a_secret_key_named_as_the_list_is_not_shown(tmp_path: Path, tail: str) -> None:
    path = tmp_path / "alice.secret"
    for first in Z85:
        key = first + tail
        path.write_text(f"{key}\n")

        with pytest.raises(ConfigError) as caught:
            read_entrants(path)

        said = str(caught.value)
        assert not [key[n : n + 5] for n in range(36) if key[n : n + 5] in said]


def test_a_list_is_read_again_once_it_is_written_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "entrants.yaml"
    path.write_text(f'alice: "{KEY}"\n')
    watched = WatchedEntrants(path)
    path.write_text("")

    assert watched.refresh() is None
    path.write_text(f'alice: "{KEY}"\nbob: "{OTHER}"\n')
    assert watched.refresh() is None
    assert list(watched.now.keys) == ["alice"]
    assert watched.refresh() is None
    assert list(watched.now.keys) == ["alice", "bob"]

    path.unlink()
    assert watched.refresh() is None
    assert "does not exist" in (watched.refresh() or "")
    assert not watched.now.keys


@pytest.mark.parametrize(
    "text", ["7777", "tcp://:1", "tcp://x", "tcp://x:0", "tcp://x:65536", "ipc://x", "tcp://x:1e3"]
)
def test_a_wrong_endpoint_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="must be tcp://HOST:PORT"):
        parse_endpoint(text, "the host", is_wild=False)


def test_an_endpoint_may_have_any_host() -> None:
    assert parse_endpoint("tcp://[::1]:7", "--listen", is_wild=True) == ("::1", 7)
    assert parse_endpoint("tcp://*:0", "--listen", is_wild=True) == ("0.0.0.0", 0)  # noqa: S104 - as asked for
