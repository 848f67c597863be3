"""The bridge to engines of UCI, USI and UCCI: the dialog, times, remarks, and wrong lines."""

from pathlib import Path
from typing import Any

import msgpack
import pytest
from router_seat import TIME, Seat
from uci_programs import engine

from referee.rules.chess_text import START

E4: dict[str, Any] = {"from": "e2", "to": "e4", "promote": ""}
E5 = {"from": "e7", "to": "e5", "promote": ""}
NF3 = {"from": "g1", "to": "f3", "promote": ""}
CHESS: dict[str, Any] = {
    "game": "chess",
    "options": {"fen": None, "chess960": False, "number": None},
    "view": {"turn": 0, "ply": 0, "fen": START, "start": START, "board": []},
}


def refusal_of(seat: Seat, **fields: Any) -> str:
    """Ask for a move and return the text that is no message."""
    seat.send(msgpack.packb({"type": "move", "id": 9, "ply": 0, "opponent_moves": [], **fields}))
    *_, payload = seat._router.recv_multipart()
    text = msgpack.unpackb(payload)
    assert isinstance(text, str), text
    return text


def heard(seat: Seat) -> list[str]:
    """End the dialog and return the lines that the engine has read."""
    code, out, err = seat.end()
    assert (code, out) == (0, "")
    return err.splitlines()


@pytest.mark.usefixtures("both_bridges")
def test_two_matches_with_options_history_and_a_bank(tmp_path: Path) -> None:
    answers = [
        ["info depth 3 score cp 100 nodes 9 pv g1f3 b8c6 f1b5", "bestmove g1f3 ponder b8c6"],
        ["bestmove e7e8q"],
        ["bestmove e1h1"],
    ]
    options = {"hash": 32, "Style of Play": "wild one"}
    with Seat(tmp_path, engine(*answers, options=options)) as seat:
        assert seat.hello.keys() == {"type", "protocol", "token", "wants"}
        assert seat.call("ping") == {"type": "pong"}
        seat.init(**CHESS, history=[{"seat": 0, "move": E4}])
        first = seat.move(opponent_moves=[{"seat": 1, "move": E5}], left_ms=60_000)
        second = seat.move(opponent_moves=[], left_ms=59_000)
        seat.term(last=False)
        fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        chess960 = {**CHESS["options"], "chess960": True}
        seat.init(**{**CHESS, "options": chess960, "view": {**CHESS["view"], "start": fen}})
        third = seat.move()
        seat.term()

        assert first == {
            "type": "play",
            "move": NF3,
            "value": 182,
            "plan": [
                {"from": "b8", "to": "c6", "promote": ""},
                {"from": "f1", "to": "b5", "promote": ""},
            ],
            "data": {"depth": 3, "nodes": 9, "cp": 100},
        }
        assert second == {"type": "play", "move": {"from": "e7", "to": "e8", "promote": "q"}}
        assert third == {"type": "play", "move": {"from": "e1", "to": "h1", "promote": ""}}
        assert heard(seat) == [
            "uci",
            "setoption name hash value 32",
            "setoption name Style of Play value wild one",
            "setoption name Ponder value false",
            "isready",
            "isready",
            "setoption name UCI_Chess960 value false",
            "ucinewgame",
            "isready",
            "isready",
            "position startpos moves e2e4 e7e5",
            "go wtime 60000 btime 60000",
            "isready",
            "position startpos moves e2e4 e7e5 g1f3",
            "go wtime 59000 btime 59000",
            "setoption name UCI_Chess960 value true",
            "ucinewgame",
            "isready",
            "isready",
            f"position fen {fen}",
            "go movetime 1900",
            "quit",
        ]


@pytest.mark.usefixtures("both_bridges")
def test_what_an_engine_says_about_its_move_becomes_remarks(tmp_path: Path) -> None:
    best = "bestmove e2e4"
    five = {"value": 9, "data": {"cp": 5}}
    even = {"value": 0, "data": {"cp": 0}}
    cases: list[tuple[list[str], dict[str, Any]]] = [
        ([best], {}),
        (["info score cp -100 depth 2", best], {"value": -182, "data": {"depth": 2, "cp": -100}}),
        (["info score mate 3", best], {"value": 1000, "data": {"mate": 3}}),
        (["info score mate -2", best], {"value": -1000, "data": {"mate": -2}}),
        (["info score mate 0", best], {"value": -1000, "data": {"mate": 0}}),
        (["info score cp 99999999999999999", best], {"value": 1000, "data": {"cp": 2**53}}),
        (["info score cp " + "9" * 5000, best], {}),
        (["info score cp 5", "info score cp 900 lowerbound", best], five),
        (["info score cp 5", "info multipv 2 score cp 0", best], five),
        (["info score cp 5 pv d2d4 d7d5", best], five),
        (["info string score cp 7", "info currmove e2e4", "info", "", best], {}),
        (["info score cp 0 pv e2e4 e7e5 zz g1f3", best], {**even, "plan": [E5]}),
        (["info score cp 0 pv e2e4" + " e7e5" * 99, best], {**even, "plan": [E5] * 16}),
        (["\0\0", "='x' * 60_000", "info " + "\N{SNOWMAN}" * 9, "error: no", best], {}),
        (
            ["='info depth 1 score cp 5\\n' * 5000", best],
            {"value": 9, "data": {"depth": 1, "cp": 5}},
        ),
    ]
    with Seat(tmp_path, engine(*(lines for lines, _ in cases))) as seat:
        for lines, expected in cases:
            seat.init(**CHESS)
            assert seat.move() == {"type": "play", "move": E4, **expected}, lines[0][:80]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (["bestmove (none)"], "the engine has found no move: bestmove (none)"),
        (["bestmove 0000"], "the engine has found no move: bestmove 0000"),
        (["bestmove"], "no move: bestmove"),
        (["bestmove e4"], "no move: bestmove e4"),
        (["bestmove " + "x" * 5000], "no move: bestmove xxx"),
        (["=b'bestmove \\xff\\x01\\n'"], "no move: bestmove \N{REPLACEMENT CHARACTER}\x01"),
        (["=b'bestmove e2\\0e4\\n'"], "no move: bestmove e2"),
        (["=b'bestmove e2e4\\0\\n'"], "no move: bestmove e2e4"),
        (["=b'\\0\\nbestmove e2e4 ponder \\0\\n'"], "no move: bestmove e2e4"),
        (["=b'x' * 400_000"], "a line of more than 65536 bytes: xxx"),
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_an_answer_that_is_no_move_is_refused_and_quoted(
    tmp_path: Path, answer: list[Any], says: str
) -> None:
    with Seat(tmp_path, engine(answer)) as seat:
        seat.init(**CHESS)
        text = refusal_of(seat)
        assert text.startswith(says)
        assert len(text) < 250


@pytest.mark.usefixtures("both_bridges")
def test_moves_that_only_the_rules_can_refuse_go_on(tmp_path: Path) -> None:
    with Seat(tmp_path, engine(["bestmove a7a8k"], ["bestmove e2e5"])) as seat:
        seat.init(**CHESS)
        assert seat.move()["move"] == {"from": "a7", "to": "a8", "promote": "k"}
        assert seat.move()["move"] == {"from": "e2", "to": "e5", "promote": ""}


@pytest.mark.parametrize("dialect", ["uci", "ucci", "usi"])
@pytest.mark.usefixtures("both_bridges")
def test_a_move_before_go_is_no_answer_however_late(tmp_path: Path, dialect: str) -> None:
    """It is printed only when the bridge has begun its next question: no time to drop it before."""
    again = "say('bestmove d2d4') if has_played else None"
    early = engine(["bestmove e2e4"], ["bestmove g1f3"], dialect=dialect, at_isready=again)
    with Seat(tmp_path, early) as seat:
        seat.init(**CHESS)
        assert seat.move()["move"] == E4
        assert seat.move()["move"] == NF3


@pytest.mark.usefixtures("both_bridges")
def test_an_unknown_call_gets_no_answer(tmp_path: Path) -> None:
    with Seat(tmp_path, engine(["bestmove g1f3"])) as seat:
        seat.init(**CHESS)
        seat.send(msgpack.packb({"type": "applause", "id": 3}))
        assert seat.call("ping") == {"type": "pong"}
        assert seat.move()["move"] == NF3


@pytest.mark.parametrize(
    "line",
    [
        "  bestmove   e2e4   ponder   e7e5",
        "\tbestmove\te2e4",
        "bestmove e2e4\r",
        "='x' * 9 + '\\n' + ' bestmove e2e4 '",
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_white_space_between_words_is_free(tmp_path: Path, line: str) -> None:
    info = "info\tdepth  3 score  cp\t0   pv e2e4\te7e5"
    with Seat(tmp_path, engine([info, line])) as seat:
        seat.init(**CHESS)
        even = {"value": 0, "data": {"depth": 3, "cp": 0}, "plan": [E5]}
        assert seat.move() == {"type": "play", "move": E4, **even}


@pytest.mark.usefixtures("both_bridges")
def test_a_long_info_line_is_cut(tmp_path: Path) -> None:
    long = "='info depth 7 score cp 0 pv' + ' e2e4' * 90_000"
    string = "='info string ' + 'x' * 900_000"
    with Seat(tmp_path, engine([long, "bestmove e2e4"], [string, "bestmove e2e4"])) as seat:
        seat.init(**CHESS)
        assert seat.move()["data"] == {"depth": 7, "cp": 0}
        assert seat.move()["move"] == E4


@pytest.mark.usefixtures("both_bridges")
def test_a_button_has_no_value_and_remarks_of_the_engine_are_kept(tmp_path: Path) -> None:
    declared = ("option name Clear Hash type button", "option name  Odd   One type button")
    options = {"Clear Hash": True, "Odd One": False}
    at_uci = "say('info string found 0 tablebases', *['info string again'] * 50)"
    with Seat(tmp_path, engine(declared=declared, options=options, at_uci=at_uci)) as seat:
        seat.term()
        lines = heard(seat)
    assert [line for line in lines if line.startswith("setoption")] == ["setoption name Clear Hash"]
    kept = [line for line in lines if "the engine printed: info string" in line]
    assert len(kept) == 20
    assert kept[0].endswith("found 0 tablebases")


@pytest.mark.usefixtures("both_bridges")
def test_every_line_is_shown_for_a_debugger(tmp_path: Path) -> None:
    with Seat(tmp_path, engine(["bestmove e2e4"]), debug="1") as seat:
        seat.init(**CHESS)
        seat.move(left_ms=5000)
        seat.term()
        lines = heard(seat)
    shown = [line for line in lines if line.startswith(("> go", "< ready", "< best", "> quit"))]
    assert shown[-4:] == ["> go wtime 5000 btime 5000", "< readyok", "< bestmove e2e4", "> quit"]


@pytest.mark.usefixtures("both_bridges")
def test_an_engine_is_stopped_before_the_limit_of_its_move(tmp_path: Path) -> None:
    until_stop = "print(sys.stdin.readline(), end='', file=sys.stderr)"
    with Seat(tmp_path, engine(["bestmove e2e4"], at_go=until_stop)) as seat:
        seat.init(**CHESS, time={**TIME, "per_move_ms": 100, "clock": "wall"})
        assert seat.move(left_ms=5000)["move"] == E4
        seat.term()
        assert heard(seat)[-3:] == ["go wtime 5000 btime 5000", "stop", "quit"]


@pytest.mark.usefixtures("both_bridges")
def test_threads_divide_the_time_of_a_cpu_clock(tmp_path: Path) -> None:
    answers = [["bestmove e2e4"]] * 2
    with Seat(tmp_path, engine(*answers, options={"Threads": 4})) as seat:
        for clock in ("cpu", "wall"):
            seat.init(**CHESS, time={**TIME, "clock": clock})
            seat.move(left_ms=8000)
        seat.term()
        goes = [line for line in heard(seat) if line.startswith("go")]
        assert goes == ["go wtime 2000 btime 2000", "go wtime 8000 btime 8000"]


@pytest.mark.parametrize(
    ("options", "sets", "go"),
    [
        ({}, ["setoption name Thread value 1"], "go wtime 8000 btime 8000"),
        ({"thread": 4}, ["setoption name thread value 4"], "go wtime 2000 btime 2000"),
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_an_engine_has_one_thread_unless_options_say_otherwise(
    tmp_path: Path, options: dict[str, Any], sets: list[str], go: str
) -> None:
    declared = ("option name Thread type spin default 2 min 1 max 8",)
    command = engine(["bestmove e2e4"], declared=declared, options=options)
    with Seat(tmp_path, command) as seat:
        seat.init(**CHESS, time={**TIME, "clock": "cpu"})
        seat.move(left_ms=8000)
        seat.term()
        lines = heard(seat)

    assert [line for line in lines if line.startswith("setoption")] == sets
    assert [line for line in lines if line.startswith("go")] == [go]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"options": {"Hsh": 1}}, "the engine has no option Hsh; did you mean Hash?"),
        ({"options": {"Quietude": 1}}, "the engine has no option Quietude\n"),
        ({"options": {"Hash": 2048}}, "option Hash: 2048 is outside of its range"),
        ({"options": {"Hash": "64MB"}}, "option Hash: a whole number, not 64MB; default 16 min 1"),
        ({"options": {"Style of Play": "Odd"}}, "option Style of Play: Odd is none of its values"),
        (
            {"options": {"Clear": "on"}, "declared": ("option name Clear type button",)},
            "option Clear is a button: true presses it, not on",
        ),
        ({"options": {"UCI_Chess960": 3}}, "option UCI_Chess960: true or false, not 3"),
        ({"at_uci": "sys.exit(3)"}, "uci"),
        ({"at_uci": "os.kill(os.getpid(), 9)"}, "uci"),
        ({"at_uci": "say(b'x' * 70000)"}, "no hello: a line of more than 65536 bytes"),
        (
            {"at_uci": "say(*['option name x type string default ' + 'x' * 9000] * 200)"},
            "no hello: options of more than 1048576 characters",
        ),
        ({"at_uci": "say('? unknown'); sys.exit(1)"}, "the engine printed: ? unknown"),
    ],
)
@pytest.mark.usefixtures("both_bridges")
def test_an_engine_that_cannot_be_greeted_says_why(
    tmp_path: Path, given: dict[str, Any], says: str
) -> None:
    with Seat(tmp_path, engine(**given), greet=False) as seat:
        code, _, err = seat.end()

    assert code in (1, 3, -9)
    assert says in err


@pytest.mark.usefixtures("both_bridges")
def test_an_engine_resigns_after_moves_in_a_row_with_a_low_score(tmp_path: Path) -> None:
    best = "bestmove e2e4"
    scores = ["cp -600", "cp -599", "cp -700", "mate -3", "lowerbound", "cp -601", "mate 0"]
    answers = [[f"info score {score}", best] for score in scores]
    with Seat(tmp_path, engine(*answers, [best], answers[5], resign=(-600, 2))) as seat:
        seat.init(**CHESS)
        moves = [seat.move() for _ in range(3)]
        assert [reply["move"] for reply in moves] == [E4] * 3
        lost = {"value": -1000, "data": {"mate": -3}}
        assert seat.move() == {"type": "play", "resign": True, **lost}
        seat.term(last=False)
        seat.init(**CHESS)
        assert "move" in seat.move()  # without a score
        assert "move" in seat.move()
        assert seat.move()["resign"]


@pytest.mark.usefixtures("both_bridges")
def test_an_engine_resigns_in_a_game_that_it_does_not_play(tmp_path: Path) -> None:
    with Seat(tmp_path, engine()) as seat:
        seat.init()
        assert seat.move() == {"type": "play", "resign": True}


@pytest.mark.usefixtures("both_bridges")
def test_shogi_by_usi(tmp_path: Path) -> None:
    answers = [
        ["info depth 1 score cp 5 pv 7g7f 3c3d P*5e", "bestmove 7g7f"],
        ["bestmove resign"],
    ]
    with Seat(tmp_path, engine(*answers, dialect="usi")) as seat:
        options = {"players": 2}  # a map is never empty
        seat.init(game="open_spiel/shogi", options=options, view={"turn": 0, "ply": 0})
        first = seat.move(left_ms=9000)
        answer = {"action": 7, "text": "8h2b+"}
        second = seat.move(opponent_moves=[{"seat": 1, "move": answer}])
        seat.term()

        assert (first["move"], first["plan"]) == (
            {"text": "7g7f"},
            [{"text": "3c3d"}, {"text": "P*5e"}],
        )
        assert second == {"type": "play", "resign": True}
        assert heard(seat)[-7:] == [
            "isready",
            "position startpos",
            "go wtime 9000 btime 9000",
            "isready",
            "position startpos moves 7g7f 8h2b+",
            "go btime 0 wtime 0 byoyomi 1900",
            "quit",
        ]
