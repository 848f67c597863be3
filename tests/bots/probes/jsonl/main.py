"""A program for tests of the bridge: does at its turn what the field `view.do` says."""

import json
import os
import sys
from typing import Any

Fields = dict[str, Any]
ANSWERS: dict[str, Fields] = {
    "resign": {"resign": True},
    "done": {"done": True},
    "remarks": {
        "move": {"v": 0, "h": 0},
        "value": -7,
        "plan": [{"v": 1, "h": 2}],
        "data": {"depth": 3},
    },
}
REPLIES = {"init": "ready", "move": "play", "ping": "pong", "term": "bye"}


def say(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


def answer(init: Fields, call: Fields) -> Fields:
    """Return the fields of the reply to a move call."""
    what = call["view"]["do"]
    if what == "told":
        played = call["opponent_moves"][0]
        clock = init["time"]["clock"]
        told = [init["seed"], clock, played["seat"], call["ply"], call["left_ms"]]
        return {"move": played["move"], "note": " ".join(map(str, told))}
    if what == "all":
        return {"move": call["legal"][0], "claims": {"victory": True}, "note": "h\u00e9"}
    return ANSWERS.get(what) or {"move": call["legal"][0]}


def main() -> None:
    init: Fields = {}
    say(type="hello", language="jsonl")
    for line in sys.stdin:
        call = json.loads(line)
        if call["type"] == "init":
            init = call
        if call["type"] in REPLIES:
            said = answer(init, call) if call["type"] == "move" else {}
            say(type=REPLIES[call["type"]], id=call["id"], **said)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the bridge has found no referee and says so
        os._exit(1)
