"""Hostile in arriving: what can go wrong between exec and an accepted hello."""

import _socket as socket
import os
import sys
import time

from wire import GREETING, Seat, connect, frame, hang, pack, ready, seated

BANNER_BYTES = 64 << 20


def exits_3():
    print("no weights found", file=sys.stderr, flush=True)
    os._exit(3)


def exits_0():
    os._exit(0)


def dies_of_a_signal():
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)
    hang()


def misses_a_file():
    from pathlib import Path

    Path("~/.config/hostile").expanduser().read_text()


def never_connects():
    hang()


def never_greets():
    connection = connect()
    hang()
    connection.close()


def never_says_hello():
    seat = Seat()
    hang()
    seat.play_on()


def says_hello_bytewise():
    seat = Seat()
    hello = frame(pack({"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"]}))
    while True:
        for byte in hello[:-1]:
            seat.raw(bytes((byte,)))
            time.sleep(1)


def prints_a_banner():
    line = b"x" * (1 << 16)
    for _ in range(BANNER_BYTES >> 16):
        os.write(1, line)
    seated().play_on()


def is_wrapped_in_a_shell():
    import subprocess

    own = [sys.executable, "-S", "-E", "-B", sys.argv[0], "plays_well"]
    raise SystemExit(subprocess.call(own))


def is_wrapped_and_hangs():
    import subprocess

    own = [sys.executable, "-S", "-E", "-B", sys.argv[0], "sleeps"]
    raise SystemExit(subprocess.call(own))


def plays_well():
    seated().play_on()


# ---- the handshake


def _knock(data, *, seconds=30):
    """Send bytes to the door and wait until it closes."""
    connection = connect()
    connection.settimeout(seconds)
    connection.sendall(data)
    while connection.recv(1 << 16):
        pass


def greets_with_random_bytes():
    _knock(bytes(range(7, 199)))
    hang()


def greets_with_http():
    _knock(b"GET / HTTP/1.1\r\nHost: referee\r\n\r\n")
    hang()


def greets_with_zmtp_1():
    _knock(b"\x01\x00")
    hang()


def greets_with_zmtp_2():
    _knock(b"\xff" + bytes(8) + b"\x7f\x01\x05\x00\x00")
    hang()


def wants_curve():
    _knock(GREETING[:12] + b"CURVE".ljust(20, b"\0") + bytes(32))
    hang()


def is_a_publisher():
    _knock(GREETING + ready(b"PUB"))
    hang()


def cuts_its_ready_off():
    _knock(GREETING + frame(b"\x05READY\x0bSocket-Type\x00\x00\x00\xffDEALER", 4))
    hang()


def speaks_before_ready():
    _knock(GREETING + frame(pack({"type": "hello"})))
    hang()


def sends_garbage_first():
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\x01\x00", bytes(range(200)), GREETING[:40]):
        connection = connect()
        connection.sendall(garbage)
    seated().play_on()


def speaks_protocol_2():
    seated(protocol=2).play_on()


def lies_about_its_token():
    seat = seated(token="0" * 32)
    seat.connection.settimeout(30)
    seat.heard(1 << 20)


def has_no_token():
    Seat().send(type="hello", protocol=1)
    hang()


def has_the_token_at_the_second_try():
    seated(token="0" * 32)
    seated(token=[1, 2, 3])
    seated().play_on()


def says_something_else_first():
    Seat().send(type="play", id=1, resign=True)
    hang()


def adds_a_field_to_its_hello():
    seated(rating=3000).play_on()


def wants_everything():
    seated(wants=["view", "everything"]).play_on()


def has_a_name_of_101_characters():
    seated(name="n" * 101).play_on()


def has_a_name_of_5_megabytes():
    seat = Seat()
    hello = pack({"type": "hello", "protocol": 1, "name": "n" * 5_000_000})
    try:
        seat.say(hello)
    except OSError:
        hang()


def has_an_ugly_name():
    seated(name="\x1b[31m\0\n\u202egnp.<script>'; DROP TABLE--/../").play_on()


def says_hello_and_exits():
    seat = seated()
    os._exit(seat.connection.fileno() - seat.connection.fileno())


def says_hello_and_hangs_up():
    seat = seated()
    seat.connection.close()
    hang()


def says_hello_twice():
    seat = seated()
    seat.hello(name="another")
    seat.play_on()


def connects_400_times():
    crowd = []
    for _ in range(400):
        try:
            crowd.append(connect())
        except OSError:
            crowd.clear()  # its own descriptors have run out
    crowd.clear()
    seated().play_on()


def connects_again():
    """Take the seat, then try to take it a second time."""
    seat = seated()
    call = seat.until("init")
    try:
        second = Seat()
        second.hello()
        print("let in twice", flush=True)
        second.connection.settimeout(1)
        second.call()
    except OSError:
        print("refused", flush=True)
    seat.answer(call)
    seat.play_on()


def prepares_before_its_hello():
    until = time.process_time() + 1.2
    while time.process_time() < until:
        pass
    seated().play_on()


def removes_its_socket():
    from pathlib import Path

    path = Path(os.environ["ARENA_ENDPOINT"].removeprefix("ipc://"))
    seat = seated()
    for change in (path.unlink, lambda: path.rename(path.with_name("t"))):
        try:
            change()
        except OSError:
            continue
    seat.play_on()


def knocks_at_the_other_door():
    """Take every door that can be seen, as if it were the own one."""
    from pathlib import Path

    own = Path(os.environ["ARENA_ENDPOINT"].removeprefix("ipc://"))
    doors = [path for path in own.parent.parent.glob("*/s") if path != own]
    for door in doors:
        try:
            stranger = socket.socket(socket.AF_UNIX)
            stranger.connect(str(door))
            stranger.sendall(GREETING + ready())
            token = os.environ["ARENA_TOKEN"]
            stranger.sendall(frame(pack({"type": "hello", "protocol": 1, "token": token})))
        except OSError:
            continue
    seated().play_on()
