"""`arena check`: good bots pass every step, and each step finds the bot it was made for."""

import ctypes
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from preloaded import run

from arena.check import own_board, requirements
from arena.check.bench import Bench, BotSession
from arena.check.check import find
from arena.check.steps import Step, steps_for
from referee.catalog import AnyGame
from referee.job import Player
from referee.options import make_game
from referee.sandbox import TIERS, Groups, Tier, become_subreaper, live_children, refusal, sweep

WAYWARD = Path(__file__).with_name("wayward.py")
SHORT_NS = 500_000_000
"""For bots that never send the expected message."""
PENTE: AnyGame = make_game("pente", {})
STEPS = {step.name: step for step in steps_for(PENTE)}


def check_allowed(tier: Tier) -> None:
    """Skip a test of a tier that this machine refuses."""
    if (reason := refusal(tier)) is not None:
        pytest.skip(f"{tier} is refused here: {reason}")


def arena(*arguments: str, folder: Path) -> tuple[int, str, str]:
    done = run(*arguments, cwd=folder, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def groups() -> Iterator[Groups | None]:
    """Give control groups, if there are any, and inherit orphans as `arena check` does."""
    others = set(live_children(os.getpid()))
    become_subreaper()
    found = Groups.probe()
    yield found
    sweep(others)
    if found is not None:
        found.close()
    ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def findings(
    sin: str, steps: list[Step], groups: Groups | None, tier: Tier = "none"
) -> dict[str, tuple[str, str]]:
    """Return the result of each step with a bot that makes one mistake."""
    with tempfile.TemporaryDirectory(prefix="wayward-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(WAYWARD, folder)
        player = Player(
            name=sin,
            argv=(sys.executable, str(folder / WAYWARD.name), sin),
            folder=name,
            content="0",
            processes=True,
            tier=tier,
        )
        bench = Bench(player, PENTE, groups, with_tcp=player)
        return {found.step.name: (found.verdict, found.detail) for found in find(steps, bench)}


def test_every_step_is_printed_and_a_good_bot_fails_none(tmp_path: Path) -> None:
    arena("check", "starter/c", folder=tmp_path)  # builds it, and says so
    code, out, err = arena("check", "starter/c", folder=tmp_path)

    steps = re.findall(r"^ *\d+ (ok|FAIL|skip) ", out, re.MULTILINE)
    assert (code, err) == (0, ""), out
    assert len(steps) == len(STEPS) >= 40
    assert steps.count("ok") >= 55
    assert "FAIL" not in steps
    assert re.search(r"^\d+ steps in .*: \d+ ok, 0 failed, \d skipped$", out, re.MULTILINE)


def test_a_bot_of_six_seats_is_checked_in_the_game_it_is_asked_for(tmp_path: Path) -> None:
    code, out, _ = arena("check", "starter/c", "--game", "chinese_checkers", folder=tmp_path)

    assert code == 0
    assert "ok   plays in seat 5 of 6" in out
    assert "ok   plays with neutral_end: allow" in out


def test_a_failure_is_shown_with_advice_and_the_last_output(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text('name: broken\nrun: ["{python}", main.py]\n')
    (tmp_path / "main.py").write_text("import not_there\n")

    code, out, _ = arena("check", ".", folder=tmp_path)

    assert code == 1
    assert "  1 FAIL starts, connects and sends hello\n" in out
    assert "\nstep 1 failed: starts, connects and sends hello\n" in out
    assert "ended before its hello: exit code 1\n  do: with `protocol: jsonl`" in out
    assert "ModuleNotFoundError: No module named 'not_there'" in out
    assert f"2-{len(STEPS)} skip, since they depend on it" in out


def test_a_bot_is_not_checked_in_a_game_that_it_does_not_play(tmp_path: Path) -> None:
    code, out, err = arena("check", "greedy", "--game", "damspel", folder=tmp_path)

    assert (code, out) == (2, "")
    assert "bot greedy does not play damspel; it plays pente" in err


SINS = {
    "protocol": "starts, connects and sends hello",
    "off": "answers init, move and term",
    "stray": "sends no message without a call",
    "ids": "echoes any id up to 2^53",
    "envelope": "uses one kind of envelope",
    "tcp": "connects over tcp",
    "lock": "runs twice at the same time",
    "seat": "plays in seat 1 of 2",
    "history": "continues from a history that includes its own moves",
    "strict": "ignores unknown fields in every call",
    "kinds": "ignores calls of an unknown type",
    "nil": "accepts nil in an optional field",
    "first": "accepts fields in any order",
    "small": "accepts calls of 1 MiB",
    "pieces": "accepts calls that arrive byte by byte",
    "lenient": "exits after invalid MessagePack",
    "polite": "exits after a call without id",
    "silent": "exits after a call above 1 MiB",
    "false": "makes only true claims",
    "partly": "makes all required claims",
    "spin": "uses no CPU time between calls",
    "stays": "exits with 0 after its last match",
    "three": "exits with 0 after its last match",
    "child": "leaves no process behind",
    "words": "accepts every termination",
    "once": "plays a second match",
    "leak": "frees its memory between matches",
    "orphan": "exits if the referee disappears before init",
    "answers": "accepts an error notice",
}


@pytest.mark.parametrize(("sin", "name"), SINS.items())
def test_each_mistake_is_found_by_its_step(
    sin: str, name: str, groups: Groups | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "PATIENCE_NS", SHORT_NS)

    found = findings(sin, [STEPS[name]], groups)

    assert found[name][0] == "FAIL", found


HIDDEN = {"lock"}
"""Mistakes that cannot happen in a sandbox with files and ports of its own."""


@pytest.mark.parametrize(("sin", "name"), SINS.items())
def test_each_mistake_is_found_in_the_sandbox_too(
    sin: str, name: str, groups: Groups | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_allowed("namespaces")
    monkeypatch.setattr(requirements, "PATIENCE_NS", SHORT_NS)

    found = findings(sin, [STEPS[name]], groups, "namespaces")

    assert found[name][0] == ("ok" if sin in HIDDEN else "FAIL"), found


@pytest.mark.parametrize("tier", TIERS)
def test_a_correct_bot_fails_none_of_those_steps(groups: Groups | None, tier: Tier) -> None:
    check_allowed(tier)
    found = findings("", [STEPS[name] for name in dict.fromkeys(SINS.values())], groups, tier)

    assert {name: said for name, said in found.items() if said[0] == "FAIL"} == {}
    assert found["makes all required claims"][0] == "skip"
    assert len(found) == len(set(SINS.values()))


def test_where_a_port_opens_the_network_a_sandboxed_bot_has_none(groups: Groups | None) -> None:
    player = Player(name="none", argv=("nothing",), folder="/", content="0", tier="namespaces")
    bench = Bench(player, PENTE, groups)

    (found,) = find([STEPS["connects over tcp"]], bench)

    assert (found.verdict, found.detail) == (
        "skip",
        "with a port, a sandboxed bot could connect to other machines",
    )


def test_matches_follow_each_other_in_one_process(
    groups: Groups | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Bench] = []
    start = Bench.start

    def counted(bench: Bench) -> BotSession:
        started.append(bench)
        return start(bench)

    monkeypatch.setattr(Bench, "start", counted)
    names = ("plays in seat 0 of 2", "plays 20 moves", "plays with fours: exact")
    for sin, starts in (("", 1), ("once", 4)):  # one for the matches, or one for each of them
        started.clear()
        found = findings(sin, [STEPS[name] for name in names], groups)
        assert [verdict for verdict, _ in found.values()] == ["ok", "ok", "ok"]
        assert len(started) == starts


def test_cpu_time_between_the_calls_of_the_first_match_alone_is_not_a_fault(
    groups: Groups | None,
) -> None:
    name = "uses no CPU time between calls"

    assert findings("warms", [STEPS[name]], groups)[name][0] == "ok"


def test_random_moves_are_not_a_fault(groups: Groups | None) -> None:
    name = "repeats its moves with the same seed"

    assert findings("chance", [STEPS[name]], groups)[name][0] == "skip"
    assert findings("", [STEPS[name]], groups)[name][0] == "ok"


DOZEN = "plays a dozen long matches in one process, most from deep positions"


@pytest.mark.parametrize(
    ("sin", "detail"),
    [
        (
            "blind",
            "this match begins after a history of [0-9]+ moves; without it there is no fault$",
        ),
        (
            "hoards",
            "in a new process the same match after a history of [0-9]+ moves has no fault, so",
        ),
        ("seat", "this match begins after a history of [0-9]+ moves; without it there is a fault"),
    ],
)
def test_a_wrong_board_is_told_by_what_it_comes_from(
    sin: str, detail: str, groups: Groups | None
) -> None:
    verdict, found = findings(sin, [STEPS[DOZEN]], groups)[DOZEN]

    assert verdict == "FAIL"
    assert re.search(detail, found), found


ALIKE = (
    "moves after a history as in the match itself",
    "moves after other matches as in a new process",
)


@pytest.mark.parametrize(
    ("sin", "verdicts", "detail"),
    [
        ("late", ["hint", "ok"], "if it has played the match, .* gets the same moves as history"),
        ("seeds once", ["skip", "hint"], r"move 1 in the same match is \S+ in a new process, and "),
        ("chance", ["skip", "skip"], "its moves depend on chance, or it makes too few"),
        ("", ["skip", "ok"], ""),
    ],
)
def test_other_moves_after_a_history_or_other_matches_give_a_hint(
    sin: str, verdicts: list[str], detail: str, groups: Groups | None
) -> None:
    found = findings(sin, [STEPS[name] for name in ALIKE], groups)

    assert [verdict for verdict, _ in found.values()] == verdicts
    assert any(re.search(detail, said) for _, said in found.values())


def test_a_slow_bot_plays_fewer_of_the_long_matches(
    groups: Groups | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_board, "BUDGET_NS", 0)

    assert findings("", [STEPS[DOZEN]], groups)[DOZEN] == (
        "ok",
        "4 matches within 0 µs of its CPU time",
    )


def test_printing_is_added_up_over_the_steps(groups: Groups | None) -> None:
    names = ("connects over tcp", "plays in seat 0 of 2", "prints little")

    assert findings("chatty", [STEPS[name] for name in names], groups)["prints little"] == (
        "FAIL",
        "2,097,154 bytes in all",
    )
