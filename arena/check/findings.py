"""Findings of `arena check`: one line each, and failures grouped by their cause."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from arena.bot_output import NOT_EXPRESSIBLE, error_line, last_lines, refusals
from arena.check.steps import Step
from arena.text import plural
from protocol.vocabulary import Termination
from protocol.wording import escaped
from referee.records.record import Fault

TAIL_LINES = 10
NAMED_STEPS = 6
"""Maximum number of steps of one cause that are named; longer lists have numbers only."""
GENERAL_STEPS = 3
"""Different pieces of advice for one cause from which on the cause is not about a step."""

Verdict = Literal["ok", "hint", "FAIL", "skip"]
"""A hint is a fault of most bots, and intended by some; it fails no bot."""

_SILENT_CRASH = (
    "the bot ended during the call without output; print its progress to stderr, or run it in this"
    " terminal: `arena match --debug BOT BOT OPPONENT --game GAME -c isolation=none`"
)
_ADVICE: Mapping[Termination, str] = {
    Termination.CRASH: "the bot ended during the call; its last output shows why",
    Termination.MEMORY: "use less memory, or free the memory of past matches; see `limits`",
    Termination.TIMEOUT: "reply within the limits of init.time; an endless loop ends here too (8)",
    Termination.MALFORMED: "send the fields of the reply, no more and no fewer;"
    " `arena games {game}` lists those of a move",
    Termination.OVERSIZE: "send replies of at most 64 KiB (4.7)",
    Termination.ILLEGAL_MOVE: 'play one of the legal moves: `wants: ["legal"]` in hello adds them'
    " to each call; `arena games {game}` prints the rules",
    Termination.FALSE_CLAIM: "claim only effects of the move, or nothing;"
    " `arena games {game}` lists the claims",
}
_IN_GENERAL = (
    "reply to init with ready, to move with play, to term with bye, each with its id (5, 7)"
)
_VERBS: Mapping[Verdict, str] = {"FAIL": "failed", "hint": "gives a hint"}
_VALUES = re.compile(r"\(.*?\)|0x[0-9a-f]+|\d+(\.\d+)?")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of one step."""

    number: int = 0
    """Number of the step, from 1."""
    step: Step
    verdict: Verdict
    detail: str
    fault: Fault | None = None
    """The fault for which a match was lost; None for other failures."""
    output: str = ""
    """Last output of a failed bot."""

    @property
    def is_reported(self) -> bool:
        """Whether the report below the steps tells more of it."""
        return self.verdict in {"FAIL", "hint"}

    @property
    def cause(self) -> tuple[str, str]:
        """Kind and text without values, equal for one cause; of a crash the bot's own error."""
        detail = self.detail
        if self.fault is not None:
            error = error_line(self.output) if "ended" in self.fault.detail else ""
            detail = error or self.fault.detail.rsplit(": ", 1)[-1]
        kind = self.fault.termination.value if self.fault else ""
        return kind, _VALUES.sub("#", detail)


def finding_text(finding: Finding) -> str:
    """Return the result of a step as one line."""
    head = f"{finding.number:>3} {finding.verdict:<4} {finding.step.name}"
    detail = "" if finding.is_reported else escaped(finding.detail)
    return f"{head}: {detail}" if detail else head


def causes_text(findings: Sequence[Finding], game: str) -> str:
    """Return each cause of failures and hints once: its first step in full, the others listed."""
    causes: dict[tuple[str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: finding.verdict == "hint"):
        if finding.is_reported:
            causes.setdefault(finding.cause, []).append(finding)
    return "\n\n".join(_cause_text(found, game) for found in causes.values())


def summary(findings: Sequence[Finding], steps: int, spent: str) -> str:
    """Return the last line: the number of steps by their results."""
    good = sum(finding.verdict == "ok" for finding in findings)
    bad = [finding for finding in findings if finding.verdict == "FAIL"]
    unasked = sum(
        finding.verdict == "skip" and NOT_EXPRESSIBLE in finding.detail for finding in findings
    )
    hints = sum(finding.verdict == "hint" for finding in findings)
    skipped = steps - good - len(bad) - unasked - hints
    parts = [f"{good} ok", f"{len(bad)} failed", f"{skipped} skipped"]
    if hints:
        parts.append(plural(hints, "hint"))
    if unasked:
        parts.append(f"{unasked} cannot be asked by the bot's calls")
    causes = len({finding.cause for finding in bad})
    why = f"; {plural(causes, 'cause')}" if len(bad) > 1 else ""
    return f"{steps} steps in {spent}: {', '.join(parts)}{why}"


def _cause_text(findings: Sequence[Finding], game: str) -> str:
    first, *others = findings
    lines = [
        f"step {first.number} {_VERBS[first.verdict]}: {first.step.name}",
        f"  {escaped(first.detail)}",
        f"  do: {_advice(findings, game)}",
    ]
    lines += [f"  {hint}" for hint in refusals(first.output)]
    lines += last_lines(first.output, TAIL_LINES)
    if len(others) > NAMED_STEPS:
        lines.append(f"  the same cause failed: {_spans([other.number for other in others])}")
    elif others:
        lines.append("  the same cause failed:")
        lines += [f"    {other.number:>3} {other.step.name}" for other in others]
    return "\n".join(lines)


def _spans(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, like `9-29, 39`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)


def _advice(findings: Sequence[Finding], game: str) -> str:
    """Return the advice of the step, or of the fault if it fails steps of many kinds."""
    finding = findings[0]
    fault = finding.fault
    is_general = fault and len({found.step.advice for found in findings}) >= GENERAL_STEPS
    if finding.step.advice and not is_general:
        return finding.step.advice
    if fault and fault.termination is Termination.CRASH and not finding.output:
        return _SILENT_CRASH
    return _ADVICE.get(fault.termination, _IN_GENERAL).format(game=game) if fault else _IN_GENERAL
