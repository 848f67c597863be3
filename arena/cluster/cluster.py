"""A cluster as an event uses it: its workers, and the bundles of the event's bots."""

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from queue import Empty

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest
from arena.bots.prepare import player_content
from arena.bots.settings import content_without_settings
from arena.cluster import tasks
from arena.cluster.bundle import pack
from arena.cluster.link import LinkEvent, SchedulerLink, TaskDone, WorkerGone, WorkerJoined
from arena.cluster.local import Children
from arena.cluster.members import Loss, Member, spread
from arena.cluster.orders import DIRECTOR, Cast, Description, load
from arena.config.cluster import Address
from arena.config.event import Config
from arena.errors import BotError, MachineError, UsageError
from arena.reading.names import casefolded
from arena.text import plural
from referee.job import Player
from referee.sandbox import SandboxDirectory

WORKERS_S = 10.0
"""Limit in seconds of the wait for the first worker."""
GONE_S = 60.0
"""Limit in seconds of the wait for a lost scheduler, or for a worker after the last was lost."""
RECONNECT_S = 1.0
"""Seconds between two tries to reach a lost scheduler."""
SPREAD = 0.15
"""Difference of speeds for a warning."""
SLOWEST = 0.5
"""Workers below this share of the speed of the fastest are refused."""


class Cluster:
    """The workers of a scheduler, and the bots of an event on them."""

    _lost_until_s: float | None = None
    """Limit of the wait for a lost scheduler; None while it is there."""

    def __init__(
        self,
        address: Address,
        keys: Path | None,
        children: Children | None = None,
        *,
        connect: Callable[[Address, Path | None], SchedulerLink] = SchedulerLink,
    ) -> None:
        """Connect to the workers, or to own `children`; raises UsageError without a usable one."""
        self.members: dict[str, Member] = {}
        """Workers by address."""
        self.casts: dict[tuple[str, str], Cast] = {}
        """Ways to start bots, by the `cast_key` of the player."""
        self.name = ""
        """Name of the event's database on all machines, for scratch folders."""
        self.is_scaled = False
        """Whether time limits and penalties depend on the speed of a worker."""
        self.refusals: dict[str, str] = {}
        """Reasons against workers, by address."""
        self._address = address
        self._keys = keys
        self._connect = connect
        self._children = children
        self._folder = SandboxDirectory()
        self._notices: list[str] = []
        self._numbers = count()
        self._asked: dict[str, str] = {}
        try:
            self.link = connect(address, keys)
        except BaseException:
            self._folder.remove()
            raise
        try:
            self._wait_for_workers()
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """Number of matches played at a time."""
        return sum(member.slots for member in self.members.values())

    def own_pids(self) -> set[int]:
        """Return the PIDs of the scheduler and workers that this process has started."""
        return set() if self._children is None else self._children.pids()

    def admit(
        self, config: Config, players: Mapping[str, Player], db: Path
    ) -> tuple[dict[str, Player], str]:
        """Pack the bots; return players and a text. Raises BotError for files changed since."""
        place = f"{socket.gethostname()}:{db.resolve()}"
        self.name = sha256(place.encode(errors="surrogateescape")).hexdigest()[:16]
        self.is_scaled = config.time.scale == "speed"
        is_exact = config.gate is not None and config.gate.exact_clock
        admitted = {}
        for entrant in config.bots:
            if (player := players.get(entrant.name)) is None:
                continue
            if player.argv:
                cast = Cast(
                    bundle="",
                    content="",
                    args=tuple(entrant.args),
                    isolation="require" if is_exact else entrant.isolation or config.isolation,
                    network=config.build_network,
                    is_lasting=entrant.scratch == "keep",
                )
                self._pack(player, entrant.manifest, cast, config.installations)
            admitted[entrant.name] = replace(player, installations=config.installations)
        if config.built_runner is not None and config.runner_manifest is not None:
            args = config.runner.run[1:] if config.runner else ()
            network = config.build_network
            cast = Cast(
                bundle="", content="", args=args, isolation=config.isolation, network=network
            )
            player, manifest = config.built_runner.player, config.runner_manifest
            self._pack(player, manifest, cast, config.installations)
        return admitted, self._text()

    def bundle(self, name: str) -> bytes:
        """Return the bytes of a packed bot."""
        return self._path(name).read_bytes()

    def next_events(self, seconds: float) -> list[TaskDone | Loss]:
        """Return ended tasks and lost workers, the first within `seconds`; raises MachineError."""
        if self._children is not None:
            self._notices += self._children.mend()
        if self._lost_until_s is not None:
            self._connect_again(self._lost_until_s, seconds)
            return []
        if not self.link.is_up():
            return self._lose_all()
        found = [self._hear(event) for event in self._wait_for_events(seconds)]
        return [event for event in found if event is not None]

    def new_key(self, prefix: str) -> str:
        """Return a key for a task, different from all others of this director."""
        return f"{prefix}#{next(self._numbers)}"

    def drop(self, member: Member, why: str) -> None:
        """Use a worker no more."""
        if self.members.pop(member.address, None) is not None:
            self._notices.append(f"worker {member.name} {why}")

    def notices(self) -> list[str]:
        """Return the news since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def close(self) -> None:
        """Disconnect, and forget the bots."""
        self.link.close()
        self._folder.remove()

    def _pack(
        self, player: Player, manifest: Manifest, cast: Cast, installations: tuple[str, ...]
    ) -> None:
        """Pack a program, and keep its start command; raises BotError if its files change."""
        shown = BuildTerms(isolation=cast.isolation, installations=installations).shown
        bundle = pack(manifest, shown)
        content = content_without_settings(player.content)
        if player_content(bundle.content, cast.args, shown) != content:
            raise BotError(player.name, "its files are changing; try again")
        self._path(bundle.name).write_bytes(bundle.data)
        self.casts[player.name, content] = replace(cast, bundle=bundle.name, content=bundle.content)

    def _path(self, name: str) -> Path:
        return self._folder.path / name

    def _wait_for_events(self, seconds: float) -> Sequence[LinkEvent]:
        """Return the events in the queue, after waiting at most `seconds` for the first."""
        events: list[LinkEvent] = []
        until_s = time.monotonic() + seconds
        while not self.link.events.empty() or (not events and time.monotonic() < until_s):
            left_s = max(0.0, until_s - time.monotonic())
            try:
                events.append(self.link.events.get(timeout=left_s or None, block=left_s > 0))
            except Empty:
                break
        return events

    def _hear(self, event: LinkEvent) -> TaskDone | Loss | None:
        if isinstance(event, WorkerJoined):
            key = self.new_key("describe")
            self._asked[key] = event.address
            self.link.submit(key, event.address, tasks.describe)
            return None
        if isinstance(event, WorkerGone):
            member = self.members.pop(event.address, None)
            self.refusals.pop(event.address, None)
            if member is not None:
                self._notices.append(f"worker {member.name} is lost")
            return Loss(member, has_scheduler=True) if member else None
        if event.key in self._asked:
            self._take_in(self._asked.pop(event.key), event)
            return None
        return event

    def _take_in(self, address: str, answer: TaskDone) -> None:
        if answer.is_lost or address in self.members:
            return
        try:
            found = load(Description, answer.data)
        except ValueError:
            why = answer.error or "its description cannot be read"
            self.refusals[address] = f"worker {address} has another version of Arena: {why}"
            return
        if differences := found.differences():
            reason = f"{', '.join(differences)}; install the same versions on all machines"
        elif casefolded(found.name) == DIRECTOR:
            reason = "this is the name of the director's own machine; start it with another --name"
        elif found.speed < SLOWEST * self._fastest():
            reason = f"its speed {found.speed} is below half of the fastest, {self._fastest()}"
        else:
            self.members[address] = Member(address, found)
            slots = plural(found.slots, "slot")
            self._notices.append(f"worker {found.name} plays: {slots}, speed {found.speed}")
            return
        self.refusals[address] = f"worker {found.name} is refused: {reason}"
        self._notices.append(self.refusals[address])

    def _fastest(self) -> float:
        return max((member.description.speed for member in self.members.values()), default=0.0)

    def _wait_for_workers(self) -> None:
        wanted = 1 if self._children is None else self._children.workers
        until_s = time.monotonic() + WORKERS_S * (1 if self._children is None else 6)
        while len(self.members) + len(self.refusals) < wanted or self._asked:
            if time.monotonic() > until_s:
                break
            self.next_events(0.1)
        if not self.members:
            raise UsageError(self._no_workers())

    def _no_workers(self) -> str:
        if self.refusals:
            return "\n".join(["no worker can play", *self.refusals.values()])
        return (
            f"no worker is connected to the scheduler at {self._address}; start one on each"
            f" machine with `arena worker {self._address}{self._address.keys_option}`"
        )

    def _text(self) -> str:
        lines = [
            f"worker {member.name}: {plural(member.slots, 'slot')}, speed"
            f" {member.description.speed:.2f}, isolation: {member.description.isolation}"
            for member in self.members.values()
        ]
        speeds = [member.description.speed for member in self.members.values()]
        if not self.is_scaled and (share := spread(speeds)) > SPREAD:
            lines.append(
                f"warning: the slowest worker is {share:.0%} slower than the fastest: its bots"
                " compute less in the same time; time.scale: speed adjusts the limits"
            )
        self._notices.clear()
        return "\n".join(lines)

    def _lose_all(self) -> list[TaskDone | Loss]:
        """Return all workers as lost."""
        lost = list(self.members.values())
        self.members.clear()
        self.refusals.clear()
        self._asked.clear()
        self._notices.append(f"the scheduler at {self._address} is lost; waiting for it")
        self._lost_until_s = time.monotonic() + GONE_S
        self.link.close()
        return [Loss(member, has_scheduler=False) for member in lost]

    def _connect_again(self, until_s: float, seconds: float) -> None:
        """Try once to reach a lost scheduler; raises MachineError after the time `until_s`.

        The event's loop runs between two tries, so that an interruption is heard.
        """
        try:
            self.link = self._connect(self._address, self._keys)
        except UsageError:
            if time.monotonic() > until_s:
                raise MachineError(f"there is no scheduler at {self._address} any more") from None
            time.sleep(min(seconds, RECONNECT_S))
            return
        self._lost_until_s = None
        self._notices.append(f"the scheduler at {self._address} is back")
