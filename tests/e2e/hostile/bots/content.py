"""Hostile in what a reply to `move` says: one payload, or some bytes, for each name."""

import struct

from wire import LONG, MORE, MOVE, Packed, at_move, frame, header, pack


def _play(call, **fields):
    return {"type": "play", "id": call["id"], **fields}


def _with(**changes):
    """Return what makes a play whose move has these fields changed."""
    return lambda call: pack(_play(call, move={**MOVE, **changes}))


def _field(**fields):
    """Return what makes a play of a legal move with more fields."""
    return lambda call: pack(_play(call, move=MOVE, **fields))


def _bytes(data):
    return lambda call: pack(_play(call, move=MOVE, note=Packed(data)))


def _map(count, *pairs):
    return bytes((0x80 | count,)) + b"".join(pairs)


def _twice(first, second):
    def payload(call):
        head = (pack("type"), pack("play"), pack("id"), pack(call["id"]))
        return _map(4, *head, pack("move"), pack(first), pack("move"), pack(second))

    return payload


def _binary_twin(call):
    twin = pack(b"id") + pack(call["id"])
    return _map(4, pack("type"), pack("play"), pack("id"), pack(call["id"]), twin,
                pack("move"), pack(MOVE))  # fmt: skip


def _key(key):
    return lambda call: _map(3, pack("type"), pack("play"), pack("id"), pack(call["id"]), key, key)


_ILLEGAL = {"row": True, "line": 0, "start": 0, "end": 64}
_CLAIM = ["111", "111", "111"]

PAYLOADS = {
    "move_off_the_board": _with(line=3),
    "move_below_the_board": _with(line=-1),
    "move_at_2_to_the_53": _with(end=2**53),
    "true_for_a_number": _with(line=True),
    "float_for_a_number": _with(line=0.0),
    "minus_zero_for_a_number": _with(line=-0.0),
    "text_for_a_number": _with(line="0"),
    "nil_for_a_number": _with(line=None),
    "list_for_a_number": _with(line=[0]),
    "bytes_for_a_number": _with(line=b"0"),
    "empty_map_for_a_number": _with(line=Packed(b"\x80")),
    "one_for_true": _with(row=1),
    "too_large_a_number": _with(line=2**64 - 1),
    "too_small_a_number": _with(line=-(2**63)),
    "nan_for_a_number": _with(line=float("nan")),
    "a_move_without_a_field": lambda call: pack(_play(call, move={"row": True, "line": 0})),
    "an_evaluation_of_infinity": _field(evaluation=float("inf")),
    "its_own_elapsed_time": _field(elapsed_ms=0),
    "a_victory": _field(victory=True),
    "anothers_seat": _field(seat=1),
    "a_false_claim": _field(claims={"board": _CLAIM}),
    "a_huge_false_claim": _field(claims={"board": ["\x1b" * 50_000]}),
    "a_resignation_and_a_move": _field(resign=True),
    "a_false_resignation": lambda call: pack(_play(call, resign=False)),
    "done": lambda call: pack(_play(call, done=True)),
    "resigns": lambda call: pack(_play(call, resign=True)),
    "nothing_but_an_id": lambda call: pack({"id": call["id"]}),
    "a_note_of_1025_characters": _field(note="n" * 1025),
    "an_ugly_note": _field(note="\x1b[2J\0\n\u202e</script>"),
    "a_list_for_a_message": lambda call: pack(["play", call["id"], MOVE]),
    "a_reserved_byte": _bytes(b"\xc1"),
    "cut_off": lambda call: pack(_play(call, move=MOVE))[:-1],
    "trailing_bytes": lambda call: pack(_play(call, move=MOVE)) + b"\0",
    "an_empty_frame": lambda _: b"",
    "bad_utf_8": _bytes(b"\xa2\xc3\x28"),
    "a_surrogate": _bytes(b"\xa3\xed\xa0\x80"),
    "4_billion_items": lambda _: b"\xdf\xff\xff\xff\xff",
    "4_billion_bytes": lambda _: b"\xdb\xff\xff\xff\xff",
    "nested_1000_deep": _bytes(b"\x91" * 1000 + b"\0"),
    "nested_60000_deep": _bytes(b"\x91" * 60_000 + b"\0"),
    "nested_100000_deep": _bytes(b"\x91" * 100_000 + b"\0"),
    "a_move_twice": _twice(MOVE, _ILLEGAL),
    "a_move_twice_the_other_way": _twice(_ILLEGAL, MOVE),
    "a_binary_twin_of_a_key": _binary_twin,
    "a_number_for_a_key": _key(b"\x01"),
    "a_list_for_a_key": _key(b"\x91\x01"),
    "a_deep_map_for_a_key": _key(b"\x81" * 600 + b"\x01" * 601),
    "an_extension": _bytes(b"\xd4\x05\x00"),
    "a_timestamp": _bytes(b"\xc7\x0c\xff" + struct.pack(">Iq", 0, 2**40)),
    "a_broken_timestamp": _bytes(b"\xc7\x03\xff\x00\x00\x00"),
    "64_kb_of_empty_maps": _bytes(b"\xdd" + struct.pack(">I", 60_000) + b"\x80" * 60_000),
    "100_kb": _field(note="n" * 100_000),
}
"""What makes the payload of the reply, by the name of what is wrong with it."""


def say_wrongly(name):
    """Reply to the first move with a payload, then play on correctly."""
    seat, call = at_move()
    seat.say(PAYLOADS[name](call))
    seat.play_on()


# ---- frames


def plays_the_same_again():
    seat, call = at_move()
    seat.answer(call)
    call = seat.until("move")
    seat.send(type="play", id=call["id"], move=MOVE)
    seat.play_on()


def sends_two_frames():
    seat, call = at_move()
    seat.say(pack(_play(call, move=MOVE)), MORE)
    seat.say(b"")
    seat.play_on()


def sends_200000_frames():
    seat, _ = at_move()
    seat.raw(frame(b"", MORE) * 200_000)
    seat.play_on()


def sends_an_endless_message():
    seat, _ = at_move()
    part = frame(bytes(60_000), MORE)
    while True:
        seat.raw(part)


def sends_200_megabytes():
    seat, _ = at_move()
    seat.raw(header(200 << 20))
    part = bytes(1 << 20)
    for _ in range(200):
        seat.raw(part)
    seat.play_on()


def promises_all_bytes_there_are():
    seat, _ = at_move()
    seat.raw(bytes((LONG,)) + b"\xff" * 8)
    seat.play_on()


def sends_unknown_flags():
    seat, _ = at_move()
    seat.raw(b"\x80\x00")
    seat.play_on()
