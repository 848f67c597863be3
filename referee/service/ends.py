"""The end of a match played in a slot of this process: its result, or why it is void."""

import traceback
from pathlib import Path

from referee.errors import NO_BLAME, AbsentError, ShortageError
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.sandbox.errors import ExhaustedError
from referee.service.slot import Following, Slot


def played(slot: Slot, job: Job, following: Following = lambda: None) -> MatchEnd:
    """Play a match and return its end; no exception of it passes."""
    try:
        return MatchEnd(job, slot.play(job, following=following).finished())
    except Exception as error:  # noqa: BLE001 - whatever it is, it is ours: the match is void
        return MatchEnd(
            job,
            void=reason_of(error),
            suspect=slot.suspect,
            is_exhausted=isinstance(error, ExhaustedError),
            is_short=isinstance(error, ShortageError),
            is_absent=isinstance(error, AbsentError) and slot.suspect is not None,
            void_record=slot.void_bytes(job, error),
        )


def reason_of(error: Exception) -> str:
    """Return the reason of a void match, with file and line for an internal error."""
    if isinstance(error, NO_BLAME):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = str(error) or "no memory is left" if isinstance(error, MemoryError) else str(error)
    return f"{type(error).__name__}: {said} ({Path(place.filename).name}, line {place.lineno})"
