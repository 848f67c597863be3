"""A cable between this machine and a network namespace, with a delay, which can be pulled out."""

import fcntl
import os
import selectors
import struct
import threading
import time
from collections import deque
from contextlib import suppress

_TUNSETIFF = 0x400454CA
_TUN, _NO_HEADER = 0x0001, 0x1000
_LARGEST = 1 << 16


def open_end(name: str) -> int:
    """Create a network device whose packets are read and written at the returned descriptor."""
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    try:
        fcntl.ioctl(end, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _TUN | _NO_HEADER))
    except OSError:
        os.close(end)
        raise
    return end


class Cable:
    """Carries packets between two ends, each after the same time, until it is cut."""

    def __init__(self, ends: tuple[int, int], delay_s: float) -> None:
        self._ends, self._delay_s = ends, delay_s
        self._is_cut = self._is_closed = False
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def cut(self) -> None:
        """Lose all packets from now on, without an error."""
        self._is_cut = True

    def mend(self) -> None:
        """Carry packets again."""
        self._is_cut = False

    def close(self) -> None:
        """Remove both ends."""
        self._is_closed = True
        self._thread.join()
        for end in self._ends:
            os.close(end)

    def _carry(self) -> None:
        under_way: deque[tuple[float, int, bytes]] = deque()
        with selectors.DefaultSelector() as selector:
            for end, other in (self._ends, self._ends[::-1]):
                selector.register(end, selectors.EVENT_READ, other)
            while not self._is_closed:
                wait_s = under_way[0][0] - time.monotonic() if under_way else 0.1
                for key, _ in selector.select(max(0.0, min(wait_s, 0.1))):
                    with suppress(OSError):
                        packet = os.read(key.fd, _LARGEST)
                        under_way.append((time.monotonic() + self._delay_s, key.data, packet))
                while under_way and under_way[0][0] <= time.monotonic():
                    _, end, packet = under_way.popleft()
                    with suppress(OSError):
                        if not self._is_cut:
                            os.write(end, packet)
