"""What `arena hand-in` sends of a folder, and what it says if no league takes it."""

import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.hand_ins.client import Server, hand_in_to, packed


def names_in(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()


@pytest.mark.parametrize("reference", ["my-bot", "./my-bot", "my-bot/../my-bot", "a-link"])
def test_a_folder_is_packed_whatever_way_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    (tmp_path / "my-bot/part").mkdir(parents=True)
    for name in ("bot.yaml", "part/main.py", ".hidden"):
        (tmp_path / "my-bot" / name).write_text("text")
    (tmp_path / "a-link").symlink_to("my-bot")
    monkeypatch.chdir(tmp_path)

    name, data = packed(Path(reference))

    assert name == "my-bot.zip"
    assert names_in(data) == ["bot.yaml", "part/main.py"]


def test_a_link_below_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "my-bot").mkdir()
    (tmp_path / "my-bot/main.py").symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match=r"main\.py"):
        packed(tmp_path / "my-bot")


def test_an_empty_folder_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="has no files to hand in"):
        packed(tmp_path / "empty")


def test_where_nothing_listens_the_address_is_to_be_checked() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"

        with pytest.raises(UsageError, match="nothing listens there; check the address and port"):
            Server(address, "token").ask("/api/me")


def test_a_host_that_cannot_be_found_is_named() -> None:
    with pytest.raises(UsageError, match=r"no-league\.invalid: this host cannot be found"):
        Server("http://no-league.invalid", "token").ask("/api/me")


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """Answer a request after the other; yield the address without its scheme."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for answer in answers:
                with suppress(OSError):  # the client has heard enough
                    asked, _ = listener.accept()
                    with asked:
                        asked.recv(65_536)
                        asked.sendall(answer)

        server = threading.Thread(target=serve)
        server.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # ends a wait for a request that never comes
            server.join()


@pytest.mark.parametrize(
    ("scheme", "answer", "said"),
    [
        ("https", "HTTP/1.1 400 Bad Request", "no https there; give the address with http://"),
        ("http", "HTTP/1.1 401 Unauthorized", "this token is unknown there; its page My bots"),
        ("http", "HTTP/1.1 403 Forbidden", "Forbidden"),
    ],
)
def test_an_answer_says_what_to_do(scheme: str, answer: str, said: str) -> None:
    whole = f"{answer}\r\nContent-Length: 0\r\n\r\n".encode()
    with answering(whole) as place, pytest.raises(UsageError, match=said):
        Server(f"{scheme}://{place}", "token").ask("/api/me")


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
RECEIPT = HEAD + b'{"number": 1, "size": 2, "digest": "d", "is_late": false}'


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([b"SSH-2.0-OpenSSH_9.6\r\n"], id="no HTTP"),
        pytest.param([b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500], id="headers"),
        pytest.param([b"HTTP/1.1 200 OK\r\na: " + b"b" * 70_000], id="a long line"),
        pytest.param([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz"], id="chunks"),
        pytest.param([HEAD + b"<html>"], id="a page"),
        pytest.param([HEAD + b"[" * 100_000], id="nested JSON"),
        pytest.param([HEAD + b"[1]"], id="a list"),
        pytest.param([HEAD + b'{"number": "1", "size": 2, "digest": 3}'], id="other fields"),
        pytest.param([RECEIPT, HEAD + b'{"report": 5}'], id="after a receipt"),
        pytest.param([RECEIPT, b"HTTP/1.1 500 X\r\n\r\n" + b"[" * 100_000], id="an error"),
    ],
)
def test_whatever_answers_in_place_of_a_league_is_named(
    answers: list[bytes], tmp_path: Path
) -> None:
    bot, token = tmp_path / "bot.py", tmp_path / "token"
    bot.write_text("import arena_bot")
    token.write_text("token")

    with answering(*answers) as place, pytest.raises(UsageError, match=rf"^http://{place}: "):
        hand_in_to(bot, f"http://{place}", "mine", token, is_waiting=True, is_json=True)
