"""A function named is_ or has_ answers a question: it changes nothing that its caller can see."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("arena", "referee", "protocol")
CHANGES = frozenset(
    [
        "add",
        "append",
        "clear",
        "close",
        "discard",
        "extend",
        "insert",
        "kill",
        "mkdir",
        "pop",
        "popleft",
        "remove",
        "rename",
        "resume",
        "rmdir",
        "rmtree",
        "send",
        "sendall",
        "sleep",
        "suspend",
        "unlink",
        "update",
        "write",
        "write_bytes",
        "write_text",
    ]
)
MEMORIES = {
    "referee/open_spiel/game.py:_is_over": "keeps its answer in the state",
    "arena/remote/door_port.py:has_spare_files": "closes what it opens itself",
}


def predicates() -> Iterator[tuple[str, ast.FunctionDef]]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.FunctionDef):
                    continue
                if node.name.lstrip("_").startswith(("is_", "has_")):
                    yield f"{path.relative_to(ROOT)}:{node.name}", node


def effects(function: ast.FunctionDef) -> Iterator[str]:
    own = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target = node.func.value
            is_own = isinstance(target, ast.Name) and target.id in own
            if node.func.attr in CHANGES and not is_own:
                yield ast.unparse(node.func)
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            is_own = isinstance(node.value, ast.Name) and node.value.id in own
            if not is_own:
                yield ast.unparse(node)


def test_no_predicate_has_an_effect() -> None:
    found = {name: list(effects(node)) for name, node in predicates()}

    assert len(found) > 100
    assert {name for name, changes in found.items() if changes} == set(MEMORIES)
