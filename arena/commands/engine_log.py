"""Files with every line to and from the engines of an event, if they are wanted."""

from dataclasses import replace
from pathlib import Path

from arena.errors import UsageError
from arena.event.plan import Plan
from arena.results.store import EventRow


def check_engine_log(folder: Path | None, cluster: str | None) -> None:
    """Raise UsageError if the referees of an event could not write files to the folder."""
    if folder is None:
        return
    if cluster is not None:
        raise UsageError("--engine-log is for matches of this machine; leave out --cluster")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--engine-log {folder}: {error.strerror}; name a folder") from None


def with_engine_log(plan: Plan, folder: Path | None, event: EventRow) -> Plan:
    """Return a plan whose referees write a file for each seat of each match, if wanted."""
    if folder is None:
        return plan
    place = folder.resolve() / f"event-{event.id}"
    place.mkdir(mode=0o700, exist_ok=True)
    return replace(plan, job=replace(plan.job, dialog=str(place)))
