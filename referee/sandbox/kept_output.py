"""The output of a program, as far as it is kept: its beginning and its end, in numbered parts."""

from collections import deque
from collections.abc import Callable, Iterator, MutableSequence
from typing import NamedTuple

TAIL_BYTES = 8192
"""Last bytes of an output in `KeptOutput.tail`: they are kept whatever was printed before."""


class Part(NamedTuple):
    """What was read of an output during one part."""

    number: int
    data: bytes
    dropped: int = 0
    """Bytes before it that are not kept."""


class KeptOutput:
    """At most `most` bytes of an output: the beginning, and at least `TAIL_BYTES` of the end.

    Normal use:

        kept.add(data)    # whatever was read
        kept.next_part()  # all that is read from now on belongs to the next part
        kept.parts()
    """

    def __init__(self, most: int) -> None:
        self._most_at_end = max(min(most, TAIL_BYTES), most - most // 2)
        self._most_at_start = most - self._most_at_end
        self.copy: Callable[[bytes], None] = _nowhere
        """Receives all that is added, whether it is kept or not."""
        self.clear()

    def clear(self) -> None:
        """Forget all of it, and begin again with part 0."""
        self.total = 0
        """Number of all bytes, with those that are not kept."""
        self._number = 0
        self._start: list[tuple[int, bytearray]] = []
        self._end: deque[tuple[int, bytearray]] = deque()
        self._at_start = self._at_end = 0

    def next_part(self) -> None:
        """Begin the next part."""
        self._number += 1

    def add(self, data: bytes) -> None:
        """Add the next bytes to the present part."""
        self.copy(data)
        self.total += len(data)
        if first := data[: self._most_at_start - self._at_start]:
            _append(self._start, self._number, first)
            self._at_start += len(first)
            data = data[len(first) :]
        if data := data[-self._most_at_end :]:
            _append(self._end, self._number, data)
            self._at_end += len(data)
            self._drop()

    def tail(self) -> bytes:
        """Return the last bytes."""
        parts = [part for _, part in (self._end if self.dropped else (*self._start, *self._end))]
        return b"".join(parts)[-TAIL_BYTES:]

    @property
    def dropped(self) -> int:
        """Number of bytes between the beginning and the end."""
        return self.total - self._at_start - self._at_end

    def parts(self) -> Iterator[Part]:
        """Yield all parts with output, in order; that with a gap comes in two pieces."""
        parts = [*self._start, *self._end]
        gap = len(self._start) if self.dropped else None
        last: Part | None = None
        for place, (number, data) in enumerate(parts):
            if last is not None and last.number == number and place != gap:
                last = last._replace(data=last.data + data)  # where the beginning meets the end
                continue
            if last is not None:
                yield last
            last = Part(number, bytes(data), self.dropped if place == gap else 0)
        if last is not None:
            yield last

    def _drop(self) -> None:
        """Drop the first bytes of the end above its limit."""
        while (excess := self._at_end - self._most_at_end) > 0:
            first = self._end[0][1]
            dropped = min(excess, len(first))
            del first[:dropped]
            self._at_end -= dropped
            if not first:
                self._end.popleft()


def _nowhere(_data: bytes) -> None:
    return


def _append(parts: MutableSequence[tuple[int, bytearray]], number: int, data: bytes) -> None:
    if parts and parts[-1][0] == number:
        parts[-1][1].extend(data)
    else:
        parts.append((number, bytearray(data)))
