"""Misbehaves: `main.py NAME` does what the function of that name does in one of the modules.

Only the module with the function is imported: the libraries of all of them take longer to load than
Python itself, at each of hundreds of starts. For the same reason most modules use `_socket` and
import larger libraries where they are needed.
"""

import os
import sys
from importlib import import_module

MODULES = ("arriving", "calling", "content", "finding", "prying", "resources", "uncounted")


def defines(module, name):
    """Whether the module has a function of this name, by its source."""
    with open(os.path.join(sys.path[0], f"{module}.py"), encoding="utf-8") as source:  # noqa: PTH118, PTH123
        return f"\ndef {name}(" in source.read()


if __name__ == "__main__":
    name = sys.argv[1]
    found = [module for module in MODULES if defines(module, name)]
    if found:
        getattr(import_module(found[0]), name)()
    else:
        import_module("content").say_wrongly(name)
