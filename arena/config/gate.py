"""The gate of a config: what NEW must show against BASE, with the defaults filled in."""

from dataclasses import dataclass, replace

from arena.config.model import EventSection, GateSection
from arena.reading.checking import Fault
from referee.catalog import AnyGame

ELO0, ELO1 = -50.0, 0.0
SCORE1 = 0.0


@dataclass(frozen=True, kw_only=True)
class GateRule:
    """When a gate is decided: by Elo or by scores, the others are None."""

    elo0: float | None = None
    elo1: float | None = None
    score0: float | None = None
    score1: float | None = None
    alpha: float
    beta: float
    cap: int
    """Matches after which it stays undecided."""
    max_faults: int
    """Faults of NEW that are borne."""
    shard: str | None = None
    """The part of the pairs that is played here, like 2/3; None is all."""

    @property
    def is_by_scores(self) -> bool:
        """Whether scores are compared and not wins."""
        return self.score0 is not None

    @property
    def low(self) -> float:
        """As weak as this is a fail: Elo over BASE, or what is scored more in a match."""
        return (self.score0 if self.is_by_scores else self.elo0) or 0.0

    @property
    def high(self) -> float:
        """As strong as this is a pass."""
        return (self.score1 if self.is_by_scores else self.elo1) or 0.0

    @property
    def keys(self) -> tuple[str, str]:
        """What a config calls the two hypotheses, the lower one first."""
        return ("score0", "score1") if self.is_by_scores else ("elo0", "elo1")


def gate_rule(section: EventSection) -> GateRule | None:
    """Return the rule of a config without faults; None if its format is another."""
    if section.format != "gate":
        return None
    gate = section.gate or GateSection()
    rule = GateRule(
        elo0=ELO0 if gate.elo0 is None else gate.elo0,
        elo1=ELO1 if gate.elo1 is None else gate.elo1,
        alpha=gate.alpha,
        beta=gate.beta,
        cap=gate.cap,
        max_faults=gate.max_faults,
    )
    if gate.score0 is None:
        return rule
    score1 = SCORE1 if gate.score1 is None else gate.score1
    return replace(rule, elo0=None, elo1=None, score0=gate.score0, score1=score1)


def gate_faults(section: EventSection) -> list[Fault]:
    """Return what is wrong with the gate of a config."""
    if section.format != "gate":
        is_there = section.gate is not None
        return [Fault(("gate",), "gate is for format: gate", is_of_key=True)] if is_there else []
    faults = []
    for key in ("repeat", "boards", "matches", "seats", "seat_orders"):
        if key in section.model_fields_set:
            detail = f"{key} is not for a gate, which plays pairs until it is decided or at its cap"
            faults.append(Fault((key,), detail, is_of_key=True))
    if section.withdraw_after and "withdraw_after" in section.model_fields_set:
        detail = "withdraw_after is not for a gate: forfeits unplayed would decide it; leave it out"
        faults.append(Fault(("withdraw_after",), detail, is_of_key=True))
    if (players := len(section.bots)) != 2:
        detail = f"a gate has two bots, NEW and BASE, not {players}"
        faults.append(Fault(("bots",), detail, is_of_key=True))
    return faults + _game_faults(section.gate or GateSection(), section.game)


def _game_faults(gate: GateSection, game: AnyGame) -> list[Fault]:
    """Return what a game has against a gate."""
    faults = []
    if min(game.seats) > 2:
        detail = f"{game.name} has {min(game.seats)} seats and more: a gate needs one or two"
        faults.append(Fault(("format",), detail))
    if max(game.seats) > 1:
        return faults
    for key in ("elo0", "elo1"):
        if getattr(gate, key) is not None:
            detail = f"{key}: {game.name} has one seat and nobody wins; take score0 and score1"
            faults.append(Fault(("gate", key), detail, is_of_key=True))
    if gate.score0 is None:
        detail = (
            f"{game.name} has one seat, so a gate compares scores: score0 says by how much a"
            " match NEW fails, like score0: -100 (on the command line, --score0 -100)"
        )
        faults.append(Fault(("gate",), detail, is_of_key=True))
    return faults
