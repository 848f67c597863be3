"""The commands of a shell that stand in the blocks of the pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "bots/README.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md")),
)
PROGRAMS = frozenset(
    [
        "apt",
        "apt-get",
        "arena",
        "bash",
        "cargo",
        "cat",
        "cc",
        "cd",
        "chmod",
        "cp",
        "curl",
        "cutechess-cli",
        "docker",
        "echo",
        "export",
        "fastchess",
        "for",
        "gcc",
        "gh",
        "git",
        "go",
        "if",
        "java",
        "javac",
        "journalctl",
        "jq",
        "kubectl",
        "make",
        "mkdir",
        "mv",
        "node",
        "npm",
        "npx",
        "openssl",
        "pip",
        "pip3",
        "pipx",
        "podman",
        "printf",
        "pytest",
        "python",
        "python3",
        "qsub",
        "rm",
        "sbatch",
        "scp",
        "sed",
        "sh",
        "source",
        "srun",
        "ssh",
        "sudo",
        "systemctl",
        "systemd-run",
        "tar",
        "touch",
        "unzip",
        "useradd",
        "uv",
        "uvx",
        "wget",
        "while",
        "zip",
    ]
)
"""Words with which a command begins; others are lines of output, or of a file."""
_EXAMPLES = "  Examples:"
_FENCE = re.compile(r"^( *)(```+|~~~+) *(\w*)")
_BEGIN = re.compile(r"#!|[\w./~-]*/bin/\S|\.{1,2}/\S|\w+=\S")


@dataclass(frozen=True)
class Block:
    """The commands of a block, and where it begins."""

    page: str
    line: int
    commands: tuple[str, ...]


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that have commands."""
    name = str(page.relative_to(ROOT))
    for line, language, text in code(page):
        found = tuple(_commands(language, text))
        if found:
            yield Block(name, line, found)


def text_of(page: Path, language: str, number: int) -> str:
    """Return the text of a block of a language; the first has the number 0."""
    found = [text for _, of, text in code(page) if of == language]
    return f"{found[number]}\n"


def code(page: Path) -> Iterator[tuple[int, str, str]]:
    """Yield first line, language and text of each block, fenced or indented."""
    lines = page.read_text("utf-8").splitlines()
    at = 0
    while at < len(lines):
        begin, fence = at, _FENCE.match(lines[at])
        if fence:
            at += 1
            while at < len(lines) and not lines[at].strip().startswith(fence[2]):
                at += 1
            yield begin + 1, fence[3] or "plain", _dedented(lines[begin + 1 : at])
        elif lines[at].startswith("    ") and not (at and lines[at - 1].strip()):
            margin = len(lines[at]) - len(lines[at].lstrip())
            while at < len(lines) and (lines[at].startswith(" " * margin) or not lines[at].strip()):
                at += 1
            yield begin + 1, "plain", _dedented(lines[begin:at])
            continue
        at += 1


def _dedented(lines: list[str]) -> str:
    return dedent("\n".join(lines)).strip("\n")


def _commands(language: str, text: str) -> Iterator[str]:
    """Yield the commands of a block: of a transcript the lines after `$ `, of help the examples."""
    if language not in {"plain", "sh", "bash", "shell", "console"}:
        return
    lines = text.replace("\\\n", " ").splitlines()
    if _EXAMPLES in lines:
        lines = lines[lines.index(_EXAMPLES) + 1 :]
    elif any(line.startswith("$ ") for line in lines):
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    elif language == "plain" and not any(map(_is_command, lines[:1])):
        return
    yield from (line.strip() for line in lines if line.strip())


def _is_command(line: str) -> bool:
    words = line.split()
    if not words or "->" in words:
        return False
    return words[0] in PROGRAMS or (_BEGIN.match(line.strip()) is not None)
