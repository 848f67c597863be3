"""Cases of `hello` and of replies without moves."""

from typing import Any

from cases import ID, TOKEN, Case, broken_reply, valid_reply
from packing import UINT64, As, sized, wide

CHARACTERS = "one character is one code point, however many bytes it takes"


def _hello(**fields: Any) -> dict[str, Any]:
    return {"type": "hello", "protocol": 1, "token": TOKEN, **fields}


def _taken(name: str, about: str, message: dict[str, Any]) -> Case:
    return valid_reply(f"hello: {name}", about, message, answers=None)


def _refused(name: str, message: Any, rule: str) -> Case:
    about = "the token is right, so this is the bot itself: it has failed to start"
    return broken_reply(
        f"hello: {name}", about, message, answers=None, rule=rule, outcome="no_show"
    )


def _stranger(name: str, message: Any, rule: str) -> Case:
    about = "anybody may have sent this: dropped and counted, the seat stays open for its bot"
    return broken_reply(
        f"hello: {name}", about, message, answers=None, rule=rule, outcome="stranger"
    )


HELLO = [
    _taken("the shortest", "all that is needed", _hello()),
    _taken(
        "everything",
        "every optional field",
        _hello(name="first", version="1.0", language="python", wants=["view", "legal"]),
    ),
    _taken("nothing wanted", "an empty list is a list", _hello(wants=[])),
    _taken("the legal moves alone", "each want stands for itself", _hello(wants=["legal"])),
    _taken("nil", "nil is a field left out", _hello(name=None, version=None, wants=None)),
    _taken("any order", "the order of fields says nothing", dict(reversed(_hello().items()))),
    _taken("name of 100 characters", CHARACTERS, _hello(name="\N{SNOWMAN}" * 100)),
    _taken(
        "odd name",
        "control characters are text; whoever shows them escapes them",
        _hello(name="a\n\0\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}<b>"),
    ),
    _taken(
        "long encodings",
        "any msgpack encoding of a value will do",
        {**_hello(), "protocol": wide(1, UINT64), "name": sized("first", 0xDB)},
    ),
    _refused("protocol 2", _hello(protocol=2), "protocol is 1"),
    _refused("protocol as text", _hello(protocol="1"), "types are exact"),
    _refused("protocol true", _hello(protocol=True), "true is no integer"),
    _refused("no protocol", {"type": "hello", "token": TOKEN}, "protocol is needed"),
    _refused("unknown field", _hello(color="red"), "no unknown fields in replies"),
    _refused("name of 101 characters", _hello(name="x" * 101), "name: 100 characters"),
    _refused("name as integer", _hello(name=5), "types are exact"),
    _refused("version as integer", _hello(version=1), "types are exact"),
    _refused("wants as text", _hello(wants="view"), "types are exact"),
    _refused("unknown want", _hello(wants=["view", "clock"]), "wants: view, legal and clocks"),
    _refused("nine wants", _hello(wants=["view"] * 9), "wants: 8 at most"),
    _stranger("wrong token", _hello(token=TOKEN[::-1]), "the token is the seat's"),
    _stranger("half a token", _hello(token=TOKEN[:16]), "the token is the seat's"),
    _stranger("empty token", _hello(token=""), "the token is the seat's"),
    _stranger("token as integer", _hello(token=5), "types are exact"),
    _stranger("token nil", _hello(token=None), "the token is needed"),
    _stranger("no token", {"type": "hello", "protocol": 1}, "the token is needed"),
    _stranger("no type", {"protocol": 1, "token": TOKEN}, "type is needed"),
    _stranger("another type", {**_hello(), "type": "ready"}, "hello comes first"),
    _stranger("type in capitals", {**_hello(), "type": "HELLO"}, "words are exact"),
    _stranger("a list", ["hello", 1, TOKEN], "a message is a map"),
    _stranger("the bare token", TOKEN, "a message is a map"),
    _stranger("an HTTP line in a frame", b"GET / HTTP/1.1\r\n\r\n", "a message is one value"),
    _stranger("5 MB of name", [(b"\xa1x", 2_500_000)], "64 KiB"),
]


def _ok(name: str, about: str, answers: str, message: dict[str, Any]) -> Case:
    return valid_reply(f"{message['type']}: {name}", about, message, answers=answers)


def _wrong(
    name: str, answers: str, message: dict[str, Any], rule: str, *, outcome: str = "malformed"
) -> Case:
    about = {
        "malformed": "it carries the call's id, so it is the reply, and it is wrong",
        "stray": "it is not the reply to the open call: dropped and counted",
    }[outcome]
    return broken_reply(name, about, message, answers=answers, rule=rule, outcome=outcome)


def _play(**fields: Any) -> dict[str, Any]:
    return {"type": "play", "id": ID, **fields}


POINT = {"v": 0, "h": 4}
FAR = {"v": 2**53, "h": -(2**53)}
HALF = As(b"\xcb\x3f\xe0" + bytes(6))
EIGHT = {f"figure_{number}": number for number in range(8)}
EXACT = "types are exact"
ONE_THING = "exactly one of move, resign and done"
VALUE = "value: -1000 to 1000"
NAME = "a name in data: 1 to 20 of a-z, 0-9 and _, a letter first"
UNKNOWN = "no unknown fields in replies"
OPEN_ID = "a reply has the id of the open call"

_SIMPLE = [
    case
    for answers, kind in (("init", "ready"), ("term", "bye"), ("ping", "pong"))
    for case in (
        _ok("right", "all there is to it", answers, {"type": kind, "id": ID}),
        _wrong(
            f"{kind}: unknown field",
            answers,
            {"type": kind, "id": ID, "time_ms": 0},
            UNKNOWN,
        ),
        _wrong(f"{kind}: no type", answers, {"id": ID}, "type is needed"),
        _wrong(f"{kind}: type as integer", answers, {"type": 1, "id": ID}, EXACT),
        _wrong(f"{kind}: play in its place", answers, _play(move=POINT), "each call has its reply"),
    )
]

_IDS = [
    _wrong("id: of another call", "init", {"type": "ready", "id": 2}, OPEN_ID, outcome="stray"),
    _wrong("id: missing", "init", {"type": "ready"}, OPEN_ID, outcome="stray"),
    _wrong("id: nil", "init", {"type": "ready", "id": None}, OPEN_ID, outcome="stray"),
    _wrong("id: true", "init", {"type": "ready", "id": True}, OPEN_ID, outcome="stray"),
    _wrong("id: text", "init", {"type": "ready", "id": "1"}, OPEN_ID, outcome="stray"),
    _wrong("id: negative", "init", {"type": "ready", "id": -1}, OPEN_ID, outcome="stray"),
    _wrong("id: list", "init", {"type": "ready", "id": [1]}, OPEN_ID, outcome="stray"),
    _wrong("stray: a second hello", "init", _hello(), OPEN_ID, outcome="stray"),
    _wrong("stray: no field known", "move", {"a": 1}, OPEN_ID, outcome="stray"),
    _wrong(
        "id: 1.0",
        "init",
        {"type": "ready", "id": As(b"\xcb\x3f\xf0" + bytes(6))},
        "no floats",
    ),
]

_PLAYS = [
    _ok("a move", "the shortest", "move", _play(move=POINT)),
    _ok("claims", "what the move does", "move", _play(move=POINT, claims={"victory": False})),
    _ok("a note", "kept in the record", "move", _play(move=POINT, note="+1.5 at depth 7")),
    _ok("long note", CHARACTERS, "move", _play(move=POINT, note="\N{SNOWMAN}" * 1024)),
    _ok("odd note", "text is text", "move", _play(move=POINT, note="\n\0\x1b[31m</script>")),
    _ok("nil", "nil is a field left out", "move", _play(move=POINT, claims=None, resign=None)),
    _ok("a value", "from the bot's own side", "move", _play(move=POINT, value=-1000)),
    _ok("the highest value", "a certain win", "move", _play(move=POINT, value=1000)),
    _ok(
        "a plan", "what the bot expects", "move", _play(move=POINT, plan=[{"v": 1, "h": 1}, POINT])
    ),
    _ok("a plan off the board", "its values are not judged", "move", _play(move=POINT, plan=[FAR])),
    _ok("a plan of 16 moves", "not yet too long", "move", _play(move=POINT, plan=[POINT] * 16)),
    _ok("an empty plan", "an empty list is a list", "move", _play(move=POINT, plan=[])),
    _ok("data", "figures by name", "move", _play(move=POINT, data={"depth": 7, "nodes_2": -1})),
    _ok("8 data", "not yet too many", "move", _play(move=POINT, data=EIGHT)),
    _ok("long name in data", "20 characters", "move", _play(move=POINT, data={"a" * 20: 2**53})),
    _ok(
        "all remarks",
        "each stands for itself",
        "move",
        _play(move=POINT, note="good", value=7, plan=[FAR], data={"depth": 3}),
    ),
    _ok(
        "no remarks",
        "nil is a field left out",
        "move",
        _play(move=POINT, value=None, plan=None, data=None),
    ),
    _ok("remarks with a resignation", "why", "move", _play(resign=True, value=-999, data={"a": 1})),
    _ok("resignation", "nothing else is needed", "move", _play(resign=True)),
    _ok("resignation, move nil", "nil is a field left out", "move", _play(resign=True, move=None)),
    _ok("resignation with a note", "why", "move", _play(resign=True, note="lost")),
    _ok("done", "one-seat games only, which is not the wire's matter", "move", _play(done=True)),
    _wrong("play: nothing", "move", _play(), ONE_THING),
    _wrong("play: only nil", "move", _play(move=None), ONE_THING),
    _wrong("play: move and resignation", "move", _play(move=POINT, resign=True), ONE_THING),
    _wrong("play: move and done", "move", _play(move=POINT, done=True), ONE_THING),
    _wrong("play: resignation and done", "move", _play(resign=True, done=True), ONE_THING),
    _wrong("play: resign false", "move", _play(resign=False), "true or left out"),
    _wrong(
        "play: resign false with a move",
        "move",
        _play(move=POINT, resign=False),
        "true or left out",
    ),
    _wrong("play: resign 1", "move", _play(resign=1), EXACT),
    _wrong("play: done as text", "move", _play(done="true"), EXACT),
    _wrong("play: move as list", "move", _play(move=[0, 4]), EXACT),
    _wrong("play: move as text", "move", _play(move="0,4"), EXACT),
    _wrong("play: move as integer", "move", _play(move=4), EXACT),
    _wrong("play: claims as list", "move", _play(move=POINT, claims=["victory"]), EXACT),
    _wrong(
        "play: claims without a move",
        "move",
        _play(resign=True, claims={"victory": True}),
        "claims need a move",
    ),
    _wrong(
        "play: note of 1025", "move", _play(move=POINT, note="x" * 1025), "note: 1024 characters"
    ),
    _wrong("play: note as integer", "move", _play(move=POINT, note=3), EXACT),
    _wrong("play: value of 1001", "move", _play(move=POINT, value=1001), VALUE),
    _wrong("play: value of -1001", "move", _play(move=POINT, value=-1001), VALUE),
    _wrong("play: value as text", "move", _play(move=POINT, value="7"), EXACT),
    _wrong("play: value true", "move", _play(move=POINT, value=True), EXACT),
    _wrong("play: value 0.5", "move", _play(move=POINT, value=HALF), "no floats"),
    _wrong("play: plan of 17", "move", _play(move=POINT, plan=[POINT] * 17), "plan: 16 moves"),
    _wrong("play: plan as map", "move", _play(move=POINT, plan=POINT), EXACT),
    _wrong("play: plan of texts", "move", _play(move=POINT, plan=["K10"]), EXACT),
    _wrong("play: nil in a plan", "move", _play(move=POINT, plan=[POINT, None]), EXACT),
    _wrong("play: nine data", "move", _play(move=POINT, data={**EIGHT, "ninth": 9}), "data: 8"),
    _wrong("play: empty data", "move", _play(move=POINT, data={}), "a map is never empty"),
    _wrong("play: data as list", "move", _play(move=POINT, data=[7]), EXACT),
    _wrong("play: text in data", "move", _play(move=POINT, data={"depth": "7"}), EXACT),
    _wrong("play: nil in data", "move", _play(move=POINT, data={"depth": None}), EXACT),
    _wrong("play: capital in data", "move", _play(move=POINT, data={"Depth": 7}), NAME),
    _wrong("play: digit first in data", "move", _play(move=POINT, data={"7": 7}), NAME),
    _wrong("play: no name in data", "move", _play(move=POINT, data={"": 7}), NAME),
    _wrong("play: line end in data", "move", _play(move=POINT, data={"depth\n": 7}), NAME),
    _wrong("play: markup in data", "move", _play(move=POINT, data={"<b>": 7}), NAME),
    _wrong("play: name of 21 in data", "move", _play(move=POINT, data={"a" * 21: 7}), NAME),
    _wrong("play: own time", "move", _play(move=POINT, time_ms=0), UNKNOWN),
    _wrong("play: seat", "move", _play(move=POINT, seat=1), UNKNOWN),
    _wrong("play: draw offer", "move", _play(move=POINT, draw=True), UNKNOWN),
    _wrong("play: no type", "move", {"id": ID, "move": POINT}, "type is needed"),
    _wrong(
        "play: type move", "move", {**_play(move=POINT), "type": "move"}, "each call has its reply"
    ),
    _wrong(
        "play: a verdict of one's own",
        "move",
        {"type": "term", "id": ID, "termination": "normal", "scores": ["1", "0"]},
        "each call has its reply",
    ),
]

_PICTURES = [
    _ok(
        "a board", "a text a row", "display", {"type": "picture", "id": ID, "board": ["012", "210"]}
    ),
    _ok(
        "no rows",
        "wrong, but of the right type",
        "display",
        {"type": "picture", "id": ID, "board": []},
    ),
    _wrong("picture: no board", "display", {"type": "picture", "id": ID}, "board is needed"),
    _wrong(
        "picture: board nil",
        "display",
        {"type": "picture", "id": ID, "board": None},
        "board is needed",
    ),
    _wrong("picture: one text", "display", {"type": "picture", "id": ID, "board": "012210"}, EXACT),
    _wrong(
        "picture: rows of digits",
        "display",
        {"type": "picture", "id": ID, "board": [[0, 1]]},
        EXACT,
    ),
    _wrong(
        "picture: rows as integers",
        "display",
        {"type": "picture", "id": ID, "board": [12, 210]},
        EXACT,
    ),
    _wrong(
        "picture: a move in it",
        "display",
        {"type": "picture", "id": ID, "board": ["0"], "move": POINT},
        UNKNOWN,
    ),
]

REPLIES = [*_SIMPLE, *_IDS, *_PLAYS, *_PICTURES]
