"""The progress of a long count, by a clock of the test."""

from types import SimpleNamespace

import pytest

from arena.counting import text
from arena.counting.count import CountProgress
from arena.counting.text import ADVICE, StatusLine

PROGRESS = CountProgress(positions=1000, at_least=7, ply=0)


def test_a_long_count_in_a_pipe_has_few_lines_and_one_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 0.0
    monkeypatch.setattr(text, "time", SimpleNamespace(monotonic=lambda: now_s))
    line = StatusLine()

    for second in range(3600):
        now_s = float(second)
        line(PROGRESS)

    out, err = capsys.readouterr()
    said = err.splitlines()
    assert out == ""
    assert said[0] == "1,000 positions, at least 7, 1 s"
    assert said.count(ADVICE) == 1
    assert said[-1].endswith("34 min 7 s")
    assert len(said) == 12
