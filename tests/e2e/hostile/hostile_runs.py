"""Playing the cases: each twice against a good bot, then a match of two good ones."""

import compileall
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from hostile_arriving import CASES as ARRIVING
from hostile_calling import CASES as CALLING
from hostile_case import Case
from hostile_content import CASES as CONTENT
from hostile_referee import HERE, ROOT, RefereeProcess
from hostile_resources import CASES as RESOURCES
from hostile_strangers import Strangers
from hostile_uncounted import CASES as UNCOUNTED

from referee.job import Job, Player
from referee.sandbox import Groups, Limits, Tier, refusal
from referee.seeds import derive_seed

CASES: tuple[Case, ...] = tuple(
    sorted((*ARRIVING, *CALLING, *CONTENT, *RESOURCES, *UNCOUNTED), key=lambda case: case.row)
)
REFEREES = 3
QUIET = "quiet-otter"
"""Name of the rival searched by a bot, and of its folder."""
READ_THE_RIVAL = 'cat "$0/plan.txt" "/proc/self/root$0/plan.txt"; exec "$@"'
KIT = ROOT / "bots" / "sdk" / "c"
STARTER = ROOT / "bots" / "starter" / "c" / "main.c"
FILES = {
    "plain.txt": (0o644, b"I am no program.\n"),
    "interpreter.sh": (0o755, b"#!/no/such/interpreter\n"),
    "foreign.elf": (0o755, b"\x7fELF" + bytes(100)),
}
BUSY_S = 10


@dataclass(frozen=True)
class Run:
    """One match of a hostile bot, with observations."""

    answer: dict[str, Any]
    seconds: float
    """From handing in the match to its result."""
    allowed_s: float
    """The limit that the bot used, a second, a few times what a match of good bots took, and what
    a busy machine may add: only a hang takes longer."""
    left: list[object]
    """Processes and files of the bots, a second later."""
    descriptors: int
    """How many more the referee has open than before."""
    growth: int
    """By how many bytes the referee was larger than before, at its largest."""

    @property
    def record(self) -> dict[str, Any]:
        assert "record" in self.answer, self.answer
        record: dict[str, Any] = self.answer["record"]
        return record

    @property
    def verdict(self) -> dict[str, Any]:
        verdict: dict[str, Any] = self.record["verdict"]
        return verdict


@dataclass(frozen=True)
class Outcome:
    """Result of a case."""

    runs: tuple[Run, ...]
    next_match: dict[str, Any]
    """The answer for a match of good bots on the same referee right after."""


@dataclass(frozen=True)
class Played:
    """Results of the playable cases, and reasons why the others are skipped."""

    _futures: Mapping[Case, Future[Outcome]]
    refusals: Mapping[Case, str | None]

    def __getitem__(self, case: Case) -> Outcome:
        return self._futures[case].result()


class _Crew:
    """Some referees of a kind, and a thread for each."""

    def __init__(self, size: int, *, has_groups: bool) -> None:
        self._referees = [RefereeProcess(has_groups=has_groups) for _ in range(size)]
        self.free: SimpleQueue[RefereeProcess] = SimpleQueue()
        for referee in self._referees:
            self.free.put(referee)
        self.pool = ThreadPoolExecutor(size)

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)
        with ExitStack() as closing:  # each case, despite failures of others
            for referee in self._referees:
                closing.callback(referee.close)


class Stage:
    """Builds the programs, keeps some referees, and plays cases on them side by side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "hostile"
        self.rival, self.quiet = folder / "rival", folder / QUIET
        self._build()
        self._strangers = Strangers(self.rival)
        (self.folder / "strangers.json").write_text(self._strangers.told())
        self._refusals: dict[Tier, str | None] = {"none": None}
        self._usual_s: dict[tuple[RefereeProcess, Tier], float] = {}
        self._is_memory_counted = _counts_memory()
        self._crew = _Crew(REFEREES, has_groups=True)
        self._groupless = _Crew(1, has_groups=False)

    def refusal(self, case: Case) -> str | None:
        """Return why this machine cannot play the case; None if it can."""
        if case.counted and not self._is_memory_counted:
            return "no control group here counts the memory of several processes"
        if case.tier not in self._refusals:
            self._refusals[case.tier] = refusal(case.tier)
        return self._refusals[case.tier]

    def start(self, case: Case) -> Future[Outcome]:
        """Have a case played as soon as a referee is free."""
        crew = self._groupless if case.counted is False else self._crew
        return crew.pool.submit(self._play, case, crew.free)

    def close(self) -> None:
        with ExitStack() as closing:
            for what in (self._strangers, self._groupless, self._crew):
                closing.callback(what.close)

    def _play(self, case: Case, free: SimpleQueue[RefereeProcess]) -> Outcome:
        referee = free.get()
        try:
            usual_s = self._usual_of(referee, case.tier)
            runs = tuple(self._run(referee, case, usual_s) for _ in range(2))
            return Outcome(runs, referee.play(self._good(case.tier))[0])
        finally:
            free.put(referee)

    def _usual_of(self, referee: RefereeProcess, tier: Tier) -> float:
        """Return the seconds of a match of good bots in the tier, measured once a referee."""
        if (referee, tier) not in self._usual_s:
            jobs = self._good(tier), self._plain()
            self._usual_s[referee, tier] = max(referee.play(job)[1] for job in jobs)
        return self._usual_s[referee, tier]

    def _run(self, referee: RefereeProcess, case: Case, usual_s: float) -> Run:
        rooms = referee.rooms()
        descriptors, memory = referee.descriptors(), referee.reset_peak()
        answer, seconds = referee.play(self._job(case, rival=case.rival))
        new = referee.rooms() - rooms
        return Run(
            answer=answer,
            seconds=seconds,
            allowed_s=_used_s(case, answer) + 1 + 5 * usual_s + BUSY_S,
            left=[*referee.leftovers(), *(new if not case.is_slow_to_clear else [])],
            descriptors=referee.descriptors() - descriptors,
            growth=max(0, referee.peak() - memory),
        )

    def _good(self, tier: Tier) -> Job:
        honest = self._honest("honest", tier)
        return replace(self._plain(), players=(honest, honest))

    def _plain(self) -> Job:
        return self._job(Case(row=0, bot="plays_well", does="plays well"), rival="honest")

    def _job(self, case: Case, *, rival: str) -> Job:
        hostile = self._player(case)
        rivals = {
            "honest": self._honest("honest", case.tier),
            "twin": self._honest("hostile", case.tier),
            QUIET: _bot(QUIET, self.quiet, (str(self.quiet / "honest"),), case.tier),
            "hostile": replace(hostile, name="another"),
            "passes_a_descriptor": replace(
                self._player(replace(case, bot="passes_a_descriptor")), name="another"
            ),
        }
        return Job(
            key=f"{case.row} {case.bot}",
            game=case.game,
            options=dict(case.options),
            players=(hostile, rivals[rival]) if rival in rivals else (hostile,),
            seed=1 if case.event_seed is None else _match_seed(case.event_seed),
            board_seed=1,
            time=case.time(),
            limits=Limits(**case.limits),
        )

    def _player(self, case: Case) -> Player:
        python = (sys.executable, "-S", "-E", "-B", "main.py", case.bot)
        if case.program == "python":
            argv: tuple[str, ...] = python
        elif case.program.startswith("/"):
            argv = (case.program, "-c", READ_THE_RIVAL, str(self.rival), *python)
        elif case.program == "fatal":
            argv = (str(self.folder / "fatal"), case.bot)
        else:
            argv = (str(self.folder / case.bot),)
        return _bot("hostile", self.folder, argv, case.tier)

    def _honest(self, name: str, tier: Tier) -> Player:
        return _bot(name, self.rival, (str(self.rival / "honest"),), tier)

    def _build(self) -> None:
        for folder in (self.folder, self.rival, self.quiet):
            folder.mkdir(mode=0o755)
        for source in (HERE / "bots").glob("*.py"):
            shutil.copy(source, self.folder)
        compileall.compile_dir(self.folder, quiet=2)  # each start would compile all modules
        for name, (mode, data) in FILES.items():
            path = self.folder / name
            path.write_bytes(data)
            path.chmod(mode)
        kit = ["cc", "-std=c11", "-O1", "-w", f"-I{KIT}", str(KIT / "arena_bot.c")]
        for made, source in (
            (self.rival / "honest", STARTER),
            (self.folder / "fatal", HERE / "bots" / "fatal.c"),
        ):
            command = [*kit, str(source), "-o", str(made)]
            subprocess.run(command, check=True, capture_output=True)
        shutil.copy(self.rival / "honest", self.quiet)


def _match_seed(event_seed: int) -> int:
    """Return the seed that an event gives to a match of a hostile bot against the honest one."""
    return derive_seed(event_seed, "match", "hostile,honest/b0/0")


def _bot(name: str, folder: Path, argv: tuple[str, ...], tier: Tier) -> Player:
    return Player(name=name, argv=argv, folder=str(folder), content=name, processes=True, tier=tier)


def _counts_memory() -> bool:
    groups = Groups.probe()
    if groups is None:
        return False
    try:
        return "memory" in groups.controllers
    finally:
        groups.close()


def _used_s(case: Case, answer: dict[str, Any]) -> float:
    """Return the allowed delay by the bot: its limit, or its actual time if unlimited."""
    if case.is_fault or "record" not in answer:
        return case.deadline_s()
    seat = answer["record"]["seats"][0]
    used_ns: int = seat["wall_ns"] + (seat["start_cpu_ns"] or 0)
    return used_ns / 1e9
