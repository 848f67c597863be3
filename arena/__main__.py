"""`python -m arena` is the command `arena`."""

import os  # loaded by Python itself, unlike pathlib, which the working directory may replace
import sys

OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120

# `python -m` puts the working directory first, and that may be a stranger's
if not sys.flags.safe_path and os.path.realpath(sys.path[0]) != OWN_FOLDER:
    del sys.path[0]

if __name__ == "__main__":
    from arena.cli import run

    run()
