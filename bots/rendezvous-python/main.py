"""Rendezvous: chooses the cheapest of several flights of two burns, corrects it, and brakes."""

from __future__ import annotations

import time
from math import atan2, degrees, hypot, sqrt

from ahead import Motion, Sky, course, straight
from arena_bot import Bot, Fields, play, run

TIMES = (1, 10, 60, 600, 3600)
BURNS = [(thrust * time, thrust, time) for thrust in (10, 20, 30) for time in (1, 10, 60, 600)]
"""Changes of velocity by a move, with its thrust and its time."""
WAITS = 8
"""Times of departure within an orbit."""
FLIGHTS = 13
"""Flights of different length for each time of departure."""
GROWTH = 1.25
BRAKE = 15.0
"""Planned deceleration in m/s^2: half of the engine's."""
DELAY = 0.3
"""Delay of an arrival if a body is in the way, in units of the time in which the path bends."""
ORBITS = 30
"""The bot aims at a moon if its arrival is this near, in units of the same time."""


class Rendezvous(Bot):
    """Plans in its first move."""

    name = "rendezvous-python"
    version = "1"
    wants = ("view",)

    def on_init(self, init: Fields) -> None:
        view = init["view"]
        self.pulls = [pull * 1e9 for pull in view["gravity"]]
        self.radii = [float(radius) for radius in view["radius"]]
        self.target: int = view["target"]
        self.near = float(view["distance"])
        self.longest = init["options"]["plies"] * 3600 * 0.6
        self.is_braking = False
        self.change = (0.0, 0.0)
        """Remaining change of velocity, as far as known."""
        self.departure = self.arrival = 0.0
        self._read(view)
        self._plan(time.process_time() + init["time"]["init_ms"] / 4000)

    def on_move(self, call: Fields) -> Fields:
        self._read(call["view"])
        if self.now < self.departure:
            return self._coast(self.departure - self.now)
        left = self.arrival - self.now
        x, y, vx, vy = self._relative()
        speed, away = hypot(vx, vy), hypot(x, y)
        if self.is_braking or left < max(speed / BRAKE, 2.0) or away < 2 * self.near:
            self.is_braking = True
            return self._brake(x, y, vx, vy)
        sky, aim = self._sky(left)
        limit = max(self.near / 5, away * 1e-6)
        x, y, vx, vy = self.ship
        guess = [x, y, vx + self.change[0], vy + self.change[1]]
        found = course(sky, guess, left, aim, limit)
        self.change = (0.0, 0.0)
        if found is not None and not found.is_clear and aim == self.target:
            # the planet is in the way: arrive when its moon has gone on
            self.arrival += DELAY * self._nearest(self.bodies[aim])[1]
        elif found is not None:
            change = (found.velocity[0] - self.ship[2], found.velocity[1] - self.ship[3])
            if hypot(*change) > 8:
                return self._burn(*change, left)
        return self._coast(min(left / 8, (left - speed / BRAKE) / 2))

    def _read(self, view: Fields) -> None:
        self.now: float = view["elapsed"]
        self.ship: Motion = [part / 1000 for part in view["ship"]]
        self.bodies: list[Motion] = [[part / 1000 for part in body] for body in view["bodies"]]

    def _relative(self) -> Motion:
        """Return the way to the target, and the velocity relative to it."""
        x, y, vx, vy = self.bodies[self.target]
        return [x - self.ship[0], y - self.ship[1], self.ship[2] - vx, self.ship[3] - vy]

    def _nearest(self, motion: Motion) -> tuple[int, float]:
        """Return the body with the strongest pull, and the time in which a path bends there."""
        pulls = []
        for number, body in enumerate(self.bodies):
            square = (body[0] - motion[0]) ** 2 + (body[1] - motion[1]) ** 2
            if self.pulls[number] and square > 1:
                pulls.append((self.pulls[number] / square, number, square))
        _, number, square = max(pulls)
        return number, sqrt(square**1.5 / self.pulls[number])

    def _sky(self, left: float) -> tuple[Sky, int]:
        """Return the bodies, and the one to aim at: far away, the planet instead of its moon."""
        center, bend = self._nearest(self.bodies[self.target])
        sky = Sky(self.bodies, self.pulls, self.radii)
        if left < ORBITS * bend or center == 0:
            return sky, self.target
        keep = [number for number in range(len(self.bodies)) if number != self.target]
        bodies = [sky.bodies[number] for number in keep]
        pulls = [sky.pulls[number] for number in keep]
        radii = [sky.radii[number] for number in keep]
        return Sky(bodies, pulls, radii), keep.index(center)

    def _plan(self, until: float) -> None:
        """Choose departure and arrival with the least change of velocity."""
        home, bend = self._nearest(self.ship)
        x, y, _, _ = self._relative()
        away = hypot(x, y)
        body = self.bodies[home]
        is_far = away > 5 * hypot(self.ship[0] - body[0], self.ship[1] - body[1])
        shortest = 2 * sqrt(away / 10) if is_far else 2 * bend
        self.arrival = 3 * shortest
        best = None
        start, now, bodies = self.ship, self.now, self.bodies
        for _ in range(WAITS):
            for flight in range(FLIGHTS):
                left = shortest * GROWTH**flight
                if left > self.longest or time.process_time() > until:
                    break
                sky, aim = self._sky(left)
                guess = list(self.ship)
                if is_far:
                    guess[2:] = straight(sky, self.ship, left, aim, home)
                found = course(sky, guess, left, aim, max(self.near, away * 1e-4))
                if found is None or not found.is_clear:
                    continue
                vx, vy = found.velocity
                cost = hypot(vx - self.ship[2], vy - self.ship[3]) + found.arrival
                if best is None or cost < best:
                    best, self.departure, self.arrival = cost, self.now, self.now + left
                    self.change = (vx - self.ship[2], vy - self.ship[3])
            self._wait(bend * 6.2832 / WAITS)
        self.ship, self.now, self.bodies = start, now, bodies

    def _wait(self, seconds: float) -> None:
        """Move the simulation to a later time of departure."""
        ship = list(self.ship)
        sky = Sky(self.bodies, self.pulls, self.radii)
        sky.fly([ship], seconds, self.target)
        self.ship, self.bodies, self.now = ship, sky.bodies, self.now + seconds

    def _coast(self, seconds: float) -> Fields:
        return _push(0, 0, 0, max((time for time in TIMES if time <= seconds), default=1))

    def _burn(self, x: float, y: float, left: float) -> Fields:
        """Play the largest burn that is not larger than a change of velocity."""
        size = hypot(x, y)
        fitting = [burn for burn in BURNS if burn[0] <= size + 5 and burn[2] <= max(1, left / 50)]
        change, thrust, time = max(fitting)
        self.change = (x * (1 - change / size), y * (1 - change / size))
        return _push(thrust, x, y, time)

    def _brake(self, x: float, y: float, vx: float, vy: float) -> Fields:
        """Approach no faster than the engine can brake."""
        away = hypot(x, y)
        allowed = sqrt(2 * BRAKE * max(0.0, away - 0.9 * self.near))
        closing = (x * vx + y * vy) / away
        wanted = min(allowed, max(closing, min(500.0, max(10.0, away / 200))))
        change = (wanted * x / away - vx, wanted * y / away - vy)
        size = hypot(*change)
        room = max(away - 0.9 * self.near, 0.02 * self.near)
        limit = 0.15 * room / max(hypot(vx, vy), 1.0)
        time = max((time for time in TIMES[:4] if time <= limit), default=1)
        thrust = min(30, 10 * round(size / time / 10))
        return _push(thrust, *change, time)


def _push(thrust: int, x: float, y: float, seconds: int) -> Fields:
    heading = 5 * round(degrees(atan2(y, x)) / 5) % 360 if thrust else 0
    return play({"thrust": thrust, "heading": heading, "seconds": seconds})


if __name__ == "__main__":
    run(Rendezvous())
