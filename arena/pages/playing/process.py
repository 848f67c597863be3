"""The process of one match with people: `python -m arena.pages.playing.process`.

The web server starts one for each match. Orders come from stdin, one JSON object per line: first
the match to play, then what people type. What each person sees goes to stdout in the same form. The
process ends with its bots when the match ends, at the end of stdin, and with the server.
"""

import json
import os
import signal
import sys
import traceback
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from arena.bots.building import BuildTerms
from arena.counting.positions import game_with
from arena.errors import ArenaError
from arena.pages.playing.scene import moves_from, scene_page
from arena.pages.scenes import Palette
from arena.people.match import MatchSetup, play, set_up_continuation, set_up_match, store_match
from arena.people.person import PersonScene, Quit, can_take_back
from arena.people.result import result_text
from arena.people.unfinished import UnfinishedMatch
from arena.results.queries import find_match
from arena.results.store import Store
from arena.terminal.output import tell
from protocol.vocabulary import Seat
from referee.job import MILLISECOND_NS, TimeControl
from referee.sandbox import end_with_parent, guard_command

Order = dict[str, Any]


class PageConsole:
    """A person's console on a page. Lines typed for an earlier position are ignored."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._scene: PersonScene | None = None
        self._shown = 0
        self._palette = Palette()

    def show(self, scene: PersonScene) -> None:
        """Send the position."""
        self._scene = scene
        self._shown += 1
        send("scene", self._seat, shown=self._shown, **scene_page(scene, self._palette))

    def say(self, text: str) -> None:
        """Send a message."""
        send("said", self._seat, shown=self._shown, text=text)

    def read(self) -> str:
        """Return the next line typed for the shown position."""
        while True:
            send("asked", self._seat, shown=self._shown)
            order = read_order()
            if (order["seat"], order["shown"]) != (self._seat, self._shown):
                continue
            if "line" in order:
                return str(order["line"])
            assert self._scene is not None  # noqa: S101 - a position is shown
            first = order["first"]
            moves = moves_from(self._scene.game, self._scene.state, first)
            send("moves", self._seat, shown=self._shown, first=first, moves=moves)


def main() -> None:
    """Play one match; report its end, or the reason of a failure."""
    _settle(int(sys.argv[1]))
    try:
        _play(read_order())
    except Quit:
        return
    except ArenaError as error:
        send("failed", None, text=str(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, the page must learn of it
        send("failed", None, text=f"internal error: {type(error).__name__}: {error}")
        tell(traceback.format_exc().rstrip())
        raise SystemExit(1) from None


def send(kind: str, seat: Seat | None, **fields: Any) -> None:
    """Write one message to the server; end without a server."""
    text = json.dumps({"kind": kind, "seat": seat, **fields}, separators=(",", ":"))
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.kill(os.getpid(), signal.SIGTERM)


def read_order() -> Order:
    """Wait for the next message of the server; raises Quit at the end of the input."""
    if not (line := sys.stdin.readline()):
        raise Quit
    order: Order = json.loads(line)
    return order


def _settle(server: int) -> None:
    """Tie this process, and its children, to the server."""
    end_with_parent(signal.SIGTERM)
    if server != os.getppid():
        raise SystemExit(0)  # the server ended before the line above took effect
    guard_command()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C


def _play(order: Order) -> None:
    os.sched_setaffinity(0, order.get("cores") or os.sched_getaffinity(0))
    terms = BuildTerms(network=order["network"])
    store = Store(Path(order["db"]), is_new_allowed=True)
    try:
        setup = _sit_down(order, store, terms)
        time = TimeControl(clock=order["clock"], per_move_ns=order["per_move_ms"] * MILLISECOND_NS)
        setup = replace(setup, job=replace(setup.job, time=time))
        consoles = {seat: PageConsole(seat) for seat in setup.seats}
        _introduce(setup)
        ended = play(setup, consoles, terms, before=_before(order), keep=_keep)
        match = store_match(store, setup, ended)
        where = {"match": match.id, "event": match.event, "key": match.key}
        send("ended", None, text=result_text(ended.record), **where)
    finally:
        store.close()


def _before(order: Order) -> UnfinishedMatch:
    """Return the match so far of an order that resumes one."""
    given = order.get("before", {})
    return UnfinishedMatch(**{**given, "moves": tuple(given.get("moves", ()))})


def _keep(match: UnfinishedMatch | None) -> None:
    """Send the match so far to the server, which resumes it after a restart."""
    send("kept", None, before=None if match is None else asdict(match))


def _sit_down(order: Order, store: Store, terms: BuildTerms) -> MatchSetup:
    players, seed = order["players"], order["seed"]
    if (origin := order["origin"]) is not None:
        record = store.record(find_match(store, str(origin["match"])).id)
        return set_up_continuation(record, origin["ply"], players, seed=seed, terms=terms)
    return set_up_match(game_with(order["game"], order["options"]), players, seed=seed, terms=terms)


def _introduce(setup: MatchSetup) -> None:
    job, game = setup.job, setup.game
    layout = game.layout(len(job.players))
    send(
        "seated",
        None,
        game=job.game,
        options=job.options,
        names=job.names(),
        people=setup.seats,
        roles=[game.role(seat) for seat in job.seats()],
        can_take_back=can_take_back(game),
        layout=None if layout is None else asdict(layout),
    )


if __name__ == "__main__":
    main()
