"""Engines that think during calls to others, where `time.ponder` allows it."""

from collections.abc import Sequence
from dataclasses import replace

from arena.bots.protocols import pondering
from arena.config.event import Entrant
from arena.config.formats import chosen_seats
from arena.config.model import EventSection
from arena.reading.checking import KeyFault


def with_pondering(
    section: EventSection, entrants: Sequence[Entrant]
) -> tuple[list[Entrant], list[KeyFault]]:
    """Return the entrants, engines with their settings for it, and the fault of too few cores."""
    if not section.time.ponder:
        return list(entrants), []
    changed, engines = [], []
    for entrant in entrants:
        run = None if entrant.broken or entrant.remote else pondering(entrant.manifest.run)
        if run is None:
            changed.append(entrant)
            continue
        engines.append(entrant.name)
        manifest = replace(entrant.manifest, run=run)
        changed.append(entrant.model_copy(update={"manifest": manifest}))
    seats = max(chosen_seats(section))
    if not engines or section.cores >= seats:
        return changed, []
    detail = (
        f"time.ponder has {engines[0]} think while its opponent does, so each bot of a match needs"
        f" a core; set cores: {seats}"
    )
    return changed, [KeyFault(("time", "ponder"), detail)]
