"""A bridge between the wire and a program with JSON lines on stdin and stdout.

    python3 jsonl_bridge.py PROGRAM [ARGUMENT ...]

Runs a bot.yaml with `protocol: jsonl`. Each call of protocol/SPEC.md is a line for the program, and
each printed line is a reply; the first is the hello, without `token`. Every line is sent to the
referee to judge, even without a call. A line without a JSON object is sent as a text with the
reason, to be refused. When the program ends, the bridge ends with the same exit code or signal.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

from arena_bot import Fields
from arena_bridge import MAX_LINE_BYTES, SHOWN, Bridge, BridgeError, LineError, run_bridge

FOR_PEOPLE = "no JSON object; write text for people to stderr"
"""Why a line is no reply; most often the program prints messages of its author."""


class LinesBridge(Bridge):
    """Passes each call as a line and each line as a reply."""

    def on_call(self, call: Fields) -> None:
        """Pass the call on."""
        self.tell(_line_of(call))

    def on_line(self, line: bytes) -> None:
        """Pass the reply on."""
        self.send(_object_in(line))


def _line_of(call: Fields) -> bytes:
    try:
        return _to_json(call).encode() + b"\n"
    except Exception as error:  # noqa: BLE001 - a value that JSON does not have, or too deep
        raise BridgeError(f"{call['type']}: cannot be written as JSON: {error}") from None


def _object_in(line: bytes) -> Fields:
    """Return the object of a line, or raise LineError."""
    if len(line) > MAX_LINE_BYTES:
        raise LineError(f"a line of more than {MAX_LINE_BYTES} bytes")
    if not line.strip():
        raise LineError("an empty line")
    try:
        found = _from_json(line.decode())
    except json.JSONDecodeError as error:
        raise LineError(_objection(line, error)) from None
    except UnicodeDecodeError as error:
        raise LineError(f"no UTF-8 at byte {error.start + 1}") from None
    except ValueError:
        raise LineError("a number of too many digits") from None
    except RecursionError:
        raise LineError("nested too deeply") from None
    if not isinstance(found, dict):
        raise LineError(FOR_PEOPLE)
    return found


def _objection(line: bytes, error: json.JSONDecodeError) -> str:
    if not line.lstrip().startswith(b"{"):
        return FOR_PEOPLE
    return f"no JSON, {error.msg} at character {error.pos + 1}"


def _distinct(pairs: list[tuple[str, Any]]) -> Fields:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LineError(f'the key "{twice[:SHOWN]}" stands twice in one object')
    return fields


def _no_constant(name: str) -> NoReturn:
    raise LineError(f"no JSON, {name}")


_to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_from_json = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_no_constant).decode

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: jsonl_bridge.py PROGRAM [ARGUMENT ...]")
    sys.exit(run_bridge(LinesBridge, sys.argv[1:]))
