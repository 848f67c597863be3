"""From a config to an event that can be played: the schedule, the players, the slots."""

import os
from collections.abc import Mapping
from typing import Literal

from arena.config.canonical import canonical
from arena.config.event_config import Config
from arena.errors import EventError
from arena.event.tournament import Plan
from arena.schedule.pairing import Schedule, round_robin, solo
from referee.job import Job, Player
from referee.options import game_options


def make_plan(config: Config, players: Mapping[str, Player], seed: int) -> Plan:
    """Return the plan of an event; `players` are those of the config that can be started."""
    schedule = make_schedule(config, tuple(players), seed)
    return Plan(
        name=config.name,
        seed=seed,
        config=canonical(config),
        players=players,
        pairings=schedule.pairings,
        imbalance=schedule.imbalance,
        job=Job(
            key="",
            game=config.game.name,
            players=(),
            seed=0,
            board_seed=0,
            claims=config.claims,
            max_plies=config.max_plies,
            time=config.time,
            limits=config.limits,
            score=config.score,
            restart=config.restart,
            transport=config.transport,
        ),
        variants={label: game_options(game) for label, game in config.game.variants()},
        cores=slot_cores(config.slots, config.cores, config.pin),
        withdraw_after=config.withdraw_after,
    )


def make_schedule(config: Config, names: tuple[str, ...], seed: int) -> Schedule:
    """Return who plays whom: a pure function of the config, the names and the seed."""
    variants = [label for label, _ in config.game.variants()]
    if config.format == "solo":
        return solo(names, repeat=config.repeat or 1, boards=config.boards, variants=variants)
    return round_robin(
        names,
        seats=config.seats,
        repeat=config.repeat if config.matches is None else None,
        boards=config.boards,
        variants=variants,
        seat_orders=config.seat_orders,
        matches=config.matches,
        seed=seed,
    )


def slot_cores(
    slots: int | Literal["auto"], cores: int, pin: Literal["auto", "none"]
) -> tuple[tuple[int, ...], ...]:
    """Return the cores of each slot; empty tuples where nothing is pinned.

    A slot is never given a core that another one has, so that no match slows another down.
    """
    mine = sorted(os.sched_getaffinity(0))
    fitting = len(mine) // cores
    wanted = max(1, fitting) if slots == "auto" else slots
    if wanted > fitting:
        raise EventError(
            f"{wanted} slots of {cores} cores are more than the {len(mine)} cores of this machine;"
            f" set slots and cores so that their product is {len(mine)} at most"
        )
    if pin == "none":
        return ((),) * wanted
    return tuple(tuple(mine[slot * cores : (slot + 1) * cores]) for slot in range(wanted))
