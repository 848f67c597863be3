"""Print the sizes of all sources and the words of their docstrings: `python3 docs/measure.py`.

A table of packages, the functions and files over the limits of the style, and the words of
docs/contributing/writing.md ("Words to use") left in docstrings.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("arena", "referee", "protocol", "bots", "docs", "tests")
MAX_LINES, MAX_STATEMENTS = 400, 30
RELATIVE = re.compile(r"\b(?:which|that|what|who|it|there|those)\b", re.IGNORECASE)
"""Many of these words make a docstring hard to read."""
AVOIDED = {
    "shut in": r"\bshut in\b",
    "a fault of ours": r"\bfaults? of ours\b|\bour fault\b",
    "is told": r"\b(?:is|are|was|were|be|been) told\b",
    "borne": r"\bborne\b",
    "goes on": r"\b(?:goes|go|going|went) on(?! a board| \()\b",
    "truths": r"\btruths\b",
    "the wall": r"\bthe wall\b(?!-| clock| time| bank| limit)",
    "a call that asks nothing": r"\basks? nothing\b",
    "hangs on": r"\bhangs? on\b",
    "by chance, by lot": r"\bby (?:chance|lot)\b",
    "room": r"(?<!leaves )(?<!no )(?<!is )\brooms?\b(?! for| chess)",
    "so many at most": r"\bso many at most\b",
    "what is to be had": r"\bto be had\b",
    "who is at fault": r"\bwho is at fault\b",
    "blanks": r"\bblanks\b",
}
"""Words to avoid and their patterns. "Else" is left out: Python has a keyword of that name."""

BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Fields of a syntax tree with statements; none is inside an expression."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = Function | ast.ClassDef | ast.Module


def sources(folder: str) -> list[Path]:
    """Return the Python files of a folder under version control."""
    names = subprocess.run(
        ["git", "ls-files", "-z", f"{folder}/*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in names.stdout.split("\0") if name]


def blocks(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all statements inside, without their expressions."""
    found = [tree]
    for node in found:
        yield node
        for field in BLOCKS:
            found += getattr(node, field, ())


def length(function: Function) -> int:
    """Return the number of lines of a function."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def statements(function: Function) -> int:
    """Return the number of statements in a function."""
    return sum(isinstance(node, ast.stmt) for node in blocks(function)) - 1


def docstrings(tree: ast.Module) -> Iterator[str]:
    """Yield the docstrings of a module, of its functions and classes, and of attributes."""
    for node in blocks(tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield text
        if isinstance(node, ast.ClassDef | ast.Module):
            for before, after in pairwise(node.body):
                if isinstance(before, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
                    yield str(getattr(after.value, "value", ""))


def percentile_95(values: list[int]) -> int:
    """Return the 95th percentile."""
    return sorted(values)[int(0.95 * (len(values) - 1))]


def avoided(text: str) -> list[str]:
    """Return the words of a text to be replaced by another word."""
    return [word for word, pattern in AVOIDED.items() if re.search(pattern, text, re.IGNORECASE)]


class Folder:
    """Sizes and docstrings of the files of a folder, and remarks on exceeded limits."""

    def __init__(self, folder: str) -> None:
        self.name = folder
        self.files: list[int] = []
        """Lines of each file."""
        self.functions: list[int] = []
        """Lines of each function."""
        self.words = self.relative = 0
        """Words of all docstrings; those of them that are relative."""
        self.remarks: list[str] = []
        for path in sources(folder):
            self._add(path.relative_to(ROOT), path.read_text(encoding="utf-8"))

    def _add(self, name: Path, text: str) -> None:
        tree = ast.parse(text)
        self.files.append(text.count("\n"))
        if self.files[-1] > MAX_LINES:
            self.remarks.append(f"{name}: {self.files[-1]} lines")
        for node in blocks(tree):
            if isinstance(node, Function):
                self.functions.append(length(node))
                if statements(node) > MAX_STATEMENTS:
                    self.remarks.append(f"{name}:{node.lineno}: {statements(node)} statements")
        for docstring in docstrings(tree):
            self.words += len(docstring.split())
            self.relative += len(RELATIVE.findall(docstring))
            self.remarks += [f"{name}: {word}: {docstring[:60]!r}" for word in avoided(docstring)]

    def row(self) -> str:
        """Return its row of the table."""
        numbers = [sum(self.files)]
        for sizes in (self.files, self.functions):
            numbers += [len(sizes), round(median(sizes)), percentile_95(sizes), max(sizes)]
        columns = "".join(f"{number:10}" for number in numbers)
        return f"{self.name:9}{columns}{100 * self.relative / self.words:10.1f}"


def main() -> None:
    """Print the table and all exceeded limits."""
    head = ("lines", "files", "median", "p95", "largest", "functions", "median", "p95", "longest")
    print(f"{'':9}", *(f"{name:>9}" for name in (*head, "relative")))
    remarks = []
    for folder in map(Folder, FOLDERS):
        print(folder.row())
        remarks += folder.remarks
    print("relative: number of such words as which, that, it in 100 words of docstrings")
    print(*remarks, sep="\n")
    sys.exit(bool(remarks))


if __name__ == "__main__":
    main()
