"""Output of `arena count`: exact numbers, or a lower bound after a stop."""

import sys
import time

from arena.counting.count import CountProgress, CountStoppedError, continuations, perft
from arena.counting.positions import GamePosition
from arena.exit_codes import ExitCode
from arena.text import duration, folded, width_of

SHOW_EVERY_S = 1.0
ADVISE_AFTER_S = 10.0
ADVICE = (
    "most boards have too many games to count: Ctrl-C stops, -o takes a smaller board, --depth"
    " counts the first plies"
)


class StatusLine:
    """A progress line on stderr, every second in a terminal, ever less often in a pipe."""

    def __init__(self) -> None:
        self._started = self._shown = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._pause_s = SHOW_EVERY_S
        self._is_advised = False

    def __call__(self, progress: CountProgress) -> None:
        """Show the progress, if it is time."""
        now = time.monotonic()
        if now - self._shown < self._pause_s:
            return
        self._shown = now
        if not self._is_terminal:
            self._pause_s *= 2
        if now - self._started >= ADVISE_AFTER_S and not self._is_advised:
            self._is_advised = True
            self.clear()
            sys.stderr.write(f"{folded(ADVICE, width_of(sys.stderr))}\n")
        line = (
            f"{progress.positions:,} positions, at least {progress.at_least:,},"
            f" {duration(now - self._started)}"
        )
        sys.stderr.write(f"\r\x1b[K{line}" if self._is_terminal else f"{line}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")


def print_count(position: GamePosition, depth: int | None, memory_bytes: int) -> int:
    """Print the number of complete games, or perft to a depth; return the exit code."""
    line = StatusLine()
    game, state = position.game, position.state
    try:
        if depth is None:
            total = continuations(game, state, memory_bytes, line)
            line.clear()
            print(total)
        else:
            for ply, nodes in enumerate(perft(game, state, depth, memory_bytes, line), start=1):
                line.clear()
                print(f"{ply} {nodes}", flush=True)
    except CountStoppedError as stop:
        line.clear()
        print(stopped_text(stop, memory_bytes), file=sys.stderr)
        return ExitCode.INTERRUPTED if stop.reason == "interrupted" else ExitCode.UNDECIDED
    return ExitCode.DONE


def stopped_text(stop: CountStoppedError, memory_bytes: int) -> str:
    """Return the progress of a stopped count and the option to continue further."""
    if stop.reason == "interrupted":
        why, cure = "interrupted", ""
    else:
        why = f"the memory limit of {memory_bytes // 1024**2} MB is reached"
        cure = "; --memory raises it"
    return f"not finished: {why}; {stop.positions:,} positions, at least {stop.at_least:,}{cure}"
