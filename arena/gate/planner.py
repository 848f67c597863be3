"""What a gate can be expected to do, in words, before its first match."""

import math

from arena.config.gate import GateSection
from arena.ratings.planning import (
    Expectation,
    gate_expectations,
    matches_for_difference,
    matches_for_error,
)
from arena.text import plural, table

MOST_UNDECIDED = 0.2
"""Share of undecided gates from which a question is called hard for its cap."""
HALF = 0.5
"""A share of draws, to show how much they spare."""


def plan_text(rule: GateSection, slots: int) -> str:
    """Return how many pairs a gate needs for some strengths of NEW, and how often it decides."""
    if not (found := gate_expectations(rule)):
        return (
            "the number of pairs depends on the spread s of the differences of scores: about"
            " 7 s^2 / (score1 - score0)^2"
        )
    halved = gate_expectations(rule, HALF)
    rows = [_row(*each) for each in zip(found, halved, strict=True)]
    header = ["NEW is", "pairs", "half drawn", "passes", "fails", "undecided"]
    unit = "normalized Elo" if rule.model == "normalized" else "Elo"
    most = 2 * max(each.pairs for each in found) / slots
    asked = f"{rule.low:g} against {rule.high:g} {unit}, at most {plural(rule.pairs, 'pair')}"
    lines = [
        f"expected without draws, for {asked}:",
        table(header, rows, left=1),
        f"{most:.0f} s for each second of a match, on {plural(slots, 'slot')}, in the longest row",
    ]
    if warning := cap_warning(rule):
        lines.append(f"warning: {warning}")
    return "\n".join(lines)


def cap_warning(rule: GateSection) -> str:
    """Return a warning if a cap leaves many gates undecided, with the cap that would not; or ""."""
    found = gate_expectations(rule)
    if not found or (share := max(found[0].undecided, found[-1].undecided)) < MOST_UNDECIDED:
        return ""
    fitting = rule.model_copy(update={"cap": None}).completed().cap
    return (
        f"{share:.0%} of such gates end undecided at a cap of {2 * rule.pairs} matches, without"
        f" draws; a cap of {fitting} leaves about 5 %"
    )


def matches_text(*, error: float | None, difference: float | None, bots: int, draws: float) -> str:
    """Return how many matches give a 95 % error in Elo, or show a difference in Elo."""
    lines = []
    if error is not None:
        each = math.ceil(matches_for_error(error, bots, draws))
        total = each * bots * (bots - 1) // 2
        lines.append(
            f"differences known to ±{error:g} Elo (95 %): {plural(each, 'match')} of each pair of"
            f" {bots} equal bots, {total} in all"
        )
    if difference is not None:
        fixed = math.ceil(matches_for_difference(difference, draws))
        rule = GateSection(elo0=0, elo1=difference).completed()
        ends = [2 * each.pairs for each in gate_expectations(rule, draws)]
        lines.append(f"a difference of {difference:g} Elo shown in 9 of 10 events: {fixed} matches")
        lines.append(
            f"the same as a gate, --elo0 0 --elo1 {difference:g}: {ends[0]:.0f} matches if there is"
            f" none, {ends[1]:.0f} for half of it, {ends[2]:.0f} for all of it (means)"
        )
    lines.append(
        f"for independent matches with {draws:.0%} draws; an uneven opening played from both sides"
        " needs fewer"
    )
    return "\n".join(lines)


def _row(expected: Expectation, halved: Expectation) -> list[str]:
    shares = (expected.passed, expected.failed, expected.undecided)
    return [
        f"{expected.elo:+z.1f} Elo",
        f"{expected.pairs:.0f}",
        f"{halved.pairs:.0f}",
        *(f"{share:.0%}" for share in shares),
    ]
