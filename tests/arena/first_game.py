"""The game of the tutorial, for tests of games."""

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

TUTORIAL = Path(__file__).parents[2] / "docs/tutorial/first-game.md"


def tutorial() -> ModuleType:
    """Return the game of the tutorial as a module."""
    (text,) = re.findall(r"```python\n(\"\"\"Bachet.*?)```", TUTORIAL.read_text(), re.DOTALL)
    module = ModuleType("arena_bachet")
    sys.modules["arena_bachet"] = module  # dataclasses look it up
    exec(compile(text, "arena_bachet", "exec"), vars(module))  # noqa: S102 - our own text
    return module


BACHET = tutorial()
Bachet: Any = BACHET.Bachet
Move: Any = BACHET.Move
State: Any = BACHET.State
