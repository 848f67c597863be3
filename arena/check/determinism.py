"""`arena check --determinism`: test whether a bot plays the same match again, move by move.

Every match is played twice, each time by a new process of the bot. The bot receives the same calls,
with the same seed; its partners play random moves from the match's seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest, find_bot
from arena.check.bench import Bench, BenchMatch, Setting
from arena.check.check import game_of
from arena.check.findings import TAIL_LINES
from arena.check.outcomes import StepFailed
from arena.check.sandboxed import sandboxed, tell_reduced
from arena.counting.positions import game_with
from arena.errors import MachineError
from arena.exit_codes import ExitCode
from arena.text import plural
from protocol.vocabulary import Seat
from protocol.wording import visible
from referee.catalog import AnyGame, game_names
from referee.errors import NO_BLAME
from referee.job import Job
from referee.records.replay import ReplayStep, steps
from referee.records.replay import game_of as game_of_job
from referee.seats.bot import EXIT_NS
from referee.service.slot import open_slot

SEEDS = (1, 2)
TURNS = 15
"""Moves of the bot in each match, unless the game ends earlier."""
HISTORY = 4
"""Random moves per seat before the matches of the second seed."""
ADVICE = """do: take all chance from init.seed (SPEC.md 7, init). Other causes of differences:
the clock, the order of hashed sets and maps, addresses, uninitialised memory, racing threads"""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The first move that differs."""

    ply: int
    """Ply, counted from the start of the game."""
    number: int
    """Number of the bot's move, from 1."""
    seat: Seat
    first: str
    second: str
    board: str
    """Position before the move."""

    def text(self) -> str:
        """Return the difference as lines of text."""
        board = "\n".join(f"    {line}" for line in self.board.splitlines())
        return (
            f"  ply {self.ply}, seat {self.seat}, its move {self.number}: {self.first} the first"
            f" time, {self.second} the second time, here:\n\n{board}\n"
        )


def check_determinism(
    reference: str, game: str | None, assignments: Sequence[str], out: TextIO, terms: BuildTerms
) -> int:
    """Print the result of each match, by default of all games; return the exit code."""
    manifest = find_bot(reference, Path())
    games = [game_with(name, assignments) for name in _games(manifest, game, assignments)]
    player, told = sandboxed(manifest, manifest.name, terms)
    tell_reduced(told)
    with open_slot() as slot:
        for each in games:
            bench = Bench(player, each.variants()[0][1], slot.groups, slot.users)
            if code := _in_game(bench, out):
                return code
        print(f"{manifest.name} plays the same again", file=out)
        return ExitCode.DONE


def settings_for(game: AnyGame) -> list[Setting]:
    """Return the matches to play twice: every seat, two seeds, from the start and later."""
    few = min(game.seats)
    return [
        Setting(seat=seat, turns=TURNS, seed=seed, history=0 if seed == SEEDS[0] else HISTORY * few)
        for seat in range(few)
        for seed in SEEDS
    ]


def difference(job: Job, seat: Seat, first: BenchMatch, second: BenchMatch) -> Difference | None:
    """Return the first difference of a seat between two plays of a match; None without one."""
    before = next(iter(steps(job, first.line)))
    plays = [list(steps(job, played.line))[1:] for played in (first, second)]
    number = 0
    for one, other in zip_longest(*plays):
        number += _is_of(one or other, seat)
        if _said(one) != _said(other):
            return Difference(
                ply=len(job.history) + before.ply,
                number=number,
                seat=seat,
                first=_said(one),
                second=_said(other),
                board=game_of_job(job).diagram(before.state, None),
            )
        before = one
    return None


def _games(manifest: Manifest, game: str | None, assignments: Sequence[str]) -> Sequence[str]:
    """Return the games to try; options belong to one game."""
    if game is None and not assignments:
        return manifest.examples or game_names()
    return [game_of(manifest, game)]


def _in_game(bench: Bench, out: TextIO) -> int:
    for setting in settings_for(bench.game):
        job = bench.job(setting)
        title = f"{job.game}, seat {setting.seat} of {len(job.players)}, seed {setting.seed}"
        if job.history:
            title += f", after {plural(len(job.history), 'move')}"
        try:
            plays = [_play(bench, job, setting.seat) for _ in range(2)]
        except StepFailed as failed:
            print(f"{title}: AT FAULT: {failed}{_tail(bench)}", file=out, flush=True)
            return ExitCode.FAULTS
        found = difference(job, setting.seat, *plays)
        if found is not None:
            print(f"{title}: DIFFERENT\n{found.text()}\n{ADVICE}", file=out, flush=True)
            return ExitCode.FAILED
        if faults := plays[0].verdict.faults:
            why = f"{visible(str(faults[0]))}{_tail(bench)}"
            print(f"{title}: AT FAULT, both times: {why}", file=out, flush=True)
            return ExitCode.FAULTS
        print(f"{title}: {plural(len(plays[0].moves), 'move')}, the same", file=out, flush=True)
    return ExitCode.DONE


def _play(bench: Bench, job: Job, seat: Seat) -> BenchMatch:
    try:
        with bench.start() as session:
            played = session.play_job(job, bench.game, seat)
            if played.verdict.faults:
                session.wait_end(EXIT_NS)  # it may still be writing its error
            return played
    except NO_BLAME as error:
        raise MachineError(f"nothing can be said of the bot: {error}; try again") from None


def _is_of(step: ReplayStep | None, seat: Seat) -> bool:
    return step is not None and step.call is not None and step.call.seat == seat


def _said(step: ReplayStep | None) -> str:
    """Return a seat's reply in a step as text."""
    if step is None or step.call is None:
        return "no move"
    if step.call.notation is not None:
        return step.call.notation
    return f"a fault ({step.call.fault})" if step.call.fault else "its resignation"


def _tail(bench: Bench) -> str:
    """Return the end of the bot's last output as lines of text."""
    lines = bench.output_tail.strip().splitlines()[-TAIL_LINES:]
    return "".join(f"\n  {visible(line)}" for line in ["its last output:", *lines] if lines)
