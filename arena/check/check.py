"""`arena check`: test a bot's conformance to the protocol, step by step."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest, find_bot
from arena.check.bench import Bench
from arena.check.findings import Finding, causes_text, finding_text, summary
from arena.check.outcomes import StepDoubted, StepFailed, StepSkipped
from arena.check.sandboxed import sandboxed
from arena.check.steps import Step, steps_for
from arena.counting.positions import game_with
from arena.errors import UsageError
from arena.machine.tier_choice import placed_with_tcp
from arena.terminal.output import print_result
from arena.text import seconds
from referee.errors import NO_BLAME
from referee.service.slot import open_slot

GAME = "pente"
"""The game for a bot that plays all games."""


def check_bot(
    reference: str, game: str | None, assignments: Sequence[str], out: TextIO, terms: BuildTerms
) -> bool:
    """Print the result of each step; return whether all were passed. Raises ArenaError."""
    manifest = find_bot(reference, Path())
    played = game_with(game_of(manifest, game), assignments).variants()[0][1]
    player, told = sandboxed(manifest, manifest.name, terms)
    title = f"{manifest.name} in {played.name}, by protocol 1 (protocol/SPEC.md)"
    print_result(f"{title}\n{told}", out)
    since_s = time.monotonic()
    steps = steps_for(played)
    findings = []
    with open_slot() as slot:
        bench = Bench(player, played, slot.groups, slot.users, with_tcp=placed_with_tcp(player))
        for finding in find(steps, bench):
            findings.append(finding)
            print_result(finding_text(finding), out)
    if len(findings) < len(steps):
        print_result(f"{len(findings) + 1}-{len(steps)} skip, since they depend on it", out)
    if causes := causes_text(findings, played.name):
        print_result(f"\n{causes}\n", out)
    spent = seconds(round((time.monotonic() - since_s) * 1e9))
    print_result(summary(findings, len(steps), spent), out)
    return all(finding.verdict != "FAIL" for finding in findings)


def find(steps: Sequence[Step], bench: Bench) -> Iterator[Finding]:
    """Try the steps in order, up to the first failure of a basic step."""
    with contextlib.closing(bench):
        for number, step in enumerate(steps, start=1):
            finding = replace(_try(step, bench), number=number)
            yield finding
            if finding.verdict == "FAIL" and step.is_basic:
                return


def _try(step: Step, bench: Bench) -> Finding:
    try:
        return Finding(step=step, verdict="ok", detail=step.run(bench) or "")
    except StepSkipped as skipped:
        return Finding(step=step, verdict="skip", detail=str(skipped))
    except StepDoubted as doubted:
        return Finding(step=step, verdict="hint", detail=str(doubted))
    except StepFailed as failed:
        return Finding(
            step=step,
            verdict="FAIL",
            detail=str(failed),
            fault=failed.fault,
            output=bench.output_tail.strip(),
        )
    except NO_BLAME as error:  # the machine stood still: the bot is not to blame
        return Finding(step=step, verdict="skip", detail=str(error))


def game_of(manifest: Manifest, game: str | None) -> str:
    """Return the game to check a bot in; raises UsageError if the bot does not play it."""
    if game is None:
        return manifest.examples[0] if manifest.games else GAME
    if not manifest.plays(game):
        games = " and ".join(manifest.games or ())
        raise UsageError(f"bot {manifest.name} does not play {game}; it plays {games}")
    return game
