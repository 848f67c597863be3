"""Random legal moves, with pyzmq and msgpack alone: a bot without a kit.

In any other language the same: a DEALER (or REQ) of its ZeroMQ library, a map of its msgpack
library in each message, and the fields of protocol/SPEC.md.
"""

import os
import random

import msgpack
import zmq

REPLIES = {"init": "ready", "move": "play", "ping": "pong", "term": "bye"}

context = zmq.Context()
socket = context.socket(zmq.DEALER)
socket.connect(os.environ["ARENA_ENDPOINT"])


def send(message: dict[str, object]) -> None:
    """Send one message: a map in a single frame."""
    socket.send(msgpack.packb(message))


hello = {"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"]}
send({**hello, "name": "pyzmq", "version": "1", "language": "python", "wants": ["legal"]})
is_last = False
while not is_last:
    call = msgpack.unpackb(socket.recv())
    if call["type"] not in REPLIES:
        continue
    reply = {"type": REPLIES[call["type"]], "id": call["id"]}
    if call["type"] == "init":
        chance = random.Random(call["seed"])
    elif call["type"] == "move":
        moves = call.get("legal")
        reply |= {"move": chance.choice(moves)} if moves else {"resign": True}
    send(reply)
    is_last = call["type"] == "term" and call["last"]
context.destroy(linger=2000)  # Waits until the last reply has left.
