"""The command `arena` in the shell of a page: a fork of the preloaded one, with shorter events.

Only the number of matches and their length are other than on the page. A command without an end
runs in the background until the page ends.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from page_short import JUDGED, is_verdict, shortened
from preloaded import PreloadedModule
from waiting import patience_s

READY = {"--browser": "http://", "serve": "http://"}
"""Commands without an end, and what they say once they are ready."""


def ready_word(words: Sequence[str]) -> str | None:
    """Return what a command says when it is ready, if it has no end."""
    return next((READY[word] for word in words if word in READY), None)


def start_endless(words: Sequence[str], until: str, beside: Path) -> int:
    """Start a command without an end; return 0 once it is ready."""
    said = beside / f"said-{len(list(beside.glob('said-*')))}"
    with said.open("wb") as out:
        process = PreloadedModule(
            ["arena", *words], cwd=Path.cwd(), stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    with (beside / "endless").open("a") as pids:
        pids.write(f"{process.pid}\n")
    limit_s = time.monotonic() + patience_s()
    while until not in said.read_text("utf-8", "replace"):
        if process.poll() is not None or time.monotonic() > limit_s:
            print(said.read_text("utf-8", "replace"), file=sys.stderr)
            return process.poll() or 1
        time.sleep(0.02)
    print(said.read_text("utf-8", "replace"), end="")
    return 0


def run_to_end(words: Sequence[str]) -> int:
    """Run a command; return its exit code."""
    typed = b"quit\n" if words[0] == "play" else None
    stdin = subprocess.PIPE if typed else None
    out = subprocess.PIPE if words[0] in JUDGED else None
    process = PreloadedModule(["arena", *words], cwd=Path.cwd(), stdin=stdin, stdout=out)
    said = (process.communicate(typed)[0] or b"").decode()
    print(said, end="")
    return 0 if is_verdict(words, process.returncode, said) else int(process.returncode)


def main() -> None:
    """Do what the words after the name of the command say."""
    beside = Path(sys.argv[1])
    words = shortened(sys.argv[2:])
    until = ready_word(words)
    code = run_to_end(words) if until is None else start_endless(words, until, beside)
    if words[:2] == ["init", "tournament"] and code == 0:
        with Path(words[2]).open("a") as config:
            config.write("max_plies: 24\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
