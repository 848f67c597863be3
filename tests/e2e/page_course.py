"""A folder in which the commands of a page can be run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from page_blocks import ROOT

STUDENTS = ("ann", "bob", "cat", "dan", "emma", "fay")
CONFIG = "name: class\ngame: {{name: pente}}\nbots: [{bots}]\nmax_plies: 24\nseed: 3\nrepeat: 2\n"


class Course:
    """A shell in a folder of its own, in which `arena` is the preloaded command."""

    def __init__(self, folder: Path, beside: Path) -> None:
        self.folder, self._beside = folder, beside
        beside.mkdir()
        arena = beside / "arena"
        words = (sys.executable, str(Path(__file__).with_name("page_shell.py")), str(beside))
        path = shlex.quote(str(ROOT / "tests"))
        arena.write_text(f'#!/bin/sh\nPYTHONPATH={path} exec {shlex.join(words)} "$@"\n')
        arena.chmod(0o755)
        pager = beside / "less"  # no requirement of Arena; without a terminal it prints all
        pager.write_text("#!/bin/sh\nexec cat\n")
        pager.chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{beside}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(beside / "cache"),
            "HOME": str(beside),
        }

    def run(self, *commands: str) -> str:
        """Run the commands; return what was said if one fails, otherwise nothing."""
        for made in re.findall(r"arena init tournament (\S+)", "\n".join(commands)):
            (self.folder / made).unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", "-e", "-u", "-c", "\n".join(commands)],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return f"exit code {done.returncode}: {done.stdout[-1500:]}" if done.returncode else ""

    def end(self) -> None:
        """End the commands that have no end."""
        endless = self._beside / "endless"
        for pid in endless.read_text().split() if endless.exists() else ():
            os.kill(int(pid), signal.SIGTERM)


def write_bot(folder: Path) -> None:
    """Write a bot of random moves, with all that it needs in its folder."""
    folder.mkdir(parents=True)
    random = ROOT / "bots/random"
    for source in (ROOT / "bots/sdk/python/arena_bot.py", *(ROOT / "bots/boards").glob("*.py")):
        shutil.copy(source, folder)
    (folder / "bot.yaml").write_text('run: ["{python}", main.py]\n')
    (folder / "main.py").write_text(f"{(random / 'main.py').read_text()}# of {folder.name}\n")


def write_class(folder: Path) -> None:
    """Write the bots and the config of a teacher, and the token of a person who looks at them."""
    write_bot(folder / "my-bot")
    for name in STUDENTS:
        write_bot(folder / "students" / name)
        shutil.make_archive(str(folder / "hand-ins" / name), "zip", folder / "students" / name)
    bots = ", ".join(f"./students/{name}" for name in STUDENTS)
    (folder / "class.yaml").write_text(CONFIG.format(bots=bots))
