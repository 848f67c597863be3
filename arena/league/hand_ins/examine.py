"""Examine hand-ins: unpack, build, check their conformance, play them. A process of its own.

`python -m arena.league.hand_ins.examine` reads orders as lines of JSON, one after the other, and
writes what it finds as lines of JSON (`examiner.py`). It ends when its input ends: with the
director, however that ends. Starting Python and loading Arena would be a third of an examination,
so that one process plays all matches of all hand-ins that wait; bots run in processes of their own.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from arena.bot_output import last_lines
from arena.bots.lfs_pointers import files_below, pointer_of
from arena.bots.manifest import Manifest
from arena.bots.shipped import MANIFEST
from arena.check.bench import Bench
from arena.check.check import find
from arena.check.findings import causes_text, summary
from arena.check.steps import steps_for
from arena.config.loading import load_config
from arena.errors import ArenaError, BotError, BuildError, MachineError, MissingToolchainError
from arena.league.handed_in import handed_in
from arena.league.seasons.season import Season, season_of
from arena.text import plural, seconds
from protocol.wording import escaped, quoted
from referee.job import Job, Player, TimeControl
from referee.records.record import Record
from referee.records.result import Finished, SeatRow
from referee.sandbox import guard_command, private_directory
from referee.service.ends import played
from referee.service.slot import Slot, open_slot
from referee.service.watchdog import Watchdog

ATTEMPTS = 3
"""Limit of attempts at a match; a void match is no bot's fault."""
OWN = "hand-in"
"""Name of the examined bot in its matches."""
MIRROR = "itself"
Tell = Callable[[str], None]
_CHUNK = 1 << 16


class RefusedError(ArenaError):
    """The hand-in is refused. `log` has the output that explains it."""

    def __init__(self, reason: str, log: str = "") -> None:
        super().__init__(reason)
        self.log = log


def main() -> None:
    """Carry out orders until the input ends."""
    guard_command()
    orders: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(orders,), daemon=True).start()
    Watchdog().start()
    cores = os.sched_getaffinity(0)
    while True:
        order = json.loads(orders.get())
        os.sched_setaffinity(0, order["cores"] or cores)
        carry_out(order)


def _read(orders: SimpleQueue[bytes]) -> None:
    """Put in the orders, and end with the director."""
    unread = b""
    while data := os.read(sys.stdin.fileno(), _CHUNK):
        *lines, unread = (unread + data).split(b"\n")
        for line in lines:
            orders.put(line)
    os._exit(1)


def carry_out(order: dict[str, Any]) -> None:
    """Examine a hand-in and write the result."""
    try:
        tree = examined(order, lambda line: _write({"line": line}))
        _write({"end": "accepted", "tree": tree})
    except MachineError as error:
        _write({"end": "machine", "reason": str(error)})
    except RefusedError as error:
        _write({"end": "refused", "reason": str(error), "log": error.log})
    except BuildError as error:
        _write({"end": "refused", "reason": "the build failed", "log": error.output})
    except MissingToolchainError as error:
        _write({"end": "refused", **_lack(error)})
    except ArenaError as error:
        _write({"end": "refused", "reason": str(error)})


def _lack(error: MissingToolchainError) -> dict[str, str]:
    """Return the reason for the entrant, and the notice for staff, who can install it."""
    if not all(error.packages.values()):
        return {"reason": str(error)}
    needs, _, _ = error.detail.partition(";")
    reason = f"bot {error.bot}: {needs} on the machine of the league; ask staff"
    return {"reason": reason, "notice": f"a hand-in {error.detail}"}


def _write(said: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def examined(order: dict[str, Any], tell: Tell) -> str:
    """Return the hash of a bot that has passed everything; raises RefusedError, ArenaError."""
    season = season_of(load_config(order["season"]), order["seed"])
    with private_directory() as folder:
        archive = Path(order["archive"])
        manifest = handed_in(archive, order["suffix"], order["bot"], folder)
        _require_game(manifest, season.config.game.name)
        _require_content(manifest)
        since_s = time.monotonic()
        bot = season.prepared(manifest, Path(order["bots"]))
        spent_s = time.monotonic() - since_s
        done = f"{'built' if manifest.build else 'unpacked'} in {spent_s:.1f} s"
        if bot.own_content == order["playing"]:
            tell(f"{done}; these files play already, and were checked before")
            return bot.own_content
        tell(f"{done}; the check begins")
        player = season.player(bot, OWN)
        with open_slot() as slot:
            _check(season, player, slot, tell)
            _play(season, player, slot, Path(order["bots"]), tell)
    return bot.own_content


def _require_game(manifest: Manifest, game: str) -> None:
    if not manifest.plays(game):
        games = " and ".join(manifest.games or ())
        raise BotError(manifest.name, f"does not play {game}; its {MANIFEST} names {games}")


def _require_content(manifest: Manifest) -> None:
    """Refuse files that are elsewhere, as in an archive that a site makes of a repository."""
    for file in files_below(manifest.path.parent):
        if pointer_of(file) is not None:
            name = quoted(str(file.relative_to(manifest.path.parent)))
            raise BotError(
                manifest.name,
                f"{name} is kept by Git LFS, whose content is elsewhere; hand in the file itself",
            )


def _check(season: Season, player: Player, slot: Slot, tell: Tell) -> None:
    """Check the conformance to the protocol like `arena check`."""
    ((_, game), *_) = season.config.game.variants()
    steps = steps_for(game)
    since_s = time.monotonic()
    # Under a longer limit the check of a slow bot takes long; a shorter one refuses a good bot.
    time_control = TimeControl(per_move_ns=season.plan.job.time.per_move_ns)
    bench = Bench(player, game, slot.groups, slot.users, time=time_control)  # a league has no TCP
    findings = list(find(steps, bench))
    spent = seconds(round((time.monotonic() - since_s) * 1e9))
    tell(f"check: {summary(findings, len(steps), spent)}")
    if failed := [each for each in findings if each.verdict == "FAIL"]:
        log = causes_text(findings, game.name)
        raise RefusedError(f"fails {plural(len(failed), 'step')} of `arena check`", log)


def _play(season: Season, player: Player, slot: Slot, bots: Path, tell: Tell) -> None:
    """Play against itself and against each house bot."""
    slowest_ns = 0
    for name, players in _rivals(season, player, bots):
        pair = season.pair(OWN, name, 0)
        jobs = [season.job(pairing, players) for pairing in pair]
        ends = [_finished(slot, job) for job in (jobs[:1] if name == MIRROR else jobs)]
        own = [_own_seat(match) for match in ends]
        for match, seat in zip(ends, own, strict=True):
            _require_no_fault(match, name)
            slowest_ns = max(slowest_ns, _slowest_ns(match, match.seats.index(seat)))
        tell(f"against {name}: {'no fault' if name == MIRROR else _score(ends, own)}")
    limit_ms = season.plan.job.time.per_move_ns // 1_000_000
    tell(f"slowest move: {slowest_ns // 1_000_000} of {limit_ms} ms")


def _rivals(season: Season, player: Player, bots: Path) -> Iterator[tuple[str, dict[str, Player]]]:
    yield MIRROR, {OWN: player, MIRROR: replace(player, name=MIRROR)}
    for entrant in season.config.bots:
        bot = season.prepared(entrant.manifest, bots)
        rival = season.player(bot, entrant.name, entrant.args)
        yield entrant.name, {OWN: player, entrant.name: rival}


def _finished(slot: Slot, job: Job) -> Finished:
    why = ""
    for _ in range(ATTEMPTS):
        end = played(slot, job)
        if end.match is not None:
            return end.match
        why = end.void or ""
    raise MachineError(f"{job.key} was void {ATTEMPTS} times: {why}")


def _own_seat(match: Finished) -> SeatRow:
    return next(seat for seat in match.seats if seat.player == OWN)


def _require_no_fault(match: Finished, name: str) -> None:
    for number, seat in enumerate(match.seats):
        if seat.fault is not None and seat.player in (OWN, MIRROR):
            record = Record.from_bytes(match.body)
            faults = "\n".join(map(str, record.verdict.faults))
            output = "\n".join(last_lines(record.seats[number].output_tail))
            reason = f"has a fault in a match against {name}: {seat.fault}"
            raise RefusedError(reason, escaped(f"{faults}\n{output}", "\n"))


def _score(matches: Sequence[Finished], own: Sequence[SeatRow]) -> str:
    places = [
        (seat.place, min(other.place for other in match.seats if other is not seat))
        for match, seat in zip(matches, own, strict=True)
    ]
    won = sum(place < other for place, other in places)
    lost = sum(place > other for place, other in places)
    return f"{won} won, {len(places) - won - lost} drawn, {lost} lost"


def _slowest_ns(match: Finished, seat: int) -> int:
    calls = Record.from_bytes(match.body).calls
    return max((c.charged_ns for c in calls if c.seat == seat and c.call == "move"), default=0)


if __name__ == "__main__":
    main()
