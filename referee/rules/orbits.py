"""Motion of a ship and of bodies under their gravity, the same to the last digit everywhere.

The arithmetic is that of IEEE doubles, only + - * / and the square root in a fixed order; these are
exact to the last digit by the standard, on every machine. Positions and velocities are integers
between moves, in mm and mm/s, rounded half to even.

A step of h seconds is a leapfrog step: half of the acceleration, then the positions, then the other
half with the new acceleration. Its error of energy does not grow with time.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

Motion = tuple[int, int, int, int]
"""x and y in mm, and their velocities in mm/s."""

_Pair = tuple[float, float]
_Floats = tuple[float, float, float, float]
_Bodies = tuple[_Floats, ...]

STEPS = {1: 1, 10: 10, 60: 20, 600: 60, 3600: 60}
"""Seconds of a move, and of each of its steps."""
_MM = 1000.0
_M3 = 1e9
"""Cubic metres in a cubic kilometre."""
EDGE = 2e12
"""Largest distance of a ship from the origin in m."""
_COSINES = (
    *(1_000_000, 996_195, 984_808, 965_926, 939_693, 906_308, 866_025, 819_152, 766_044, 707_107),
    *(642_788, 573_576, 500_000, 422_618, 342_020, 258_819, 173_648, 87_156, 0),
)
"""Cosines of 0, 5, ..., 90 degrees in millionths."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body: gravity parameter in km^3/s^2 (0: attracts nothing), radius in m, start."""

    name: str
    gravity: int
    radius: int
    center: int | None = None
    """Number of the body circled by this one; None for the middle of a scenario."""
    distance: int = 0
    """Radius of its circle, in m."""


@dataclass(frozen=True, slots=True)
class Flight:
    """The result of a move: motions, the seconds flown, and the end of the flight if any."""

    ship: Motion
    bodies: tuple[Motion, ...]
    seconds: int
    end: str


@dataclass(frozen=True, slots=True)
class Docking:
    """The target's number, and the limits of distance (m) and relative speed (m/s)."""

    target: int
    distance: int
    speed: int


def cosine(heading: int) -> int:
    """Return the cosine of a heading in steps of 5 degrees, in millionths."""
    turned = heading % 360 // 5
    turned = min(turned, 72 - turned)
    return _COSINES[turned] if turned <= 18 else -_COSINES[36 - turned]


def circle(center: Motion, gravity: int, distance: int, direction: tuple[float, float]) -> Motion:
    """Return the motion on a circle, counter-clockwise, in a direction of length 1 from a body."""
    speed = sqrt(gravity * _M3 / distance)
    x, y = direction
    return (
        center[0] + round(distance * _MM * x),
        center[1] + round(distance * _MM * y),
        center[2] + round(-speed * _MM * y),
        center[3] + round(speed * _MM * x),
    )


class Space:
    """The bodies of a scenario, and how a ship flies among them."""

    def __init__(self, bodies: tuple[Body, ...], docking: Docking) -> None:
        self._docking = docking
        self._pulls = tuple(body.gravity * _M3 for body in bodies)
        self._radii = tuple(float(body.radius) * body.radius for body in bodies)

    def fly(
        self, ship: Motion, bodies: tuple[Motion, ...], push: tuple[float, float], seconds: int
    ) -> Flight:
        """Fly with an acceleration in m/s^2, until the end of the seconds or of the flight."""
        x, y, vx, vy = (part / _MM for part in ship)
        step = STEPS[seconds]
        h, half = float(step), step / 2
        path = _path(self._pulls, bodies, seconds)
        ax, ay = self._felt(path[0], x, y, push)
        end, flown = "", 0
        for moving in path[1:]:
            vx, vy = vx + ax * half, vy + ay * half
            x, y = x + vx * h, y + vy * h
            flown += 1
            if end := self._collision(moving, x, y):
                break
            ax, ay = self._felt(moving, x, y, push)
            vx, vy = vx + ax * half, vy + ay * half
            if end := self._meeting(moving[self._docking.target], x, y, vx, vy):
                break
        after = tuple(_rounded(*body) for body in path[flown])
        return Flight(_rounded(x, y, vx, vy), after, flown * step, end)

    def _felt(self, moving: _Bodies, x: float, y: float, push: tuple[float, float]) -> _Pair:
        """Return the acceleration of the ship."""
        ax, ay = push
        for body, pull in zip(moving, self._pulls, strict=True):
            if pull:
                dx, dy = body[0] - x, body[1] - y
                square = dx * dx + dy * dy
                factor = pull / (square * sqrt(square))
                ax, ay = ax + dx * factor, ay + dy * factor
        return ax, ay

    def _collision(self, moving: _Bodies, x: float, y: float) -> str:
        """Return how the flight ends at a place: crashed, lost, or not at all."""
        for body, radius in zip(moving, self._radii, strict=True):
            dx, dy = body[0] - x, body[1] - y
            if dx * dx + dy * dy < radius:
                return "crashed"
        return "lost" if x * x + y * y > EDGE * EDGE else ""

    def _meeting(self, body: _Floats, x: float, y: float, vx: float, vy: float) -> str:
        """Return whether the ship has met its target."""
        limits = self._docking
        dx, dy, dvx, dvy = body[0] - x, body[1] - y, body[2] - vx, body[3] - vy
        is_near = dx * dx + dy * dy <= float(limits.distance) * limits.distance
        return "met" if is_near and dvx * dvx + dvy * dvy <= limits.speed * limits.speed else ""


@lru_cache(maxsize=64)
def _path(pulls: tuple[float, ...], bodies: tuple[Motion, ...], seconds: int) -> list[_Bodies]:
    """Return the bodies before a move and after each of its steps; the ship pulls none of them."""
    step = STEPS[seconds]
    h, half = float(step), step / 2
    moving = [[part / _MM for part in body] for body in bodies]
    path = [_frozen(moving)]
    pulled = _pulled(pulls, moving)
    for _ in range(seconds // step):
        for body, (ax, ay) in zip(moving, pulled, strict=True):
            body[2] += ax * half
            body[3] += ay * half
            body[0] += body[2] * h
            body[1] += body[3] * h
        pulled = _pulled(pulls, moving)
        for body, (ax, ay) in zip(moving, pulled, strict=True):
            body[2] += ax * half
            body[3] += ay * half
        path.append(_frozen(moving))
    return path


def _pulled(pulls: tuple[float, ...], moving: list[list[float]]) -> list[list[float]]:
    """Return the accelerations of the bodies by each other."""
    pulled = [[0.0, 0.0] for _ in moving]
    for one, (x, y, *_) in enumerate(moving):
        for two in range(one):
            dx, dy = moving[two][0] - x, moving[two][1] - y
            square = dx * dx + dy * dy
            cube = square * sqrt(square)
            near, far = pulls[two] / cube, pulls[one] / cube
            pulled[one][0] += dx * near
            pulled[one][1] += dy * near
            pulled[two][0] -= dx * far
            pulled[two][1] -= dy * far
    return pulled


def _frozen(moving: list[list[float]]) -> _Bodies:
    return tuple((x, y, vx, vy) for x, y, vx, vy in moving)


def _rounded(x: float, y: float, vx: float, vy: float) -> Motion:
    return round(x * _MM), round(y * _MM), round(vx * _MM), round(vy * _MM)
