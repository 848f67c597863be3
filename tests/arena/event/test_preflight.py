"""Preflight on fake slots: the tested bots, the tests, and the reports of failures."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from events import job_of
from fakes import RESIGN, FakeBot, played

from arena.errors import MachineError, PreflightError
from arena.event.plan import Plan
from arena.event.play.preflight import QUIET_WAITS, Trial, preflight, trials_of
from arena.schedule.pairing import Pairing, round_robin
from protocol.vocabulary import Termination
from referee.errors import IDLE, UNMATCHED
from referee.job import SECOND_NS, Job, Player, TimeControl
from referee.records.calls import Calls
from referee.records.match_end import MatchEnd
from referee.records.record import Fault, Record, SeatReport, Verdict
from referee.seats.hellos import PLAIN_JSON

JOB = Job(key="", game="pente", players=(), seed=0, board_seed=0, restart="never")


def record(seats: int, output: str, *faults: Fault) -> Record:
    report = SeatReport(name="", content="", output_tail=output)
    verdict = Verdict(
        termination=Termination.NORMAL,
        reason="",
        points=(0,) * seats,
        places=(1,) * seats,
        scores=("0",) * seats,
        faults=faults,
    )
    job = replace(JOB, players=(Player(name="", argv=(), folder="", content=""),) * seats)
    return Record(job=job, calls=Calls(), seats=[report] * seats, verdict=verdict)


WELL = record(6, "hello\n")


def failed(seat: int = 0, output: str = "") -> Record:
    return failed_by(Termination.CRASH, "ended: exit code 3", seat, output)


def failed_by(termination: Termination, detail: str, seat: int = 0, output: str = "") -> Record:
    fault = Fault(seat=seat, termination=termination, call="init", ply=0, detail=detail)
    return record(2, output, fault)


def absent(*argv: str, code: int = 0, output: str = "", hint: str = "") -> str:
    """Return the message about a bot of this command that ended before its hello."""
    detail = f"ended before its hello: exit code {code}{hint}"
    fault = Fault(seat=0, termination=Termination.NO_SHOW, call="start", ply=0, detail=detail)
    made = plan("fish", "other")
    fish = replace(made.players["fish"], argv=argv)
    made = replace(made, players={**made.players, "fish": fish})
    slots = FakeSlots(
        lambda job: record(2, output, fault) if job.names() == ("fish",) * 2 else WELL
    )
    with pytest.raises(PreflightError) as refusal:
        preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]
    return refusal.value.failures["fish"]


def test_a_program_alone_may_be_an_engine_without_its_protocol() -> None:
    assert "write uci: before its path, or usi:, ucci: or cecp:" in absent("./fish")
    assert "protocol" not in absent("python3", "fish.py")
    assert "protocol" not in absent("./fish", code=1)


def test_the_python_of_a_missing_module_is_named() -> None:
    output = "    import numpy\nModuleNotFoundError: No module named 'numpy'\n"

    said = absent("/opt/venv/bin/python", "fish.py", code=1, output=output)
    assert "  its Python is /opt/venv/bin/python: install the missing modules" in said
    assert "its Python" not in absent("python", "jsonl_bridge.py", "perl", "x", output=output)
    assert "its Python" not in absent("/bin/python", "fish.py", code=1)
    assert "its Python" not in absent("/bin/sh", "start.sh", code=1, output=output)


def test_a_program_that_ends_at_once_may_not_have_called_its_kit() -> None:
    assert "  the program ended by itself: does it call `run`" in absent("python3", "fish.py")
    assert "`run`" not in absent("python3", "fish.py", code=1)
    assert "`run`" not in absent("python3", "fish.py", hint=PLAIN_JSON)


@pytest.mark.parametrize(
    "argv",
    [("python3", "uci_bridge.py", "{}", "./fish"), ("./uci_bridge.compiled", "{}", "./fish")],
)
def test_a_program_behind_a_bridge_that_ends_may_be_no_engine(
    argv: tuple[str, ...],
) -> None:
    said = absent(*argv)
    assert "does it speak the protocol that its bridge speaks?" in said
    assert "`run`" not in said


@pytest.mark.parametrize(
    ("termination", "detail", "output", "hint"),
    [
        (Termination.MEMORY, "ended", "", "a higher limits.memory in the config, or in -c"),
        (Termination.TIMEOUT, f"it sent 'play' with no id, {UNMATCHED}, 1", "", "copy the `id`"),
        (Termination.TIMEOUT, f"no reply, {IDLE} 0.1 ms", "", "it waits for something"),
        (Termination.CRASH, "ended: signal SIGSEGV", "", "-fsanitize=address in its build"),
        (Termination.CRASH, "ended: exit code 1", "Read-only file system: 'x'", "is read-only"),
    ],
)
def test_a_usual_mistake_has_a_hint(
    termination: Termination, detail: str, output: str, hint: str
) -> None:
    slots = FakeSlots(lambda _job: failed_by(termination, detail, output=output))
    made = plan("ann", "bob")
    own = {name: replace(player, argv=("./bot",)) for name, player in made.players.items()}
    made = replace(made, players=own)

    with pytest.raises(PreflightError) as refusal:
        preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]

    first, second, *_ = refusal.value.failures["ann"].splitlines()
    assert detail in first
    assert second.startswith("  ")
    assert hint in second


class FakeSlots:
    """Slots whose matches end as `outcome` says: with a record, or void with a reason."""

    def __init__(self, outcome: Callable[[Job], Record | str | MatchEnd], slots: int = 2) -> None:
        self.played: list[Job] = []
        self.is_closed = False
        self._outcome = outcome
        self._running: deque[Job] = deque()
        self._slots = slots

    def free(self) -> list[Any]:
        free = self._slots - len(self._running)
        return [SimpleNamespace(submit=self._running.append) for _ in range(free)]

    def running(self) -> list[Job]:
        return list(self._running)

    def wait(self, seconds: float) -> list[MatchEnd]:
        assert seconds > 0
        job = self._running.popleft()
        self.played.append(job)
        outcome = self._outcome(job)
        if isinstance(outcome, str):
            return [MatchEnd(job, None, outcome)]
        if isinstance(outcome, MatchEnd):
            return [replace(outcome, job=job)]
        return [MatchEnd(job, outcome.finished())]

    def close(self) -> None:
        self.is_closed = True


def plan(*names: str, seats: int = 2, contents: Mapping[str, str] | None = None) -> Plan:
    given = contents or {}
    players = {
        name: Player(name=name, argv=(name,), folder="/", content=given.get(name, name))
        for name in names
    }
    return Plan(
        name="event",
        seed=1,
        players=players,
        format=round_robin(tuple(names), seats=(seats,), seed=1),
        job=JOB,
        variants={"": {"half_size": 9}},
        cores=((0,), (1,)),
        withdraw_after=3,
    )


def tried(made: Plan, pending: tuple[Pairing, ...] | None = None) -> list[tuple[str, ...]]:
    return [trial.players for trial in trials_of(made, pending or made.pairings)]


def test_every_bot_plays_a_short_match_against_itself_in_all_seats() -> None:
    made = plan("a", "b", "c", "d", seats=3)

    trials = trials_of(made, made.pairings)

    assert sorted(trial.players for trial in trials) == [("a",), ("b",), ("c",), ("d",)]
    for trial in trials:
        (name,) = trial.players
        assert trial.job.key == f"preflight/{name}"
        assert trial.job.names() == (name,) * 3
        assert trial.job.max_plies == 6
        assert trial.job.restart == "match"
        assert trial.job.options == {"half_size": 9}


def test_an_event_of_fewer_plies_is_not_exceeded() -> None:
    made = plan("a", "b")
    made = replace(made, job=replace(made.job, max_plies=1))

    assert {trial.job.max_plies for trial in trials_of(made, made.pairings)} == {1}


def test_one_bot_under_two_names_is_tried_once() -> None:
    made = plan("a", "b", "c", contents={"a": "same", "c": "same"})

    assert sorted(sorted(names) for names in tried(made)) == [["a", "c"], ["b"]]


def test_finished_and_withdrawn_bots_are_not_tested() -> None:
    made = plan("a", "b", "c")
    left = tuple(pairing for pairing in made.pairings if set(pairing.players) == {"a", "b"})

    assert {name for (name,) in tried(made, left)} == {"a", "b"}
    assert [trial.players for trial in trials_of(made, left, spared={"a": "why"})] == [("b",)]


def test_all_failures_are_reported_together_with_the_last_output() -> None:
    made = plan("a", "b", "c")
    slots = FakeSlots(lambda job: WELL if job.names()[0] == "a" else failed(1, "no board\nabort\n"))
    trials = sorted(trials_of(made, made.pairings), key=lambda trial: trial.players)

    with pytest.raises(PreflightError) as caught:
        preflight(slots, trials)  # type: ignore[arg-type]  # a fake

    output = ["  its last output:", "    no board", "    abort"]
    assert caught.value.exit_code == 3
    assert str(caught.value).splitlines() == [
        "2 bots fail the preflight",
        "b: crash, call init: ended: exit code 3",
        *output,
        "c: crash, call init: ended: exit code 3",
        *output,
        "nothing was played; --no-preflight skips this test",
    ]


@pytest.mark.parametrize(
    ("failure", "is_lasting"),
    [
        (failed_by(Termination.ILLEGAL_MOVE, "9: occupied"), True),
        (failed_by(Termination.MALFORMED, "no JSON", output="MemoryError"), True),
        (failed(output="KeyError: 1"), True),
        (failed_by(Termination.NO_SHOW, "ended before its hello: exit code 1"), True),
        (failed_by(Termination.CRASH, "ended: signal SIGSEGV"), True),
        (failed_by(Termination.CRASH, "ended: signal SIGKILL"), False),
        (failed_by(Termination.NO_SHOW, "ended before its hello: exit code 127"), False),
        (failed_by(Termination.NO_SHOW, "no valid hello within 10 s"), False),
        (failed(output="ModuleNotFoundError: No module named 'numpy'"), False),
        (failed(output="sh: go: not found"), False),
        (failed_by(Termination.CRASH, "signal SIGABRT", output="std::bad_alloc"), False),
        (failed_by(Termination.TIMEOUT, "no reply to move after 2055 ms"), False),
        (failed_by(Termination.MEMORY, "more than 512 MB"), False),
    ],
)
def test_only_a_failure_that_the_machine_cannot_explain_is_lasting(
    failure: Record, *, is_lasting: bool
) -> None:
    made = plan("a", "b")
    slots = FakeSlots(lambda job: failure if job.names()[0] == "a" else WELL)

    with pytest.raises(PreflightError) as caught:
        preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]  # a fake

    assert caught.value.lasting == ({"a"} if is_lasting else set())


@pytest.mark.parametrize(
    ("call", "limit", "time"),
    [
        ("init", "init", TimeControl()),
        ("move", "per_move", TimeControl(bank_ns=60 * SECOND_NS)),
        ("move", "bank", TimeControl(bank_ns=SECOND_NS)),
    ],
)
def test_a_late_bot_is_reported_with_the_setting_of_its_limit(
    call: str, limit: str, time: TimeControl
) -> None:
    fault = Fault(seat=0, termination=Termination.TIMEOUT, call=call, ply=0, detail="took 9 ms")
    slots, made = FakeSlots(lambda _: record(2, "", fault)), plan("ann", "bob")
    made = replace(made, job=replace(made.job, time=time))

    with pytest.raises(
        PreflightError, match=f"longer: a higher {limit} in time: .*; if not: look for"
    ):
        preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]  # a fake


def test_a_void_match_is_repeated_and_not_a_fault_of_the_bot() -> None:
    voids = iter(["the referee ended: signal SIGKILL"] * 2)
    slots = FakeSlots(lambda job: next(voids, WELL) if job.names()[0] == "a" else WELL)
    made = plan("a", "b")

    preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]  # a fake

    assert sorted(job.names()[0] for job in slots.played) == ["a", "a", "a", "b"]


def test_a_bot_that_resigns_at_once_is_warned_about() -> None:
    note = "cannot be asked: other moves\x1b[2J"
    resigns = played(job_of("old", "old"), [FakeBot({**RESIGN, "note": note}), FakeBot()]).record
    slots = FakeSlots(lambda job: resigns if job.names()[0] == "old" else WELL)
    made = plan("old", "new")

    warnings = preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]  # a fake

    (warning,) = warnings
    assert warning.startswith("warning: old resigns its first move, and so loses every such match")
    assert warning.endswith(r": cannot be asked: other moves\x1b[2J")


def test_a_match_void_in_every_attempt_is_an_internal_error() -> None:
    made = plan("a", "b")
    slots = FakeSlots(lambda _: "no more processes")

    with pytest.raises(MachineError, match=r"void 3 times, which is no bot's fault: no more proc"):
        preflight(slots, trials_of(made, made.pairings))  # type: ignore[arg-type]  # a fake


def test_a_long_test_is_announced_ever_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan("a", "b")
    slots = FakeSlots(lambda _: WELL)
    wait, said = slots.wait, list[str]()
    waits = iter(range(5 * QUIET_WAITS))
    monkeypatch.setattr(
        slots, "wait", lambda seconds: [] if next(waits, None) is not None else wait(seconds)
    )

    preflight(slots, trials_of(made, made.pairings), said.append)  # type: ignore[arg-type]  # a fake

    assert said == 3 * ["testing 2 bots before the first match: 0 tested so far"]


def test_without_bots_to_test_no_slot_is_opened() -> None:
    slots = FakeSlots(lambda _: WELL)
    trials: list[Trial] = []

    preflight(slots, trials)  # type: ignore[arg-type]  # a fake

    assert slots.played == []


def test_where_memory_is_short_one_trial_runs_at_a_time() -> None:
    trials = trials_of(made := plan("one", "two", "three"), made.pairings)
    running: list[int] = []

    class Crowded(FakeSlots):
        """Two slots with memory for one match."""

        def wait(self, seconds: float) -> list[MatchEnd]:
            running.append(len(self.running()))
            return [
                replace(result, match=None, void="too little memory", is_short=True)
                if running[-1] > 1
                else result
                for result in super().wait(seconds)
            ]

    preflight(Crowded(lambda _: WELL, 2), trials)  # type: ignore[arg-type]

    assert running[0] == 2
    assert set(running[1:]) == {1}


def test_a_trial_without_enough_memory_alone_blames_no_bot_and_says_what_helps() -> None:
    trials = trials_of(made := plan("one", "two"), made.pairings)[:1]
    end = MatchEnd(trials[0].job, None, "too little memory", is_exhausted=True, is_short=True)

    with pytest.raises(MachineError) as refusal:
        preflight(FakeSlots(lambda _: end), trials)  # type: ignore[arg-type]

    assert str(refusal.value) == (
        "preflight/one: void 3 times, which is no bot's fault: too little memory; its 2 bots may"
        " use 1024 MB together; give Arena as much, or set a lower limits.memory in the config;"
        " --no-preflight skips this test of each bot against itself"
    )
