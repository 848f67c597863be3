"""What is special to the kit for JavaScript and TypeScript: promises, packages, types."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable

import msgpack
import pytest
from kits import BY_NAME
from languages import LANGUAGES, Language, Starter
from probing import CALL, Kit, Probe, told
from router_seat import BOTS

KIT = BOTS / "sdk" / "javascript"
(TYPESCRIPT,) = (language for language in LANGUAGES if language.name == "typescript")
MOVES = {
    "right": ("pente", "{ v: 0, h: 1 }", ""),
    "missing": ("pente", "{ v: 0 }", "Property 'h' is missing"),
    "text": ("pente", '{ v: "0", h: 1 }', "Type 'string' is not assignable to type 'number'"),
    "point": ("damspel", "{ from: [0, 0], to: [1] }", "not assignable to type 'Point'"),
    "remarks": ("pente", "{ v: 0, h: 1 }, { value: 7, plan: [{ v: 0, h: 1 }] }", ""),
    "plan": (
        *("pente", "{ v: 0, h: 1 }, { plan: [{ v: 0 }] }"),
        "is not assignable to type 'PenteMove'",
    ),
    "unclaimed": ("damspel", "{ from: [0, 0], to: [1, 1] }", ""),
    "claims": ("pente", "{ v: 0, h: 1 }, { claims: { victory: true }, note: 'hm' }", ""),
}
"""Sources of moves and what the compiler says to each, by file name."""


def test_a_bot_whose_referee_goes_while_it_waits_for_a_promise_ends(
    probes: Callable[[Kit], Probe],
) -> None:
    with probes(BY_NAME["javascript"]).seat() as seat:
        seat.init()
        seat.send(msgpack.packb({**CALL, **told("promise")}))
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


@pytest.fixture(scope="module")
def complaints(
    starters: Callable[[Language], Starter], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Return the compiler's complaint about a bot with each of the moves; one run for all."""
    folder = tmp_path_factory.mktemp("types")
    for name in ("arena_bot.mjs", "arena_bot.d.mts", "package.json"):
        shutil.copy(KIT / name, folder)
    config = json.loads((BOTS / "starter/typescript/tsconfig.json").read_text())
    config["files"] = [f"{name}.ts" for name in MOVES]
    (folder / "tsconfig.json").write_text(json.dumps(config))
    (folder / "node_modules").symlink_to(starters(TYPESCRIPT).bot.folder / "node_modules")
    for name, (game, move, _) in MOVES.items():
        (folder / f"{name}.ts").write_text(_source(game, move))
    done = subprocess.run(
        ["node", "node_modules/typescript/bin/tsc"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return dict(re.findall(r"(?ms)^(\w+)\.ts\((.*?)(?=^\w|\Z)", done.stdout))


def _source(game: str, move: str) -> str:
    return f"""
import {{ Bot, play, run }} from "./arena_bot.mjs";
import type {{ MoveCall, Reply }} from "./arena_bot.mjs";
class Mine extends Bot<"{game}"> {{
  onMove(call: MoveCall<"{game}">): Reply<"{game}"> {{
    return call.view ? play({move}) : play(call.legal![0]);
  }}
}}
run(new Mine());
"""


@pytest.mark.parametrize("name", MOVES)
def test_the_types_know_the_moves_of_a_game(complaints: dict[str, str], name: str) -> None:
    complaint = MOVES[name][2]

    assert complaint in complaints.get(name, "")
    assert (name in complaints) is (complaint != "")
