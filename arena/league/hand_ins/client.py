"""`arena hand-in`: send a bot to a league, and wait for its answer."""

import io
import json
import os
import socket
import ssl
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arena.bots.archives import suffix_of
from arena.errors import UsageError, cause
from arena.exit_codes import ExitCode
from arena.reading.safe_open import open_without_links
from arena.terminal.output import print_result, tell
from protocol.wording import quoted, visible

VARIABLE = "ARENA_LEAGUE_TOKEN"
MAX_FILES = 5_000
MAX_BYTES = 64_000_000
"""Limit of the size of a folder's files, above any that a league accepts."""
POLL_S = 1.0
LONGEST_POLL_S = 10.0
TIMEOUT_S = 60.0
MAX_ANSWER = 1_000_000
_HIDDEN = "."
NO_LEAGUE = "no league answers there; check the address and port"
_RECEIPT = {"number": int, "size": int, "digest": str, "is_late": bool}
_STATE = {"report": list, "is_open": bool, "state": str, "log": str, "is_played": bool}
_UNAUTHORIZED = 401
_UNKNOWN = "this token is unknown there; its page My bots makes a new one"
_PLAIN = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST")
"""Reasons of OpenSSL where the other side does not encrypt."""


@dataclass(frozen=True)
class Server:
    """A league to talk to, with a person's token."""

    address: str
    token: str

    def ask(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the answer to a request; raises UsageError with what the league says."""
        if not self.address.startswith(("http://", "https://")):
            raise UsageError(f"{quoted(self.address)} is no address like http://192.0.2.7:8642")
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked above
            f"{self.address.rstrip('/')}{path}",
            body,
            {"Authorization": f"Bearer {self.token}", **(headers or {})},
        )
        try:
            return _answer_to(request)
        except _RefusedError as refused:
            text = visible(str(refused))
        except HTTPException:
            text = NO_LEAGUE
        except (OSError, ValueError) as error:
            text = _no_answer(error)
        raise UsageError(f"{self.address}: {text}")

    def ask_for(self, kinds: Mapping[str, type], *asked: Any) -> dict[str, Any]:
        """Return an answer with these fields; raises UsageError if it is not that of a league."""
        answer = self.ask(*asked)
        if not all(isinstance(answer.get(name), kind) for name, kind in kinds.items()):
            raise UsageError(f"{self.address}: {NO_LEAGUE}")
        return answer


class _RefusedError(Exception):
    """What a league says against a request."""


def _answer_to(request: urllib.request.Request) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
            return _json(answer.read(MAX_ANSWER))
    except urllib.error.HTTPError as error:
        if error.code == _UNAUTHORIZED:
            raise _RefusedError(_UNKNOWN) from None
        raise _RefusedError(_json(error.read(MAX_ANSWER)).get("error") or error.reason) from None


def _no_answer(error: Exception) -> str:
    """Return why no league answered, and what to look at."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLError) and reason.reason in _PLAIN:
        return "no https there; give the address with http://"
    if isinstance(reason, ConnectionRefusedError):
        return "nothing listens there; check the address and port, and that the league runs"
    if isinstance(reason, socket.gaierror):
        return "this host cannot be found; check its name"
    if isinstance(reason, TimeoutError):
        return f"no answer within {TIMEOUT_S:.0f} s; check the address and port"
    return str(reason)


def _json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"error": data[:200].decode(errors="replace")}


def hand_in_to(
    bot: Path,
    address: str,
    name: str,
    token_file: Path | None,
    *,
    is_waiting: bool,
    is_json: bool,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Send a bot, print the receipt or the result, and return the exit code."""
    server = Server(address, _token(token_file))
    file_name, data = packed(bot)
    path = f"/api/bots/{quote(name, safe='')}/hand-ins"
    headers = {"X-File-Name": quote(file_name), "Content-Type": "application/octet-stream"}
    receipt = server.ask_for(_RECEIPT, path, data, headers)
    if not is_json:
        tell(_received(receipt))
    state = receipt
    if is_waiting:
        if not is_json:
            tell("waiting for the result, usually for less than a minute; Ctrl-C does no harm now")
        for state in _states(server, receipt["number"], sleep):
            if not is_json and state["new"]:
                print_result("\n".join(map(str, state["new"])))
    if is_json:
        sys.stdout.write(json.dumps({**state, "new": None}) + "\n")
    elif is_waiting:
        print_result(_ending(state))
    return ExitCode.FAULTS if state.get("state") == "refused" else ExitCode.DONE


def _received(receipt: Mapping[str, Any]) -> str:
    late = "\nit came after its deadline" if receipt["is_late"] else ""
    size, digest = receipt["size"], receipt["digest"]
    return f"received: hand-in {receipt['number']}, {size} bytes, {digest}{late}"


def _states(
    server: Server, number: int, sleep: Callable[[float], None]
) -> Iterator[dict[str, Any]]:
    """Yield the hand-in as it is checked, each time with the new lines of its report."""
    seen, pause_s = 0, POLL_S
    while True:
        state = server.ask_for(_STATE, f"/api/hand-ins/{number}")
        report = state["report"]
        yield {**state, "new": report[seen:]}
        pause_s = POLL_S if len(report) > seen else min(LONGEST_POLL_S, pause_s * 1.2)
        seen = len(report)
        if not state["is_open"]:
            return
        sleep(pause_s)


def accepted_text(version: object, *, is_played: bool) -> str:
    """Return what an accepted hand-in means to its owner; a late one may not play."""
    if is_played:
        return f"accepted: version {version} plays"
    return f"accepted after the deadline: version {version} is kept and does not play"


KEPT = "received after the deadline: it is kept and not examined"
"""The answer to a late hand-in where staff has chosen so."""


def _ending(state: Mapping[str, Any]) -> str:
    if state["state"] == "accepted":
        return accepted_text(state["version"], is_played=state["is_played"])
    if state["state"] == "late":
        return KEPT
    return "\n".join([str(state["state"]), str(state["log"])]).rstrip()


def _token(file: Path | None) -> str:
    if file is None:
        token = os.environ.get(VARIABLE, "")
    else:
        try:
            token = file.read_text()
        except (OSError, ValueError) as error:
            raise UsageError(f"--token {file}: {cause(error, file)}") from None
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError(f"a token is needed: set {VARIABLE}, or name its file with --token")
    return token


def packed(bot: Path) -> tuple[str, bytes]:
    """Return the name and the bytes to send: of an archive or a file itself, of a folder a zip."""
    if bot.is_dir():
        return f"{bot.resolve().name}.zip", _zipped(bot.resolve())
    if not suffix_of(bot.name) and bot.suffix != ".py":
        raise UsageError(f"{bot}: give the bot's folder, an archive (.zip, .tar.gz), or a .py")
    try:
        return bot.name, bot.read_bytes()
    except OSError as error:
        raise UsageError(f"{bot}: {error.strerror}") from None


def _zipped(folder: Path) -> bytes:
    """Return the folder's files as a zip, without hidden ones; links are refused."""
    data, size = io.BytesIO(), 0
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, path in enumerate(_files(folder)):
            try:
                with os.fdopen(open_without_links(path), "rb") as file:
                    content = file.read(MAX_BYTES)
            except OSError as error:
                raise UsageError(f"{path}: {error.strerror}") from None
            if number >= MAX_FILES or (size := size + len(content)) >= MAX_BYTES:
                raise UsageError(f"{folder} is too large for a hand-in")
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system, info.external_attr = 3, path.stat().st_mode << 16
            archive.writestr(info, content)
        if not archive.filelist:
            raise UsageError(f"{folder} has no files to hand in")
    return data.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(_HIDDEN))
        yield from (Path(root, name) for name in sorted(files) if not name.startswith(_HIDDEN))
