"""`--engine-log DIR` with an engine in its sandbox."""

from pathlib import Path

import pytest
from preloaded import run
from waiting import PATIENCE_S

ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("uciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        print("info string here I am", "bestmove (none)", sep="\\n", flush=True)
"""
DEBUG = (
    "error: --debug writes no files; leave out --pgn, --engine-log, --junit, --summary, --json"
    " and --badge\n"
)
MANIFEST = """protocol: uci
run: ["{python}", engine.py]
"""


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_each_match_and_seat_has_a_file(tmp_path: Path, isolation: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "engine.py").write_text(ENGINE)
    (tmp_path / "mine" / "bot.yaml").write_text(MANIFEST)
    words = "match ./mine random --game chess --games 2 --no-preflight --db a.db --engine-log logs"

    done = run(*words.split(), "-c", f"isolation={isolation}", cwd=tmp_path, timeout=PATIENCE_S)

    assert done.returncode == 3, done.stderr
    names = sorted(path.name for path in (tmp_path / "logs" / "event-1").iterdir())
    assert names == [
        f"{pair}~b0~0.seat-{seat}.log" for pair in ("mine,random", "random,mine") for seat in (0, 1)
    ]
    text = (tmp_path / "logs" / "event-1" / names[0]).read_text()
    assert " > position startpos\n" in text
    assert " < info string here I am\n" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--engine-log file", "error: --engine-log file: File exists; name a folder\n"),
        (
            "--engine-log logs --debug greedy -c isolation=none",
            DEBUG,
        ),
        (
            "--engine-log logs -c cluster=local:2",
            "error: --engine-log is for matches of this machine; leave out --cluster\n",
        ),
    ],
)
def test_a_folder_that_referees_cannot_write_to_is_refused(
    tmp_path: Path, words: str, says: str
) -> None:
    (tmp_path / "file").write_text("")

    done = run(*f"match greedy random {words}".split(), cwd=tmp_path, timeout=PATIENCE_S)

    assert (done.returncode, done.stderr) == (2, says)
