"""`arena serve`: who may read what, and pages that follow an event."""

import gzip
import http.client
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from events import crashed, job_of, keep, new_store
from playwright.sync_api import Locator, Page, expect
from preloaded import Preloaded, run
from random_matches import random_record

from arena.pages.channels import MAX_STREAMS
from arena.pages.server import Site
from protocol.codec import packed, read_stored, stored


@dataclass
class Server:
    folder: Path
    link: str
    process: Preloaded
    connections: list[http.client.HTTPConnection] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2]

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        cookie: bool = True,
        accept: str = "identity",
        **headers: str,
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.connections.append(connection)
        given = {"Cookie": f"arena_{self.port}={self.token}"} if cookie else {}
        given["Accept-Encoding"] = accept
        connection.request(method, path, headers=given | headers)
        return connection.getresponse()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests only read from."""
    with running(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as server:
        yield server


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    with closing(new_store(folder)) as store:
        number = store.add_event("cup", 1, {"game": {"name": "pente"}}, {"a": "1", "b": "2"})
        keep(store, number, random_record("pente", key="first", plies=8))
    process = Preloaded(
        ["serve", "--db", "arena.db"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found, process.stderr and process.stderr.read()
    server = Server(folder, found[0], process)
    yield server
    for connection in server.connections:
        connection.close()
    process.kill()
    process.communicate()


def test_only_the_link_lets_in(server: Server) -> None:
    assert server.ask("/", cookie=False).status == 403
    assert server.ask("/api/events", cookie=False).status == 403
    assert server.ask("/?token=wrong", cookie=False).status == 403
    assert server.ask("/api/events", cookie=False, Cookie=f"arena_{server.port}=x").status == 403
    answer = server.ask(f"/?token={server.token}", cookie=False)
    assert answer.status == 303
    cookie = answer.headers["Set-Cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert server.ask("/").status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost:1", ""])
def test_other_names_of_the_host_are_refused(server: Server, host: str) -> None:
    assert server.ask("/", Host=host).status == 421


@pytest.mark.parametrize("zone", ["x", "?x", "#x"])
def test_a_host_with_a_zone_is_refused(tmp_path: Path, zone: str) -> None:
    site = Site(tmp_path / "arena.db", 80)

    assert site.is_host("[::1]:80")
    assert not site.is_host(f"::1%{zone}:80")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_the_pages_are_read_only(server: Server, method: str) -> None:
    assert server.ask("/api/events", method=method).status == 405


@pytest.mark.parametrize("path", ["/", "/viewer/live.mjs", "/api/events", "/api/matches/99"])
def test_every_answer_has_a_strict_policy(server: Server, path: str) -> None:
    headers = server.ask(path).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "path", ["/viewer/..%2fserver.py", "/viewer/../server.py", "/viewer/", "/arena.db"]
)
def test_only_the_files_of_the_viewer_are_served(server: Server, path: str) -> None:
    assert server.ask(path).status == 404


@pytest.mark.parametrize("path", ["/api/events/7", "/api/matches/7"])
def test_unknown_numbers_are_named(server: Server, path: str) -> None:
    answer = server.ask(path)
    assert answer.status == 404
    assert "7" in json.loads(answer.read())["error"]


def test_an_endless_number_is_refused(server: Server) -> None:
    assert server.ask(f"/api/matches/{'9' * 5000}").status == 414


def test_faults_of_clients_are_not_printed(own_server: Server) -> None:
    with socket.create_connection(("127.0.0.1", own_server.port), timeout=60) as client:
        client.sendall(b"nonsense\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 400")
    own_server.process.send_signal(signal.SIGINT)
    _, complaints = own_server.process.communicate(timeout=60)
    assert not complaints


def test_a_damaged_database_is_named_and_not_printed(own_server: Server) -> None:
    with closing(sqlite3.connect(own_server.folder / "arena.db")) as db:
        db.execute("UPDATE seat SET points = 'many'")
        db.commit()
    answer = own_server.ask("/api/events/1")
    assert answer.status == 404
    assert "it is damaged: the points" in json.loads(answer.read())["error"]
    with closing(sqlite3.connect(own_server.folder / "arena.db")) as db:
        ((body,),) = db.execute("SELECT body FROM record").fetchall()
        record = read_stored(zlib.decompress(body))
        record["options"]["half_size"] = 2**40
        db.execute("UPDATE record SET body = ?", (zlib.compress(packed(record)),))
        db.commit()
    answer = own_server.ask("/api/matches/1")
    assert answer.status == 404
    assert "half_size must be 15 or less" in json.loads(answer.read())["error"]
    own_server.process.send_signal(signal.SIGINT)
    _, complaints = own_server.process.communicate(timeout=60)
    assert not complaints


def test_half_of_a_surrogate_pair_in_a_forged_record_is_answered(own_server: Server) -> None:
    with closing(sqlite3.connect(own_server.folder / "arena.db")) as db:
        ((body,),) = db.execute("SELECT body FROM record").fetchall()
        record = read_stored(zlib.decompress(body))
        record["calls"]["note"] = ["\ud800"] * len(record["calls"]["ply"])
        db.execute("UPDATE record SET body = ?", (zlib.compress(stored(record)),))
        db.commit()

    answer = own_server.ask("/api/matches/1")

    assert answer.status == 200
    assert "\ud800" in json.loads(answer.read())["notes"]["1"]
    own_server.process.send_signal(signal.SIGINT)
    _, complaints = own_server.process.communicate(timeout=60)
    assert not complaints


def test_ctrl_c_ends_the_server_with_open_streams(own_server: Server) -> None:
    with own_server.ask("/api/changes") as stream:
        assert stream.readline() == b"event: events\n"
        own_server.process.send_signal(signal.SIGINT)
        _, complaints = own_server.process.communicate(timeout=60)
    assert own_server.process.returncode in (0, 130, -signal.SIGINT)
    assert not complaints


def test_a_port_in_use_is_a_sentence(server: Server) -> None:
    found = run("serve", "--port", str(server.port), cwd=server.folder, timeout=60)
    assert found.returncode == 2
    assert f"cannot use port {server.port}" in found.stderr
    assert "--port" in found.stderr


def test_a_page_follows_an_event_without_moving(own_server: Server, page: Page) -> None:
    page.goto(own_server.link)
    page.get_by_role("link", name="cup").click()
    expect(page.get_by_role("status").last).to_have_text("1 match")
    heading = page.get_by_role("heading", name="Standings")
    handle = heading.element_handle()
    with closing(new_store(own_server.folder)) as store:
        keep(store, 1, random_record("pente", key="second", plies=9))
        keep(store, 1, crashed(job_of("a", "b", key="third"), 1))

    expect(page.get_by_role("status").last).to_have_text("3 matches")
    expect(page.get_by_role("heading", name="Faults")).to_be_visible()
    assert heading.element_handle() is not None
    assert handle is not None
    page.get_by_text("match 3: ").click()
    with closing(new_store(own_server.folder)) as store:
        keep(store, 1, crashed(job_of("a", "b", key="4"), 1))
    expect(page.locator("summary", has_text="match ")).to_have_count(2)
    expect(page.get_by_role("link", name="step through match 3")).to_be_visible()


def test_a_page_reads_again_what_it_could_not_read(own_server: Server, page: Page) -> None:
    page.goto(own_server.link)
    page.route("**/api/events/1", lambda route: route.fulfill(body="lost"), times=2)
    page.get_by_role("link", name="cup").click()

    expect(page.get_by_role("status").last).to_have_text("1 match")
    expect(page.locator(".state")).to_have_text("live")


def test_a_change_between_press_and_release_takes_no_click(own_server: Server, page: Page) -> None:
    def click(target: Locator, shown: Locator, matches: str) -> None:
        target.hover()
        page.mouse.down()
        with closing(new_store(own_server.folder)) as store:
            keep(store, 1, random_record("pente", key=matches, plies=9))
        expect(shown).to_have_text(matches)
        page.mouse.up()

    count = page.get_by_role("status").last
    page.goto(own_server.link)
    click(page.get_by_role("link", name="cup"), page.locator("td").nth(3), "2")
    click(page.locator("button.cell").first, count, "3 matches")
    expect(page.get_by_label("find a match")).to_have_value("a b")
    click(page.get_by_role("link", name="1", exact=True), count, "4 matches")
    expect(page.locator(".board")).to_be_visible()


def test_a_match_is_stepped_through(server: Server, page: Page) -> None:
    page.goto(server.link)
    page.get_by_role("link", name="cup").click()
    page.get_by_role("link", name="1", exact=True).click()
    expect(page.locator(".board")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".live")).to_contain_text("8 of 8")
    page.reload()
    expect(page.locator(".live")).to_contain_text("8 of 8")
    page.get_by_role("link", name="← all results").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cup")


@pytest.mark.parametrize(
    ("path", "smaller"),
    [("/viewer/board.mjs", 2.5), ("/api/events/1", 1.5), ("/api/matches/1", 1.2)],
)
def test_what_a_page_reads_is_compressed(server: Server, path: str, smaller: float) -> None:
    plain = server.ask(path)
    short = server.ask(path, accept="gzip")

    assert plain.headers["Content-Encoding"] is None
    assert short.headers["Content-Encoding"] == "gzip"
    body = short.read()
    assert gzip.decompress(body) == plain.read()
    assert len(gzip.decompress(body)) > smaller * len(body)


def test_a_stream_is_sent_as_it_comes(server: Server) -> None:
    with server.ask("/api/changes?event=1", accept="gzip") as stream:
        assert stream.headers["Content-Encoding"] is None
        assert stream.readline() == b"event: edition\n"


def test_a_limited_number_of_pages_is_open(own_server: Server) -> None:
    asked = (own_server.ask("/api/changes").status for _ in range(MAX_STREAMS + 1))
    assert list(asked) == [200] * MAX_STREAMS + [503]
    assert own_server.ask("/api/events").status == 200


def test_a_reader_that_takes_nothing_is_dropped(tmp_path: Path) -> None:
    """The server's limit is set to 1 s; the kernel counts it."""
    new_store(tmp_path).close()
    code = (
        "from pathlib import Path; from arena.pages import listening, serving;"
        "listening.MAX_UNREAD_MS = 1000;"
        "serving.serve(Path('arena.db'), '127.0.0.1', 0, is_public=True,"
        " tell=lambda line: print(line, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2].strip("/\n"))
        try:
            with socket.socket() as reader:
                reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                reader.settimeout(60)
                reader.connect(("127.0.0.1", port))
                request = f"GET /viewer/board.mjs HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"
                with pytest.raises(ConnectionError):
                    reader.sendall(request.encode() * 1_000_000)
        finally:
            process.kill()
