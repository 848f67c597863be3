"""Playing the cases: each twice against a good bot, then a match of two good ones."""

import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
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

from referee.job import Job, Limits, Player

CASES: tuple[Case, ...] = tuple(
    sorted((*ARRIVING, *CALLING, *CONTENT, *RESOURCES), key=lambda case: case.row)
)
REFEREES = 3
KIT = ROOT / "bots" / "sdk" / "c"
STARTER = ROOT / "bots" / "starter" / "c" / "main.c"
FILES = {
    "plain.txt": (0o644, b"I am no program.\n"),
    "interpreter.sh": (0o755, b"#!/no/such/interpreter\n"),
    "foreign.elf": (0o755, b"\x7fELF" + bytes(100)),
}


@dataclass(frozen=True)
class Run:
    """One match of a hostile bot, and what was seen around it."""

    answer: dict[str, Any]
    seconds: float
    """From handing in the match to its result."""
    allowed_s: float
    """The limit that the bot used, a second, and a few times what a match of good bots took."""
    left: list[object]
    """Processes and files of the bots, a second later."""
    descriptors: int
    """How many more the referee has open than before."""
    growth: int
    """By how many bytes the referee was larger than before, at its largest."""

    @property
    def record(self) -> dict[str, Any]:
        assert "record" in self.answer, self.answer
        return self.answer["record"]

    @property
    def verdict(self) -> dict[str, Any]:
        return self.record["verdict"]


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    runs: tuple[Run, ...]
    next_match: dict[str, Any]
    """The answer for a match of good bots on the same referee right after."""


class Stage:
    """Builds the programs, keeps some referees, and plays cases on them side by side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._build()
        self._referees = [RefereeProcess() for _ in range(REFEREES)]
        self._free: SimpleQueue[RefereeProcess] = SimpleQueue()
        for referee in self._referees:
            self._free.put(referee)
        self._pool = ThreadPoolExecutor(REFEREES)

    def start(self, case: Case) -> Future[Outcome]:
        """Have a case played as soon as a referee is free."""
        return self._pool.submit(self._play, case)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        for referee in self._referees:
            referee.close()

    def _play(self, case: Case) -> Outcome:
        referee = self._free.get()
        try:
            good = self._job(Case(row=0, bot="honest", does="plays well"), rival="honest")
            good = replace(good, players=(good.players[1], good.players[1]))
            usual_s = max(referee.play(good)[1], referee.play(self._plain())[1])
            runs = tuple(self._run(referee, case, usual_s) for _ in range(2))
            return Outcome(runs, referee.play(good)[0])
        finally:
            self._free.put(referee)

    def _run(self, referee: RefereeProcess, case: Case, usual_s: float) -> Run:
        rooms = referee.rooms()
        descriptors, memory = referee.descriptors(), referee.reset_peak()
        answer, seconds = referee.play(self._job(case, rival=case.rival))
        new = referee.rooms() - rooms
        return Run(
            answer=answer,
            seconds=seconds,
            allowed_s=_used_s(case, answer) + 1 + 5 * usual_s,
            left=[*referee.leftovers(), *(new if not case.is_slow_to_clear else [])],
            descriptors=referee.descriptors() - descriptors,
            growth=max(0, referee.peak() - memory),
        )

    def _plain(self) -> Job:
        return self._job(Case(row=0, bot="plays_well", does="plays well"), rival="honest")

    def _job(self, case: Case, *, rival: str) -> Job:
        hostile = self._player(case)
        rivals = {
            "honest": self._bot("honest", str(self.folder / "honest")),
            "twin": replace(self._bot("honest", str(self.folder / "honest")), name="hostile"),
            "hostile": replace(hostile, name="another"),
        }
        return Job(
            key=f"{case.row} {case.bot}",
            game=case.game,
            options=case.options,
            players=(hostile, rivals[rival]) if rival in rivals else (hostile,),
            seed=1,
            board_seed=1,
            time=case.time(),
            limits=Limits(**case.limits),
        )

    def _player(self, case: Case) -> Player:
        if case.program == "python":
            main = str(self.folder / "main.py")
            return self._bot("hostile", sys.executable, "-S", "-E", "-B", main, case.bot)
        if case.program == "fatal":
            return self._bot("hostile", str(self.folder / "fatal"), case.bot)
        return self._bot("hostile", str(self.folder / case.bot))

    def _bot(self, name: str, *argv: str) -> Player:
        return Player(name=name, argv=argv, folder=str(self.folder), content=name)

    def _build(self) -> None:
        for source in (HERE / "bots").glob("*.py"):
            shutil.copy(source, self.folder)
        for name, (mode, data) in FILES.items():
            path = self.folder / name
            path.write_bytes(data)
            path.chmod(mode)
        kit = ["cc", "-std=c11", "-O1", "-w", f"-I{KIT}", str(KIT / "arena_bot.c")]
        for name, source in (("honest", STARTER), ("fatal", HERE / "bots" / "fatal.c")):
            command = [*kit, str(source), "-o", str(self.folder / name)]
            subprocess.run(command, check=True, capture_output=True)


def _used_s(case: Case, answer: dict[str, Any]) -> float:
    """Return how long the bot may hold the match up: its limit, or what it took where it may."""
    if case.is_fault or "record" not in answer:
        return case.deadline_s()
    return answer["record"]["seats"][0]["wall_ns"] / 1e9
