"""Chooses a move: by alpha-beta against one rival in the way, otherwise by a beam search.

The beam has own moves only, as if the others stood still.
"""

from __future__ import annotations

from typing import NamedTuple

from duel import Duel
from race import race
from racer import Racer
from star import TRIANGLES, Move, Star

DEPTH_MAX = 16
WIDTH_ROOT = 30
PATIENCE = 8  # Moves without progress before the rival is ignored.
CROWD_DEPTH, RACE_DEPTH = 4, 8


class Found(NamedTuple):
    """A move, or a pass with from = to if there is none, and the depth of the search."""

    move: Move
    depth: int


def choose(racer: Racer, rivals: list[int], depth: int, work: int) -> Found:
    """Return the move of the racer's seat; `rivals` are the others that still play.

    It depends on the racer's seed and the moves chosen before, never on time.
    """
    star = racer.star
    racer.look()
    star.work = 0
    roots = star.moves(racer.seat, WIDTH_ROOT)
    if not roots:
        cell = star.men[racer.seat][0]
        return Found((0, cell, cell), 0)
    racer.random.shuffle(roots)
    roots.sort(key=lambda move: -move[0])
    if len(rivals) == 1 and racer.idle < PATIENCE and not _has_passed(star, racer.seat, rivals[0]):
        found = Found(*Duel(racer, rivals[0], work).best(roots, depth))
    else:
        depth_max = CROWD_DEPTH if len(rivals) > 1 else RACE_DEPTH
        found = Found(*race(racer, roots, min(depth, depth_max), work))
    racer.note(found.move)
    return found


def _has_passed(star: Star, seat: int, rival: int) -> bool:
    """Tell whether all own men have passed all men of a rival who goes the opposite way.

    They cannot hinder each other any more.
    """
    course = star.courses[seat]
    if (course.goal + TRIANGLES // 2) % TRIANGLES != star.courses[rival].goal:
        return False
    last = max(course.far[cell] for cell in star.men[seat])
    return last + 1 < min(course.far[cell] for cell in star.men[rival])
