"""Remaining work of a seat, with corrections to the sum over its men.

Late in a match it also counts obstacles for the last men: sideways steps to the remaining holes of
the goal, and men of others that are enclosed in it.
"""

from __future__ import annotations

from star import EMPTY, Course, Star

# A step astray costs more than a man's burden saves by standing nearer to the line. Letting an
# enclosed man out may take two men out of the goal again.
PER_STEP_ASTRAY, PER_SHUT_IN = 12, 200
PAIRED_EXACTLY = 4


def is_late(star: Star, seat: int) -> bool:
    """Tell whether it is time for `burden_late`: half of the men are in the goal."""
    return 2 * star.arrived[seat] >= star.men_count


def burden_late(star: Star, seat: int) -> int:
    """Return the burden of all men and of their obstacles."""
    burden = star.burden[seat] + PER_STEP_ASTRAY * _astray(star, seat)
    if not star.is_goal_shared and star.filled[star.courses[seat].goal] > star.arrived[seat]:
        burden += PER_SHUT_IN * _shut_in(star, seat)
    return burden


def _astray(star: Star, seat: int) -> int:
    course, zones, board = star.courses[seat], star.zones, star.board
    men = [cell for cell in star.men[seat] if zones[cell] != course.goal]
    filling = range(EMPTY + 1, 7) if star.is_goal_shared else (seat + 1,)
    holes = [cell for cell in course.points if board[cell] not in filling]
    star.work += len(men)
    if len(men) <= PAIRED_EXACTLY:
        return _least_astray(course, men, holes)
    # Many are paired from left to right, which is nearly the best.
    men.sort(key=course.aside.__getitem__)
    holes.sort(key=course.aside.__getitem__)
    return sum(
        _steps_astray(course, men[place * len(men) // len(holes)], hole)
        for place, hole in enumerate(holes)
    )


def _least_astray(course: Course, men: list[int], holes: list[int]) -> int:
    """Return the steps astray in the best of all pairings; there may be fewer holes than men."""
    if not holes:
        return 0
    first, *others = holes
    least = None
    for place, man in enumerate(men):
        steps = _steps_astray(course, man, first)
        if least is None or steps < least:
            steps += _least_astray(course, men[:place] + men[place + 1 :], others)
            least = steps if least is None else min(least, steps)
    return least or 0


def _steps_astray(course: Course, man: int, hole: int) -> int:
    """Return the number of steps from a man to a hole that do not lead closer to the tip."""
    down = abs(course.far[man] - course.far[hole])
    return max(0, abs(course.aside[man] - course.aside[hole]) - down) // 2


def _shut_in(star: Star, seat: int) -> int:
    """Return the number of men of others in the goal that cannot leave it in one move."""
    board, zones, goal = star.board, star.zones, star.courses[seat].goal
    shut_in = 0
    for cell in star.courses[seat].points:
        if board[cell] in (EMPTY, seat + 1):
            continue
        steps = [cell + step for step in star.steps if board[cell + step] == EMPTY]
        shut_in += all(zones[to] == goal for to in steps + star.jumps(cell))
    return shut_in
