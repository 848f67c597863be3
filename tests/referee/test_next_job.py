"""The referee's end of the pipe: jobs to play, and the next one while a match is played."""

import os
from collections.abc import Iterator

import pytest
from referee_process import job

from referee.service.pipe import JobReader, take_back_line


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


def test_the_next_job_is_known_once_it_is_sent_and_until_it_is_taken_back(
    pipe: tuple[int, int],
) -> None:
    reader, writer = pipe
    os.write(writer, job("first").encode() + b"\n")
    orders = JobReader(reader, lambda: None)
    assert next(iter(orders))[0].key == "first"
    assert orders.following() is None

    os.write(writer, job("second").encode() + b"\n")
    following = orders.following()
    assert following is not None
    assert following.key == "second"
    assert orders.following() is following

    os.write(writer, take_back_line("second"))
    assert orders.following() is None
    assert next(iter(orders)) == (following, True)
