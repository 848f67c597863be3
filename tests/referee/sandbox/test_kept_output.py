"""Output in parts: the beginning and the end are kept, and the memory for it is bounded."""

import pytest

from referee.sandbox.kept_output import TAIL_BYTES, KeptOutput, Part

LARGE = 10 * TAIL_BYTES


def kept(most: int, *parts: bytes) -> KeptOutput:
    """Return an output with one part after another."""
    output = KeptOutput(most)
    for place, data in enumerate(parts):
        if place:
            output.next_part()
        output.add(data)
    return output


def test_parts_are_numbered_and_those_without_output_left_out() -> None:
    output = kept(LARGE, b"start", b"", b"one\n", b"", b"two\n")

    assert list(output.parts()) == [Part(0, b"start"), Part(2, b"one\n"), Part(4, b"two\n")]
    assert (output.total, output.dropped) == (13, 0)


def test_the_middle_of_a_long_output_is_dropped_and_counted() -> None:
    output = kept(LARGE, b"first", b"x" * LARGE, b"last")

    first, half, rest, last = output.parts()

    assert first == Part(0, b"first")
    assert (half.number, half.dropped) == (rest.number, 0) == (1, 0)
    assert rest.dropped == output.dropped == output.total - LARGE
    assert len(half.data) == LARGE // 2 - len(b"first")
    assert len(rest.data) == LARGE // 2 - len(b"last")
    assert last == Part(2, b"last")


def test_a_character_across_the_two_halves_stays_whole() -> None:
    text = "ä" * (LARGE // 2)

    (part,) = kept(LARGE, b"", text.encode()).parts()

    assert part.data.decode() == text


def test_a_part_where_the_two_halves_meet_is_one_and_others_follow() -> None:
    long = b"x" * (LARGE // 2 + 10)

    assert list(kept(LARGE, long, b"last").parts()) == [Part(0, long), Part(1, b"last")]


def test_what_is_read_piece_by_piece_takes_no_more_memory() -> None:
    output = KeptOutput(LARGE)
    for _ in range(2 * LARGE):
        output.add(b"x")

    assert (len(output._start), len(output._end)) == (1, 1)


def test_a_copy_receives_all_of_it() -> None:
    output, copied = KeptOutput(4), list[bytes]()
    output.copy = copied.append
    output.add(b"one ")
    output.add(b"two")

    assert copied == [b"one ", b"two"]


@pytest.mark.parametrize("most", [1, 100, TAIL_BYTES, TAIL_BYTES + 100, LARGE])
@pytest.mark.parametrize("size", [1, 7, 65536])
def test_no_more_than_the_limit_is_kept_and_the_end_always(most: int, size: int) -> None:
    data = bytes(range(251)) * 500
    output = KeptOutput(most)
    for place in range(0, len(data), size):
        output.add(data[place : place + size])
        output.next_part()

    assert sum(len(part.data) for part in output.parts()) == most
    assert data.endswith(output.tail())
    assert len(output.tail()) == min(most, TAIL_BYTES)


def test_the_tail_of_a_short_output_is_all_of_it() -> None:
    assert kept(LARGE, b"one ", b"two").tail() == b"one two"


def test_a_cleared_output_begins_again() -> None:
    output = kept(LARGE, b"one", b"two")

    output.clear()
    output.add(b"three")

    assert list(output.parts()) == [Part(0, b"three")]
    assert (output.total, output.tail()) == (5, b"three")
