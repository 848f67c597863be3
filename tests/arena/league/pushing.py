"""A served league and repositories of git, for tests of pushes."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from waiting import becomes

from arena.league.folder import League
from arena.league.web.server import server_of

AUTHOR = ("-c", "user.name=Olga", "-c", "user.email=olga@example.org")
BOT = {"bot.yaml": "run: [sh, main.sh]\n", "main.sh": "echo hello\n"}


@contextmanager
def served(league: League) -> Iterator[str]:
    """Serve a league by its real server, in a thread; yield its host and port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = server_of(league)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert becomes(lambda: server.started)
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@dataclass(frozen=True)
class Repository:
    """A repository of a pusher."""

    folder: Path
    remote: str

    def git(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run git and return its output."""
        command = ["git", "-C", str(self.folder), *AUTHOR, *arguments]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout

    def commit(self, files: Mapping[str, str]) -> None:
        """Commit these files."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a bot")

    def entry(self, mode: str, kind: str, name: str, path: str) -> bytes:
        """Return a line of a tree."""
        return f"{mode} {kind} {name}\t{path}\n".encode()

    def commit_tree(self, lines: bytes) -> None:
        """Commit a tree of these lines, which need not exist in a work tree."""
        tree = self.git("mktree", "--missing", data=lines).decode().strip()
        commit = self.git("commit-tree", "-m", "a tree", tree).decode().strip()
        self.git("update-ref", "refs/heads/main", commit)

    def push(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Push, by default main."""
        return self.with_remote("push", *(arguments or ("main",)))

    def with_remote(self, act: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of git with the league."""
        command = ["git", "-C", str(self.folder), act, self.remote, *arguments]
        own = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, **own}
        )


def repository(folder: Path, host: str, token: str, bot: str = "deep-blue") -> Repository:
    """Make an empty repository, whose remote is a bot of a league."""
    folder.mkdir()
    found = Repository(folder, f"http://anybody:{token}@{host}/git/{bot}.git")
    found.git("init", "--quiet", "--initial-branch=main")
    return found


def framed(data: bytes) -> bytes:
    """Return a line in the framing of git."""
    return f"{len(data) + 4:04x}".encode() + data
