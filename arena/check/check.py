"""`arena check`: test a bot's conformance to the protocol, step by step."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

from arena.bots.build import prepare
from arena.bots.building import Terms
from arena.bots.manifest import Manifest, find_bot
from arena.check.bench import Bench, StepFailed, StepSkipped
from arena.check.steps import Step, steps_for
from arena.counting.positions import game_with
from arena.errors import UsageError
from arena.text import seconds
from protocol.wording import escaped
from referee.errors import BrokenMatchError
from referee.host import hosting

GAME = "pente"
"""The game for a bot that plays all games."""
TAIL_LINES = 10


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of one step."""

    step: Step
    verdict: Literal["ok", "FAIL", "skip"]
    detail: str = ""
    output: str = ""
    """Last output of a bot that failed."""


def check_bot(
    reference: str, game: str | None, assignments: Sequence[str], out: TextIO, terms: Terms
) -> bool:
    """Print the result of each step; return whether the bot passed all of them.

    Raises ArenaError when the bot cannot be prepared or does not play the game.
    """
    manifest = find_bot(reference, Path())
    played = game_with(game_of(manifest, game), assignments).variants()[0][1]
    bot = prepare(manifest, terms=terms)
    print(f"{bot.name} in {played.name}, by protocol 1 (protocol/SPEC.md)", file=out)
    since_s = time.monotonic()
    steps = steps_for(played)
    findings = []
    with hosting() as host:
        bench = Bench(bot.player(bot.name), played, host.groups)
        for number, finding in enumerate(find(steps, bench), start=1):
            findings.append(finding)
            print(finding_text(number, finding), file=out, flush=True)
    if len(findings) < len(steps):
        print(f"{len(findings) + 1}-{len(steps)} skip, since they need that", file=out)
    print(_summary(findings, len(steps), time.monotonic() - since_s), file=out)
    return all(finding.verdict != "FAIL" for finding in findings)


def find(steps: Sequence[Step], bench: Bench) -> Iterator[Finding]:
    """Try one step after another, up to a basic step that fails: later ones depend on it."""
    for step in steps:
        finding = _try(step, bench)
        yield finding
        if finding.verdict == "FAIL" and step.is_basic:
            return


def _try(step: Step, bench: Bench) -> Finding:
    try:
        return Finding(step=step, verdict="ok", detail=step.run(bench) or "")
    except StepSkipped as skipped:
        return Finding(step=step, verdict="skip", detail=str(skipped))
    except StepFailed as failed:
        return Finding(
            step=step, verdict="FAIL", detail=str(failed), output=bench.output_tail.strip()
        )
    except BrokenMatchError as error:  # the machine stood still: the bot is not to blame
        return Finding(step=step, verdict="skip", detail=str(error))


def game_of(manifest: Manifest, game: str | None) -> str:
    """Return the game to check a bot in; raises UsageError if the bot does not play it."""
    if game is None:
        return manifest.games[0] if manifest.games else GAME
    if not manifest.plays(game):
        games = " and ".join(manifest.games or ())
        raise UsageError(f"bot {manifest.name} does not play {game}; it plays {games}")
    return game


def finding_text(number: int, finding: Finding) -> str:
    """Return the result of a step as lines of text."""
    head = f"{number:>3} {finding.verdict:<4} {finding.step.name}"
    detail = escaped(finding.detail)
    if finding.verdict != "FAIL":
        return f"{head}: {detail}" if detail else head
    lines = [head, f"         {detail}", f"         do: {finding.step.advice}"]
    if finding.output:
        lines.append("         its last output:")
        lines += [f"           {line}" for line in finding.output.splitlines()[-TAIL_LINES:]]
    return "\n".join(lines)


def _summary(findings: Sequence[Finding], steps: int, spent_s: float) -> str:
    good = sum(finding.verdict == "ok" for finding in findings)
    bad = sum(finding.verdict == "FAIL" for finding in findings)
    return (
        f"{steps} steps in {seconds(round(spent_s * 1e9))}: {good} ok, {bad} failed,"
        f" {steps - good - bad} skipped"
    )
