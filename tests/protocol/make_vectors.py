"""Write protocol/vectors/*.json from the cases in the modules beside this one.

    python tests/protocol/make_vectors.py

Bots are tested with the JSON files; test_vectors.py checks that they match the cases.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import broken_call_cases
import call_cases
import encoding_cases
import game_cases
import reply_cases

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
GROUPS = {
    "hello": reply_cases.HELLO,
    "replies": reply_cases.REPLIES,
    "encoding": encoding_cases.CASES,
    "games": game_cases.CASES,
    "calls": call_cases.CASES,
    "broken_calls": broken_call_cases.CASES,
}


def text_of(cases: Sequence[Mapping[str, Any]]) -> str:
    """Return a group as the JSON text of its file, one line per field."""
    shown = [
        ",\n".join(f"    {json.dumps(name)}: {json.dumps(value)}" for name, value in case.items())
        for case in cases
    ]
    return "[\n  {\n" + "\n  },\n  {\n".join(shown) + "\n  }\n]\n"


def main() -> None:
    """Write all files."""
    for name, cases in GROUPS.items():
        (VECTORS / f"{name}.json").write_text(text_of(cases))


if __name__ == "__main__":
    main()
