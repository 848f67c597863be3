"""Wait for the hellos of all started bots at once, and name the missing bots."""

import select
from collections.abc import Callable, Mapping
from pathlib import Path

from protocol.codec import SENTENCE
from protocol.vocabulary import Seat, Termination
from referee.errors import Forfeit
from referee.sandbox.shares import Shares
from referee.seats.bot import Bot
from referee.seats.clock import Clock
from referee.seats.deadline import start_extension_ns
from referee.seats.remote_process import RemoteProcess

LAST_LOOKS = 8
"""Largest number of reads of a listener after its bot has ended or its time is up.

A connection, a greeting and a hello arrived by then take four reads. Later ones are late.
"""

TOLD_PART = 0.01
"""Part of the limit from which the text of a failure has the wait for a core."""
SILENT = ": it printed nothing and sent no hello; a bot of JSON lines must flush each line"
BLANK = ": its last output is blank lines, and it sent no hello"
UNANSWERED = ": the engine did not answer; it must speak {} and flush each line"
UNHEARD = {
    "cecp_bridge.py": UNANSWERED.format("CECP, the protocol of xboard,"),
    "gomocup_bridge.py": UNANSWERED.format("the protocol of Gomocup"),
    "gtp_bridge.py": UNANSWERED.format("GTP"),
    "jsonl_bridge.py": ": no line came from it; it must send a hello first and flush each line",
    "uci_bridge.py": UNANSWERED.format("UCI, USI or UCCI"),
}
"""Hints about bots behind a bridge, which alone knows what they have printed."""
PLAIN_JSON = "; it printed JSON: a bot that speaks JSON lines needs `protocol: jsonl` in bot.yaml"


def wait_for_hellos(
    bots: Mapping[Seat, Bot], start_ns: int, clock: Clock, look: Callable[[], None] = lambda: None
) -> list[Forfeit]:
    """Wait until every bot has sent its hello or failed; return the failures in order of seats.

    `look` is called every `Shares.SLICE_NS` at least, and may end the wait by an exception.

    Each bot has `start_ns` from its own start, and the time that it waited for a core in addition,
    as in a call (`Deadline`). An exit is seen at once. A hello counts if arrived
    before the time runs out or the bot ends, so the result does not depend on the order of reads.
    Raises ShortageError if the machine had too little for a bot.
    """
    waiting = dict(bots)
    shares = Shares([bot.process for bot in bots.values()])
    looks = dict.fromkeys(bots, 0)
    failures: list[Forfeit] = []
    while waiting:
        look()
        seat = min(waiting, key=lambda seat: waiting[seat].process.started_ns)
        left_ns = _left_ns(waiting[seat], start_ns, clock.now_ns())
        knocked = _serve(waiting, max(0, min(left_ns, shares.SLICE_NS)))
        shares.look([bot.process for bot in waiting.values()], clock.now_ns())
        for seat, bot in list(waiting.items()):
            ended = bot.process.wait_end(0)
            if ended or _left_ns(bot, start_ns, clock.now_ns()) <= 0:
                looks[seat] += 1
            is_over = (looks[seat] > 1 and bot not in knocked) or looks[seat] > LAST_LOOKS
            if bot.hello is not None:
                del waiting[seat]
            elif bot.refusal is not None or is_over:
                bot.refuse_shortage()
                if not (bot.refusal or ended) and isinstance(bot.process, RemoteProcess):
                    bot.process.require_line(bot.process.started_ns)
                detail = _reason(bot, ended, start_ns, clock.now_ns())
                failures.append(Forfeit(seat, Termination.NO_SHOW, detail))
                del waiting[seat]
    shares.end()
    return sorted(failures, key=lambda failure: failure.seat)


def _left_ns(bot: Bot, start_ns: int, now_ns: int) -> int:
    """Return the rest of the time for a bot's start; its wait for a core is read at the end."""
    wall_ns = now_ns - bot.process.started_ns
    if wall_ns < start_ns:
        return start_ns - wall_ns
    return start_ns + start_extension_ns(bot.process, start_ns, wall_ns) - wall_ns


def _not_counted(bot: Bot, start_ns: int, now_ns: int) -> str:
    """Return the wait for a core as the end of a failure's text; empty if it hardly mattered."""
    waited_ns = start_extension_ns(bot.process, start_ns, now_ns - bot.process.started_ns)
    if waited_ns < start_ns * TOLD_PART:
        return ""
    return f"; {waited_ns / 1e6:.0f} ms of waiting for a core are not counted"


def _serve(waiting: Mapping[Seat, Bot], wait_ns: int) -> set[Bot]:
    """Wait for any event of any bot and handle it; return the bots whose listeners had one."""
    poll = select.poll()
    listeners: dict[int, Bot] = {}
    outputs: dict[int, Bot] = {}
    for bot in waiting.values():
        listeners.update(dict.fromkeys(bot.listener.descriptors(), bot))
        if not bot.is_output_closed:
            outputs[bot.process.output] = bot
        poll.register(bot.process.pidfd, select.POLLIN)
    for descriptor in (*listeners, *outputs):
        poll.register(descriptor, select.POLLIN)
    knocked = set()
    for descriptor, _ in poll.poll(wait_ns / 1_000_000):
        if descriptor in listeners and listeners[descriptor].hello is None:
            listeners[descriptor].on_readable(descriptor)
            knocked.add(listeners[descriptor])
        elif descriptor in outputs:
            outputs[descriptor].drain()
    return knocked


def _reason(bot: Bot, ended: str | None, start_ns: int, now_ns: int) -> str:
    if bot.refusal is not None:
        return f"its hello is rejected: {bot.refusal}"
    if said := [text for text in bot.listener.refused if text.startswith(SENTENCE)]:
        ending = f": {ended}" if ended is not None else f" within {start_ns / 1e9:g} s"
        return f"it says {said[0].removeprefix(SENTENCE)} and sends no hello{ending}"
    strangers = f"; refused: {'; '.join(bot.listener.refused)}" if bot.listener.refused else ""
    hint = _hint(bot)
    if ended is not None:
        return f"ended before its hello: {ended}{strangers}{hint if hint == PLAIN_JSON else ''}"
    waited = _not_counted(bot, start_ns, now_ns)
    return f"no valid hello within {start_ns / 1e9:g} s{strangers}{hint}{waited}"


def _hint(bot: Bot) -> str:
    """Return the likely mistake of a bot without a hello, judged by its output."""
    if bot.listener.refused or isinstance(bot.process, RemoteProcess):
        return ""
    output = bot.process.tail()
    if output.strip():
        return PLAIN_JSON if output.lstrip().startswith("{") else ""
    bridge = Path(bot.player.argv[1]).name if bot.player.argv[1:] else ""
    return UNHEARD.get(bridge) or (BLANK if output else SILENT)
