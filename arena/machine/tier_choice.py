"""The sandbox of each bot of an event, as its config asks and this machine allows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from arena.config.event import Config
from arena.errors import IsolationError, MachineError, UncountedError, missing_part
from arena.reading.choices import Isolation
from referee.job import Player, Transport
from referee.sandbox import (
    TIERS,
    Tier,
    TierFinding,
    can_set_cores,
    find_tier,
    group_cure,
    is_network_closed,
)

SHARED = (
    "time.ponder: the bots of a match share cores, since Arena may not set the cores of another"
    " user's processes here; cure: CAP_SYS_NICE, in a container by --cap-add SYS_NICE"
)


def best_tier(transport: Transport = "ipc") -> TierFinding:
    """Return the best tier in which bots start on this machine; raises MachineError."""
    try:
        return find_tier(has_tcp=transport == "tcp")
    except OSError as error:
        why = missing_part(error) or f"the tier of isolation cannot be found: {error.strerror}"
        raise MachineError(why) from None


def isolated(
    config: Config, players: Mapping[str, Player], db: Path
) -> tuple[dict[str, Player], str]:
    """Return the players with tiers and lasting folders, and a text; raises IsolationError."""
    remote = {name: player for name, player in players.items() if player.is_remote}
    players = {name: player for name, player in players.items() if name not in remote}
    wanted = {entrant.name: entrant.isolation or config.isolation for entrant in config.bots}
    lasting = {entrant.name for entrant in config.bots if entrant.scratch == "keep"}
    found = TierFinding(tier="none", refusals={})
    if any(wanted[name] != "none" for name in players):
        found = best_tier(config.transport)
    required = [name for name in players if wanted[name] == "require"]
    _check_required(required, found, config.transport)
    placed = {
        name: replace(
            player,
            tier="none" if wanted[name] == "none" else found.tier,
            scratch=str(scratch_folder(db, name)) if name in lasting else None,
            installations=config.installations,
        )
        for name, player in players.items()
    }
    if config.gate is not None and config.gate.exact_clock:
        _check_clocks(placed, found)
    return {**placed, **remote}, _said(placed, found) + _shared_text(config, placed)


def _shared_text(config: Config, players: Mapping[str, Player]) -> str:
    """Return a line about bots that may think during others' calls on the same cores, if any."""
    is_other_user = any(player.tier != "none" for player in players.values())
    if not config.time.ponder or not is_other_user or can_set_cores():
        return ""
    return f"\n{SHARED}"


def tier_for(config: Config, who: str) -> Tier:
    """Return the tier of another program of an event; raises IsolationError."""
    return _found_for(who, config.isolation, config.transport).tier


def placed(player: Player, isolation: Isolation) -> tuple[Player, str]:
    """Return a player outside events with its tier, and a text; raises IsolationError."""
    found = _found_for(player.name, isolation, "ipc")
    player = replace(player, tier=found.tier)
    return player, _said({player.name: player}, found)


def placed_with_tcp(player: Player) -> Player | None:
    """Return a player in the best tier with a port of the machine, or None.

    There is none for a sandboxed player if this kernel cannot close the rest of the network.
    """
    if player.tier == "none":
        return player
    return replace(player, tier=best_tier("tcp").tier) if is_network_closed() else None


def _found_for(who: str, isolation: Isolation, transport: Transport) -> TierFinding:
    if isolation == "none":
        return TierFinding(tier="none", refusals={})
    found = best_tier(transport)
    _check_required([who] if isolation == "require" else [], found, transport)
    return found


def scratch_folder(db: Path, player: str) -> Path:
    """Return the lasting folder of a player: beside the database, the same for all events."""
    return Path(f"{db.resolve()}.scratch", player)


def _check_required(names: list[str], found: TierFinding, transport: Transport) -> None:
    if not names:
        return
    who = ", ".join(names)
    if transport == "tcp":
        raise IsolationError(
            f"isolation is required for {who}, and with transport: tcp a bot can connect to other"
            " machines, at the port of its referee\ncure: transport: ipc"
        )
    if not found.is_best:
        raise IsolationError(
            f"isolation is required for {who}, and this machine refuses it\n{found.explanation()}"
        )
    if found.uncounted:
        raise UncountedError(
            f"isolation is required for {who}, and {found.shortage()}\ncure: {group_cure()}"
        )


def _check_clocks(players: Mapping[str, Player], found: TierFinding) -> None:
    if inexact := _inexact(players, found):
        reason = found.shortage() or "outside of a sandbox a bot may leave its control group"
        remedy = group_cure() if found.uncounted else "isolation: require"
        raise UncountedError(
            f"exact_clock is set, and the CPU time of {', '.join(inexact)} would be approximate:"
            f" {reason}\ncure: {remedy}"
        )


def _inexact(players: Mapping[str, Player], found: TierFinding) -> list[str]:
    """Return the players whose CPU time would be approximate."""
    return [
        name
        for name, player in players.items()
        if not found.is_exact_in(player.tier)
        and (player.processes or not TIERS[player.tier].hides_files)
    ]


def _counted_text(players: Mapping[str, Player], found: TierFinding) -> list[str]:
    """Return a line about what does not hold here for want of a control group, if any."""
    sandboxed = {name: player for name, player in players.items() if player.tier != "none"}
    if not sandboxed or not found.uncounted:
        return []
    told = "a bot is one process, unless its bot.yaml asks for more"
    if found.is_time_counted:
        told = "limits hold for each process alone"
    elif inexact := _inexact(sandboxed, found):
        told = (
            f"the CPU time of {', '.join(inexact)} is approximate, and limits.memory holds for each"
            " process alone"
        )
    return [f"{found.shortage()}: {told}; cure: {group_cure()}"]


def _said(players: Mapping[str, Player], found: TierFinding) -> str:
    """Return the isolation of the bots as text, with a warning if the machine refuses a tier."""
    by_tier: dict[Tier, list[str]] = {}
    for name, player in players.items():
        by_tier.setdefault(player.tier, []).append(name)
    if len(by_tier) == 1:
        told = TIERS[next(iter(by_tier))].title
    else:
        told = "; ".join(
            f"{TIERS[tier].title} for {', '.join(who)}" for tier, who in by_tier.items()
        )
    if found.refusals:
        told = f"REDUCED: {told}"
    lines = [*found.explanation().splitlines(), *_counted_text(players, found)]
    return "\n".join(f"isolation: {line}" for line in (told, *lines))
