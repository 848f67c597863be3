"""What is special to the kit for JavaScript and TypeScript; the rest is in test_starters.py."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
from c_programs import missing
from router_seat import BOTS, INIT, TERM, Seat

from arena.bots.build import prepare
from arena.bots.manifest import find_bot

KIT = BOTS / "sdk" / "javascript"
MOVE = {"type": "move", "id": 1, "ply": 0, "opponent_moves": []}
TELLS_ALL = """
import { Bot, play, run } from "./arena_bot.mjs";

class Teller extends Bot {
  async onInit(init) { this.first = init; }
  async onMove(call) {
    return play({ ply: call.ply }, { note: JSON.stringify([this.first, call]) });
  }
  onDisplay() { return ["01", "10"]; }
  onTerm(term) { console.log(JSON.stringify(term)); }
}
run(new Teller());
"""


def answering(answer: str, before: str = "") -> str:
    return f"""
import {{ Bot, done, play, resign, run }} from "./arena_bot.mjs";
{before}
class Mine extends Bot {{
  onMove(call) {{ {answer} }}
}}
run(new Mine());
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install what the kit needs, as a starter's build does."""
    for program in ("node", "npm", "npx"):
        if shutil.which(program) is None:
            missing(program)
    manifest = find_bot("starter/typescript", BOTS)
    return prepare(manifest, tmp_path_factory.mktemp("packages")).folder / "node_modules"


@pytest.fixture
def kit(packages: Path, tmp_path: Path) -> Path:
    for name in ("arena_bot.mjs", "arena_bot.d.mts", "package.json"):
        shutil.copy(KIT / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(packages)
    return tmp_path


@contextmanager
def seated(kit: Path, source: str) -> Iterator[Seat]:
    (kit / "main.mjs").write_text(source)
    with Seat(kit, ["node", "main.mjs"]) as seat:
        yield seat


def test_a_match_is_played_from_hello_to_exit(kit: Path) -> None:
    moves = [{"seat": 1, "move": {"v": 0, "h": -4}}]
    with seated(kit, TELLS_ALL) as seat:
        assert seat.hello.keys() == {"type", "protocol", "token", "language"}
        seat.init(history=moves)
        play = seat.move(ply=3, opponent_moves=moves, left_ms=7)
        init, call = json.loads(play.pop("note"))
        assert play == {"type": "play", "move": {"ply": 3}}
        assert (init["history"], init["view"], init["seed"]) == (moves, INIT["view"], 1)
        assert (call["opponent_moves"], call["left_ms"]) == (moves, 7)
        assert seat.call("display") == {"type": "picture", "board": ["01", "10"]}
        seat.term()
        code, out, err = seat.end()
        assert (code, err) == (0, "")
        assert json.loads(out)["reason"] == TERM["reason"]


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("return resign();", {"resign": True}),
        ("return done();", {"done": True}),
        (
            'return play({ v: 0 }, { claims: { victory: true }, note: "\u00e9".repeat(1024) });',
            {"move": {"v": 0}, "claims": {"victory": True}, "note": "\u00e9" * 1024},
        ),
        (
            "return play({ v: [2 ** 53, -(2 ** 53), 2 ** 32, -1, -0, 5n] });",
            {"move": {"v": [2**53, -(2**53), 2**32, -1, 0, 5]}},
        ),
        ('return { ...play({ v: 0 }), id: 77, type: "bye" };', {"move": {"v": 0}}),
    ],
)
def test_what_a_bot_answers_stands_in_its_play(
    kit: Path, answer: str, reply: dict[str, Any]
) -> None:
    with seated(kit, answering(answer)) as seat:
        seat.init()
        assert seat.move() == {"type": "play", **reply}


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("return play({ v: 7 / 2 });", "play.move.v: an integer within 2^53 expected, not 3.5"),
        ("return play({ v: NaN });", "play.move.v: an integer within 2^53 expected, not NaN"),
        ("return play({ v: 2n ** 53n + 1n });", "play.move.v: an integer within 2^53 expected"),
        ("return play({ v: [1, call.nix] });", "play.move.v[1]: a value or an object with fields"),
        ("return play({ v: new Map() });", "play.move.v: a value or an object with fields"),
        ("return play({});", "play.move: a value or an object with fields expected, not {}"),
        (r'return play({ v: "\ud800" });', "play.move.v: Unicode text expected, not "),
        ('return play({ v: "x".repeat(70000) });', "play: 70"),
        ("const v = []; v[0] = v; return play({ v });", "play.move.v[0][0]"),
        ("", "onMove must return play(...), resign() or done(), not undefined"),
        ("return [play({ v: 0 })];", "onMove must return play(...), resign() or done(), not ["),
    ],
)
def test_what_cannot_be_sent_ends_the_bot_and_is_named(
    kit: Path, answer: str, complaint: str
) -> None:
    with seated(kit, answering(answer)) as seat:
        seat.init()
        seat.send(msgpack.packb(MOVE))
        code, _, err = seat.end()
        assert code == 1
        assert err.startswith(f"arena_bot: {complaint}")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ('return play({}, { note: "x".repeat(1025) });', "play.note: 1025 characters"),
        ("return call.nothing.more;", "Cannot read properties of undefined (reading 'more')"),
        ('return Promise.reject(new Error("not yet"));', "Error: not yet"),
    ],
)
def test_a_bot_that_goes_wrong_ends_with_its_stack(kit: Path, answer: str, complaint: str) -> None:
    with seated(kit, answering(answer)) as seat:
        seat.init()
        seat.send(msgpack.packb(MOVE))
        code, _, err = seat.end()
        assert code == 1
        assert complaint in err
        assert "main.mjs" in err


@pytest.mark.parametrize(
    ("payload", "complaint"),
    [
        (b"", "a call that is not msgpack"),
        (msgpack.packb(MOVE) + b"\x00", "a call that is not msgpack"),
        (msgpack.packb([1]), "a call is a map with a type, not [ 1 ]"),
        (msgpack.packb({**MOVE, "ply": "0"}), "move.ply: an integer expected, not '0'"),
        (msgpack.packb({"type": "ping"}), "ping.id: an integer expected, not missing"),
        (msgpack.packb({"type": "term", "id": 1, **TERM, "last": 1}), "term.last: a boolean"),
    ],
)
def test_what_is_no_call_ends_the_bot_and_is_named(
    kit: Path, payload: bytes, complaint: str
) -> None:
    with seated(kit, TELLS_ALL) as seat:
        seat.send(payload)
        code, _, err = seat.end()
        assert code == 1
        assert err.startswith(f"arena_bot: {complaint}")
        assert err.count("\n") == 1


def test_a_call_named_like_a_property_of_all_objects_is_ignored(kit: Path) -> None:
    with seated(kit, TELLS_ALL) as seat:
        seat.init()
        seat.send(msgpack.packb({"type": "constructor"}))
        assert seat.move()["move"] == {"ply": 0}


def test_a_notice_that_comes_right_before_the_end_is_passed_on(kit: Path) -> None:
    with seated(kit, TELLS_ALL) as seat:
        seat.init()
        seat.send(msgpack.packb({"type": "error", "code": "crash", "detail": "play.move: no"}))
        assert seat.call("ping") == {"type": "pong"}
        seat.hang_up()
        code, _, err = seat.end()
        assert code == 1
        assert err.splitlines() == [
            "arena_bot: error: crash: play.move: no",
            "arena_bot: the connection to the referee is closed",
        ]


def test_a_bot_whose_referee_goes_while_it_waits_for_a_promise_ends(kit: Path) -> None:
    thinking = 'process.stdout.write("!"); return new Promise(() => setInterval(() => {}, 1000));'
    with seated(kit, answering(thinking)) as seat:
        seat.init()
        seat.send(msgpack.packb(MOVE))
        assert seat.read_output(1) == b"!"
        seat.hang_up()
        assert seat.end() == (1, "", "arena_bot: the connection to the referee is closed\n")


def test_the_packages_of_javascript_and_typescript_are_the_same() -> None:
    mine, theirs = (
        json.loads((folder / "package.json").read_text())
        for folder in (KIT, BOTS / "starter" / "typescript")
    )

    assert mine["dependencies"] == theirs["dependencies"]
    assert theirs["devDependencies"].keys() == {"typescript"}


def compiled(kit: Path, source: str) -> str:
    """Return what the compiler says to a bot in TypeScript."""
    (kit / "main.ts").write_text(source)
    shutil.copy(BOTS / "starter/typescript/tsconfig.json", kit)
    done = subprocess.run(
        ["npx", "tsc"], cwd=kit, capture_output=True, text=True, check=False, timeout=120
    )
    return done.stdout


@pytest.mark.parametrize(
    ("game", "move", "complaint"),
    [
        ("pente", "{ v: 0, h: 1 }", ""),
        ("pente", "{ v: 0 }", "Property 'h' is missing"),
        ("pente", '{ v: "0", h: 1 }', "Type 'string' is not assignable to type 'number'"),
        ("damspel", "{ from: [0, 0], to: [1] }", "not assignable to type 'Point'"),
    ],
)
def test_the_types_know_the_moves_of_a_game(
    kit: Path, game: str, move: str, complaint: str
) -> None:
    source = f"""
import {{ Bot, play, run }} from "./arena_bot.mjs";
import type {{ MoveCall, Reply }} from "./arena_bot.mjs";
class Mine extends Bot<"{game}"> {{
  onMove(call: MoveCall<"{game}">): Reply<"{game}"> {{
    return call.view ? play({move}) : play(call.legal![0]);
  }}
}}
run(new Mine());
"""
    said = compiled(kit, source)

    assert (complaint in said) if complaint else said == ""
