"""A server of the page of play, as its pages ask it."""

import http.client
import json
import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.results.store import Store
from referee.records.record import Record


@dataclass
class Server:
    folder: Path
    link: str

    @property
    def port(self) -> int:
        return urlsplit(self.link).port or 0

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2].partition("#")[0]

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            given = {"Cookie": f"arena_{self.port}={self.token}"} | headers
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def post(self, path: str, body: Any, **headers: str) -> tuple[int, str]:
        found = re.search('name="arena-token" content="([^"]+)"', self.ask("GET", "/play")[1])
        assert found
        given = {"Content-Type": "application/json", "X-Arena-Token": found[1]} | headers
        text = body if isinstance(body, str) else json.dumps(body)
        return self.ask("POST", f"/play{path}", text, **given)

    def record(self, number: int) -> Record:
        with closing(Store(self.folder / "arena.db")) as store:
            return store.record(number)
