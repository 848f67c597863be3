"""Bots of one event in another: the best of a table, the best of each group of a group stage."""

from pathlib import Path

import pytest
from course import NAMES, Class, alphabetical, open_store
from events import first_wins, void

from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import ConfigError
from arena.formats.event_results import format_text, table_of
from arena.formats.qualifiers import best_bots
from arena.results.queries import find_event
from arena.schedule.groups import group_stage, groups_of
from referee.job import Job
from referee.records.match_end import MatchEnd


def final(bots: str, more: str = "", folder: str = ".") -> str:
    """Write the config of a final and return its path."""
    path = Path(folder) / "final.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"name: final\ngame: {{name: pente}}\nbots: {bots}\n{more}")
    return str(path)


def loaded(path: str) -> Config:
    return load_config(path, qualify=lambda event, top: best_bots(Path("arena.db"), event, top))


def names(config: Config) -> list[str]:
    return [bot.name for bot in config.bots]


def test_the_best_bots_of_an_event_are_entered_best_first(course: Class) -> None:
    course.config("dan", "cat", "bob", "ann")
    course.play(alphabetical)

    config = loaded(final("{from: cup, top: 2}", folder="elsewhere"))

    assert names(config) == ["ann", "bob"]
    assert [Path(bot.bot) for bot in config.bots] == [course.folder / "ann", course.folder / "bob"]
    assert names(loaded(final("{from: 1, top: 3}"))) == ["ann", "bob", "cat"]


def test_they_play_under_their_names_and_arguments_beside_others(course: Class) -> None:
    text = Path("cup.yaml").read_text()
    entry = "{name: anna, bot: ./ann, args: [fast]}"
    Path("cup.yaml").write_text(text.replace("./ann", entry))
    course.play(alphabetical)
    Path("cup.yaml").write_text(Path(final("[{from: cup, top: 1}, ./eve]")).read_text())

    assert course.play() == 0

    with open_store() as store:
        event = find_event(store, "final")
        record = store.record(next(store.matches(event.id)).id)
    assert list(event.entrants) == ["anna", "eve"]
    assert {player.name for player in record.job.players} == {"anna", "eve"}
    assert event.config["bots"][0]["args"] == ["fast"]


@pytest.mark.parametrize(
    ("bots", "says"),
    [
        ("{from: cap, top: 2}", '3:7: arena.db: no event "cap"; events there: cup'),
        ("{from: cup, top: 5}", "3:7: event 1 (cup) has 4 bots, not 5"),
        ("{from: cup, top: two}", '3:24: top must be 1 to 1000, not the text "two"'),
        ("{from: cup, top: 0}", "3:24: top must be 1 to 1000, not 0"),
        ("{from: cup}", "3:7: top is missing: how many bots of the event to take, like top: 4"),
        ("{from: [cup], top: 2}", "3:14: from must be the name or number of an event, not a list"),
        ("{from: cup, tip: 2, top: 2}", '3:19: unknown key "tip"; did you mean "top"?'),
        ("[{from: cup, top: 2}, ./ann]", '3:29: the player "ann" exists already'),
        ("[{from: cup, top: 2}, ./nobody]", "3:29: bot ./nobody: "),
    ],
)
def test_a_wrong_reference_is_refused_at_its_place(course: Class, bots: str, says: str) -> None:
    course.play(alphabetical)

    with pytest.raises(ConfigError) as refusal:
        loaded(final(bots))

    assert str(refusal.value).startswith(f"final.yaml:{says}")


def test_an_unfinished_event_has_no_best_bots_yet(course: Class) -> None:
    class KilledError(Exception):
        pass

    def kill(job: Job) -> MatchEnd:
        if len(course.begun) > 10:
            raise KilledError
        return first_wins(job)

    with pytest.raises(KilledError):
        course.play(kill)

    with pytest.raises(ConfigError, match=r"event 1 \(cup\) is not finished: 2 matches to play"):
        loaded(final("{from: cup, top: 2}"))


@pytest.mark.usefixtures("course")
def test_other_commands_than_tournament_refuse_a_reference() -> None:
    with pytest.raises(ConfigError, match="bots of another event are for `arena tournament`"):
        load_config(final("{from: cup, top: 2}"))


# -- groups ----------------------------------------------------------------------------------------


def test_groups_are_dealt_out_in_turns_and_grow_at_the_end() -> None:
    assert groups_of("abcdefgh", 3) == [["a", "f", "g"], ["b", "e", "h"], ["c", "d"]]
    assert groups_of("abcdefghi", 3)[2] == ["c", "d", "i"]


def test_players_meet_within_their_group_only() -> None:
    stage = group_stage([["a", "b", "c"], ["d", "e", "f"], ["g"]], seats=(2,))

    met = {frozenset(pairing.players) for pairing in stage.pairings}
    assert met == set(map(frozenset, ("ab", "ac", "bc", "de", "df", "ef")))
    assert stage.imbalance == ("the groups have different numbers of bots: A 3, B 3, C 1",)


def test_a_group_stage_has_a_table_for_each_group_and_winners_first(course: Class) -> None:
    course.config(more="groups: 2\n")

    assert course.play(alphabetical) == 0

    assert sorted(course.begun) == [
        *("ann,dan/b0/0", "bob,cat/b0/0", "cat,bob/b0/0", "dan,ann/b0/0"),
    ]
    with open_store() as store:
        event = find_event(store, "cup")
        table = table_of(store, event)
        lines = format_text(store, event, table).splitlines()
    assert [(rank, row.player) for rank, row in table.ranked()] == [
        (1, "ann"),
        (1, "bob"),
        (2, "dan"),
        (2, "cat"),
    ]
    assert [line for line in lines if line.startswith("group")] == ["group A", "group B"]
    assert [line.split()[:3] for line in lines if line[:1].isdigit()] == [
        ["1", "ann", "10"],
        ["2", "dan", "0"],
        ["1", "bob", "10"],
        ["2", "cat", "0"],
    ]


def test_the_best_of_each_group_go_on_winners_first(course: Class) -> None:
    course.config(*NAMES, "eve", more="groups: 2\n")
    course.play(alphabetical)

    assert names(loaded(final("{from: cup, top: 1}"))) == ["ann", "bob"]
    assert names(loaded(final("{from: cup, top: 2}"))) == ["ann", "bob", "dan", "cat"]
    with pytest.raises(ConfigError, match="has 2 bots in a group, not 3"):
        loaded(final("{from: cup, top: 3}"))


def test_two_equal_winners_of_a_group_are_its_winner_and_its_second(course: Class) -> None:
    course.config(more="groups: 2\n")
    course.play(first_wins)  # each wins once

    entered = names(loaded(final("{from: cup, top: 2}")))

    assert {frozenset(entered[place::2]) for place in (0, 1)} == {
        frozenset(("ann", "dan")),
        frozenset(("bob", "cat")),
    }


def test_a_group_without_enough_bots_that_played_is_refused(course: Class) -> None:
    (course.folder / "bob" / "bot.yaml").write_text("run: [no-such-language, main]\n")
    course.config(more="groups: 2\n")
    course.play(alphabetical, skip_missing=True)

    with pytest.raises(ConfigError, match="has 1 bot in a group, not 2"):
        loaded(final("{from: cup, top: 2}"))


def test_a_bot_left_out_changes_no_group(course: Class) -> None:
    (course.folder / "bob" / "bot.yaml").write_text("run: [no-such-language, main]\n")
    course.config(*NAMES, "eve", more="groups: 2\n")

    assert course.play(alphabetical, skip_missing=True) == 0

    assert len(course.begun) == 6
    assert all(name in key for key in course.begun for name in key.partition("/")[0].split(","))
    assert {frozenset(key.partition("/")[0].split(",")) for key in course.begun} == set(
        map(frozenset, (("ann", "dan"), ("ann", "eve"), ("dan", "eve")))
    )


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("groups: 3\n", "groups: 3 groups need 6 players or more, not 4"),
        ("groups: 2\nformat: swiss\n", "groups is for format: round_robin"),
        ("groups: 1\n", "groups must be 2 or more, not 1"),
    ],
)
def test_groups_that_cannot_be_are_refused(course: Class, more: str, says: str) -> None:
    course.config(more=more)

    with pytest.raises(ConfigError) as refusal:
        course.play()

    assert says.removeprefix("groups: ") in str(refusal.value)


# -- equal places and void matches -----------------------------------------------------------------


def test_the_name_of_a_bot_does_not_decide_between_equals(course: Class) -> None:
    first = set()
    for text in ("one", "two", "three", "four"):  # files decide, which nobody chooses alone
        course.submit("dan", text)
        course.play(first_wins, is_new=True)  # each wins once against each other
        first.add(names(loaded(final("{from: cup, top: 2}")))[0])

    assert len(first) > 1


@pytest.mark.parametrize("format_", ["swiss", "knockout", "ladder"])
def test_an_event_with_a_match_that_stays_void_is_finished(
    course: Class, format_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    most = "matches: 20\n" if format_ == "ladder" else ""
    course.config(more=f"format: {format_}\n{most}")

    course.play(lambda job: void(job) if job.key == course.begun[0] else alphabetical(job))

    assert "1 match undecided; not played again" in " ".join(capsys.readouterr().err.split())
    assert len(names(loaded(final("{from: cup, top: 2}")))) == 2
