"""What compose.yaml and its page run, run as processes of this machine instead of containers."""

import re
import shlex
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import psycopg
import pytest
from postgres import postgres
from ruamel.yaml import YAML
from waiting import becomes

ROOT = Path(__file__).parents[3]
SERVICES = YAML(typ="safe").load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
PAGE = (ROOT / "docs/howto/containers.md").read_text("utf-8")
PASSWORD = "0f1e2d"  # noqa: S105 - of a server that this test starts


class Machine:
    """Names and folders of the containers, as this machine has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pages, self.scheduler, self.database = free_port(), free_port(), free_port()

    def here(self, text: str) -> str:
        """Return a command or setting with the hosts and folders of this machine."""
        for name, own in (
            ("/data/", f"{self.folder}/"),
            ("league:8786", f"127.0.0.1:{self.scheduler}"),
            ("PASSWORD@database/", f"{PASSWORD}@127.0.0.1:{self.database}/"),
        ):
            text = text.replace(name, own)
        return text

    def command(self, words: list[str]) -> list[str]:
        return [sys.executable, "-P", "-m", "arena", *map(self.here, words)]

    @contextmanager
    def running(self, service: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Run the command of a service until the end of the context."""
        process = subprocess.Popen(self.command(SERVICES[service]["command"]), cwd=self.folder)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(120)


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def steps() -> list[list[str]]:
    """Return the words after `arena` of the page's commands before the containers are started."""
    before = PAGE[: PAGE.index("docker compose up")]
    lines = re.findall(r"(?m)^    docker compose run --rm league (.+)$", before)
    return [shlex.split(line) for line in lines]


@pytest.mark.timeout(600)
def test_the_league_of_the_compose_file_plays_on_its_worker(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    machine = Machine(data)
    database = SERVICES["database"]["environment"]
    settings = re.findall(r"(?m)^    ((?:address|workers|database): .+)$", PAGE)
    with ExitStack() as stack:
        names = database["POSTGRES_USER"], database["POSTGRES_DB"]
        stack.enter_context(postgres(*names, machine.database, PASSWORD))
        assert len(steps()) == 2
        for words in steps():
            subprocess.run(machine.command(words), check=True, cwd=data)
        site = data / "league/league.yaml"
        kept = re.sub(r"(?m)^(address|port): .*\n", "", site.read_text())
        site.write_text("\n".join([kept, f"port: {machine.pages}", *map(machine.here, settings)]))

        stack.enter_context(machine.running("league"))
        stack.enter_context(machine.running("worker"))

        assert becomes(lambda: is_answered(machine.pages))
        assert becomes(lambda: workers(data / "league/arena.db") == {"worker"})
        (address,) = [each.split()[1] for each in settings if each.startswith("database:")]
        with psycopg.connect(machine.here(address)) as db:
            assert db.execute("SELECT count(*) FROM league_bot").fetchone() != (0,)


def is_answered(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(connection):
        try:
            connection.request("GET", "/log-in")
            return connection.getresponse().status == 200
        except OSError:
            return False


def workers(path: Path) -> set[str]:
    """Return the names of the workers that have played a match."""
    if not path.exists():
        return set()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        try:
            return {name for (name,) in db.execute("SELECT DISTINCT name FROM worker")}
        except sqlite3.OperationalError:  # its tables are being made
            return set()
