"""The table of languages: `python -m tests.bench languages`, with `--write` into bots/README.md.

Measured is the starter of each language, as `arena` prepares it, on one core like a seat in a
match, which as root it has to itself. Vectors and check are those of tests/bots/test_starters.py.
A language without its toolchain is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bench.figures import percentile

ROOT = Path(__file__).parents[2]
README = ROOT / "bots" / "README.md"
TESTS = ROOT / "tests" / "bots"
sys.path[:0] = [str(TESTS), str(TESTS.parent)]  # Its modules import each other by bare names.
from languages import LANGUAGES, Language, Starter  # noqa: E402
from vector_seat import ALONE, BROKEN_CALLS, CALLS, VectorSeat, bytes_of  # noqa: E402

STARTS = 15
ROUNDS, CALLS_TIMED, WARM_UP = 8, 1000, 2000
ANY = "/bin/true"
TIMED = "move: pente"
HEADER = (
    *("language", "kit lines", "starter lines", "start ms"),
    *("round trip p50 µs", "p99 µs", "vectors passed", "check passed"),
)
CHECK = "test_arena_check_finds_no_fault_in_the_starter[{0}]"
ANSWERS = "test_the_starter_answers_the_calls_of_the_vectors"
VECTORS = {
    f"{ANSWERS}_in_one_match_after_another[{{0}}]": len(CALLS) - len(ALONE),
    **{f"{ANSWERS}[{{0}}-{name}]": 1 for name in ALONE},
    **{
        f"test_the_starter_survives_no_call_that_is_broken[{{0}}-{name}]": 1
        for name in BROKEN_CALLS
    },
}
"""Number of vectors of each test."""
COUNT = sum(VECTORS.values())
PASSED = [f"{COUNT}/{COUNT}", "yes"]


@dataclass(frozen=True, kw_only=True)
class Times:
    """Cost of a starter: the best of several rounds, to exclude other load."""

    start_ms: float
    p50_us: float
    p99_us: float


def languages(arguments: list[str]) -> int:
    """Print the table, or rows of it; `--write` puts it into bots/README.md. Return the code."""
    names = {argument for argument in arguments if argument != "--write"}
    if unknown := sorted(names - {language.name for language in LANGUAGES}):
        print(f"no language {unknown[0]} in tests/bots/languages.py", file=sys.stderr)
        return 2
    if names and "--write" in arguments:
        print("--write needs all languages: name none", file=sys.stderr)
        return 2
    chosen = [language for language in LANGUAGES if not names or language.name in names]
    rows = []
    print(_line(HEADER), _line(["---"] * len(HEADER)), sep="\n", flush=True)
    for language in filter(_is_there, chosen):
        rows.append(_row(language))
        print(_line(rows[-1]), flush=True)
    print(f"start of any program, here of {ANY}: {_least_start_ms():.1f} ms")
    if "--write" in arguments:
        _write([_line(HEADER), _line(["---"] * len(HEADER)), *map(_line, rows)])
    return 0 if all(row[-2:] == PASSED for row in rows) else 1


def _is_there(language: Language) -> bool:
    """Whether this machine can build the starter; prints missing tools on stderr."""
    try:
        language.need_toolchain()
    except (pytest.skip.Exception, pytest.fail.Exception) as lack:
        print(f"{language.name}: left out: {lack.msg}", file=sys.stderr)
        return False
    return True


def _row(language: Language) -> list[str]:
    *kit, main = (len(path.read_text().splitlines()) for path in language.sources)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        times = _times(Starter.build(language, Path(folder) / "cache"), Path(folder))
    measured = (times.start_ms, times.p50_us, times.p99_us)
    return [
        *(language.name, str(sum(kit)), str(main)),
        *(f"{number:.{1 if number < 10 else 0}f}" for number in measured),
        f"{_passed(language, VECTORS)}/{COUNT}",
        "yes" if _passed(language, {CHECK: 1}) else "no",
    ]


def _times(starter: Starter, room: Path) -> Times:
    """Measure starts, exec to hello, and round trips of a move."""
    with _core_to_itself():
        starts_ms = [_start_ms(starter, room) for _ in range(STARTS)]
        rounds_us = list(_rounds_us(starter, room))
    return Times(
        start_ms=min(starts_ms),
        p50_us=min(percentile(times, 0.5) for times in rounds_us),
        p99_us=min(percentile(times, 0.99) for times in rounds_us),
    )


@contextmanager
def _core_to_itself() -> Iterator[None]:
    """Pin this process and its children to one core and, if allowed, all others to the rest."""
    cores = os.sched_getaffinity(0)
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setaffinity(0, {min(cores)})
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)
        os.sched_setaffinity(0, cores)


def _start_ms(starter: Starter, room: Path) -> float:
    begun_ns = time.perf_counter_ns()
    with _seat(starter, room):
        return (time.perf_counter_ns() - begun_ns) / 1e6


def _rounds_us(starter: Starter, room: Path) -> Iterator[list[float]]:
    """Yield how long each call took, one of 475 bytes with the view, until its reply was read."""
    call = bytes_of(CALLS[TIMED])
    with _seat(starter, room) as seat:
        seat.play_up_to(CALLS[TIMED])
        for number in (WARM_UP, *[CALLS_TIMED] * ROUNDS):
            times = []
            for _ in range(number):
                begun_ns = time.perf_counter_ns()
                seat.send(call)
                seat.receive()
                times.append((time.perf_counter_ns() - begun_ns) / 1e3)
            yield times


def _least_start_ms() -> float:
    """Return the time of a start that no kit can go below: of a program that does nothing."""
    times_ns = []
    with _core_to_itself():
        for _ in range(STARTS):
            begun_ns = time.perf_counter_ns()
            subprocess.run([ANY], stdin=subprocess.DEVNULL, capture_output=True, check=True)
            times_ns.append(time.perf_counter_ns() - begun_ns)
    return min(times_ns) / 1e6


def _seat(starter: Starter, room: Path) -> VectorSeat:
    (room / "s").unlink(missing_ok=True)
    return VectorSeat(starter.bot.argv, starter.bot.folder, room)


def _passed(language: Language, tests: Mapping[str, int]) -> int:
    """Return the sum of the numbers of those tests of the starter that passed."""
    file = TESTS / "test_starters.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        report = Path(folder) / "report.xml"
        counts = {test.format(language.name): count for test, count in tests.items()}
        names = (f"{file}::{name}" for name in counts)
        subprocess.run(
            [*command, f"--junitxml={report}", *names], cwd=ROOT, capture_output=True, check=False
        )
        found = ET.parse(report).iter("testcase")  # noqa: S314 - pytest wrote it
    lost = {"failure", "error", "skipped"}
    return sum(
        counts[each.attrib["name"]] for each in found if not lost & {child.tag for child in each}
    )


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _write(lines: list[str]) -> None:
    marks = ("<!-- languages: begin -->", "<!-- languages: end -->")
    head, _, rest = README.read_text().partition(marks[0])
    _, _, tail = rest.partition(marks[1])
    table = "\n".join(lines)
    README.write_text(f"{head}{marks[0]}\n{table}\n{marks[1]}{tail}")
