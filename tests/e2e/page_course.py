"""A folder in which the commands of a page can be run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from page_blocks import ROOT
from page_engines import write_engine

ENGINES = ("stockfish", "ethereal-chess", "fairy-stockfish", "gnuchess", "toga2")
JQ = """
import json, re, sys
found = json.load(sys.stdin)
for name, number in re.findall(r"\\.(\\w+)|\\[(\\d+)\\]", sys.argv[1]):
    found = found[name or int(number)]
print(json.dumps(found))
"""


class Course:
    """A shell in a folder of its own, in which `arena` is the preloaded command."""

    def __init__(self, folder: Path, beside: Path, cache: Path) -> None:
        self.folder, self._beside = folder, beside
        beside.mkdir()
        folder.with_name("home").mkdir()
        self._write_programs()
        self._environment = {
            **os.environ,
            "PATH": f"{beside}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(cache),
            "HOME": str(folder.with_name("home")),
        }

    def _write_programs(self) -> None:
        """Write the command, and what stands in for programs that Arena does not require."""
        shell = (sys.executable, "-S", str(Path(__file__).with_name("page_shell.py")))
        path = shlex.quote(str(ROOT / "tests"))
        command = shlex.join((*shell, str(self._beside)))
        self._write("arena", f'PYTHONPATH={path} exec {command} "$@"')
        self._write("less", "exec cat")  # without a terminal it prints all
        self._write("mktemp", f'exec {shutil.which("mktemp")} -p {self._beside} "$@"')
        self._write("jq", f'exec {sys.executable} -c {shlex.quote(JQ)} "$@"')
        for name in ENGINES:
            write_engine(self._beside / name)

    def _write(self, name: str, line: str) -> None:
        program = self._beside / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)

    def run(self, blocks: Iterable[tuple[str, Iterable[str]]]) -> str:
        """Run blocks, each with its place, in one shell; return what a wrong one said."""
        lines = [
            "trap 'echo \"the last was $place\"' EXIT",
        ]
        for place, commands in blocks:
            lines += [f"place={shlex.quote(place)}", *map(self._cleared, commands)]
        done = subprocess.run(
            ["bash", "-e", "-u", "-o", "pipefail", "-c", "\n".join(lines)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return f"exit code {done.returncode}: {done.stdout[-3000:]}" if done.returncode else ""

    def _cleared(self, command: str) -> str:
        """Return a command that finds no file or folder of the name that it makes."""
        made = re.match(r"arena (?:init tournament|init \w+|cluster keys) (\S+)", command)
        return f"rm -rf {made[1]}; {command}" if made else command

    def end(self) -> None:
        """End the commands that have no end."""
        endless = self._beside / "endless"
        for pid in endless.read_text().split() if endless.exists() else ():
            os.kill(int(pid), signal.SIGTERM)
