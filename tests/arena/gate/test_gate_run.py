"""Gates from their command to verdict and exit code, on slots without processes."""

import json
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import crashed, void
from gating import CONFIG, DB, Gate, Script, by_board, crashes, gate_in, wins

from arena.commands.run_event import Run
from arena.commands.run_gate import gate_command, run_gate
from arena.config.loading import load_config
from arena.errors import ConfigError, EventError, UsageError
from arena.formats.event_results import table_of
from arena.gate.gate_report import gate_report
from arena.gate.request import GateRequest
from arena.gate.verdict import verdict_of
from arena.ratings.text import rate_text
from arena.reports.document import document_text
from arena.reports.summary import summary_text
from arena.results.store import Store
from arena.terminal.show import event_text
from referee.job import Job
from referee.records.match_end import MatchEnd


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    return gate_in(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        (wins("new"), 0, "gate PASSED: new is strong enough against base: 0 Elo is more likely"),
        (wins("base"), 1, "gate FAILED: new is too weak against base: -50 Elo is more likely"),
        (by_board("20"), 4, "gate UNDECIDED: new against base can be -50 or 0 Elo"),
        (crashes, 3, "gate FAULTS: new had faults in 2 matches, 0 allowed"),
    ],
)
def test_the_exit_code_is_the_verdict(
    gate: Gate, capsys: pytest.CaptureFixture[str], script: Script, code: int, says: str
) -> None:
    assert gate(script, cap=60) == code
    assert capsys.readouterr().out.startswith(says)


def test_the_evidence_stands_in_the_table_while_it_plays(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(by_board("20"), cap=24, table_every=8) == 4

    lines = capsys.readouterr().err.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("after ")]
    assert [lines[number].split(" matches")[0] for number in heads] == [
        "after 8 of 24",
        "after 16 of 24",
    ]
    assert lines[heads[1] + 3] == "  8 pairs, points of 2: 0: 4, ½: 0, 1: 0, 1½: 0, 2: 4"
    assert lines[heads[1] + 4].startswith("  LLR ")


def test_a_verdict_has_all_known_facts(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(by_board("2212"), cap=60) == 0

    lines = capsys.readouterr().out.splitlines()
    facts = dict(line.split("  ", 1) for line in lines[2:10])
    assert {name: fact.strip() for name, fact in facts.items() if name not in ("new", "base")} == {
        "game": 'damspel {"rows": 6, "cols": 6, "men_rows": 2}',
        "asked": "elo0 -50, elo1 0, alpha 0.05, beta 0.05",
        "LLR": "+3.0847; fails at -2.9444, passes at +2.9444",
        "pairs": "20 (points of 2: 0: 0, ½: 0, 1: 5, 1½: 0, 2: 15)",
        "matches": "35 won, 0 drawn, 5 lost by new",
        "Elo": "+331 -161 +152 (95 %), corrected for the stop",
    }
    assert lines[-3:-1] == ["results: arena.db, event 1; seed 1", "matches: arena show 1 --matches"]
    assert lines[-1].startswith("first loss of new (resignation): arena replay ")


def test_a_gate_has_one_estimate_of_elo(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    gate(by_board("2212"), cap=60)
    printed = capsys.readouterr().out

    with closing(Store(DB)) as store:
        event = store.event(1)
        assert event is not None
        report = gate_report(store, event, verdict_of(store, event), exit_code=0)
        shown = event_text(store, event, table_of(store, event))
        rated = rate_text(store, event)
    document = json.loads(document_text(report))
    assert "+331 -161 +152" in printed
    assert (round(document["gate"]["elo"]["value"]), document["ratings"]) == (331, None)
    assert summary_text(report).count("+331 -161 +152") == 1
    assert "Elo" not in shown
    assert "the verdict of the gate estimates the Elo difference from its counted pairs" in rated


def test_between_equal_bots_no_difference_is_negative(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate(by_board("20"), cap=20)

    assert " +0 -" in capsys.readouterr().out


def test_matches_running_at_the_decision_are_stored_but_not_counted(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate(wins("new"), cap=60)

    cores = len(os.sched_getaffinity(0))
    verb = "is" if cores == 2 else "are"
    extra = f"; {cores - 1} ended after the decision and {verb} not counted" if cores > 1 else ""
    assert f"played   {39 + cores} of 60 matches at most{extra}\n" in capsys.readouterr().out


def test_the_first_fault_can_be_replayed(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    gate(crashes, cap=60)

    out = capsys.readouterr().out
    assert "faults   new 2, base 0" in out
    first = "first fault of new (new: ended during the init call: exit code 1)"
    assert out.splitlines()[-1] == f"{first}: arena show --match 1"


def test_an_interrupted_gate_counts_no_match_without_its_pair(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    script = by_board("2212")
    played: list[str] = []

    def interrupt(job: Job) -> MatchEnd:
        played.append(job.key)
        if len(played) == 7:
            os.kill(os.getpid(), signal.SIGINT)
        return script(job)

    assert gate(interrupt, cap=60, settings=("slots=1",)) == 130

    out = capsys.readouterr().out
    assert "pairs    3 (" in out
    assert "1 is not counted before the missing ones are played" in out
    assert "decision" not in out


def test_an_interrupted_gate_resumes_to_the_same_verdict(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    script = by_board("2212")

    def interrupt(job: Job) -> MatchEnd:
        if "/b3/" in job.key:
            os.kill(os.getpid(), signal.SIGINT)
        return script(job)

    assert gate(interrupt, cap=60) == 130
    assert capsys.readouterr().out.startswith("gate not finished: matches are missing")
    assert gate(script, cap=60) == 0
    stopped = capsys.readouterr().out
    assert gate(script, cap=60, db=Path("other.db")) == 0
    straight = capsys.readouterr().out

    assert stopped.splitlines()[:9] == straight.splitlines()[:9]


def test_a_finished_gate_is_reported_again_without_playing(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate(wins("new"), cap=60)
    first = capsys.readouterr().out

    assert gate(wins("base"), cap=60) == 0
    assert capsys.readouterr().out == first


def test_a_higher_cap_continues_an_undecided_gate(gate: Gate) -> None:
    assert gate(by_board("20"), cap=20) == 4
    assert gate(wins("new"), cap=80) == 0

    store = Store(DB)
    assert len(store.events()) == 1
    store.close()


def test_a_changed_bot_or_question_is_another_gate(gate: Gate) -> None:
    gate(wins("new"), cap=60)
    gate(wins("new"), cap=60, elo0=-60)
    Path("new/bot").write_text("#!/bin/sh\n# newer\n")
    gate(wins("new"), cap=60)

    store = Store(DB)
    names = [event.name for event in store.events()]
    store.close()
    assert len(set(names)) == 3
    assert all(name.startswith("gate-new-") for name in names)


def test_a_pair_with_a_match_void_in_every_attempt_is_left_out(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = "new,base/b2/0"
    script = wins("new")

    code = gate(lambda job: void(job) if job.key == broken else script(job), cap=60)

    assert code == 0
    assert "; 1 pair left out, void in every attempt" in capsys.readouterr().out


def test_a_gate_withdraws_no_bot(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    script = wins("base")

    def fails_at_first(job: Job) -> MatchEnd:
        is_early = any(f"/b{board}/" in job.key for board in range(3))
        return (
            MatchEnd(job, crashed(job, job.names().index("base")).finished())
            if is_early
            else script(job)
        )

    assert gate(fails_at_first, cap=120) == 1
    out = capsys.readouterr().out
    assert "6 won, 0 drawn" in out
    assert "faults   new 0, base 6" in out


def test_a_halted_gate_ends_with_5(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two slots need two cores")
    assert gate(void, cap=60) == 5
    assert "halted: two different matches in a row were void" in capsys.readouterr().err


@pytest.mark.parametrize(("elo", "code"), [((-50, 0), 0), ((0, 5), 1), ((-5, 5), 4)])
def test_a_bot_against_itself_is_not_played(
    gate: Gate, capsys: pytest.CaptureFixture[str], elo: tuple[float, float], code: int
) -> None:
    def unplayed(job: Job) -> MatchEnd:
        raise AssertionError(job.key)

    assert gate(unplayed, "./new", "./twin", elo0=elo[0], elo1=elo[1]) == code
    says = "new and twin are the same bot by content, so nothing was played"
    assert says in capsys.readouterr().out


def test_a_drawn_seed_is_told_with_the_verdict_and_not_before(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(wins("new"), cap=60, seed=None) == 0

    out, err = capsys.readouterr()
    with closing(Store(DB)) as store:
        (event,) = store.events()
    assert f"results: arena.db, event 1; seed {event.seed}\n" in out
    assert str(event.seed) not in err
    assert gate(wins("new"), cap=80, seed=None) == 0, "a decided gate is resumed"


def test_a_dry_run_prints_the_pairs_and_touches_nothing(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(wins("new"), cap=20, is_dry=True) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1. new - base  (new,base/b0/0)"
    schedule, expected = lines[: lines.index("")], lines[lines.index("") + 1 :]
    assert schedule[9].startswith("10. base - new ")
    assert schedule[-5:-4] == ["... and 10 more"]
    assert schedule[-4].startswith("at most 20 matches on ")
    assert " long (h:mm:ss), 2:15:54 a match: " in schedule[-3]
    assert schedule[-2].startswith("at most 4 times that on a busy machine: ")
    assert expected[0] == "expected without draws, for -50 against 0 Elo, at most 10 pairs:"
    assert expected[-1].startswith("warning: 100% of such gates end undecided at a cap of 20")
    assert not DB.exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be below elo1"),
        ({"cap": 19}, "cap must be 20 or more, not 19: nothing is decided before 10 pairs"),
        ({"score0": -5, "cap": 58}, "cap must be 60 or more"),
        ({"score0": -5, "elo0": -50}, "gate has Elo and scores"),
        ({"score1": 5}, "gate has score1 without score0"),
        ({"alpha": 0.5}, "gate.alpha must be less than 0.5"),
        ({"beta": 0}, "gate.beta must be more than 0"),
        ({"max_faults": -1}, "gate.max_faults must be 0 or more"),
        ({"openings": "0"}, "openings.random_plies must be 1 or more"),
        ({"openings": "./nowhere"}, "./nowhere: cannot be read"),
        ({"game": "down_n_out"}, "a gate compares scores: score0 says by how much"),
        ({"game": "down_n_out", "score0": -5, "openings": "2"}, "no openings"),
        ({"game": "down_n_out", "elo0": -5, "score0": -5}, "Elo and scores"),
        ({"game": "ludo"}, "unknown game"),
        ({"times": ["per_mov=1s"]}, 'did you mean "per_move"'),
        ({"times": ["per_move"]}, "-t: must be key=value, not"),
        ({"game": None}, "name the game, like --game pente"),
        ({"shard": "1/2", "seed": None}, "--shard 1/2 needs a seed"),
        ({"shard": "3/2"}, "--shard is i/n"),
    ],
)
def test_an_impossible_gate_is_refused(gate: Gate, options: dict[str, Any], says: str) -> None:
    with pytest.raises((ConfigError, UsageError), match=says.replace("?", r"\?")):
        gate(wins("new"), **options)
    assert not DB.exists()


def test_a_gate_of_bots_that_play_one_game_needs_no_name_of_it(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("new", "base"):
        Path(name, "bot.yaml").write_text(Path(name, "bot.yaml").read_text() + "games: [damspel]\n")

    assert gate(wins("new"), game=None) == 0
    assert "game     damspel" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("bots", "says"),
    [
        (("./new",), r"\./new needs a BASE"),
        (("./new/bot.yaml",), "needs a BASE"),
        (("gate.yaml",), r"gate\.yaml is a config, in which --game, --seed, -o would be set"),
        (("nowhere.yaml",), r"nowhere\.yaml is a config, in which"),
        (("git:main", "./base"), "NEW is a bot; only BASE can be a revision"),
    ],
)
def test_a_wrong_command_line_is_refused(gate: Gate, bots: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        gate(wins("new"), *bots)


def test_limits_of_time_belong_to_the_question(gate: Gate) -> None:
    for times in ((), ("bank=10s", "increment=100ms")):
        gate(wins("new"), times=times)

    store = Store(DB)
    first, second = store.events()
    store.close()
    assert first.name != second.name
    assert second.config["time"]["increment"] == "100ms"


def test_new_and_base_with_the_same_name_get_different_names(gate: Gate) -> None:
    Path("old").mkdir()
    Path("base").rename("old/new")

    gate(wins("new"), "./new", "./old/new")

    store = Store(DB)
    assert list(store.events()[0].entrants) == ["new", "new@base"]
    store.close()


def test_a_config_can_be_a_gate(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    Path("gate.yaml").write_text(CONFIG)
    gate(wins("new"), cap=60)  # with replaced slots
    capsys.readouterr()

    assert run_gate(load_config("gate.yaml"), Run(db=DB)) == 0
    assert capsys.readouterr().out.startswith("gate PASSED")
    Path("gate.yaml").write_text(CONFIG.replace("cap: 60", "cap: 60, elo0: -60"))
    with pytest.raises(EventError, match=r"gate\.elo0: -50\.0 -> -60\.0"):
        run_gate(load_config("gate.yaml"), Run(db=DB))


def test_base_on_the_command_line_replaces_that_of_the_config(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("gate.yaml").write_text(CONFIG)
    gate(wins("new"), cap=60)
    capsys.readouterr()

    code = gate_command(("gate.yaml",), "./twin", GateRequest(), None, Run(db=DB))

    assert code == 0
    assert "new and twin are the same bot by content" in capsys.readouterr().out


def test_a_config_of_another_format_is_no_gate(gate: Gate) -> None:
    del gate
    Path("cup.yaml").write_text("name: cup\ngame: {name: pente}\nbots: [./new, ./base]\n")
    with pytest.raises(UsageError, match=r"cup\.yaml: the format is round_robin, not gate"):
        run_gate(load_config("cup.yaml"), Run(db=DB))
