"""An event as data for a page: standings, crosstable, ratings, matches, faults."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from arena.formats.event_results import empty_table, progress_text, results_of
from arena.gate.gate import stored_gate
from arena.gate.tally import PairTally
from arena.gate.text import headline
from arena.gate.verdict import verdict_of
from arena.pages.elo_progress import EloProgress
from arena.pages.place_progress import PlaceProgress
from arena.pages.scenes import US_NS
from arena.pages.value_tally import ValueTally
from arena.ratings.rating import Rating, Ratings
from arena.ratings.text import compared, percent, scale_text
from arena.reports.report import FaultNote, PlayedEvent
from arena.reports.standings import standings_cells
from arena.results.secrecy import seed_text
from arena.results.standings import Duel, Table, rated_match
from arena.results.store import MatchRow, Store
from arena.text import config_value
from arena.tune.finding import Finding, finding_of
from arena.tune.spsa import Course
from arena.tune.text import headline as headline_of_tuning

MOST_STEPS = 400
"""Limit of the values of a parameter in a chart, about."""
MOST_COMPARED = 16
"""Limit of players whose differences are a table of the page."""


def event_page(store: Store, played: PlayedEvent) -> dict[str, Any]:
    """Return everything about an event but its boards, as plain values."""
    elos, places = EloProgress(), PlaceProgress(empty_table(played.event))
    for match in played.matches:
        elos.add(rated_match(match.seats))
        places.add(match.seats)
    return {
        **summary_page(store, played, elos, places),
        "matches": [match_row(match) for match in played.matches],
        "faults": [fault_row(fault) for fault in played.faults],
    }


def summary_page(
    store: Store, played: PlayedEvent, elos: EloProgress, places: PlaceProgress
) -> dict[str, Any]:
    """Return everything but the matches and the faults; `played` need not have them."""
    event, table = played.event, played.table
    header, rows = standings_cells(table, {})
    rated = compared(event, played.ratings)
    return blank_page(event.name) | {
        "facts": _facts(store, played),
        "standings": {"header": header, "rows": rows, "by": table.ranked_by},
        "ratings": [_rating(each) for each in rated],
        "scale": scale_text(played.ratings) if rated else "",
        "differences": _differences(played.ratings) if 2 < len(rated) <= MOST_COMPARED else [],
        "crosstable": _crosstable(table),
        "fault_count": played.fault_count,
        "progress": elos.to_json() if rated else {},
        "earlier": places.earlier() if table.is_by_score else None,
        "gate": _gate(store, played) if event.config.get("gate") else None,
        "tune": _tune(store, played) if event.config.get("tune") else None,
        "notes": [list(note) for note in played.notes],
    }


def blank_page(name: str) -> dict[str, Any]:
    """Return the page of an event without any results."""
    return {
        "name": name,
        "facts": [],
        "standings": {"header": [], "rows": [], "by": ""},
        "ratings": [],
        "scale": "",
        "differences": [],
        "crosstable": {"header": [], "rows": [], "shares": []},
        "matches": [],
        "faults": [],
        "fault_count": 0,
        "progress": {},
        "earlier": None,
        "values": ValueTally().to_json(),
        "gate": None,
        "tune": None,
        "notes": [],
    }


def _facts(store: Store, played: PlayedEvent) -> list[tuple[str, str]]:
    event = played.event
    options = dict(event.config.get("game", {}))
    name = options.pop("name", "")
    chosen = (f"{key} {config_value(value)}" for key, value in options.items() if value is not None)
    game = ", ".join([name, *chosen])
    return [
        ("game", game),
        ("bots", str(len(event.entrants))),
        ("matches", progress_text(store, event)),
        ("faults", str(played.fault_count)),
        ("begun", f"{event.created[:16].replace('T', ' ')} UTC"),
        ("seed", seed_text(event)),
    ]


def _rating(rating: Rating) -> dict[str, Any]:
    elo = rating.elo
    return {
        "player": rating.player,
        "elo": round(elo.value, 1),
        "low": round(elo.low, 1),
        "high": round(elo.high, 1),
        "text": elo.text(),
    }


def _differences(ratings: Ratings) -> list[list[str]]:
    """Return every two players with their difference and the probability that it is above 0."""
    return [
        [each.player, each.other, each.elo.text(), percent(each.superiority)]
        for each in ratings.differences()
    ]


def _crosstable(table: Table) -> dict[str, Any]:
    """Return wins-draws-losses and shares of points of each bot against each other."""
    order = [row.player for _, row in table.ranked()]
    rows: list[list[str | None]] = []
    shares: list[list[float | None]] = []
    for player in order if table.duels else ():
        duels = [table.duels.get((player, other)) for other in order]
        rows.append([player, *(str(duel) if duel else None for duel in duels)])
        shares.append([None, *(_share(duel) if duel else None for duel in duels)])
    return {"header": ["bot", *order], "rows": rows, "shares": shares}


def _share(duel: Duel) -> float:
    return round((duel.wins + duel.draws / 2) / duel.matches, 3)


def fault_row(fault: FaultNote) -> dict[str, Any]:
    """Return a fault with the last output of its bot apart: not everybody may read that."""
    return {
        "match": fault.match,
        "bot": fault.bot,
        "headline": fault.headline(),
        "text": replace(fault, output="").text(),
        "output": fault.output,
    }


UNPLAYED = "unplayed"
"""Mark of a seat forfeited unplayed, in place of its fault."""


def match_row(match: MatchRow) -> dict[str, Any]:
    """Return a match without its moves; times are in microseconds."""
    seats = match.seats
    return {
        "number": match.id,
        "key": match.key,
        "players": [seat.player for seat in seats],
        "scores": [seat.score for seat in seats],
        "places": [seat.place for seat in seats],
        "faults": [UNPLAYED if seat.is_unplayed else seat.fault for seat in seats],
        "charged": [seat.charged_ns // US_NS for seat in seats],
        "wall": [seat.wall_ns // US_NS for seat in seats],
        "near": [seat.near_limit for seat in seats],
        "termination": match.termination,
        "reason": match.reason,
        "plies": match.plies,
    }


def _gate(store: Store, played: PlayedEvent) -> dict[str, Any]:
    """Return the log-likelihood ratio after each counted pair, and the bounds of the test."""
    gate = stored_gate(played.event)
    verdict = verdict_of(store, played.event)
    results = results_of(store, played.event.id, gate.schedule())
    counted = gate.schedule().progress(results).ended
    tally = PairTally()
    ratios = []
    for pair in gate.pairs[:counted]:
        matches = [results[pairing.key] for pairing in pair]
        tally = tally.with_pair((gate.new, gate.base), matches, gate.question.by_scores)
        ratios.append(round(gate.question.llr(tally), 4) if tally.pairs else 0.0)
    return {
        "llr": ratios,
        "bounds": [verdict.bounds.lower, verdict.bounds.upper],
        "verdict": headline(verdict),
    }


def _tune(store: Store, played: PlayedEvent) -> dict[str, Any]:
    """Return the course of each parameter of a search, and what it has found."""
    finding = finding_of(store, played.event)
    courses = [] if finding.course is None else list(_courses(finding, finding.course))
    return {"verdict": headline_of_tuning(finding), "parameters": courses}


def _courses(finding: Finding, course: Course) -> Iterator[dict[str, Any]]:
    every = math.ceil(course.iteration / MOST_STEPS) or 1
    rows = course.path[::every]
    for place, each in enumerate(course.parameters):
        best = finding.intervals[place]
        yield {
            "name": each.name,
            "path": [float(f"{row[place]:.5g}") for row in rows],
            "iterations": every * (len(rows) - 1),
            "bounds": [each.start] if best is None else [best.low, best.high],
            "range": [each.low, each.high],
        }
