"""The requirements of `arena check` on a bot, each tried on the bench."""

import statistics
import time

from arena.check import odd_calls
from arena.check.bench import PATIENCE_NS, Bench, BotSession, Setting, unresigned
from arena.check.options import display_option, option_values, with_option
from arena.check.outcomes import SessionOverError, StepFailed, StepSkipped
from arena.text import plural, seconds
from protocol.codec import encode_fields
from protocol.link import Link
from protocol.messages import Fields
from protocol.vocabulary import Termination
from protocol.wording import shown
from referee.catalog import AnyGame
from referee.sandbox import TIERS
from referee.seats.bot import EXIT_NS
from referee.seats.stopwatch import PONDER_NS

QUIET_NS = 50_000_000
NOISE_NS = 200_000_000
"""Extra time for an exit on a busy host, in nanoseconds."""
PAUSE_NS = 100_000_000
LOUD_MATCHES = 3
"""Number of matches with CPU time between calls, before that is a failure."""
MATCHES = 20
WARM = 5
"""Matches after which a bot's memory should not grow further."""
GROWTH_BYTES = 16 << 20
GROWTH_PART = 0.25
"""Memory may grow by this much, or by this part: collectors of garbage take their time."""
OUTPUT_BYTES = 1 << 20
DETAIL = "a test notice; there was no fault"


def starts(bench: Bench) -> str:
    """Start the bot and wait for its hello."""
    with bench.start() as session:
        return f"after {seconds(session.start_ns)}"


def answers_ping(bench: Bench) -> str:
    """Ping the bot right after its hello."""
    with bench.start() as session:
        session.ping()
        sent_ns = time.monotonic_ns()
        for number in range(2, 22):
            session.ping(number)
        return f"{seconds((time.monotonic_ns() - sent_ns) // 20)} a ping"


def plays(setting: Setting, bench: Bench) -> None:
    """Play a match."""
    with bench.start() as session:
        unresigned(session.play(setting))


def plays_on(setting: Setting, bench: Bench) -> None:
    """Play a match after others in the same process."""
    unresigned(bench.play(setting))


def names_itself(bench: Bench) -> str:
    """Look into its hello."""
    with bench.start() as session:
        hello = session.hello
        said = " ".join(filter(None, [hello.name, hello.version, hello.language]))
        wants = f"wants {' and '.join(hello.wants)}" if hello.wants else "wants nothing"
        if not said:
            raise StepSkipped("its hello has none of the optional fields")
        return f"{said}; {wants}"


def is_quiet(bench: Bench) -> None:
    """Listen when nothing was asked: after the hello and after a match."""
    with bench.start() as session:
        _expect_nothing(session, "after its hello")
        session.play(Setting(is_last=False))
        _expect_nothing(session, "after a match")


def echoes_ids(bench: Bench) -> None:
    """Ping the bot with ids around the limits of shorter integers."""
    with bench.start() as session:
        for bits in (7, 8, 15, 16, 31, 32, 52):
            session.ping(2**bits - 1)
            session.ping(2**bits)
        session.ping(2**53)


def keeps_envelope(bench: Bench) -> str:
    """Compare the envelopes of its messages."""
    with bench.start() as session:
        first = session.link.pack(b"")
        for number in range(3):
            session.ping(number)
            if session.link.pack(b"") != first:
                raise StepFailed("only some of its messages begin with an empty frame")
        return "REQ" if len(first) > 2 else "DEALER"


def connects_over_tcp(bench: Bench) -> None:
    """Play a match over tcp."""
    with bench.start("tcp") as session:
        session.play(Setting(turns=1))


def runs_twice(bench: Bench) -> str | None:
    """Start the bot twice and let both play."""
    with bench.start() as one, bench.start() as other:
        other.ping()
        one.play(Setting())
        other.play(Setting())
    is_hidden = TIERS[bench.entry.tier].hides_files
    return "each in its own sandbox, with files and ports of its own" if is_hidden else None


def ends_at(payload: bytes, bench: Bench) -> str:
    """Send the bot an invalid message."""
    with bench.start() as session:
        session.link.send(payload)
        try:
            if (reply := session.receive(PATIENCE_NS)) is not None:
                raise StepFailed(f"it replied {shown(reply)}")
        except SessionOverError:
            pass
        ended = session.wait_end(PATIENCE_NS)
        if ended is None:
            raise StepFailed(f"it is still running after {seconds(PATIENCE_NS)}")
        if ended == "exit code 0" or not ended.startswith("exit code"):
            raise StepFailed(f"it ended with {ended}")
        if not session.output().strip():
            raise StepFailed(f"it ended with {ended}, but wrote no message")
        return ended


def claims_rightly(bench: Bench) -> str:
    """Play with claims checked."""
    made = _claims(bench)
    if not any(made):
        raise StepSkipped("it makes no claims; they are optional")
    return f"{plural(sum(map(len, made)), 'claim')} in {plural(len(made), 'move')}"


def makes_every_claim(bench: Bench) -> None:
    """Play with claims required."""
    if not any(_claims(bench)):
        raise StepSkipped("it makes no claims; events with `claims: required` refuse it")
    bench.play(Setting(turns=12, claims="required"))


def shows_board(bench: Bench) -> str:
    """Play on for some moves, with the board asked for now and then."""
    played = bench.play(Setting(turns=12))
    shown = sum(call.call == "display" for call in played.calls)
    if not shown:
        raise StepSkipped(_no_display(bench.game))
    return f"{shown} times"


def does_without_legal(bench: Bench) -> None:
    """Play as if the legal moves were too many to send."""
    with bench.start() as session:
        if "legal" not in (session.hello.wants or ()):
            raise StepSkipped("it does not ask for them in hello")
        unresigned(session.play(Setting(alter=odd_calls.without_legal)))


def rests(bench: Bench) -> str:
    """Leave the bot alone before each call, and read its CPU time meanwhile.

    Most times of a match must be quiet, in the first match or a later one: a virtual machine may
    compile or collect garbage, on a busy machine throughout a match.
    """
    burnt: list[int] = []
    with bench.start() as session:

        def pause(link: Link, payload: bytes) -> None:
            burnt.append(session.rest(PAUSE_NS))
            link.send(payload)

        seat = max(0, min(bench.game.seats) - 1)
        for _ in range(LOUD_MATCHES):
            burnt.clear()
            session.play(Setting(alter=pause, seat=seat, is_last=False))
            burnt_ns = statistics.median_low(burnt[1:])
            used = f"{seconds(burnt_ns)} of CPU time in {PAUSE_NS // 1_000_000} ms"
            if burnt_ns <= PONDER_NS:
                return used
    raise StepFailed(f"it used {used}")


def repeats_itself(bench: Bench) -> str | None:
    """Play the same match twice."""
    lines = []
    for _ in range(2):
        with bench.start() as session:
            lines.append([call.move for call in session.play(Setting(turns=5)).moves])
    if lines[0] != lines[1]:
        raise StepSkipped("it plays other moves, which is allowed")
    return None


def exits(bench: Bench) -> str:
    """Play a last match and wait for the end of the bot."""
    with bench.start() as session:
        session.play(Setting())
        since_ns = time.monotonic_ns()
        ended = session.wait_end(EXIT_NS + NOISE_NS)
        if ended != "exit code 0":
            limit = seconds(EXIT_NS)
            raise StepFailed(
                f"it ended with {ended}"
                if ended
                else f"it is still running after its last bye; after {limit} it is killed"
            )
        return f"after {seconds(time.monotonic_ns() - since_ns)}"


def leaves_nothing(bench: Bench) -> None:
    """Play a last match and look for orphans of the bot."""
    with bench.start() as session:
        orphans = session.watch_orphans()
        session.play(Setting())
        if left := orphans(EXIT_NS + NOISE_NS):
            raise StepFailed(f"{left} of its processes still run")


def takes_endings(bench: Bench) -> str:
    """Play a match for every way to end, in one process."""
    words = [*Termination, "abandoned"]
    with bench.start() as session:
        for word in words:
            try:
                session.play(Setting(turns=1, is_last=False, alter=odd_calls.ended_by(word)))
            except StepFailed as failure:
                raise StepFailed(f"{word}: {failure}", failure.fault) from None
    return ", ".join(words)


def takes_term_alone(bench: Bench) -> None:
    """Say term without ever having said init, twice."""
    with bench.start() as session:
        for number, is_last in enumerate((False, True), start=1):
            reply = session.ask(_term(number, bench, is_last=is_last))
            if reply != {"type": "bye", "id": number}:
                raise StepFailed(f"the reply to term is {shown(reply)}")


def plays_again(matches: int, bench: Bench) -> None:
    """Play several matches in one process, in all seats, each time with other options."""
    seats = min(bench.game.seats)
    games = [bench.game, *(with_option(bench.game, *pair) for pair in option_values(bench.game))]
    with bench.start() as session:
        for number in range(matches):
            setting = Setting(
                seat=number % seats,
                game=games[number % len(games)] if matches > 2 else None,
                seed=number,
                is_last=number == matches - 1,
            )
            try:
                played = session.play(setting)
            except StepFailed as failure:
                raise StepFailed(f"match {number + 1}: {failure}", failure.fault) from None
        unresigned(played)


def keeps_memory(bench: Bench) -> str:
    """Play many matches in one process and compare its memory before and after."""
    with bench.start() as session:
        for number in range(WARM):
            session.play(Setting(turns=1, seed=number, is_last=False))
        before = session.memory_bytes()
        for number in range(WARM, MATCHES):
            session.play(Setting(turns=1, seed=number, is_last=False))
        after = session.memory_bytes()
    grown = f"{before >> 20} MB after {WARM} matches, {after >> 20} MB after {MATCHES}"
    if after - before > max(GROWTH_BYTES, before * GROWTH_PART):
        raise StepFailed(grown)
    return grown


def ends_when_alone(bench: Bench) -> str:
    """Hang up right after its hello."""
    with bench.start() as session:
        session.ping()
        return _left_alone(session)


def ends_in_match(bench: Bench) -> str:
    """Hang up after a match began."""
    with bench.start() as session:

        def hang_up(link: Link, payload: bytes) -> None:
            if b"move" in payload[:16]:
                raise _Hung
            link.send(payload)

        try:
            session.play(Setting(alter=hang_up))
        except _Hung:
            return _left_alone(session)
        raise StepSkipped("the match ended before its first move")


def takes_error(bench: Bench) -> str:
    """Send an error notice, then hang up as a referee does."""
    with bench.start() as session:
        notice = {"type": "error", "code": Termination.VOID.value, "detail": DETAIL}
        session.link.send(encode_fields(notice))
        if (reply := session.receive(QUIET_NS)) is not None:
            raise StepFailed(f"it replied {shown(reply)}")
        _left_alone(session)
        is_written = DETAIL in session.output()
        return "it writes it to stderr" if is_written else "it does not write it to stderr"


def prints_little(bench: Bench) -> str:
    """Add up its output in all steps before."""
    bench.close()
    printed = f"{bench.output_bytes:,} bytes in all"
    if bench.output_bytes > OUTPUT_BYTES:
        raise StepFailed(printed)
    return printed


class _Hung(Exception):  # noqa: N818 - no error: the step has come to its point
    """The connection is to be closed now."""


def _expect_nothing(session: BotSession, when: str) -> None:
    if (message := session.receive(QUIET_NS)) is not None:
        raise StepFailed(f"{when} it sent {shown(message)}")


def _left_alone(session: BotSession) -> str:
    session.hang_up()
    since_ns = time.monotonic_ns()
    ended = session.wait_end(PATIENCE_NS)
    if ended is None:
        raise StepFailed(f"it is still running after {seconds(PATIENCE_NS)}")
    return f"after {seconds(time.monotonic_ns() - since_ns)}, {ended}"


def _claims(bench: Bench) -> list[Fields]:
    """Return the claims of each of a bot's moves."""
    return [call.claims or {} for call in bench.play(Setting(turns=12)).moves]


def _no_display(game: AnyGame) -> str:
    """Return a note about a game without displays, with an option to request them."""
    option = display_option(game)
    return f"{game.name} asks for it with -o {option}" if option else "the match asks for none"


def _term(number: int, bench: Bench, *, is_last: bool) -> Fields:
    return {
        "type": "term",
        "id": number,
        "opponent_moves": [],
        "termination": Termination.NORMAL.value,
        "scores": ["0"] * min(bench.game.seats),
        "reason": "over before it began",
        "offenders": [],
        "last": is_last,
    }
