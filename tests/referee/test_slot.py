"""Whole matches between real programs, one after another on one slot, and what is left of them."""

import os
import select
from dataclasses import replace
from pathlib import Path

import pytest
from hosting import MINUTE_NS, Bots, job, pids, termination
from verifying import verify
from waiting import PATIENCE_S

from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError
from referee.job import Player, TimeControl
from referee.sandbox.cgroup import Groups
from referee.sandbox.limits import Limits
from referee.sandbox.orphans import sweep
from referee.sandbox.proctree import descendants, live_children, process_cpu_ns
from referee.seats.stopwatch import PONDER_NS
from referee.service.slot import MAX_KEPT, Slot


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_two_programs_play_a_match_to_its_end(slot: Slot, bots: Bots, transport: str) -> None:
    record = slot.play(job(bots.polite("one"), bots.polite("other"), transport=transport))

    assert termination(record) is Termination.NORMAL
    verify(record)
    for report in record.seats:
        assert report.hello["name"] == "first"
        assert report.hello["language"] == "python"
        assert report.hello["wants"] == ("legal",)
        assert "token" not in report.hello
        assert report.null is not None
        assert report.exit in {"exit code 0", None}
        assert report.output_tail == ""
    assert all(call.wall_ns > 0 for call in record.calls)


def test_a_program_that_cannot_be_started_is_a_no_show(slot: Slot, bots: Bots) -> None:
    absent = Player(name="absent", argv=("./nothing",), folder="/", content="-")

    record = slot.play(job(absent, bots.polite()))

    assert termination(record) is Termination.NO_SHOW
    assert record.verdict.reason == (
        "absent: cannot be started: No such file or directory: ./nothing"
    )
    assert record.seats[1].hello["name"] == "first"


def test_an_end_before_the_hello_is_a_no_show(slot: Slot, bots: Bots) -> None:
    broken = bots.write("broken", "print('no licence'); raise SystemExit(3)")

    record = slot.play(job(bots.polite(), broken))

    assert termination(record) is Termination.NO_SHOW
    assert record.verdict.offenders == (1,)
    assert record.seats[1].exit == "exit code 3"
    assert record.seats[1].output_tail == "no licence\n"


def test_a_traceback_names_the_file_of_the_author(slot: Slot, bots: Bots) -> None:
    broken = replace(bots.write("broken", ""), source="/home/emma/b")
    broken = replace(broken, argv=(*broken.argv[:1], f"{broken.folder}/lost.py"))

    record = slot.play(job(bots.polite(), broken))

    report = record.seats[1]
    assert "can't open file '/home/emma/b/lost.py'" in report.output_tail
    assert report.output_bytes == len(report.output_tail.encode())  # nothing is said to be cut
    assert "emma" not in str(record.to_json()["players"])


@pytest.mark.parametrize(
    ("body", "ended"),
    [
        ("def on_move(self, call): os._exit(0)", "exit code 0"),
        ("def on_move(self, call): raise ValueError('lost')", "exit code 1"),
        ("def on_move(self, call): os.kill(os.getpid(), signal.SIGSEGV)", "signal SIGSEGV"),
        ("def on_init(self, call): os._exit(7)", "exit code 7"),
    ],
)
def test_an_end_in_mid_match_is_a_crash(slot: Slot, bots: Bots, body: str, ended: str) -> None:
    record = slot.play(job(bots.first("mortal", body), bots.polite()))

    assert termination(record) is Termination.CRASH
    assert record.verdict.offenders == (0,)
    assert record.verdict.reason.endswith(f"call: {ended}")
    assert record.seats[0].exit == ended
    assert (record.seats[0].output_tail != "") == (ended == "exit code 1")


def test_a_move_sent_before_the_end_counts(slot: Slot, bots: Bots) -> None:
    last_words = """
    def on_move(self, call):
        if call["ply"] == 2:
            os._exit(5)
        return super().on_move(call)
    """
    record = slot.play(job(bots.first("mortal", last_words), bots.polite()))

    assert [call.ply for call in record.calls if call.move is not None] == [0, 1]
    assert record.verdict.faults[0].ply == 2


def test_an_illegal_move_forfeits_and_ends_the_bot(slot: Slot, bots: Bots) -> None:
    body = "def on_move(self, call): return play({'from': [0, 0], 'to': [3, 3]})"

    record = slot.play(job(bots.polite(), bots.first("cheat", body)))

    assert termination(record) is Termination.ILLEGAL_MOVE
    assert record.verdict.offenders == (1,)


def test_a_bot_without_replies_runs_out_of_time(slot: Slot, bots: Bots) -> None:
    body = "def on_move(self, call):\n    while True: signal.pause()"  # the kit's alarm ends one
    control = TimeControl(clock="wall", per_move_ns=10**7, grace_ns=0)

    record = slot.play(job(bots.first("mute", body), bots.polite(), time=control))

    assert termination(record) is Termination.TIMEOUT
    assert record.verdict.offenders == (0,)


def test_a_busy_loop_runs_out_of_cpu_time(slot: Slot, bots: Bots) -> None:
    body = "def on_move(self, call):\n    while True: pass"
    control = TimeControl(clock="cpu", per_move_ns=10**7, grace_ns=0, init_ns=MINUTE_NS)

    record = slot.play(job(bots.first("spinner", body), bots.polite(), time=control))

    assert termination(record) is Termination.TIMEOUT
    assert record.calls[-2].cpu_ns > 10**7


DAEMON = """
def on_move(self, call):
    reader, writer = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(writer, b"%d" % os.getpid())
            while True: signal.pause()
        os._exit(0)
    os.wait()
    return play(call["legal"][0], note=os.read(reader, 20).decode())
"""


def test_daemons_of_bots_are_killed(slot: Slot, bots: Bots) -> None:
    record = slot.play(job(bots.first("father", DAEMON), bots.polite(), max_plies=6))

    left = [int(call.note) for call in record.calls if call.note is not None and call.seat == 0]
    assert len(left) == 3
    assert not any(Path(f"/proc/{pid}").exists() for pid in left)


def test_endless_output_delays_no_one_and_is_cut(slot: Slot, bots: Bots) -> None:
    body = """
    def on_move(self, call):
        os.write(1, b"x" * 1_000_000)
        return super().on_move(call)
    """
    limits = Limits(output_bytes=100)

    record = slot.play(job(bots.first("noisy", body), bots.polite(), max_plies=4, limits=limits))

    assert termination(record) is Termination.ADJUDICATION
    assert record.seats[0].output_bytes == 2_000_000
    assert record.seats[0].output_tail == "x" * 100


@pytest.mark.parametrize("deed", ["os._exit(9)", "signal.pause()"])
def test_faults_in_term_do_not_change_the_result(slot: Slot, bots: Bots, deed: str) -> None:
    rude = bots.first("rude", f"def on_term(self, call): {deed}")
    control = TimeControl(
        clock="wall", term_ns=10**6, init_ns=MINUTE_NS, per_move_ns=MINUTE_NS, grace_ns=0
    )

    record = slot.play(job(rude, bots.polite(), max_plies=2, time=control))

    assert termination(record) is Termination.ADJUDICATION
    assert record.verdict.faults == ()
    assert record.seats[0].warning is not None
    assert record.seats[0].warning.startswith("term: ")


def test_a_bot_is_restarted_for_every_match(slot: Slot, bots: Bots) -> None:
    match = job(bots.polite("one"), bots.polite("other"))

    first, second = pids(slot.play(match)), pids(slot.play(match))

    assert not {*first.values()} & {*second.values()}


def test_a_kept_bot_plays_its_next_match_in_the_same_process(slot: Slot, bots: Bots) -> None:
    one, other = bots.polite("one"), bots.polite("other")

    first = slot.play(job(one, other, restart="never"))
    second = slot.play(job(other, one, restart="never"))

    assert termination(first) is termination(second) is Termination.NORMAL
    assert pids(first) == {0: pids(second)[1], 1: pids(second)[0]}
    assert second.seats[0].hello["name"] == "first"
    assert second.seats[0].null == first.seats[1].null


def test_a_kept_bot_cannot_answer_the_calls_of_its_next_match_in_advance(
    slot: Slot, bots: Bots
) -> None:
    told = """
    def on_init(self, call):
        self.first = call["id"]
    def on_move(self, call):
        return play(call["legal"][0], note=f"{self.first} {call['id']}")
    """
    match = job(bots.first("told", told), bots.polite(), restart="never")

    first, second = slot.play(match), slot.play(match)

    notes = [
        [call.note.split() for call in record.calls if call.seat == 0 and call.note]
        for record in (first, second)
    ]
    assert int(notes[1][0][0]) > int(notes[0][-1][1]) + 1


def test_a_bot_that_lost_by_a_fault_is_not_kept(slot: Slot, bots: Bots) -> None:
    body = """
    def on_move(self, call):
        return super().on_move(call) if call["ply"] < 2 else play({"from": [9, 9], "to": [0, 0]})
    """
    match = job(bots.first("cheat", body), bots.polite(), restart="never")

    first, second = slot.play(match), slot.play(match)

    assert termination(first) is termination(second) is Termination.ILLEGAL_MOVE
    assert pids(first)[0] != pids(second)[0]
    assert pids(first)[1] == pids(second)[1]


def test_a_kept_bot_that_pondered_plays_its_next_match(slot: Slot, bots: Bots) -> None:
    slow = """
    def on_move(self, call):
        import time
        until = time.process_time() + 0.02
        while time.process_time() < until: pass
        return super().on_move(call)
    """
    thinker = """
    def on_init(self, call):
        import threading
        def think():
            while True: pass
        if threading.active_count() == 1:
            threading.Thread(target=think, daemon=True).start()
    """
    match = job(
        bots.first("thinker", thinker), bots.first("slow", slow), restart="never", max_plies=6
    )

    first, second = slot.play(match), slot.play(match)

    assert termination(first) is termination(second) is Termination.ADJUDICATION
    assert first.seats[0].off_turn_ns > 0
    assert pids(first) == pids(second)


def test_a_kept_bot_does_nothing_until_its_next_match(slot: Slot, bots: Bots) -> None:
    crowd = """
    def on_term(self, call):
        import os
        for _ in range(8):
            if os.fork() == 0:
                while True: pass
    """
    kept = bots.first("crowd", crowd), bots.polite()
    slot.play(job(*kept, restart="never", max_plies=2))
    slot.rest()
    crowd_pids = descendants(os.getpid())
    before_ns = sum(map(process_cpu_ns, crowd_pids))

    slot.play(job(bots.polite("a"), bots.polite("b"), max_plies=2))

    assert len(crowd_pids) >= 10
    assert sum(map(process_cpu_ns, crowd_pids)) - before_ns < PONDER_NS


def test_thinking_between_matches_is_charged_in_the_next_one(slot: Slot, bots: Bots) -> None:
    match = job(bots.polite("one"), bots.polite("other"), restart="never", max_plies=2)
    slot.play(match)
    (bot, _) = slot._kept
    assert bot.cpu_seen_ns is not None
    bot.cpu_seen_ns -= 10**9

    init = next(call for call in slot.play(match).calls if call.call == "init" and call.seat == 0)

    assert init.cpu_ns >= 10**9


def test_the_number_of_kept_bots_is_limited_and_the_longest_idle_end_first(
    slot: Slot, bots: Bots
) -> None:
    pairs = [
        (bots.polite(f"a{number}"), bots.polite(f"b{number}")) for number in range(MAX_KEPT // 2)
    ]
    one_more = (bots.polite("c"), bots.polite("d"))
    seen = [
        pids(slot.play(job(*pair, restart="never", max_plies=2))) for pair in [*pairs, one_more]
    ]
    gone = [os.path.exists(f"/proc/{pid}") for pid in seen[0].values()]  # noqa: PTH110 - as text

    assert gone == [False, False]
    assert pids(slot.play(job(*pairs[1], restart="never", max_plies=2))) == seen[1]
    assert pids(slot.play(job(*one_more, restart="never", max_plies=2))) == seen[-1]


def test_a_broken_match_leaves_no_processes(
    slot: Slot, bots: Bots, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = BrokenMatchError("the referee was stopped")

    def stopped(*_: object) -> None:
        raise broken

    monkeypatch.setattr("referee.seats.match_bots.wait_for_hellos", stopped)
    before = set(live_children(os.getpid()))

    with pytest.raises(BrokenMatchError):
        slot.play(job(bots.polite("one"), bots.polite("other")))

    assert set(live_children(os.getpid())) <= before


def test_closing_a_host_ends_its_kept_bots(
    groups: Groups | None, subreaper: None, rooms: Path, bots: Bots
) -> None:
    del subreaper
    slot = Slot(groups)
    record = slot.play(job(bots.polite("one"), bots.polite("other"), restart="never"))
    pidfds = [os.pidfd_open(pid) for pid in pids(record).values()]

    slot.close()

    for pidfd in pidfds:
        assert select.select([pidfd], [], [], PATIENCE_S)[0]
        os.close(pidfd)
    assert list(rooms.iterdir()) == []
    sweep(set())
