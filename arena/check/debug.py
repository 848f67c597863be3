"""`arena match ... --debug BOT`: matches with one bot under a debugger.

The matches are played one after another in this process. All other bots keep the rules, limits and
their sandboxes; the debugged bot keeps only the rules.
"""

from contextlib import closing
from pathlib import Path

from arena.check.patient import OUTSIDE, patient
from arena.config.event import Config
from arena.errors import MachineError, UsageError
from arena.event.plan import make_plan
from arena.event.resume.held_event import held_event
from arena.event.resume.players import prepare_players
from arena.formats.event_results import table_of
from arena.machine.tier_choice import placed
from arena.reading.choices import Isolation
from arena.results.secrecy import close_event
from arena.results.store import Store
from arena.terminal.output import tell
from arena.terminal.show import event_text
from arena.terminal.tables import outcome_line
from protocol.wording import did_you_mean, quoted
from referee.errors import NO_BLAME
from referee.job import Job
from referee.records.record import Record
from referee.service.slot import Slot, open_slot


def debug_match(config: Config, reference: str, db: Path) -> None:
    """Play the matches of a config with one bot, named as there, under debug; print standings."""
    name = _player(config, reference)
    if _isolation_of(config, name) != "none":
        raise UsageError(f"--debug {OUTSIDE}: -c isolation=none")
    players, _ = prepare_players(config, skip_missing=False)
    players = {
        other: player if other == name else placed(player, "auto")[0]
        for other, player in players.items()
    }
    with (
        closing(Store(db, is_new_allowed=True)) as store,
        open_slot() as slot,
        held_event(store, config, players, is_new=True) as event,
    ):
        plan = make_plan(config, players, event.seed)
        for pairing in plan.pairings:
            match = store.add_match(
                event.id,
                board=pairing.board,
                variant=pairing.variant,
                attempt=1,
                match=_play(slot, plan.job_of(pairing), name).finished(),
            )
            if match is not None:
                tell(outcome_line(match))
        print(event_text(store, close_event(store, event), table_of(store, event)))


def _isolation_of(config: Config, name: str) -> Isolation:
    entrant = next(entrant for entrant in config.bots if entrant.name == name)
    return entrant.isolation or config.isolation


def _player(config: Config, reference: str) -> str:
    names = [entrant.name for entrant in config.bots]
    if reference in names:
        return reference
    for entrant in config.bots:
        if reference.rstrip("/") == entrant.bot.rstrip("/"):
            return entrant.name
    raise UsageError(
        f"--debug {quoted(reference)}: no such player; {did_you_mean(reference, names)}"
    )


def _play(slot: Slot, job: Job, name: str) -> Record:
    try:
        if name not in job.names():
            return slot.play(job)
        seat = job.names().index(name)
        with patient(job, seat, slot.groups, name) as person:
            return slot.play(job, {seat: person})
    except NO_BLAME as error:
        raise MachineError(f"match {job.key} is void: {error}") from None
