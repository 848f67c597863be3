"""Hostile to secrets: looks for what it is not to know, and prints what it has found."""

import contextlib
import hashlib
import json
import os
import sys
from itertools import chain
from pathlib import Path

from wire import seated

TRIED = 4096
"""Seeds of events that are tried, small ones first."""
RIVAL = "quiet-otter"
OF_PROCESSES = ("cmdline", "environ", "cgroup", "maps", "mountinfo", "net/unix")
SKIPPED = {"/proc", "/sys", "/usr", "/lib", "/opt", sys.prefix, sys.base_prefix}


def searches_for_its_seed():
    """Compute its own seed of the events that are likely, until it is the one it has received."""
    seat = seated()
    call = seat.until("init")
    key = ",".join(call["players"]) + "/b0/0"
    found = [seed for seed in range(TRIED) if _own_seed(seed, key, call["seat"]) == call["seed"]]
    print("found:", " ".join(map(str, found)) or "nothing", flush=True)
    seat.answer(call)
    seat.play_on()


def _own_seed(event, key, seat):
    return _derived(_derived(event, "match", key), "seat", seat) >> 96


def _derived(seed, *parts):
    key = seed.to_bytes(16, "big")
    digest = hashlib.blake2b(json.dumps(parts).encode(), key=key, digest_size=16)
    return int.from_bytes(digest.digest(), "big")


def looks_for_its_rival():
    """Look for the name of a rival in all it receives, in its surroundings and in /proc."""
    seat = seated()
    received, receive = [], seat.heard

    def heard(size):
        data = receive(size)
        received.append(data.decode(errors="replace"))
        return data

    seat.heard = heard
    call = seat.until("term")
    texts = chain([("what it received", "".join(received))], _surroundings())
    where = next((place for place, text in texts if RIVAL in text), "nothing")
    print("found:", where, flush=True)
    seat.answer(call)


def _surroundings():
    yield "its environment", repr(os.environ)
    for process in Path("/proc").glob("[0-9]*"):
        for name in OF_PROCESSES:
            with contextlib.suppress(OSError):
                yield f"{process}/{name}", (process / name).read_bytes().decode(errors="replace")
        for name in ("cwd", "exe", "root"):
            with contextlib.suppress(OSError):
                yield f"{process}/{name}", str((process / name).readlink())
    own = str(Path(__file__).parent)
    for top, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if os.path.join(top, name) not in {*SKIPPED, own}]  # noqa: PTH118 - as they are
        yield top, "\n".join((*folders, *files))
