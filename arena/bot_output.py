"""What a bot printed last, and the error in it, in the forms of several languages."""

import re

LAST_OUTPUT = "  its last output:"
"""Line above the last lines of a bot that failed."""
_ERROR = re.compile(r"(?:arena_bot: (?:\w+ \d+: )?|(?=panic: |fatal error: ))(.*)")
"""An error as the kits and Go print it, before the stack."""
_STACK = re.compile(r"\s|note: |stack backtrace:")
"""Start of a line after an error in Java, JavaScript and Rust."""


def last_lines(output: str, most: int = 20) -> list[str]:
    """Return the last lines of a bot's output, indented under `LAST_OUTPUT`; none without any."""
    lines = output.strip().splitlines()[-most:]
    return [LAST_OUTPUT, *(f"    {line}" for line in lines)] if lines else []


def error_line(output: str) -> str:
    """Return the line of a bot's last output that names its error, often not the last one."""
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [found[1] for found in map(_ERROR.match, lines) if found]
    plain = [line for line in lines if not _STACK.match(line)]
    return (errors or plain or lines or [""])[-1].strip()
