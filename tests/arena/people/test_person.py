"""A person in a seat, without a terminal: what is typed, and what is shown of the match."""

from collections.abc import Sequence

import pytest
from consoles import ScriptedConsole, people_job, play_people
from verifying import verify

from arena.people.person import Quit, TakeBack
from arena.people.result import result_text
from protocol.messages import Fields
from referee.options import make_game

HOSTILE = "\x1b[2J\u202eevil"
ESCAPED = r"\x1b[2J\u202eevil"


def test_two_people_play_each_at_a_table_of_their_own() -> None:
    ann, bob = ScriptedConsole("0 0", "3,3"), ScriptedConsole("1 1", "resign")

    record = play_people(people_job(("ann", "bob")), ann, bob)

    verify(record)
    assert [call.notation for call in record.calls if call.move] == ["0,0", "1,1", "3,3"]
    assert result_text(record) == "ann wins: resignation; points ann 5, bob 0"
    assert [scene.news for scene in ann.scenes] == [
        (),
        ("you play 0,0",),
        ("bob plays 1,1",),
        ("you play 3,3",),
        ("you play 3,3",),
    ]


def test_the_position_before_the_moves_of_the_others_is_shown_with_them() -> None:
    ann, bob = ScriptedConsole("0 0", "3,3"), ScriptedConsole("1 1")

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, bob)

    second = ann.scenes[2]
    assert second.before is not None
    assert (second.before.ply, second.state.ply, second.ply) == (1, 2, 2)


def test_so_is_the_start_before_the_first_move_of_the_other() -> None:
    ann, bob = ScriptedConsole("d4-d5"), ScriptedConsole()

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob"), "damspel"), ann, bob)

    first, last = bob.scenes
    assert first.before is None
    assert last.before == first.state
    assert last.news == ("ann plays d4-d5",)


@pytest.mark.parametrize(("game", "move"), [("pente", "0,0"), ("damspel", "d4-d5")])
def test_a_scene_has_the_last_moves_of_the_others(game: str, move: str) -> None:
    ann, bob = ScriptedConsole(move), ScriptedConsole()

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob"), game), ann, bob)

    played = make_game(game, {})
    assert bob.scenes[-1].places == tuple(played.gesture(played.parse(move)))


@pytest.mark.parametrize("word", ["?", "help", "HELP", " ? "])
def test_help_lists_the_commands_an_example_and_the_rules(word: str) -> None:
    ann = ScriptedConsole(word, "quit")

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, ScriptedConsole())

    assert ann.said[0].startswith("type a move like 0,0, or one of these words:\n  ? ")
    for command in ("legal", "hint [BOT]", "undo", "count", "board", "resign", "quit"):
        assert f"\n  {command} " in ann.said[0]
    assert ann.said[0].endswith("the rules")


def test_what_is_not_legal_is_said_and_another_line_read() -> None:
    ann = ScriptedConsole("0,1", "fly", f"{HOSTILE}", "", "  ", "0,0")

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, ScriptedConsole())

    assert ann.said[0].startswith("not legal: (0, 1): the first stone must be at the origin")
    assert 'not legal: "fly" is not a point' in ann.said[1]
    assert ESCAPED in ann.said[2]
    assert len(ann.said) == 3


def test_one_who_types_q_for_quit_is_told_the_word() -> None:
    ann = ScriptedConsole("q", "0,0")

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, ScriptedConsole())

    assert ann.said[0].endswith("(to leave without a result, type quit)")


def test_a_hint_is_asked_for_with_the_moves_so_far_and_refused_in_words() -> None:
    asked: list[tuple[int, str]] = []

    def hint(moves: Sequence[Fields], bot: str) -> str:
        asked.append((len(moves), bot))
        return "greedy would play 0,3"

    ann, bob = ScriptedConsole("0,0"), ScriptedConsole("hint", "hint ./my bot", "quit")
    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, bob, hint=hint)
    assert asked == [(1, ""), (1, "./my bot")]
    assert bob.said == ["greedy would play 0,3"] * 2

    ann = ScriptedConsole("hint x", "quit")
    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob")), ann, ScriptedConsole())
    assert ann.said == ["no hint: no bot x after 0"]


@pytest.mark.usefixtures("small_games")
def test_no_count_tells_what_a_person_cannot_see() -> None:
    ann, bob = ScriptedConsole("4"), ScriptedConsole("count")

    with pytest.raises(Quit):
        play_people(people_job(("ann", "bob"), game="phantom"), ann, bob)

    assert bob.said == ["not counted: the number would tell what you cannot see"]


def test_undo_asks_for_the_moves_before_ones_own_last_move() -> None:
    ann, bob = ScriptedConsole("0,0", "undo"), ScriptedConsole("1,1")

    with pytest.raises(TakeBack) as back:
        play_people(people_job(("ann", "bob")), ann, bob)

    assert back.value.moves == ()
    resumed = people_job(("ann", "bob"), history=({"seat": 0, "move": {"v": 0, "h": 0}},))
    bob = ScriptedConsole("undo", "quit")
    with pytest.raises(Quit):
        play_people(resumed, ScriptedConsole(), bob)
    assert bob.said == ["you have no move to take back"]
    assert bob.scenes[0].news == ("ann plays 0,0",)


def test_after_a_player_has_left_neither_undo_nor_a_hint_is_possible() -> None:
    names = ("ann", "bob", "cay")
    job = people_job(names, "chinese_checkers", options={"game_size": 3})
    ann = ScriptedConsole("2,0>3,0", "undo", "hint", "quit")
    with pytest.raises(Quit):
        play_people(job, ann, ScriptedConsole("resign"), ScriptedConsole("legal", "7,-3>7,-2"))

    assert ann.said == [
        "nothing can be taken back: a player has left the match",
        "no hint: a player has left the match, which an init cannot express",
    ]


def test_ones_own_last_move_stays_marked_until_another_one_is_made() -> None:
    job = people_job(("ann",), "down_n_out", options={"rows": 4, "cols": 4, "colors": 2})
    game = make_game(job.game, job.options)
    move = game.notation(next(iter(game.legal(game.start(1, job.board_seed)))))
    ann = ScriptedConsole(move, "quit")

    with pytest.raises(Quit):
        play_people(job, ann)

    assert [scene.news for scene in ann.scenes] == [
        (),
        (f"you play {move}",),
        (f"you play {move}",),
    ]
    assert [scene.before and scene.before.ply for scene in ann.scenes] == [None, 0, 0]


def test_one_who_plays_alone_can_stop_with_done() -> None:
    job = people_job(("ann",), "down_n_out", options={"rows": 4, "cols": 4})

    record = play_people(job, ScriptedConsole("?", "done"))

    assert result_text(record) == "over: the bot was done; points ann 0"


def test_names_of_others_are_escaped_in_all_that_is_shown() -> None:
    ann, bob = ScriptedConsole("0,0"), ScriptedConsole("1,1")

    with pytest.raises(Quit):
        play_people(people_job(("ann", HOSTILE)), ann, bob)

    assert ann.scenes[-1].names == ("ann", ESCAPED)
    assert ann.scenes[-1].news == (f"{ESCAPED} plays 1,1",)


def test_a_list_of_legal_moves_is_limited() -> None:
    ann = ScriptedConsole("legal", "quit")
    job = people_job(("ann", "bob"), "matchsticks", options={"dimension": 20, "hole_fraction": 0.0})

    with pytest.raises(Quit):
        play_people(job, ann, ScriptedConsole())

    assert ann.said[0].endswith("… (the first 2000)")


def test_a_person_alone_is_addressed() -> None:
    you, bob = ScriptedConsole("0 0"), ScriptedConsole("resign")

    record = play_people(people_job(("you", "bob")), you, bob)

    assert result_text(record).startswith("you win: resignation")
