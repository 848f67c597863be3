"""`python -m arena` is the command `arena`."""

from arena.cli import run

if __name__ == "__main__":
    run()
