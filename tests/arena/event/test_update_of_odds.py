"""An update of the time odds of a begun event."""

import re

from course import Class, open_store

from arena.reports.notes import odds_text
from arena.results.queries import find_event


def test_matches_under_other_time_odds_are_set_aside(course: Class) -> None:
    course.play()
    bots = "bots: [./ann, {bot: ./bob, time: {per_move: 1s}}, ./cat, ./dan]"
    config = course.folder / "cup.yaml"
    config.write_text(re.sub("bots: .*", bots, config.read_text()))

    refusal = course.refusal()
    assert "bots.bob.time: absent -> per_move 1s" in refusal
    assert any(line.startswith("6 of 12 finished matches set aside") for line in refusal)

    assert course.play(may_update=True) == 0
    assert len(course.begun) == 6
    assert all("bob" in key for key in course.begun)
    with open_store() as store:
        event = find_event(store, "cup")
        assert odds_text(event) == "bob: per_move 1s"
    assert course.play() == 0
    assert course.begun == []
