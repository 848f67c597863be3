"""Cases of calls that a bot must answer or ignore."""

from typing import Any

from cases import Case, valid_call
from packing import (
    ARRAY16,
    ARRAY32,
    INT64,
    MAP16,
    MAP32,
    STR8,
    STR16,
    STR32,
    UINT32,
    UINT64,
    sized,
    wide,
)
from samples import (
    BYE,
    MOVES,
    OPTIONS,
    READY,
    TIME,
    VIEWS,
    init_call,
    move_call,
    padded_move,
    term_call,
)

PARTLY_SEEN: list[dict[str, Any]] = [
    {"chance": True, "move": {"pips": 3}},
    {"seat": 1},
    {"chance": True},
    {"seat": 1, "move": {"v": 0}},
]
"""A draw, a hidden move, a hidden draw, and a move of which a part is seen."""


def _play(game: str = "pente", **fields: Any) -> dict[str, Any]:
    return {"type": "play", "id": 2, "move": MOVES[game], **fields}


def _first(name: str, about: str, message: Any, reply: Any = READY, **more: Any) -> Case:
    return valid_call(name, about, message, reply, after=[], **more)


def _then(name: str, about: str, message: Any, reply: Any, *after: str, **more: Any) -> Case:
    return valid_call(name, about, message, reply, after=list(after or ("init: pente",)), **more)


INITS = [
    *(
        _first(f"init: {game}", "as the referee sends it", init_call(game), game=game)
        for game in VIEWS
    ),
    _first("init: seat 1", "the other seat", init_call(seat=1)),
    _first(
        "init: six seats",
        "names are text: they may have spaces, accents, anything",
        init_call(
            "chinese_checkers",
            seats=6,
            seat=5,
            players=[
                "a b",
                "\N{SNOWMAN}",
                "",
                "\N{LATIN SMALL LETTER E WITH ACUTE}",
                "x" * 100,
                "\\\"'",
            ],
        ),
    ),
    _first(
        "init: no bank",
        "an optional field left out",
        init_call(time={name: value for name, value in TIME.items() if name != "bank_ms"}),
    ),
    _first("init: bank nil", "nil is a field left out", init_call(time={**TIME, "bank_ms": None})),
    _first(
        "init: history",
        "moves already played, this bot's own among them",
        init_call(
            history=[{"seat": 0, "move": {"v": 0, "h": 0}}, {"seat": 1, "move": {"v": 0, "h": 3}}]
        ),
    ),
    _first(
        "init: history with draws and hidden moves",
        "a draw has no seat, and a hidden move no move",
        init_call(history=PARTLY_SEEN),
    ),
    _first(
        "init: fields of tomorrow",
        "unknown fields in calls are ignored, at any depth",
        init_call(
            view={**VIEWS["pente"], "weather": ["fine"]},
            time={**TIME, "increment_ms": 10},
            rated=True,
            event={"name": "open", "round": None},
        ),
    ),
    _first(
        "init: map16 and map32",
        "longer than needed",
        sized(init_call(options=sized(OPTIONS["pente"], MAP16)), MAP32),
    ),
    _first("init: seed of 32 bits", "the largest seed", init_call(seed=2**32 - 1)),
    _first(
        "init: large board",
        "64 x 64 sticks",
        init_call(
            "matchsticks",
            options={**OPTIONS["matchsticks"], "dimension": 64},
            view={**VIEWS["matchsticks"], "board": ["1" * 64] * 64},
        ),
    ),
    _then(
        "init: next match",
        "the same process goes on after a term that is not the last",
        init_call(match="second,first/b0//0", seat=1),
        READY,
        "init: pente",
        "move: pente",
        "term: not the last",
    ),
]

MOVE_CALLS = [
    *(
        _then(
            f"move: {game}",
            "one legal move, so there is one right reply",
            move_call(game),
            _play(game),
            f"init: {game}",
            game=game,
        )
        for game in VIEWS
    ),
    _then(
        "move: opponent's move",
        "what the others have played since",
        move_call(ply=3, opponent_moves=[{"seat": 1, "move": {"v": 0, "h": 3}}]),
        _play(),
    ),
    _then(
        "move: five opponents' moves",
        "in a match of six",
        move_call(
            "chinese_checkers",
            ply=6,
            opponent_moves=[
                {"seat": seat, "move": MOVES["chinese_checkers"]} for seat in range(1, 6)
            ],
        ),
        _play("chinese_checkers"),
        "init: six seats",
    ),
    _then(
        "move: draws and hidden moves",
        "a draw has no seat, and a hidden move no move",
        move_call(ply=5, opponent_moves=PARTLY_SEEN),
        _play(),
    ),
    _then(
        "move: no bank",
        "an optional field left out",
        {name: value for name, value in move_call().items() if name != "left_ms"},
        _play(),
    ),
    _then(
        "move: optional fields nil",
        "nil is a field left out",
        move_call(left_ms=None, legal_omitted=None),
        _play(),
    ),
    _then(
        "move: fields of tomorrow",
        "unknown fields in calls are ignored, at any depth",
        move_call(
            opponent_moves=[{"seat": 1, "move": {"v": 0, "h": 3}, "wall_ms": 7, "tags": []}],
            clock={"now": [1, None, True, {"a": "b"}]},
        ),
        _play(),
    ),
    _then(
        "move: id as uint64",
        "the id says 2 however it is written",
        move_call(id=wide(2, UINT64)),
        _play(),
    ),
    _then(
        "move: id as int64",
        "the id says 2 however it is written",
        move_call(id=wide(2, INT64)),
        _play(),
    ),
    _then("move: id 200", "an id of two bytes", move_call(id=200), _play(id=200)),
    _then("move: id 70000", "an id of five bytes", move_call(id=70000), _play(id=70000)),
    _then("move: id 2^53", "the largest id", move_call(id=2**53), _play(id=2**53)),
    _then("move: id 0", "the smallest id", move_call(id=0), _play(id=0)),
    _then(
        "move: long integers",
        "a coordinate in nine bytes is still a coordinate",
        move_call(legal=[{"v": wide(-3, INT64), "h": wide(4, UINT32)}]),
        _play(),
    ),
    _then(
        "move: long texts",
        "str8, str16 and str32 where less would do",
        move_call(type=sized("move", STR8), legal=[{sized("v", STR16): -3, sized("h", STR32): 4}]),
        _play(),
    ),
    _then(
        "move: long lists and maps",
        "array16, array32 and map16 where less would do",
        move_call(
            opponent_moves=sized([], ARRAY32), legal=sized([sized(MOVES["pente"], MAP16)], ARRAY16)
        ),
        _play(),
    ),
    _then("move: map32", "the message itself", sized(move_call(), MAP32), _play()),
    _then(
        "move: any order",
        "the order of fields says nothing",
        dict(reversed(move_call().items())),
        _play(),
    ),
    _then(
        "move: largest coordinates",
        "integers go to 2^53",
        move_call(legal=[{"v": 2**53, "h": -(2**53)}]),
        _play(move={"v": 2**53, "h": -(2**53)}),
    ),
    _then(
        "move: largest board",
        "31 x 31 points",
        move_call(view={**VIEWS["pente"], "board": ["." * 31] * 31}),
        _play(),
    ),
    _then(
        "move: 1 MiB",
        "the largest call: an unknown field of a long text makes it so",
        padded_move(1 << 20),
        _play(),
    ),
    _then(
        "move: the second",
        "ids go on",
        move_call(id=3, ply=4),
        _play(id=3),
        "init: pente",
        "move: pente",
    ),
    _then(
        "move: down_n_out, later",
        "the board has changed",
        move_call(
            "down_n_out", view={**VIEWS["down_n_out"], "ply": 1, "board": ["003", "013", "123"]}
        ),
        _play("down_n_out"),
        "init: down_n_out",
    ),
]

DISPLAYS = [
    _then(
        "display: after init",
        "the board of the last view: init's",
        {"type": "display", "id": 2},
        {"type": "picture", "id": 2, "board": VIEWS["down_n_out"]["board"]},
        "init: down_n_out",
    ),
    _then(
        "display: after a move call",
        "the board of the last view: the move call's",
        {"type": "display", "id": 3},
        {"type": "picture", "id": 3, "board": ["003", "013", "123"]},
        "init: down_n_out",
        "move: down_n_out, later",
    ),
]

PINGS = [
    _first(
        "ping: before init",
        "a ping may come at any time",
        {"type": "ping", "id": 0},
        {"type": "pong", "id": 0},
    ),
    _then("ping: after init", "and again", {"type": "ping", "id": 2}, {"type": "pong", "id": 2}),
    _then(
        "ping: after a move",
        "it changes nothing",
        {"type": "ping", "id": 9},
        {"type": "pong", "id": 9},
        "init: pente",
        "move: pente",
    ),
    _then(
        "ping: fields of tomorrow",
        "unknown fields are ignored",
        {"type": "ping", "id": 2, "sent_ns": 1},
        {"type": "pong", "id": 2},
    ),
]

TERMS = [
    _then(
        "term: the last", "say bye and exit", term_call(), BYE, "init: pente", "move: pente", exit=0
    ),
    _then(
        "term: not the last",
        "say bye and wait for the next init",
        term_call(last=False),
        BYE,
        "init: pente",
        "move: pente",
    ),
    _first(
        "term: without init",
        "the match was over before it began",
        term_call(termination="no_show", offenders=[1]),
        BYE,
        exit=0,
    ),
    _then(
        "term: the opponent's last move",
        "what ended the match",
        term_call(opponent_moves=[{"seat": 1, "move": {"v": 0, "h": 3}}], scores=["-0.5", "10"]),
        BYE,
        exit=0,
    ),
    _then(
        "term: void",
        "not counted",
        term_call(termination="void", reason="the referee was stopped"),
        BYE,
        exit=0,
    ),
    _then(
        "term: a word of tomorrow",
        "terminations may be added",
        term_call(termination="agreement"),
        BYE,
        exit=0,
    ),
    _then(
        "term: fields of tomorrow",
        "unknown fields are ignored",
        term_call(rating={"elo": 1500}),
        BYE,
        exit=0,
    ),
]

NO_REPLIES = [
    _then(
        "error: a notice",
        "no reply; the author reads it on stderr",
        {"type": "error", "code": "illegal_move", "detail": "the point is occupied"},
        None,
        stderr=["illegal_move", "the point is occupied"],
    ),
    _then(
        "error: with an id",
        "still no reply",
        {"type": "error", "id": 7, "code": "timeout", "detail": "move took 9 s"},
        None,
        stderr=["timeout", "move took 9 s"],
    ),
    _then(
        "error: a code of tomorrow",
        "codes may be added",
        {"type": "error", "id": None, "code": "weather", "detail": "rain", "since": 1},
        None,
        stderr=["weather", "rain"],
    ),
    _then(
        "unknown call",
        "ignored: calls may be added",
        {"type": "chat", "id": 2, "text": "hello"},
        None,
    ),
    _then("unknown call without id", "ignored as well", {"type": "weather", "rain": True}, None),
]


CASES = [*INITS, *MOVE_CALLS, *DISPLAYS, *PINGS, *TERMS, *NO_REPLIES]
