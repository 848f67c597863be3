"""Misbehaves: `main.py NAME` does what the function of that name does in one of the modules."""

import sys

import arriving
import calling
import content
import finding
import prying
import resources

MODULES = (arriving, calling, content, finding, prying, resources)

if __name__ == "__main__":
    name = sys.argv[1]
    if name in content.PAYLOADS:
        content.say_wrongly(name)
    else:
        next(getattr(module, name) for module in MODULES if hasattr(module, name))()
