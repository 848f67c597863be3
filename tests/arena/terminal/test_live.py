"""The live view of an event in a terminal."""

from contextlib import closing
from io import StringIO
from pathlib import Path

from events import job_of, keep, new_event, new_store, won_by
from rich.console import Console

from arena.formats.event_results import table_of
from arena.terminal.live import SHOWN_RESULTS, LiveProgress
from arena.terminal.pace import Pace


def printed(live: LiveProgress, height: int) -> list[str]:
    file = StringIO()
    live._live.console = console = Console(file=file, width=80, height=height)
    console.print(live._view())
    return file.getvalue().splitlines()


def test_the_last_results_stand_between_the_standings_and_the_running_matches(
    tmp_path: Path,
) -> None:
    with closing(new_store(tmp_path)) as store:
        number = new_event(store, ["ann", "bob"])
        event = store.event(number)
        assert event is not None
        table = table_of(store, event)
        live = LiveProgress(Pace(9, 0), table)
        for game in range(SHOWN_RESULTS + 2):
            job = job_of("ann", "bob", key=f"ann,bob/b{game}/0")
            live.finished(keep(store, number, won_by(job, game % 2), board=game))
        live.running([job_of("bob", "ann")])

    lines = printed(live, height=24)
    assert "7/9 matches" in lines[0]
    results = [line.split(":")[0].strip() for line in lines if line.startswith("  match ")]
    assert results == [f"match {place}" for place in range(3, 8)]
    assert lines[-1].rstrip() == "  now: bob - ann"
    assert "ann 0 - bob 5: resignation after 0 plies" in lines[-3]

    short = printed(live, height=len(lines) - 2)
    assert len(short) <= len(lines) - 3  # a line stays free for what is said meanwhile
    assert [line for line in short if line.startswith("  match 7: ")]
