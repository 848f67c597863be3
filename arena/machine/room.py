"""The memory and processes of this machine, compared with the limits of all bots together.

Fewer slots from the start are better than bots that lack memory in the middle of their matches.
"""

from arena.text import plural
from referee.sandbox import Limits, memory_room_here, task_room_here

MB = 1 << 20


def slots_with_room(slots: int, seats: int, limits: Limits, *, is_chosen: bool) -> tuple[int, str]:
    """Return for how many slots there is room, one at least, and a notice if that is fewer.

    Slots chosen by the user stay, with a warning: few bots use all that they may. A notice is also
    for a machine too small for the bots of one match.
    """
    found = [(slots, "")]
    if limits.memory_bytes is not None:
        room, wanted = memory_room_here(), seats * limits.memory_bytes
        text = f"{wanted // MB} MB together (limits.memory), and {room}"
        found.append((room.total_bytes // wanted, text))
    tasks, wanted = task_room_here(), seats * limits.processes
    text = f"{wanted} processes and threads together (limits.processes), and {tasks}"
    found.append((tasks.left // wanted, text))
    fitting, text = min(found, key=lambda each: each[0])
    if not text:
        return slots, ""
    most = min(slots, max(1, fitting))
    bots = f"the {plural(seats, 'bot')} of a match may use {text}"
    if fitting == 0:
        notice = (
            f"warning: {bots}; a match that lacks them is played again, and may never be finished"
        )
    elif is_chosen:
        notice = f"warning: there is room for {plural(most, 'slot')}, not {slots}: {bots}"
    else:
        notice = f"{plural(most, 'slot')} instead of {slots}: {bots}"
    return slots if is_chosen else most, notice
