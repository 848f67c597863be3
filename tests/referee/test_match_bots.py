"""The bots of a match without a process: who starts, sits, waits, and what is reported of each."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import MS, FakeClock, FakeProcess

from protocol.vocabulary import Termination
from referee.errors import AbsentError, Forfeit, LineLostError, ShortageError
from referee.job import Job, Player, TimeControl
from referee.records.calls import Spent
from referee.records.record import NullCost
from referee.records.recorder import Recorder
from referee.sandbox.errors import ExhaustedError, NoStartError
from referee.sandbox.shortage import Lack, Use
from referee.seats import match_bots as subject
from referee.seats.bot import EXIT_NS
from referee.seats.match_bots import MatchBots, reported_exhaustion
from referee.seats.remote_process import RemoteProcess

PLAYERS = tuple(Player(name=n, argv=("bot",), folder=".", content=n * 2) for n in ("ann", "bob"))
PLACES: Any = ("groups", "users", "directory")
"""Stand for what is only handed on."""
COST = NullCost(wall_ns=1, cpu_ns=2)


class Process(FakeProcess):
    """A process whose treatment is noted."""

    has_exact_clock = False
    in_force = {"memory": "cgroup"}  # noqa: RUF012 - never changed
    dropped_bytes = 100

    def __init__(self) -> None:
        super().__init__()
        self.kept = SimpleNamespace(next_part=self.note("part"), clear=self.note("cleared"))
        self.lack: Lack | None = None
        self.uses: dict[Lack, Use] = {}

    def note(self, what: str) -> Callable[[], None]:
        return lambda: self.treatment.append(what)

    def pin(self, cores: set[int]) -> None:
        self.treatment.append(f"pin {sorted(cores)}")

    def use(self, lack: Lack) -> Use | None:
        return self.uses.get(lack)


class Remote(RemoteProcess):
    """A process on its owner's machine."""

    def __init__(self) -> None:
        self.treatment: list[str] = []

    def resume(self) -> None:
        self.treatment.append("resume")

    def cpu_ns(self) -> int:
        return 0


class Bot:
    """A bot in memory that notes what is done with it."""

    def __init__(self, player: Player, *given: Any, process: Any = None) -> None:
        assert not given or (given[0].key, given[1:]) == ("k", PLACES)
        self.player = player
        self.process: Any = process or Process()
        self.link: Any = SimpleNamespace(send=self._note("term"))
        self.hello: Any = SimpleNamespace(wants=("view",), model_dump=self._dump)
        self.null: NullCost | None = None
        self.last_id, self.cpu_seen_ns = 7, 5
        self.warning: str | None = "no bye"
        self.refused: Exception | None = None
        self.suspected: tuple[Termination, str] | None = None
        self.done: list[str] = []

    def _note(self, what: str) -> Callable[[bytes], None]:
        return lambda _: self.done.append(what)

    def _dump(self, *, exclude: set[str], exclude_none: bool) -> dict[str, str]:
        assert (exclude, exclude_none) == ({"token"}, True)
        return {"name": f"kit of {self.player.name}"}

    def begin_log(self, job: Job, seat: int) -> None:
        self.done.append(f"log {seat}" if job.key == "k" else "")

    def confirm(self) -> None:
        if self.refused is not None:
            raise self.refused

    def refuse_shortage(self) -> None:
        if self.refused is not None:
            raise self.refused

    def suspicion(self, filled: Lack | None) -> tuple[Termination, str] | None:
        return (Termination.CRASH, f"filled {filled}") if filled else self.suspected

    def wait_exit(self, wait_ns: int = EXIT_NS) -> None:
        self.done.append(f"wait {wait_ns / MS} ms")

    def output_tail(self) -> str:
        return "tschüs"

    def printed(self) -> list[Any]:
        return ["tschüs"]

    def __getattr__(self, name: str) -> Callable[[], str]:
        """Note `hang_up`, `end`, `stop`, `clear` and `end_log`."""
        assert name in ("hang_up", "end", "stop", "clear", "end_log")

        def noted() -> str:
            self.done.append(name)
            return f"{self.player.name} ended"

        return noted


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Bot]:
    """Return the bots that are started."""
    made: list[Bot] = []

    def make(*given: Any) -> Bot:
        made.append(Bot(*given))
        return made[-1]

    monkeypatch.setattr(subject, "Bot", make)
    return made


def match(*kept: Bot, players: tuple[Player, ...] = PLAYERS, **fields: Any) -> Any:
    """Return the bots of a match; their types are those of the fakes."""
    given = {"key": "k", "game": "pente", "seed": 1, "board_seed": 1, **fields}
    kept_bots: Any = [*kept]
    job = Job(players=players, **given)
    return MatchBots(job, *PLACES, kept=kept_bots, ended=[])


def seated(*kept: Bot, **fields: Any) -> tuple[Any, dict[int, Any]]:
    bots = match(*kept, **fields)
    bots.start((0, 1))
    return bots, bots.players(FakeClock())


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.EMFILE, ExhaustedError), (errno.EACCES, PermissionError)]
)
def test_a_machine_without_resources_is_no_fault_of_a_bot(
    number: int, raised: type[Exception]
) -> None:
    with pytest.raises(raised) as caught, reported_exhaustion():
        raise OSError(number, os.strerror(number))

    if raised is ExhaustedError:
        assert str(caught.value) == "a bot cannot be started: Too many open files"


def test_kept_bots_sit_down_again_and_the_missing_ones_are_started(made: list[Bot]) -> None:
    carl = Bot(replace(PLAYERS[0], name="carl"))
    bob = Bot(PLAYERS[1])
    bots = match(carl, bob)

    bots.start((0, 1))

    (ann,) = made
    assert bots.bots == {0: ann, 1: bob}
    assert ann.player == PLAYERS[0]
    assert (ann.done, bob.done, carl.done) == (["log 0"], ["log 1"], [])
    thinking = [bot.process.treatment for bot in (ann, bob, carl)]
    assert thinking == [[], ["suspend"], ["suspend"]], "no kept bot thinks during a start"


def test_no_bot_waits_where_none_is_started(made: list[Bot]) -> None:
    one, two = Bot(PLAYERS[0]), Bot(PLAYERS[0])
    bots = match(one, two, players=(PLAYERS[0], PLAYERS[0]))

    bots.start((0, 1))

    assert made == []
    assert bots.bots == {0: one, 1: two}
    assert one.process.treatment == two.process.treatment == []


def test_a_bot_that_cannot_start_is_absent(
    made: list[Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[Any] = []

    def confirm(bot: Bot) -> None:
        if bot.player.name == "ann":
            raise NoStartError("no such program")

    def wait_for_hellos(new: dict[int, Bot], start_ns: int, clock: object) -> list[Forfeit]:
        waited.append((dict(new), start_ns, clock))
        return [Forfeit(1, Termination.NO_SHOW, "silent")]

    monkeypatch.setattr(Bot, "confirm", confirm)
    monkeypatch.setattr(subject, "wait_for_hellos", wait_for_hellos)
    bots, clock = match(), FakeClock()
    bots.start((0, 1))
    absent = bots.admit(clock)

    ann, bob = made
    assert [(each.seat, each.termination, each.detail) for each in absent] == [
        (0, Termination.NO_SHOW, "cannot be started: no such program"),
        (1, Termination.NO_SHOW, "silent"),
    ]
    assert ann.done == ["log 0", "stop"]
    assert bots.bots == {1: bob}
    assert waited == [({1: bob}, TimeControl().start_ns, clock)]


@pytest.mark.usefixtures("made")
def test_a_lost_line_is_an_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*_: object) -> None:
        raise LineLostError("the door is gone")

    monkeypatch.setattr(subject, "wait_for_hellos", lose)
    bots = match()
    bots.start((0, 1))
    with pytest.raises(AbsentError, match=r"^the door is gone$"):
        bots.admit(FakeClock())


@pytest.mark.parametrize("ponder", [False, True])
def test_every_bot_with_a_hello_gets_its_seat(
    made: list[Bot], monkeypatch: pytest.MonkeyPatch, *, ponder: bool
) -> None:
    monkeypatch.setattr(subject, "shares_of_cores", lambda seats: [{9 * n} for n in range(seats)])
    kept = Bot(PLAYERS[0])
    kept.null = COST

    _, players = seated(kept, time=TimeControl(ponder=ponder))

    assert len(made) == 1
    pinned = ["pin [0]"] if ponder else []
    assert kept.process.treatment == ["suspend", *pinned, "resume"]
    seat = players[0]
    assert (seat.wants, seat.null, seat.last_id) == (("view",), COST, 7)
    assert seat.watch.cpu_seen_ns == 5
    assert (players[1].null, players[1].watch._seat) == (None, 1)
    seat.begin_output()
    assert kept.process.treatment[-1] == "part"


def test_a_bot_without_a_hello_has_no_seat(made: list[Bot]) -> None:
    bots = match()
    bots.start((0, 1))
    ann, bob = made
    ann.link, bob.hello = None, SimpleNamespace(wants=None)
    assert {seat: player.wants for seat, player in bots.players(FakeClock()).items()} == {1: ()}
    ann.link, bob.hello = object(), None
    assert {seat: player._seat for seat, player in bots.players(FakeClock()).items()} == {0: 0}


def test_a_remote_bot_is_timed_by_its_line_and_not_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "shares_of_cores", lambda seats: [{n} for n in range(seats)])
    far, near = Bot(PLAYERS[0], process=Remote()), Bot(PLAYERS[1])

    _, players = seated(far, near, time=TimeControl(ponder=True))

    assert far.process.treatment == ["resume"]
    assert near.process.treatment == ["pin [1]", "resume"]
    assert players[0].require_line == far.process.require_line
    assert players[0].watch._allowance._line is far.process
    assert players[1].watch._allowance is None


def test_a_bot_that_thinks_during_the_call_of_another_is_suspended(made: list[Bot]) -> None:
    _, players = seated()
    for bot in made:
        bot.process.treatment.clear()
        bot.process.spent_ns = 10_000 * MS

    players[0]._watch_others()

    assert [bot.process.treatment for bot in made] == [[], ["suspend"]]


def test_a_dismissed_bot_is_ended_and_reported(made: list[Bot]) -> None:
    bots, players = seated()
    ann, bob = made
    bots.dismiss(0)
    bots.dismiss(0)

    assert ann.done == ["log 0", "hang_up", "end", "clear"]
    assert bots.bots == {1: bob}
    report, _ = bots.clear(Recorder(bots._job), players)
    assert (report.name, report.content, report.exit) == ("ann", "annann", "ann ended")
    assert report.hello == {"name": "kit of ann"}
    assert (report.output_tail, report.output_bytes) == ("tschüs", 107)
    assert report.printed == ["tschüs"]
    assert (report.is_clock_exact, report.in_force) == (False, {"memory": "cgroup"})
    assert report.warning == "no bye"


def test_bots_are_ended_after_the_match_with_all_that_is_known(made: list[Bot]) -> None:
    bots, players = seated(restart="match")
    recorder = Recorder(bots._job)
    recorder.add_call(1, "move", Spent(wall_ns=3, cpu_ns=2, charged_ns=1))
    recorder.warnings[1] = "term: late"
    watch = players[1].watch
    players[1].strays, players[1].null = 4, COST
    watch.off_turn_ns, watch.start_cpu_ns, watch.near_limit = 11, 12, 13

    first, second = bots.clear(recorder, players)

    for seat, bot in enumerate(made):
        assert bot.done == [f"log {seat}", "wait 50.0 ms", "hang_up", "end"]
    assert bots._ended == made
    assert bots.bots == {}
    assert (first.wall_ns, first.strays, first.warning) == (0, 0, "no bye")
    assert (second.off_turn_ns, second.start_cpu_ns, second.near_limit) == (11, 12, 13)
    assert (second.strays, second.null, second.warning) == (4, COST, "term: late")
    assert (second.wall_ns, second.cpu_ns, second.charged_ns) == (3, 2, 1)


def test_bots_are_kept_for_the_next_match_with_what_they_have_seen(made: list[Bot]) -> None:
    bots, players = seated(restart="never")
    players[0].null, players[0].last_id, players[0].watch.cpu_seen_ns = COST, 99, 77

    reports = bots.clear(Recorder(bots._job), players)

    assert bots._kept == made
    assert (bots.bots, bots._ended) == ({}, [])
    ann = made[0]
    assert (ann.null, ann.last_id, ann.cpu_seen_ns) == (COST, 99, 77)
    assert ann.done == ["log 0", "end_log"]
    assert ann.process.treatment[-1] == "cleared"
    assert [report.exit for report in reports] == [None, None]
    assert reports[0].output_tail == "tschüs"


def test_a_void_match_ends_all_bots_and_seated_ones_get_a_last_term(
    made: list[Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together they have one moment to exit."""
    readings = iter([1000 * MS, 1010 * MS, 1060 * MS])
    clock = SimpleNamespace(monotonic_ns=lambda: next(readings))
    monkeypatch.setattr(subject, "time", clock)
    carl = replace(PLAYERS[0], name="carl")
    bots = match(players=(*PLAYERS, carl), game="roshambo")
    bots.start((0, 1, 2))
    made[2].hello = None
    bots.players(FakeClock())

    bots.abandon()

    assert [bot.done for bot in made] == [
        ["log 0", "term", "wait 40.0 ms", "stop"],
        ["log 1", "term", "wait 0.0 ms", "stop"],
        ["log 2", "stop"],
    ]
    assert bots.bots == {}


def test_a_match_that_is_void_before_a_hello_ends_its_bots(made: list[Bot]) -> None:
    bots = match()
    bots.start((0, 1))
    bots.abandon()
    assert [bot.done for bot in made] == [["log 0", "stop"], ["log 1", "stop"]]


def test_the_first_suspect_makes_a_match_void(made: list[Bot]) -> None:
    bots, _ = seated()
    assert bots.suspect() is None

    made[1].suspected = Termination.MEMORY, "it exceeded its memory limit"
    found = bots.suspect()

    assert found is not None
    assert (found.seat, found.termination, found.detail) == (1, *made[1].suspected)


@pytest.mark.parametrize("amount", [95, 10])
def test_the_bot_that_has_filled_the_machine_is_suspected(made: list[Bot], amount: int) -> None:
    bots, _ = seated()
    ann, bob = (bot.process for bot in made)
    ann.lack = "pids"
    bob.uses = {"pids": Use(amount=amount, limit=100, total=200)}

    found = bots.suspect()

    assert (found and (found.seat, found.detail)) == ((1, "filled pids") if amount > 90 else None)


def test_a_shortage_of_any_bot_is_reported(made: list[Bot]) -> None:
    bots, _ = seated()
    bots.refuse_shortage()
    made[1].refused = ShortageError("too little memory")

    with pytest.raises(ShortageError, match="too little memory"):
        bots.refuse_shortage()
