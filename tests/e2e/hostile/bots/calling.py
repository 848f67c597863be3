"""Hostile in replying: late, never, twice, ahead, unasked, at the end and after it."""

import os
import sys
import time

from wire import MOVE, Seat, at_move, command, frame, hang, header, pack, seated

# ---- init


def ignores_init():
    seated().until("init")
    hang()


def ignores_the_first_ping():
    seated().until("ping")
    hang()


def answers_init_with_pong():
    seat = seated()
    seat.send(type="pong", id=seat.until("init")["id"])
    seat.play_on()


def adds_a_field_to_ready():
    seat = seated()
    seat.send(type="ready", id=seat.until("init")["id"], version=2)
    seat.play_on()


def is_ready_twice():
    seat = seated()
    call = seat.until("init")
    seat.answer(call)
    seat.answer(call)
    seat.play_on()


def exits_after_ready():
    seat = seated()
    seat.answer(seat.until("init"))
    os._exit(0)


def burns_cpu_in_init():
    seat = seated()
    call = seat.until("init")
    burn(0.1)
    seat.answer(call)
    seat.play_on()


def burns_cpu_on_pings():
    """Burn as much on each ping as on each move."""
    seat = seated()
    while True:
        call = seat.until("ping", "move", "term")
        burn(0.001)
        seat.answer(call)


def burn(seconds):
    """Use that much CPU time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


# ---- time


def sleeps():
    at_move()
    hang()


def spins():
    at_move()
    while True:
        pass


def spins_on_all_cores():
    at_move()
    for _ in range(2 * (os.cpu_count() or 1)):
        if os.fork() == 0:
            break
    while True:
        pass


def spins_in_short_lived_children():
    """Burn all CPU time in children that each end before anybody looks."""
    at_move()
    while True:
        child = os.fork()
        if child == 0:
            until = time.process_time() + 0.02
            while time.process_time() < until:
                pass
            os._exit(0)
        os.waitpid(child, 0)


def sleeps_its_bank_away():
    """Sleep for a part of the wall bank at the first move, for more than is left at the second."""
    seat, call = at_move()
    time.sleep(1)
    seat.answer(call)
    seat.until("move")
    hang()


def stops_itself():
    import signal

    at_move()
    os.kill(os.getpid(), signal.SIGSTOP)
    hang()


def answers_after_the_limit():
    seat, call = at_move()
    time.sleep(call.get("limit", 2.5))
    seat.answer(call)
    seat.play_on()


def drips_its_reply():
    seat, call = at_move()
    reply = frame(pack({"type": "play", "id": call["id"], "move": MOVE}))
    for byte in reply:
        seat.raw(bytes((byte,)))
        time.sleep(1)


def never_ends_its_frame():
    seat, _ = at_move()
    seat.raw(header(200_000) + bytes(1000))
    hang()


def never_reads():
    seat = seated()
    hang()
    seat.play_on()


def reads_a_byte_a_second():
    seat = seated()
    while seat.connection.recv(1):
        time.sleep(1)


def thinks_off_turn():
    """Spin in a thread while the opponent is called."""
    seat = seated()
    call = seat.until("move")
    child = os.fork()
    if child == 0:
        until = time.process_time() + 5
        while time.process_time() < until:
            pass
        os._exit(0)
    seat.answer(call)
    seat.play_on()


def crowds_off_turn():
    """Have as many spin as it takes to leave the opponent nothing of the core."""
    seat, call = at_move()
    for _ in range(40):
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    seat.answer(call)
    seat.play_on()


def runs_off_turn():
    """Be always in a process that has just begun, and so is in no list that is read."""
    seat, call = at_move()
    seat.answer(call)
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork():
                os._exit(0)
    seat.play_on()


def ignores_display():
    seated().until("display")
    hang()


def shows_a_false_board():
    seat = seated()
    seat.send(type="picture", id=seat.until("display")["id"], board=["9"])
    seat.play_on()


def shows_no_board():
    seat = seated()
    seat.send(type="picture", id=seat.until("display")["id"], board=[[1, 2], [3, 4]])
    seat.play_on()


# ---- order


def answers_twice():
    seat, call = at_move()
    seat.answer(call)
    seat.answer(call)
    seat.play_on()


def answers_ahead():
    """Send the replies to the next three calls with the ids that a counter would give them."""
    seat, call = at_move()
    seat.answer(call)
    for step in (1, 2, 3):
        seat.send(type="play", id=call["id"] + step, move=MOVE)
    seat.play_on()


def answers_the_call_before():
    """Leave the open call unanswered and answer the last one again."""
    seat, call = at_move()
    seat.answer(call)
    while True:
        seat.call()
        seat.send(type="play", id=call["id"], move=MOVE)


def speaks_out_of_turn():
    seat, call = at_move()
    seat.answer(call)
    seat.send(type="play", id=7, move=MOVE)
    seat.play_on()


def plays_referee():
    seat, call = at_move()
    seat.send(type="term", id=call["id"], termination="normal", scores=["9", "0"])
    seat.play_on()


def reports_the_opponent():
    seat, call = at_move()
    seat.send(type="error", id=call["id"], code="timeout", detail="seat 1 is out of time")
    seat.play_on()


def floods_with_messages():
    seat, _ = at_move()
    crowd = frame(pack({"type": "play", "id": 0, "move": MOVE})) * 100
    while True:
        seat.raw(crowd)


def floods_with_long_types():
    seat, _ = at_move()
    while True:
        seat.send(type="\x1b" * 60_000, id=0)


def floods_with_empty_commands():
    seat, _ = at_move()
    crowd = command(b"")[:1] + b"\0"
    while True:
        seat.raw(crowd * 32_768)


def floods_with_pings():
    """Ask for a PONG to each of as many PINGs as fit, and read none of them."""
    seat, _ = at_move()
    crowd = command(b"PING", bytes(2) + b"context") * 4096
    while True:
        seat.raw(crowd)


def floods_before_its_turn():
    """Fill its connection to the brim while the opponent is called."""
    seat, call = at_move()
    seat.answer(call)
    seat.connection.settimeout(0)
    try:
        while True:
            seat.connection.send(frame(pack({"type": "play", "id": 0, "move": MOVE})))
    except OSError:
        seat.connection.settimeout(None)
    seat.play_on()


def hangs_up():
    seat, _ = at_move()
    seat.connection.close()
    hang()


def hangs_up_and_comes_back():
    seat, call = at_move()
    seat.connection.close()
    try:
        seat = Seat()
        seat.hello()
        seat.answer(call)
    except OSError as error:
        print(error, flush=True)
    hang()


def shuts_one_side():
    """Close the sending side and continue to read."""
    seat, _ = at_move()
    seat.connection.shutdown(1)
    while seat.connection.recv(1 << 16):
        pass
    hang()


# ---- moves and deaths


def moves_and_exits():
    seat, call = at_move()
    seat.answer(call)
    os._exit(0)


def exits_in_mid_match():
    at_move()
    os._exit(0)


def raises():
    at_move()
    raise KeyError("no such opening")


def loses_its_parent():
    """Continue in a child after the process that was started has ended."""
    seat = seated()
    call = seat.until("init")
    child = os.fork()
    if child:
        seat.answer(call)
        os._exit(0)
    call = seat.until("move")
    time.sleep(1)
    seat.answer(call)
    seat.play_on()


# ---- term


def ignores_term():
    import signal

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    seated().until("term")
    hang()


def exits_9_after_bye():
    seated().play_on()
    sys.exit(9)


def dies_at_term():
    seated().until("term")
    os.abort()


def floods_at_term():
    seat = seated()
    seat.until("term")
    for _ in range(1000):
        seat.send(type="bye", id=0)
    hang()


def stays_after_bye():
    seated().play_on()
    hang()
