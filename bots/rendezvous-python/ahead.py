"""Prediction of the places of bodies and ships, in m, m/s and s."""

from __future__ import annotations

from math import hypot, inf, sqrt
from typing import NamedTuple

Motion = list[float]
"""x, y and their velocities."""

SHARE = 0.06
"""Length of a step, as a part of the shortest time in which a path bends."""
NUDGE = 1.0
"""Test change of velocity, in m/s, to measure its effect on the place of arrival."""
ROUNDS = 9
MAX_STEPS = 4000
"""Limit of the steps calculated for a flight."""


class Sky:
    """Bodies at some time, without those of negligible pull."""

    def __init__(self, bodies: list[Motion], pulls: list[float], radii: list[float]) -> None:
        self.bodies = [list(body) for body in bodies]
        self.pulls = pulls
        self.radii = radii

    def copy(self) -> Sky:
        return Sky(self.bodies, self.pulls, self.radii)

    def fly(self, ships: list[Motion], seconds: float, aim: int) -> bool:
        """Move bodies and ships on; a body that is aimed at does not pull the ships.

        Return whether the first ship stays clear of all bodies but that one; False if it took too
        many steps to know.
        """
        is_clear = True
        steps = 0
        pulled = self._accelerations(ships, aim)
        objects = self.bodies + ships
        while seconds > 1e-6 and steps < MAX_STEPS:
            steps += 1
            bend, clear = self._bend(ships[0], aim)
            is_clear &= clear
            step = min(seconds, max(SHARE * bend, 1.0))
            half = step / 2
            for one, (ax, ay) in zip(objects, pulled, strict=True):
                one[2] += ax * half
                one[3] += ay * half
                one[0] += one[2] * step
                one[1] += one[3] * step
            pulled = self._accelerations(ships, aim)
            for one, (ax, ay) in zip(objects, pulled, strict=True):
                one[2] += ax * half
                one[3] += ay * half
            seconds -= step
        return is_clear and seconds <= 1e-6

    def _accelerations(self, ships: list[Motion], aim: int) -> list[tuple[float, float]]:
        found = []
        count = len(self.bodies)
        heavy = [(n, *self.bodies[n][:2], pull) for n, pull in enumerate(self.pulls) if pull]
        for number, one in enumerate(self.bodies + ships):
            ax = ay = 0.0
            x, y = one[0], one[1]
            skipped = number if number < count else aim
            for other, bx, by, pull in heavy:
                if other != skipped:
                    dx, dy = bx - x, by - y
                    square = dx * dx + dy * dy + 1.0
                    factor = pull / (square * sqrt(square))
                    ax += dx * factor
                    ay += dy * factor
            found.append((ax, ay))
        return found

    def _bend(self, ship: Motion, aim: int) -> tuple[float, bool]:
        """Return the shortest time in which a path bends, and whether the ship hits no body."""
        shortest, is_clear = inf, True
        target = self.bodies[aim]
        for number, body in enumerate(self.bodies):
            pull = self.pulls[number]
            if number == aim:
                continue
            away = hypot(body[0] - ship[0], body[1] - ship[1])
            is_clear &= away > 1.01 * self.radii[number]
            if pull:
                near = min(away, hypot(body[0] - target[0], body[1] - target[1]))
                shortest = min(shortest, sqrt(near * near * near / pull))
        return shortest, is_clear


class Course(NamedTuple):
    """A way to a body, by gravity alone."""

    velocity: tuple[float, float]
    """The velocity to leave with."""
    arrival: float
    """Velocity relative to the body on arrival."""
    is_clear: bool
    """Whether the ship stays clear of all other bodies."""


def course(sky: Sky, ship: Motion, seconds: float, aim: int, limit: float) -> Course | None:
    """Return the course that meets a body after `seconds`, or None if none is found.

    The velocity of the ship is the first guess, and `limit` the largest miss.
    """
    vx, vy = ship[2], ship[3]
    for _ in range(ROUNDS):
        later = sky.copy()
        ships = [
            [ship[0], ship[1], vx + dx, vy + dy] for dx, dy in ((0, 0), (NUDGE, 0), (0, NUDGE))
        ]
        is_clear = later.fly(ships, seconds, aim)
        (x, y, end_x, end_y), target = ships[0], later.bodies[aim]
        miss_x, miss_y = target[0] - x, target[1] - y
        if hypot(miss_x, miss_y) < limit:
            arrival = hypot(target[2] - end_x, target[3] - end_y)
            return Course((vx, vy), arrival, is_clear)
        a, c = (ships[1][0] - x) / NUDGE, (ships[1][1] - y) / NUDGE
        b, d = (ships[2][0] - x) / NUDGE, (ships[2][1] - y) / NUDGE
        if (area := a * d - b * c) == 0:
            return None
        change_x = (d * miss_x - b * miss_y) / area
        change_y = (a * miss_y - c * miss_x) / area
        most = 0.3 * hypot(vx, vy) + 1000
        cut = min(1.0, most / (hypot(change_x, change_y) + 1e-9))
        vx, vy = vx + cut * change_x, vy + cut * change_y
    return None


def straight(sky: Sky, ship: Motion, seconds: float, aim: int, home: int) -> tuple[float, float]:
    """Return a guess: straight to the body's place at arrival, with the energy to escape."""
    later = sky.copy()
    later.fly([list(sky.bodies[aim])], seconds, aim)
    x, y, base_x, base_y = sky.bodies[home]
    vx = (later.bodies[aim][0] - ship[0]) / seconds - base_x
    vy = (later.bodies[aim][1] - ship[1]) / seconds - base_y
    speed = hypot(vx, vy)
    escape = 2 * sky.pulls[home] / hypot(ship[0] - x, ship[1] - y)
    more = sqrt(speed * speed + escape) / speed
    return base_x + vx * more, base_y + vy * more
