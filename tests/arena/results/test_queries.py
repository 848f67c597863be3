"""Look-ups by a name or number from the command line, however strange."""

import pytest
from events import crashed, job_of, keep, new_event, won_by

from arena.errors import EventError
from arena.results.queries import find_event, find_match, first_played
from arena.results.store import Store


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("9" * 23, f'"{"9" * 23}"'),
        ("9" * 5000, "9999"),
        ("a\n\x1b[31mred\u202e", r'"a\n\x1b[31mred\u202e"'),
    ],
)
def test_a_name_that_is_none_is_refused_in_one_plain_line(
    store: Store, name: str, shown: str
) -> None:
    new_event(store)
    for find in (find_event, find_match):
        with pytest.raises(EventError) as caught:
            find(store, name)
        assert shown in str(caught.value)
        assert str(caught.value).isprintable()


def test_an_event_is_found_by_number_and_name(store: Store) -> None:
    number = new_event(store)

    assert find_event(store, str(number)) == find_event(store, "event") == find_event(store, None)


def test_the_first_match_with_a_move_is_found(store: Store) -> None:
    number = new_event(store)
    event = find_event(store, None)
    keep(store, number, crashed(job_of("ann", "bob"), 0))
    without_a_move = first_played(store, event)

    match = keep(store, number, won_by(job_of("ann", "cat"), 0))
    keep(store, number, won_by(job_of("bob", "cat"), 0))

    assert match.plies > 0
    assert (without_a_move, first_played(store, event)) == (None, match.id)
