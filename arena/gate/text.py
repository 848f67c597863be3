"""The verdict of a gate as text."""

import json

from arena.gate.gate import Gate
from arena.gate.tally import PairTally
from arena.gate.verdict import GateVerdict
from arena.ratings.pairs import bins_text
from arena.ratings.pentanomial import normalized_elo_of
from arena.ratings.sprt import GateOutcome
from arena.ratings.stopped import StoppedElo
from arena.results.secrecy import seed_part
from arena.shell_words import db_option
from arena.text import given, plural
from referee.foreign import FOREIGN, NOT_REFEREED

HASH = 12
"""Number of characters shown of a hash."""


def verdict_text(verdict: GateVerdict) -> str:
    """Return the verdict as text: the outcome, the facts behind it, and further commands."""
    lines = [headline(verdict), ""]
    named = facts(verdict)
    width = max(len(name) for name, _ in named)
    lines += [f"{name:<{width}}  {fact}" for name, fact in named]
    if verdict.played:
        lines += ["", *_where_next(verdict)]
    return "\n".join(lines)


def _where_next(verdict: GateVerdict) -> list[str]:
    db = db_option(verdict.db)
    fault, loss = verdict.first_fault, verdict.first_loss
    lines = [
        f"results: {verdict.db}, event {verdict.event.id}{seed_part(verdict.event, ';')}",
        f"matches: arena show {verdict.event.id} --matches{db}",
    ]
    if fault is not None:
        what = f"first fault of {verdict.gate.new} ({fault.reason})"
        lines.append(f"{what}: arena show --match {fault.number}{db}")
    if loss is not None and loss != fault:
        what = f"first loss of {verdict.gate.new} ({loss.reason})"
        lines.append(f"{what}: arena replay {loss.number}{db}")
    return lines


def headline(verdict: GateVerdict) -> str:
    """Return the verdict as one sentence."""
    new, base, rule = verdict.gate.new, verdict.gate.base, verdict.gate.rule
    low, high = (f"{each:+.15g}" if each else "0" for each in (rule.low, rule.high))
    unit = "normalized Elo" if rule.model == "normalized" else "Elo"
    unit = "points per match" if rule.is_by_scores else unit
    passed, failed = (
        f"{high} {unit} is more likely than {low}",
        f"{low} {unit} is more likely than {high}",
    )
    if rule.is_by_scores:
        passed, failed = f"it is above {low} {unit}", f"it is below {high} {unit}"
    if verdict.gate.is_identical:
        return (
            f"gate {verdict.outcome.upper()}: {new} and {base} are the same bot by content, so"
            " nothing was played"
        )
    if verdict.outcome is GateOutcome.OPEN:
        return "gate not finished: matches are missing"
    why = {
        GateOutcome.PASSED: f"{new} is strong enough against {base}: {passed}",
        GateOutcome.FAILED: f"{new} is too weak against {base}: {failed}",
        GateOutcome.UNDECIDED: f"{new} against {base} can be {low} or {high} {unit}; a higher cap"
        " continues the gate",
        GateOutcome.FAULTS: f"{new} had faults in {plural(verdict.tally.faults, 'match')},"
        f" {rule.max_faults} allowed",
    }
    return f"gate {verdict.outcome.upper()}: {why[verdict.outcome]}"


def facts(verdict: GateVerdict) -> list[tuple[str, str]]:
    """Return the facts behind the verdict as pairs of name and text."""
    rows = _questions(verdict)
    return rows if verdict.gate.is_identical else rows + _answers(verdict)


def _questions(verdict: GateVerdict) -> list[tuple[str, str]]:
    gate, rule = verdict.gate, verdict.gate.rule
    low, high = rule.keys
    hypotheses = f"{low} {given(rule.low)}, {high} {given(rule.high)}"
    unit = " in normalized Elo" if rule.model == "normalized" else ""
    game = f"{gate.game} {json.dumps(gate.options)}"
    if gate.game == FOREIGN:
        game += f", {NOT_REFEREED}"
    return [
        ("new", f"{gate.new}, content {gate.new_content[:HASH]}"),
        ("base", f"{gate.base}, content {gate.base_content[:HASH]}"),
        *([("against", f"both: {', '.join(gate.others)}")] if gate.others else ()),
        ("game", game),
        ("asked", f"{hypotheses}{unit}, alpha {rule.alpha:g}, beta {rule.beta:g}"),
    ]


def _answers(verdict: GateVerdict) -> list[tuple[str, str]]:
    gate, rule, tally = verdict.gate, verdict.gate.rule, verdict.tally
    bounds = verdict.bounds
    llr = f"{verdict.llr:+z.4f}; fails at {bounds.lower:+z.4f}, passes at {bounds.upper:+z.4f}"
    rows = [("evidence" if rule.is_by_scores else "LLR", llr), ("pairs", _pairs(tally))]
    if verdict.strength is not None:
        rows += [_points_of(gate, tally), *_strengths(verdict, verdict.strength)]
    if tally.pairs and rule.is_by_scores:
        mean, error_or_none = tally.ahead()
        error_text = "" if error_or_none is None else f" ±{error_or_none:.2f}"
        rows.append(("score", f"{mean:+z.2f}{error_text} more per match than {gate.base}"))
    if verdict.inexact:
        rows.append(("clock", f"CPU times of {', '.join(verdict.inexact)} are approximate"))
    if tally.beyond:
        rows.append(("warning", _beyond(verdict)))
    counted = 2 * (tally.pairs + tally.void_pairs)
    rows.append(("played", f"{verdict.played} of {2 * rule.pairs} matches at most"))
    if (extra := verdict.played - counted) > 0:
        name, text = rows.pop()
        verb = "is" if extra == 1 else "are"
        why = f"ended after the decision and {verb} not counted"
        if verdict.outcome is GateOutcome.OPEN:
            why = f"{verb} not counted before the missing ones are played"
        rows.append((name, f"{text}; {extra} {why}"))
    if tally.faults or tally.base_faults:
        faults = f"{gate.new} {tally.faults}, {gate.base} {tally.base_faults}"
        rows.append(("faults", faults))
    return rows


def _points_of(gate: Gate, tally: PairTally) -> tuple[str, str]:
    if gate.others:
        counts = f"{tally.wins} better, {tally.draws} equal, {tally.losses} worse"
        return "places", f"{gate.new} {counts} than {gate.base} in the same seat"
    matches = f"{tally.wins} won, {tally.draws} drawn, {tally.losses} lost"
    return "matches", f"{matches} by {gate.new}"


def _strengths(verdict: GateVerdict, strength: StoppedElo) -> list[tuple[str, str]]:
    """Return the lead of NEW in Elo, and in the normalized Elo of the question."""
    rows = [("Elo", f"{strength.text} (95 %), corrected for the stop")]
    if verdict.gate.rule.model == "normalized":
        normalized, error = normalized_elo_of(verdict.tally.bins)
        of_all = "normalized Elo of all pairs, not corrected"
        rows.append(("nElo", f"{normalized:+z.0f} ±{error:.0f}, {of_all}"))
    return rows


def _beyond(verdict: GateVerdict) -> str:
    pairs = plural(verdict.tally.beyond, "pair")
    return (
        f"{pairs} differed by more than the earlier ones let expect, so the error rates may not"
        " hold; ask with score0 and score1 further apart, or play a fixed number of matches"
    )


def _pairs(tally: PairTally) -> str:
    text = str(tally.pairs)
    if any(tally.bins):
        text += f" ({bins_text(tally.bins)})"
    if tally.void_pairs:
        text += f"; {plural(tally.void_pairs, 'pair')} left out, void in every attempt"
    return text
