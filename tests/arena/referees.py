"""Pipes that stand for referees."""

import os
import subprocess
from collections.abc import Sequence
from typing import Any

from referee.records.match_end import MatchEnd
from referee.service.pipe import end_bytes


class Referee:
    """Stands for a process: a pipe each way, and an end that the test decides."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        assert options["start_new_session"]
        self.command = list(command)
        self.pid = -len(REFEREES) - 1
        heard, stdin = os.pipe()
        stdout, said = os.pipe()
        self.stdin, self.stdout = os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0)
        self.heard, self.said = os.fdopen(heard, "rb", 0), os.fdopen(said, "wb", 0)
        self.code: int | None = None
        self.returncode: int | None = None
        self.is_deaf = False
        """Whether it ignores requests to end."""
        self.killed = False
        REFEREES.append(self)

    def says(self, *ends: MatchEnd) -> None:
        self.said.write(b"".join(map(end_bytes, ends)))

    def dies(self, code: int) -> None:
        self.code = code
        self.said.close()
        self.heard.close()

    def terminate(self) -> None:
        if self.code is None and not self.is_deaf:
            self.dies(0)

    def kill(self) -> None:
        self.killed = True
        self.dies(-9)

    def wait(self, timeout: float | None = None) -> int:
        if self.code is None:
            raise subprocess.TimeoutExpired(self.command, timeout or 0)
        self.returncode = self.code
        return self.code


REFEREES: list[Referee] = []
