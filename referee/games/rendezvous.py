"""Rendezvous, after the Programmer's Challenge of December 1998: a game for one seat.

A ship in orbit round the Earth flies to a target, and must arrive with nearly the target's
velocity. The smaller the total change of velocity on the way, the better. Of the original the
report of the winner survives, not the interface; this game follows the report.

* A move is an acceleration by the engine for some time: `thrust` of 0, 10, 20 or 30 m/s^2 in
  the direction `heading`, in degrees counter-clockwise from the x axis, in steps of 5, for
  `seconds` of 1, 10, 60, 600 or 3600. The direction stays the same during a move. With thrust 0 the
  heading is 0. Fuel is unlimited.
* All happens in a plane. The ship and all bodies are attracted by all bodies (Newton's law); the
  ship itself and small bodies attract nothing.
* The scenarios: `orbits`, to a station in another orbit round the Earth; `moon`; `ganymede`, a moon
  of Jupiter; `phobos`, a moon of Mars. Where everything is at the start depends on the seed.
* The rendezvous is made as soon as both the distance from the middle of the target and the relative
  velocity are within the limits of the scenario. It scores 1,000,000,000 divided by the total
  change of velocity in m/s, thrust times seconds of all moves, rounded down: half of the change,
  twice the points.
* There are 0 points if the ship comes closer to the middle of a body than its radius, if the ship
  is more than 2 * 10^12 m from the origin, or if `plies` moves do not suffice. The player may stop
  at any time, and has 0 points as well.
* Moves are computed in steps of 1, 10, 20, 60 and 60 s for the five lengths of a move, by the
  leapfrog method with numbers of 64 bits; after each move positions and velocities are rounded to
  mm and mm/s. So the view is complete, and a bot computing in the same order as
  referee/rules/orbits.py knows the next view exactly. Limits are checked after each step.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Annotated, ClassVar, Literal, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Margins, NotationError, Outcome
from referee.rules.layout import Layout, Piece, Place
from referee.rules.orbits import STEPS, Body, Docking, Motion, Space, circle, cosine

MOVES: tuple["Move", ...]
POINTS = 1_000_000_000
SIDE = 41
"""Rows and columns of the map."""
_SHIP = Piece(shape="text", color=1, text="*", name="ship")


@dataclass(frozen=True, slots=True)
class Move:
    """An acceleration in m/s^2, its direction in degrees, and its time in seconds."""

    thrust: int
    heading: int
    seconds: int


class State(NamedTuple):
    """A position. Motions are (x, y, vx, vy) in mm and mm/s."""

    ship: Motion
    bodies: tuple[Motion, ...]
    ply: int = 0
    elapsed: int = 0
    """Seconds since the start."""
    change: int = 0
    """Total change of velocity so far, in m/s."""
    reason: str = ""
    """How the game has ended, empty before."""


@dataclass(frozen=True)
class Scenario:
    """Bodies, the first being the middle, and the limits of the docking."""

    bodies: tuple[Body, ...]
    docking: Docking
    home: int = 0
    """Number of the Earth."""
    spread: int = 0
    """Largest random addition to the radius of the target's orbit, in m."""


_EARTH = Body("Earth", 398_600, 6_378_000)
_SUN = Body("Sun", 132_712_440_018, 696_000_000)
_AROUND_SUN = Body("Earth", 398_600, 6_378_000, 0, 149_600_000_000)
SCENARIOS = {
    "orbits": Scenario(
        (
            _EARTH,
            Body("Moon", 4_903, 1_737_000, 0, 384_400_000),
            Body("station", 0, 0, 0, 7_000_000),
        ),
        Docking(2, 5_000, 20),
        spread=3_000_000,
    ),
    "moon": Scenario(
        (_EARTH, Body("Moon", 4_903, 1_737_000, 0, 384_400_000)), Docking(1, 2_500_000, 100)
    ),
    "ganymede": Scenario(
        (
            _SUN,
            _AROUND_SUN,
            Body("Jupiter", 126_686_534, 69_911_000, 0, 778_500_000_000),
            Body("Ganymede", 9_888, 2_634_000, 2, 1_070_400_000),
        ),
        Docking(3, 3_500_000, 200),
        home=1,
    ),
    "phobos": Scenario(
        (
            _SUN,
            _AROUND_SUN,
            Body("Mars", 42_828, 3_390_000, 0, 227_900_000_000),
            Body("Phobos", 0, 11_000, 2, 9_376_000),
        ),
        Docking(3, 100_000, 50),
        home=1,
    ),
}
_ALTITUDE = 6_778_000
"""Radius of the ship's first orbit, in m."""
_SPACES = {name: Space(one.bodies, one.docking) for name, one in SCENARIOS.items()}


@dataclass(frozen=True, kw_only=True)
class Rendezvous(Game[State, Move]):
    """The rules of Rendezvous with its options."""

    name: ClassVar[str] = "rendezvous"
    summary: ClassVar[str] = (
        "fly to a station or a moon, with little change of velocity, alone (1998)"
    )
    seats: ClassVar[range] = range(1, 2)
    move_type: ClassVar[type] = Move
    margins: ClassVar[Margins] = Margins(below=1)

    scenario: Literal["orbits", "moon", "ganymede", "phobos"] = "orbits"
    """The target: a station in another orbit, the Moon, Ganymede, or Phobos."""
    plies: Annotated[int, Interval(ge=1, le=10_000)] = 2000
    """Limit of moves for a rendezvous."""

    def start(self, seats: int, seed: int) -> State:
        """Return all bodies and the ship on circles, at directions from the seed."""
        chance = Random(seed)  # noqa: S311 - a start is no secret
        scenario = self._scenario
        motions: list[Motion] = []
        for body in scenario.bodies:
            if body.center is None:
                motions.append((0, 0, 0, 0))
                continue
            more = int(chance.random() * scenario.spread) if body.name == "station" else 0
            gravity = scenario.bodies[body.center].gravity + body.gravity
            center = motions[body.center]
            motions.append(circle(center, gravity, body.distance + more, _direction(chance)))
        home = scenario.bodies[scenario.home].gravity
        ship = circle(motions[scenario.home], home, _ALTITUDE, _direction(chance))
        return State(ship, tuple(motions))

    def turn(self, state: State) -> Seat:
        """Return 0, the only seat."""
        return 0

    def legal(self, state: State) -> Iterator[Move]:
        """Yield every move until the end."""
        if not state.reason:
            yield from MOVES

    def choices(self, state: State) -> tuple[tuple[Move, ...], bytes]:
        """Return all moves, legal until the end."""
        return MOVES, bytes(len(MOVES)) if state.reason else _ALL_LEGAL

    def apply(self, state: State, move: Move) -> State:
        """Fly for the time of the move, or until the end of the flight."""
        if state.reason:
            raise IllegalMoveError(f"{self.notation(move)}: the game is over")
        if move not in _KNOWN:
            raise IllegalMoveError(f"{self.notation(move)}: {_RULE}")
        push = (
            move.thrust * cosine(move.heading) / 1e6,
            move.thrust * cosine(move.heading - 90) / 1e6,
        )
        flight = _SPACES[self.scenario].fly(state.ship, state.bodies, push, move.seconds)
        ply = state.ply + 1
        end = {"met": "rendezvous made"}.get(flight.end, flight.end)
        if not end and ply >= self.plies:
            end = f"no rendezvous in {self.plies} plies"
        return State(
            flight.ship,
            flight.bodies,
            ply,
            state.elapsed + flight.seconds,
            state.change + move.thrust * flight.seconds,
            end,
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        if not state.reason:
            return None
        is_met = state.reason == "rendezvous made"
        points = POINTS // max(state.change, 1) if is_met else 0
        return Outcome.by_points((points,), state.reason)

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault, without points."""
        return state._replace(reason="incorrect: seat 0 retired")

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return the points of a rendezvous, otherwise 0, also after a reply with `done`."""
        result = self.outcome(state)
        return Outcome.by_points(result.points if result else (0,), reason)

    def notation(self, move: Move) -> str:
        """Return the move as `thrust,heading,seconds`."""
        return f"{move.thrust},{move.heading},{move.seconds}"

    def parse(self, text: str) -> Move:
        """Parse a move like `thrust,heading,seconds`."""
        found = _NOTATION.fullmatch(text.strip())
        if found is None:
            raise NotationError(
                f'"{text}" is not a move: write thrust, heading and seconds, like "20,45,60"'
            )
        return Move(int(found[1]), int(found[2]), int(found[3]))

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the motions in mm and mm/s, and the data of the bodies."""
        bodies, docking = self._scenario.bodies, self._scenario.docking
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "elapsed": state.elapsed,
            "change": state.change,
            "ship": list(state.ship),
            "bodies": [list(motion) for motion in state.bodies],
            "names": [body.name for body in bodies],
            "gravity": [body.gravity for body in bodies],
            "radius": [body.radius for body in bodies],
            "target": docking.target,
            "distance": docking.distance,
            "speed": docking.speed,
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the map, and the caption below."""
        pieces = self.pieces(state, seat)
        rows = [
            "".join(
                f" {pieces[place].text if place in pieces else '.'}"
                for place in range(row * SIDE, (row + 1) * SIDE)
            )
            for row in range(SIDE)
        ]
        return "\n".join([*rows, self.caption(state)])

    def layout(self, seats: int) -> Layout:
        """Return the places of the map, without labels: its scale depends on the scenario."""
        half = SIDE // 2
        names = tuple(
            f"{place % SIDE - half},{half - place // SIDE}" for place in range(SIDE * SIDE)
        )
        return Layout(
            kind="free",
            spots=tuple((float(place % SIDE), float(place // SIDE)) for place in range(SIDE**2)),
            names=names,
        )

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the ship, the target and the bodies within the map, the most important on top."""
        scenario = self._scenario
        scale = max(body.distance for body in scenario.bodies if body.name != "Moon")
        if self.scenario == "moon":
            scale = scenario.bodies[1].distance
        reach = (scale + scenario.spread) * 1_000 * 11 // 10
        middle = state.bodies[0]
        pieces: dict[Place, Piece] = {}
        shown = [
            (motion, _piece(body))
            for body, motion in zip(scenario.bodies, state.bodies, strict=True)
        ]
        target = scenario.docking.target
        shown.append((state.bodies[target], _target(scenario.bodies[target])))
        for motion, piece in (*shown, (state.ship, _SHIP)):
            # a place is reach / 20 wide, with the first body in the middle
            col, row = (
                (2 * part * (SIDE // 2) + reach) // (2 * reach)
                for part in (motion[0] - middle[0], middle[1] - motion[1])
            )
            if max(abs(col), abs(row)) <= SIDE // 2:
                pieces[(row + SIDE // 2) * SIDE + col + SIDE // 2] = piece
        return pieces

    def kinds(self) -> tuple[Piece, ...]:
        """Return all bodies, the target and the ship."""
        bodies = self._scenario.bodies
        return (*map(_piece, bodies), _target(bodies[self._scenario.docking.target]), _SHIP)

    def scalars(self, state: State, seat: Seat) -> tuple[float, ...]:
        """Return the motions of ship and bodies, time, and change of velocity, in m and s."""
        motions = (state.ship, *state.bodies)
        return (*(part / 1000 for each in motions for part in each), state.elapsed, state.change)

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return distance, relative velocity, change of velocity and time."""
        body = state.bodies[self._scenario.docking.target]
        x, y, vx, vy = (one - other for one, other in zip(state.ship, body, strict=True))
        distance, speed = sqrt(x * x + y * y) / 1e6, sqrt(vx * vx + vy * vy) / 1000
        hours, seconds = divmod(state.elapsed, 3600)
        return (
            f"distance: {distance:,.0f} km, relative velocity: {speed:,.0f} m/s,"
            f" change of velocity: {state.change:,} m/s,"
            f" time: {hours}:{seconds // 60:02}:{seconds % 60:02}"
        )

    @property
    def _scenario(self) -> Scenario:
        return SCENARIOS[self.scenario]


def _piece(body: Body) -> Piece:
    return Piece(shape="text", text=body.name[0], name=body.name)


def _target(body: Body) -> Piece:
    return Piece(shape="text", color=2, text="+", name=body.name)


def _direction(chance: Random) -> tuple[float, float]:
    """Return a random direction of length 1, from the same numbers on every machine."""
    while True:
        x, y = chance.random() * 2 - 1, chance.random() * 2 - 1
        if 0.01 < (square := x * x + y * y) <= 1:
            length = sqrt(square)
            return x / length, y / length


MOVES = tuple(
    Move(thrust, heading, seconds)
    for thrust in (0, 10, 20, 30)
    for heading in (range(0, 360, 5) if thrust else (0,))
    for seconds in STEPS
)
_KNOWN = frozenset(MOVES)
_ALL_LEGAL = b"\1" * len(MOVES)
_RULE = (
    "thrust is 0, 10, 20 or 30, heading 0 to 355 in steps of 5 (0 without thrust), and seconds 1,"
    " 10, 60, 600 or 3600"
)
_NOTATION = re.compile(r"(-?[0-9]{1,16}),\s*(-?[0-9]{1,16}),\s*(-?[0-9]{1,16})")
