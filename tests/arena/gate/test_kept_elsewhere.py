"""A base from a revision whose files git keeps elsewhere: complete, or refused with the cure."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from test_base import Repository

from arena.errors import UsageError
from arena.gate.base import checked_out

NET = b"the weights of a network\n"
OID = hashlib.sha256(NET).hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize {len(NET)}\n"
OTHER = POINTER.replace(OID, "0" * 64)
Store = Callable[[bytes], Path]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with a commit of a pointer, and the file itself in the work tree."""
    repository = Repository(tmp_path / "bot")
    repository.write("net.bin", POINTER)
    repository.commit()
    repository.write("net.bin", "another network")
    return repository


@pytest.fixture
def store(repository: Repository) -> Store:
    def stored(content: bytes) -> Path:
        path = repository.folder / ".git" / "lfs" / "objects" / OID[:2] / OID[2:4] / OID
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return path

    return stored


def base_of(repository: Repository) -> dict[str, bytes]:
    """Return the files of the bot as of its last commit."""
    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert old.folder is not None
        return {path.name: path.read_bytes() for path in old.folder.iterdir() if path.is_file()}


def refused(repository: Repository) -> str:
    with pytest.raises(UsageError) as refusal:
        base_of(repository)
    return str(refusal.value)


def test_stored_content_takes_the_place_of_its_pointer(
    repository: Repository, store: Store
) -> None:
    store(NET)

    found = base_of(repository)

    assert found["net.bin"] == NET
    assert sorted(found) == ["bot.yaml", "main.sh", "net.bin"]


def test_the_content_of_all_pointers_together_has_the_size_of_a_bot_at_most(
    repository: Repository, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(NET)
    monkeypatch.setattr("arena.gate.kept_elsewhere.BOT_BYTES", len(NET))
    assert base_of(repository)["net.bin"] == NET

    repository.write("net.bin", POINTER)
    repository.write("more.bin", POINTER)
    repository.commit()
    found = base_of(repository)
    assert sorted([found["net.bin"], found["more.bin"]]) == sorted([NET, POINTER.encode()])
    repository.write("net.bin", "another network")
    repository.write("more.bin", "another network")

    assert "all such files of a bot may have" in refused(repository)


@pytest.mark.parametrize("content", [None, b"", NET + b"!", b"x" * len(NET)])
def test_a_base_without_the_content_is_refused(
    repository: Repository, store: Store, content: bytes | None
) -> None:
    if content is not None:
        store(content)

    assert refused(repository) == (
        'git:HEAD: the content of "net.bin" is kept by Git LFS and not here; fetch it: git lfs'
        " fetch origin HEAD (all such files of a bot may have 256 MB)"
    )


def test_stored_content_is_not_read_through_a_pipe_or_without_end(
    repository: Repository, store: Store
) -> None:
    path = store(NET)
    path.unlink()
    path.symlink_to("/dev/zero")

    assert "is kept by Git LFS" in refused(repository)


@pytest.mark.parametrize("own", [POINTER, OTHER])
def test_a_pointer_on_both_sides_stays_one(repository: Repository, own: str) -> None:
    repository.write("net.bin", own)

    assert base_of(repository)["net.bin"] == POINTER.encode()


@pytest.mark.parametrize("text", ["version https://git-lfs.github.com/spec/v1\n", POINTER * 2])
def test_a_malformed_pointer_is_refused(repository: Repository, store: Store, text: str) -> None:
    store(NET)
    repository.write("net.bin", text)
    repository.commit()
    repository.write("net.bin", "another network")

    assert "is kept by Git LFS" in refused(repository)


def test_a_pointer_beside_the_bot_is_not_looked_at(repository: Repository) -> None:
    (repository.folder / "mine").mkdir()
    for name in ("bot.yaml", "main.sh"):
        repository.write(f"mine/{name}", (repository.folder / name).read_text())
    repository.write("net.bin", POINTER)
    repository.commit()
    repository.write("net.bin", "another network")
    repository.folder /= "mine"

    assert sorted(base_of(repository)) == ["bot.yaml", "main.sh"]


def test_a_submodule_that_the_bot_has_is_refused(repository: Repository, tmp_path: Path) -> None:
    library = Repository(tmp_path / "library")
    commit = library.git("rev-parse", "HEAD")
    repository.write("net.bin", "small")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},li\tb")
    repository.git("add", "net.bin")
    repository.git("-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--message=x")
    (repository.folder / "li\tb").mkdir()

    assert "main.sh" in base_of(repository), "a submodule that is filled on neither side"
    repository.write("li\tb/helper.sh", "echo\n")

    assert refused(repository) == (
        r'git:HEAD: "li\tb" is a submodule, whose files are no part of the revision; check it out'
        " elsewhere (git worktree add, git submodule update --init) and name that folder"
    )
