"""`arena replay MATCH --at N --to BOT [--debug]`: give a past position to a bot.

The bot is started and gets an `init` with all moves up to the position, the seed from the match,
and one `move` call. Its reply is judged by the match's rules and limits and is not stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.check.bench import Bench, BenchMatch, play_with_partners
from arena.check.outcomes import StepFailed
from arena.check.patient import OUTSIDE, patient
from arena.check.sandboxed import sandboxed, tell_reduced
from arena.errors import UsageError
from arena.results.remarks import remarks_of
from arena.terminal.story import call_line, positions, step_line
from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.job import Job
from referee.records.calls import Call, entry_of
from referee.records.record import Fault, Record
from referee.records.replay import ReplayStep, game_of, steps
from referee.seats.bot import EXIT_NS
from referee.service.slot import open_slot


@dataclass(frozen=True, kw_only=True)
class Question:
    """A position to ask about."""

    job: Job
    """The match up to the position, limited to one more move."""
    game: AnyGame
    seat: Seat
    step: ReplayStep
    then: str
    """The next move in the match, as text."""


@dataclass(frozen=True, kw_only=True)
class Retry:
    """The bot's play in the position."""

    bot: str
    played: BenchMatch | None
    output: str
    detail: str = ""
    """Reason why it did not play."""

    @property
    def fault(self) -> Fault | None:
        """The fault of the bot, or None."""
        return next(iter(self.played.verdict.faults), None) if self.played else None

    @property
    def is_legal(self) -> bool:
        """Whether the bot's reply follows the rules and the protocol."""
        return self.played is not None and self.fault is None


def question(record: Record, at: int) -> Question:
    """Return the position of a match after `at` steps of its replay; raises UsageError."""
    game = game_of(record.job)
    found = positions(record, at)
    step = found[at]
    if game.outcome(step.state) is not None:
        raise UsageError(f"--at {at}: the game is over there, no seat is to move")
    before = [position.call for position in found[1 : at + 1] if position.call]
    if any(call.move is None for call in before):
        raise UsageError(f"--at {at}: a seat had retired by then, which an init cannot express")
    then = step_line(record.job, found[at + 1]) if at + 1 < len(found) else "no move any more"
    return Question(
        job=_job(record.job, before),
        game=game,
        seat=game.turn(step.state),
        step=step,
        then=then,
    )


def ask_again(asked: Question, reference: str, terms: BuildTerms, *, is_debugged: bool) -> Retry:
    """Start the bot, ask for a move and end it; raises ArenaError if its preparation fails.

    A debugged bot has the terminal, no limits and no sandbox.
    """
    if is_debugged and terms.isolation != "none":
        raise UsageError(f"--debug {OUTSIDE}: --isolation none")
    manifest = find_bot(reference, Path())
    entry, told = sandboxed(manifest, asked.job.player(asked.seat).name, terms)
    tell_reduced(told)
    players = list(asked.job.players)
    players[asked.seat] = entry
    job = replace(asked.job, players=tuple(players))
    with open_slot() as slot:
        if is_debugged:
            with patient(job, asked.seat, slot.groups, manifest.name) as player:
                played = play_with_partners(job, asked.game, asked.seat, player)
            return Retry(bot=manifest.name, played=played, output="")
        bench = Bench(entry, asked.game, slot.groups, slot.users)
        return _answer(bench, job, asked, manifest.name)


def answer_text(asked: Question, answer: Retry) -> str:
    """Return the position, the match's move and the bot's move as text."""
    name = asked.job.player(asked.seat).name
    lines = [
        f"seat {asked.seat} ({name}) to move after ply {asked.step.ply}",
        "",
        asked.game.diagram(asked.step.state, asked.seat),
        "",
        f"then: {asked.then}",
        f"now:  {_now_text(asked, answer)}",
    ]
    if output := answer.output.strip():
        lines += ["", "its output:", *(f"  {line}" for line in output.splitlines())]
    return "\n".join(lines)


def _answer(bench: Bench, job: Job, asked: Question, bot: str) -> Retry:
    try:
        with bench.start() as session:
            played = session.play_job(job, asked.game, asked.seat)
            session.wait_end(EXIT_NS)  # it may still be writing its error
    except StepFailed as failed:
        return Retry(bot=bot, played=None, output=bench.output_tail, detail=str(failed))
    return Retry(bot=bot, played=played, output=bench.output_tail)


def _now_text(asked: Question, answer: Retry) -> str:
    if answer.played is None:
        return answer.detail
    if (fault := answer.fault) is not None:
        return str(fault)
    call = next(call for call in answer.played.calls if call.call == "move")
    if call.move is None:
        return "it resigns" if call.resign else "it is done"
    *_, after = steps(asked.job, answer.played.calls)
    line = call_line(call, asked.step.ply + 1, answer.bot)
    return ", ".join([f"{line}: legal", *remarks_of(asked.game, after.state, call)])


def _job(job: Job, before: Sequence[Call]) -> Job:
    """Return the match from the position after these calls, for one more move."""
    return replace(job, history=(*job.history, *map(entry_of, before)), max_plies=1)
