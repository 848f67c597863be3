"""The memory around a process."""

from referee.sandbox.memory_here import memory_room_here


def test_the_memory_here_is_at_most_that_of_the_machine() -> None:
    found = memory_room_here()

    assert found.total_bytes > 0
    assert found.owner
