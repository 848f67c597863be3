"""What a bot printed last, and the error in it, in the forms of several languages."""

import re
from collections.abc import Iterator

NOT_EXPRESSIBLE = "cannot be asked"
"""Begin of the note of an old entry that resigns a position beyond its calls."""
LAST_OUTPUT = "  its last output:"
"""Line above the last lines of a bot that failed."""
_ERROR = re.compile(r"(?:arena_bot: (?:\w+ \d+: )?|(?=panic: |fatal error: ))(.*)")
"""An error as the kits and Go print it, before the stack."""
_STACK = re.compile(r"\s|note: |stack backtrace:")
"""Start of a line after an error in Java, JavaScript and Rust."""
_READ_ONLY = re.compile(r"read-only file system|EROFS", re.IGNORECASE)
_OFFLINE = re.compile(
    r"name resolution|EAI_AGAIN|network is unreachable|ENETUNREACH|connect EPERM"
    r"|(?:urlopen|socket|connect|dial|getaddrinfo)[^\n]{0,300}\W(?:operation not permitted|EPERM)",
    re.IGNORECASE,
)
_SOCKET = re.compile(r"socket|java\.net|connect|http", re.IGNORECASE)
_NOT_PERMITTED = re.compile(
    r"(?<!timer_create failed: )operation not permitted",  # Ruby warns of it, and plays on
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"no such file or directory|permission denied|NoSuchFile|ENOENT|EACCES", re.IGNORECASE
)
_PATH = re.compile(r"(?<![\w.~/-])/(?!(?:usr|lib\w*|s?bin|etc|proc|sys|dev)/)[\w.~+@%=/-]{2,200}")
"""An absolute path that is not of the system."""


def refusals(output: str) -> Iterator[str]:
    """Yield a sentence for each kind of refusal of the sandbox in an output, with its cure."""
    if _READ_ONLY.search(output):
        yield "its folder is read-only; what it prints is kept with the match"
    if _OFFLINE.search(output) or (_NOT_PERMITTED.search(output) and _SOCKET.search(output)):
        yield "a sandboxed bot has no network; what it needs must be in its folder"
    for line in output.splitlines():
        if _MISSING.search(line) and (path := _PATH.search(line)):
            yield (
                "a sandboxed bot sees a copy of its folder and the system's programs, not"
                f" {path[0]}: use relative paths, and name files from elsewhere in `files` of its"
                " bot.yaml"
            )
            return


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
