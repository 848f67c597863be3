"""The short line about a bot that did not play."""

from contextlib import closing
from pathlib import Path

from events import new_store

from arena.reports.notes import broken_text

OUTPUT = "  its last output:\n    Stack:\n      in on_move\n    arena_bot: the connection is closed"


def test_a_bot_that_ended_is_shown_with_its_error_and_a_late_one_without_its_last_words(
    tmp_path: Path,
) -> None:
    ended = f"LEFT OUT: ann: crash, call move: ended during the move call\n{OUTPUT}"
    late = f"LEFT OUT: bob: timeout, call move: move took 2 s\n  a hint\n{OUTPUT}"
    with closing(new_store(tmp_path)) as store:
        number = store.add_event("cup", 1, {}, {"ann": "1", "bob": "2"})
        store.set_broken(number, {"ann": ended, "bob": late})
        event = store.event(number)
        assert event is not None

        assert broken_text(store, event, has_reasons=False).splitlines() == [
            "LEFT OUT: ann: crash, call move: ended during the move call: the connection is closed",
            "LEFT OUT: bob: timeout, call move: move took 2 s",
        ]


def test_a_bot_of_several_names_that_did_not_play_is_named_once(tmp_path: Path) -> None:
    said = "ann, bob: no_show, call start: exit code 3"
    with closing(new_store(tmp_path)) as store:
        number = store.add_event("cup", 1, {}, {"ann": "1", "bob": "1"})
        store.set_broken(number, {"ann": said, "bob": said})
        event = store.event(number)
        assert event is not None

        for has_reasons in (False, True):
            assert broken_text(store, event, has_reasons=has_reasons) == said
        assert broken_text(store, event, has_reasons=True, has_output=False) == said
