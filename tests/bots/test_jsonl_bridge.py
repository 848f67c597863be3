"""The bridge of JSON lines: passed lines, refused lines, and its end."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
from jsonl_programs import HELLO, bridged, command
from router_seat import TOKEN, Seat
from waiting import PATIENCE_S

from referee.job import SECOND_NS, Job, Player, TimeControl
from referee.records.record import Fault, Record
from referee.sandbox import Limits
from referee.service.slot import Slot

LEGAL = [{"v": 0, "h": 0}, {"v": 1, "h": -2}]
PATIENT = TimeControl(
    start_ns=PATIENCE_S * SECOND_NS,
    init_ns=PATIENCE_S * SECOND_NS,
    per_move_ns=PATIENCE_S * SECOND_NS,
    term_ns=PATIENCE_S * SECOND_NS,
)


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    slot = Slot(None)
    yield slot
    slot.close()


def play(slot: Slot, argv: tuple[str, ...], **given: Any) -> Record:
    """Play Down-N-Out, alone."""
    player = Player(name="lines", argv=argv, folder="/", content="")
    return slot.play(
        Job(
            key="a match",
            game="down_n_out",
            players=(player,),
            seed=1,
            board_seed=1,
            **{"time": PATIENT, **given},
        )
    )


def fault_of(record: Record) -> Fault:
    (fault,) = record.verdict.faults
    return fault


def test_calls_and_replies_pass_as_they_are(tmp_path: Path) -> None:
    echo = 'reply(call, "play", move={**call["view"], "ply": call["ply"]}, note=str(call))'
    with Seat(tmp_path, command(echo)) as seat:
        seat.init()
        view = {"text": 'ü "\\ \n ' + "\u2028", "deep": [[{"a": [True, None, -(2**53)]}]]}

        play = seat.move(view=view, left_ms=None)

        assert play["move"] == {**view, "ply": 0}
        assert "'left_ms': None" in play["note"]


def test_the_hello_gets_the_token_and_the_version_and_the_program_sees_neither(
    tmp_path: Path,
) -> None:
    first = 'HELLO = json.dumps({"type": "hello", "name": str(sorted(os.environ))})'
    with Seat(tmp_path, command(first=first)) as seat:
        assert "ARENA" not in seat.hello.pop("name")
        assert seat.hello == {"type": "hello", "protocol": 1, "token": TOKEN}


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_matches_are_played_one_after_another_and_the_program_sees_the_end_of_its_input(
    tmp_path: Path, transport: str
) -> None:
    argv = command(at_end='print("the end", file=sys.stderr)')
    with Seat(tmp_path, argv, transport=transport) as seat:
        for match in range(2):
            assert seat.call("ping") == {"type": "pong"}
            seat.init()
            assert seat.move(legal=LEGAL) == {"type": "play", "move": LEGAL[0]}
            seat.term(last=match == 1)

        assert seat.end() == (0, "", "the end\n")


def test_a_call_larger_than_any_pipe_comes_whole_though_the_program_prints_meanwhile(
    tmp_path: Path,
) -> None:
    # As much as no pipe holds: who waits for the other to read first waits for ever.
    shout = 'say(json.dumps({"type": "stray", "id": call["id"], "text": "x" * 60000}))'
    argv = command(f"[{shout} for _ in range(20)]; reply(call, str(len(legal)))")
    with Seat(tmp_path, argv) as seat:
        seat.init()
        calls = [{"type": "move", "id": 100 + n, "legal": [{"v": n}] * 90_000} for n in range(3)]
        for call in calls:
            seat.send(msgpack.packb(call))

        replies = [seat.receive() for _ in range(63)]

        assert [reply["id"] for reply in replies if reply["type"] == "90000"] == [100, 101, 102]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("'got move'", "no JSON object; write text for people to stderr: got move"),
        ("''", "an empty line: "),
        ("'[1]'", "no JSON object; write text for people to stderr: [1]"),
        ("'{e5}'", "no JSON, Expecting property name enclosed in double quotes at character 2: {"),
        ("'{} {}'", "no JSON, Extra data at character 4: {} {}"),
        ("'x' * 70000", "a line of more than 65536 bytes: xxxxx"),
        ("'[' * 60000", "nested too deeply: [[[[["),
        (r"b'\xff'", "no UTF-8 at byte 1: \N{REPLACEMENT CHARACTER}"),
        ("move('NaN')", 'no JSON, NaN: {"type":"play","id":'),
        ("move('-Infinity')", 'no JSON, -Infinity: {"type":"play","id":'),
        ("move('1' * 5000)", 'a number of too many digits: {"type":"play","id":'),
        ("move(2**70)", 'an integer outside +-2^53: {"type":"play","id":'),
        (r"""move('"\\ud800"')""", 'half of a surrogate pair: {"type":"play","id":'),
        ("""move('{"row":1,"row":2}')""", 'the key "row" stands twice in one object: {"type"'),
    ],
)
def test_a_line_that_is_no_json_object_is_malformed_and_quoted(
    slot: Slot, line: str, says: str
) -> None:
    fault = fault_of(play(slot, command(f"say({line})")))

    assert (fault.termination, fault.call) == ("malformed", "move")
    assert fault.detail.startswith(f"reply to move: a text instead of a message: '{says}")
    assert len(fault.detail) < 250


@pytest.mark.parametrize(
    ("move", "says"),
    [
        ('{"row":3.0,"col":1}', "a float"),
        ('{"row":1e3,"col":1}', "a float"),
        ('{"row":9007199254740993,"col":1}', "the integer 9007199254740993 is outside +-2^53"),
        ('{"row":"3","col":1}', "move.row"),
        ('{"row":1,"col":1,"cell":1}', "move.cell"),
        ("{}", "an empty map is not allowed"),
        ("[" * 20 + "]" * 20, "nested deeper than 16"),
    ],
)
def test_what_json_has_and_the_wire_has_not_is_refused_by_the_referee(
    slot: Slot, move: str, says: str
) -> None:
    fault = fault_of(play(slot, command(f"say(move({move!r}))")))

    assert fault.termination == "malformed"
    assert says in fault.detail


@pytest.mark.parametrize(("number", "termination"), [(5, "normal"), (1000, "malformed")])
def test_unrequested_lines_are_strays_and_too_many_are_a_fault(
    slot: Slot, number: int, termination: str
) -> None:
    strays = f"[reply({{'id': 2**53}}, 'play') for _ in range({number} * (call['ply'] == 0))]"
    argv = command(f"{strays}; reply(call, 'play', move=legal[0])")

    record = play(slot, argv)

    assert record.verdict.termination == termination
    assert record.seats[0].strays == min(number, 17)


def test_a_line_without_end_is_cut_before_it_takes_any_memory(slot: Slot) -> None:
    argv = command('[out.write(b"x" * 65536) for _ in range(100_000)]')
    room = Limits(memory_bytes=64 * 1024 * 1024)

    fault = fault_of(play(slot, argv, limits=room))

    assert (fault.termination, fault.call) == ("malformed", "move")
    assert "a line of more than 65536 bytes" in fault.detail


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("sys.exit(3)", "exit code 3"),
        ("sys.exit(0)", "exit code 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal SIGKILL"),
        ("signal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), 13)", "signal SIGPIPE"),
        ("os.closerange(0, 3); os._exit(4)", "exit code 4"),
    ],
)
def test_the_programs_end_is_the_bots(slot: Slot, how: str, says: str) -> None:
    fault = fault_of(play(slot, command(how)))

    assert (fault.termination, fault.call) == ("crash", "move")
    assert fault.detail.endswith(says)


def test_a_reply_before_the_end_counts(slot: Slot) -> None:
    record = play(slot, command('reply(call, "play", move=legal[0]); os._exit(7)'))

    assert fault_of(record).detail.endswith("exit code 7")
    assert [call.call for call in record.calls if call.move] == ["move"]


def test_a_last_line_without_its_end_is_no_reply_and_is_reported(slot: Slot) -> None:
    record = play(slot, command('out.write(b"{\\"type\\":"); out.flush(); sys.exit(1)'))

    assert fault_of(record).termination == "crash"
    assert 'the program\'s last line has no end: {"type":' in record.seats[0].output_tail


def test_what_a_program_writes_to_stderr_stands_at_its_calls(slot: Slot) -> None:
    talks = 'print("think", call["ply"], file=sys.stderr); reply(call, "play", move=legal[0])'

    record = play(slot, command(talks), max_plies=2)

    assert record.seats[0].printed == [(2, "think 0\n", 0), (3, "think 1\n", 0)]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (
            command(hello="hello!"),
            "it says 'no JSON object; write text for people to stderr: hello!' and sends no",
        ),
        (command(hello=HELLO.replace("name", "nam")), "nam"),
        (command(hello='{"type":"play"}'), "refused: expected hello, not 'play'"),
        (bridged("/no/such/program"), "exit code 1"),
        (command(first="sys.exit(9)"), "exit code 9"),
    ],
)
def test_a_program_without_a_hello_is_reported_with_the_reason(
    slot: Slot, argv: tuple[str, ...], says: str
) -> None:
    fault = fault_of(play(slot, argv))

    assert fault.termination == "no_show"
    assert says in fault.detail


def test_a_program_that_cannot_be_started_is_named(slot: Slot) -> None:
    record = play(slot, bridged("/no/such/program"))

    assert record.seats[0].output_tail == (
        "jsonl_bridge: cannot start /no/such/program: No such file or directory\n"
    )


def test_an_error_notice_is_written_for_the_author_and_not_sent_to_the_program(
    tmp_path: Path,
) -> None:
    with Seat(tmp_path, command(on_other="print(line, file=sys.stderr)")) as seat:
        seat.send(msgpack.packb({"type": "error", "code": "illegal_move", "detail": "occupied"}))
        seat.hang_up()

        code, _, said = seat.end()

    assert code == 1
    assert said.splitlines() == [
        "jsonl_bridge: error: illegal_move: occupied",
        "jsonl_bridge: the last lines to (>) and from (<) the program:",
        f"  < {HELLO}",
        "jsonl_bridge: the connection to the referee is closed",
    ]


def test_the_last_lines_are_shown_once_and_long_ones_without_their_middle(
    tmp_path: Path,
) -> None:
    body = 'reply(call, "play", move=legal[0], note="a" * 500)'
    with Seat(tmp_path, command(body)) as seat:
        for _ in range(4):
            seat.move(legal=[{"v": 0, "h": 0}])
        for _ in range(2):
            seat.send(msgpack.packb({"type": "error", "code": "timeout", "detail": "late"}))
        seat.hang_up()

        _, _, said = seat.end()

    lines = [line for line in said.splitlines() if line.startswith("  ")]
    assert [line[2] for line in lines] == list("><><><")
    assert all(" ... aaa" in line for line in lines[1::2])
    assert max(map(len, lines)) < 140


def test_under_debug_every_line_is_shown_when_it_comes(tmp_path: Path) -> None:
    body = 'reply(call, "play", move=legal[0], note="a" * 500)'
    first = 'print(sorted(n for n in os.environ if "ARENA" in n), file=sys.stderr, flush=True)'
    with Seat(tmp_path, command(body, first=first), debug="1") as seat:
        for _ in range(4):
            seat.move(legal=[{"v": 0, "h": 0}])
        seat.send(msgpack.packb({"type": "error", "code": "timeout", "detail": "late"}))
        seat.hang_up()

        _, _, said = seat.end()

    lines = said.splitlines()
    assert lines[0] == "[]"  # the program does not see the variable
    assert [line[0] for line in lines[1:10]] == list("<><><><><")
    assert "a" * 500 in lines[3]
    assert "the last lines" not in said


def test_the_bridge_started_by_hand_says_who_starts_it() -> None:
    alone = subprocess.run(bridged("true"), env={}, capture_output=True, text=True, check=False)
    bare = subprocess.run(bridged(), capture_output=True, text=True, check=False)

    assert (alone.returncode, bare.returncode) == (1, 1)
    assert alone.stderr == (
        "jsonl_bridge: ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so\n"
    )
    assert bare.stderr == "usage: jsonl_bridge.py PROGRAM [ARGUMENT ...]\n"


def test_a_bye_without_an_id_ends_nothing(tmp_path: Path) -> None:
    with Seat(tmp_path, command(on_other='say(\'{"type":"bye"}\')')) as seat:
        seat.send(msgpack.packb({"type": "ping", "id": 7}))

        assert [seat.receive(), seat.receive()] == [{"type": "bye"}, {"type": "pong", "id": 7}]
