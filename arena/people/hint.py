"""A hint: the move of a bot, sandboxed like any other, asked by a referee in another process."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.building import BuildTerms
from arena.bots.manifest import find_bot
from arena.bots.prepare import prepare
from arena.bots.shipped import shipped_bots
from arena.errors import UsageError
from arena.event.slots.local_slots import Slot
from arena.machine.tier_choice import best_tier
from arena.results.remarks import remarks_of
from protocol.messages import Fields
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.job import Job, Player
from referee.records.match_end import MatchEnd
from referee.records.record import Record
from referee.records.replay import game_of, steps


def hint(job: Job, seat: Seat, moves: Sequence[Fields], reference: str, terms: BuildTerms) -> str:
    """Return the move of a bot for this seat after these moves, in words; raises ArenaError."""
    name = reference or default_bot(job.game)
    bot = prepare_sandboxed(name, terms)
    asked = replace(
        job,
        key="hint",
        players=tuple(
            replace(bot, name=player.name) if player.kind == "person" else player
            for player in job.players
        ),
        history=tuple(moves),
        max_plies=1,
        claims="ignored",
    )
    end = _play(asked)
    if end.match is None:
        raise UsageError(f"{escaped(name)} could not be asked: {end.void}")
    return f"{escaped(name)} {_answer(Record.from_bytes(end.match.body), seat)}"


def prepare_sandboxed(reference: str, terms: BuildTerms) -> Player:
    """Return a bot, built, in the best sandbox of this machine; raises ArenaError."""
    bot = prepare(find_bot(reference, Path()), terms=terms)
    return replace(bot.player(bot.name), tier=best_tier().tier)


def default_bot(game: str) -> str:
    """Return a shipped bot for this game without a build step, or the one for all games."""
    for name in shipped_bots():
        manifest = find_bot(name, Path())
        if manifest.games is not None and manifest.plays(game) and manifest.build is None:
            return name
    return "random"


def _play(job: Job) -> MatchEnd:
    slot = Slot(())
    try:
        slot.submit(job)
        while not (ends := slot.read()):
            pass
    finally:
        slot.end()
        slot.wait()
    return ends[0]


def _answer(record: Record, seat: Seat) -> str:
    for step in steps(record.job, record.calls):
        call = step.call
        if call is not None and call.seat == seat and call.move is not None:
            remarks = ", ".join(remarks_of(game_of(record.job), step.state, call))
            return f"would play {call.notation}{f' ({remarks})' if remarks else ''}"
    for call in record.calls:
        if call.seat == seat and (call.resign or call.done):
            return "would resign" if call.resign else "would stop here"
    reasons = [f"{fault.termination}: {fault.detail}" for fault in record.verdict.faults]
    return f"has no answer: {escaped('; '.join(reasons) or record.verdict.reason)}"
