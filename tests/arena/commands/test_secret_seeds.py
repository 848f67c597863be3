"""The seed of an event: told by nothing before the event is closed, and by everything after."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from event_runs import CONFIG, Play
from events import first_wins
from typer.testing import CliRunner

from arena.commands.loading import application
from arena.config.quick import quick_config
from arena.errors import EventError
from arena.formats.event_results import table_of
from arena.pages.event_page import event_page
from arena.pages.scenes import match_scene
from arena.reports.report import PlayedEvent
from arena.reports.reporting import ReportFiles
from arena.results.queries import find_event
from arena.results.store import EventRow, Store
from referee.job import Job
from referee.play.match import match_id
from referee.records.match_end import MatchEnd
from referee.seeds import derive_seed

DRAWN = CONFIG.replace("seed: 5\n", "")
WIDE = DRAWN + f"seed: {2**127 + 1}\n"
REPORTS = {name: Path(f"out.{name}") for name in ("junit", "summary", "json", "badge")}
LINES = (
    "show",
    "show --all",
    "show 1",
    "show 1 --matches",
    "show --match 1",
    "show 1 --bot ann",
    "show 1 --faults",
    "show 1 --notable",
    "rate 1",
    "replay 1 --boards",
    "export 1",
    "export 1 --csv",
    "export 1 --moves",
    "export 1 --standings",
    "report 1 --output -",
    "report 1 --for ann",
)


@pytest.fixture
def everything(play: Play, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Iterator[str]]:
    """Return a function that plays a config and yields all that the program then says of it."""

    def said(config: str) -> Iterator[str]:
        assert play(config=config, reports=files()) == 0
        yield from capsys.readouterr()
        yield from published()

    return said


def files() -> ReportFiles:
    junit, summary, json_, badge = REPORTS.values()
    return ReportFiles("tournament", junit=junit, summary=summary, json=json_, badge=badge)


def published() -> Iterator[str]:
    yield from (path.read_text() for path in REPORTS.values())
    for line in LINES:
        done = CliRunner().invoke(application(), line.split())
        assert done.exit_code == 0, (line, done.output)
        yield done.output
    with closing(Store(Path("arena.db"))) as store:
        event = find_event(store, "1")
        played = PlayedEvent.read(store, event, table_of(store, event))
        yield json.dumps(event_page(store, played))
        yield from (json.dumps(match_scene(store.record(match.id))) for match in played.matches)


def event_of(path: str = "arena.db") -> EventRow:
    with closing(Store(Path(path))) as store:
        return find_event(store, "1")


def secrets() -> dict[str, str]:
    """Return the event's seed, and those that are derived of it, as texts with their names."""
    with closing(Store(Path("arena.db"))) as store:
        event = find_event(store, "1")
        found = {str(event.seed): "event", f"{event.seed:x}": "event in hex"}
        for match in store.matches(event.id):
            job = store.record(match.id).job
            found |= {str(job.seed): "match", str(job.board_seed): "board"}
            for seat in range(len(job.players)):
                found[str(derive_seed(job.seed, "seat", seat, bits=32))] = f"seat {seat}"
                found[match_id(job, seat)] = f"id of seat {seat}"
    return found


def in_another_process(words: list[str]) -> str:
    """Return the errors of a command that runs in a process of its own."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            done = CliRunner().invoke(application(), words)
            os.write(writer, str(done.exception).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return answer.read()


def close(name: str = "1") -> str:
    done = CliRunner().invoke(application(), ["close", name])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("config", [DRAWN, WIDE])
def test_nothing_tells_a_seed_before_the_event_is_closed(
    everything: Callable[[str], Iterator[str]], config: str
) -> None:
    texts = list(everything(config))
    hidden = secrets()

    told = {name for text in texts for secret, name in hidden.items() if secret in text}
    assert told == set()


def test_the_seed_is_published_with_the_results_of_a_closed_event(
    play: Play, everything: Callable[[str], Iterator[str]]
) -> None:
    list(everything(DRAWN))
    seed = str(event_of().seed)

    assert close() == f"event 1 (cup) is closed; seed {seed}\n"

    texts = "".join(list(published())[len(REPORTS) :])
    assert {name for secret, name in secrets().items() if secret in texts} >= {
        *("event", "match", "board"),
    }
    with pytest.raises(EventError, match=r"event 1 \(cup\) in arena.db is closed: its seed"):
        play(config=DRAWN)
    assert play(config=DRAWN, is_new=True) == 0
    assert event_of().seed == int(seed)


def test_the_hash_at_the_start_is_that_of_the_seed(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    report = REPORTS["json"]
    play(config=DRAWN, reports=ReportFiles("tournament", json=report))
    begun = capsys.readouterr().err
    play(config=DRAWN)
    resumed = capsys.readouterr().err
    seed = str(event_of().seed)
    digest = sha256(seed.encode()).hexdigest()

    assert f"the seed is secret until `arena close 1`; its SHA-256 is {digest}\n" in begun
    assert digest not in resumed
    event = json.loads(report.read_text())["event"]
    assert (event["seed"], event["seed_sha256"]) == (None, digest)


def test_a_small_seed_is_public_and_has_no_hash(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play(reports=ReportFiles("tournament", json=REPORTS["json"]))

    assert "seed 5" in (text := "".join(capsys.readouterr()))
    assert "SHA-256" not in text
    event = json.loads(REPORTS["json"].read_text())["event"]
    assert (event["seed"], event["seed_sha256"]) == ("5", None)


def test_the_organiser_is_told_on_request(play: Play) -> None:
    play(config=DRAWN)
    with closing(Store(Path("arena.db"))) as store:
        job = store.record(1).job

    assert CliRunner().invoke(application(), ["show", "1", "--seed"]).output == (
        f"{event_of().seed}\n"
    )
    shown = CliRunner().invoke(application(), ["show", "--match", "1", "--seed"]).output
    assert f"seed {job.seed}" in shown


def test_an_event_that_is_being_played_is_not_closed(play: Play) -> None:
    answers: list[str] = []

    def tries_to_close(job: Job) -> MatchEnd:
        if not answers:  # a process has its own locks only
            answers.append(in_another_process(["close", "1"]))
        return first_wins(job)

    play(tries_to_close, config=DRAWN)

    assert "is being played by process" in answers[0]
    assert not event_of().config["is_closed"]


def test_quick_matches_are_over_at_their_end(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    config = quick_config(["./ann", "./bob"], game="pente", games=2, options=[], seed=None)

    play(loaded=config, is_new=True)

    out, err = capsys.readouterr()
    seed = str(event_of().seed)
    assert f"results: arena.db, event 1; seed {seed}\n" in out
    assert seed not in err
    assert "SHA-256" not in err


def test_a_config_with_another_seed_is_not_told_the_secret_one(play: Play) -> None:
    play(config=DRAWN)

    with pytest.raises(EventError) as refused:
        play(config=CONFIG)

    assert "seed: a random one -> 5" in str(refused.value)
    assert str(event_of().seed) not in str(refused.value)


def test_an_event_that_grows_is_still_secret(
    play: Play, everything: Callable[[str], Iterator[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    list(everything(DRAWN))
    longer = DRAWN.replace("repeat: 4", "repeat: 6")

    play(config=longer, may_update=True)

    told = "".join(capsys.readouterr()) + "".join(published())
    assert [name for secret, name in secrets().items() if secret in told] == []
