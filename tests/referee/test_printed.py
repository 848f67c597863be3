"""The output of bots in the record: each part with the call that was open when it was printed."""

import pytest
from hosting import MINUTE_NS, Bots, job, termination

from protocol.vocabulary import Termination
from referee.job import TimeControl
from referee.records.record import Record
from referee.sandbox.limits import Limits
from referee.service.slot import Slot

TALKER = """
def on_init(self, call):
    print("init")
    super().on_init(call)
def on_move(self, call):
    print("before", call["ply"])
    reply = super().on_move(call)
    print("after", call["ply"])
    return reply
def on_term(self, call):
    print("term")
print("started")
"""


def parts(record: Record, seat: int) -> list[tuple[int, str]]:
    return [(part.call, part.text) for part in record.seats[seat].printed]


def test_what_a_bot_prints_stands_at_its_call(slot: Slot, bots: Bots) -> None:
    record = slot.play(job(bots.polite(), bots.first("talker", TALKER), max_plies=4))

    assert parts(record, 1) == [
        (0, "started\n"),
        (1, "init\n"),
        (2, "before 1\nafter 1\n"),
        (3, "before 3\nafter 3\n"),
        (4, "term\n"),
    ]
    assert record.seats[0].printed == []


def test_what_is_printed_after_a_reply_stands_at_the_call_before_it(slot: Slot, bots: Bots) -> None:
    body = """
    def on_move(self, call):
        import threading
        def talk():
            print("later")
            open("printed", "w").close()
        if call["ply"] == 0:
            threading.Thread(target=talk).start()
        return super().on_move(call)
    """
    patient = """
    def on_move(self, call):
        while not os.path.exists("printed"):
            os.sched_yield()
        return super().on_move(call)
    """

    record = slot.play(job(bots.first("talker", body), bots.first("waits", patient), max_plies=4))

    assert parts(record, 0) == [(2, "later\n")]


def test_a_record_without_output_is_as_small_as_before(slot: Slot, bots: Bots) -> None:
    record = slot.play(job(bots.polite(), bots.polite("other"), max_plies=2))

    assert all("printed" not in seat for seat in record.to_json()["seats"])
    assert not Record.from_bytes(record.finished().body).seats[0].printed


def test_a_flood_is_cut_in_its_middle(slot: Slot, bots: Bots) -> None:
    body = """
    def on_move(self, call):
        if call["ply"] == 0:
            print("first")
        for _ in range(100):
            os.write(1, b"x" * 100_000)
        if call["ply"] == 2:
            print("\\nlast")
        return super().on_move(call)
    """
    limits = Limits(output_bytes=20_000)
    record = slot.play(job(bots.first("flood", body), bots.polite(), max_plies=4, limits=limits))

    printed = record.seats[0].printed
    assert termination(record) is Termination.ADJUDICATION
    assert printed[0].text.startswith("first\nxxx")
    assert printed[-1].text.endswith("xxx\nlast\n")
    assert sum(len(part.text) for part in printed) == 20_000
    assert sum(part.dropped for part in printed) == 20_000_000 + len("first\n\nlast\n") - 20_000
    assert Record.from_bytes(record.finished().body).seats[0].printed == printed


@pytest.mark.parametrize(
    ("deed", "fault"),
    [("os._exit(3)", Termination.CRASH), ("while True: pass", Termination.TIMEOUT)],
)
def test_the_last_line_before_the_end_of_a_bot_is_there(
    slot: Slot, bots: Bots, deed: str, fault: Termination
) -> None:
    body = f"""
    def on_move(self, call):
        os.write(1, b"x" * 3_000_000)
        print("the last line")
        {deed}
    """
    control = TimeControl(
        clock="cpu", start_ns=MINUTE_NS, init_ns=MINUTE_NS, per_move_ns=200_000_000, grace_ns=0
    )

    record = slot.play(job(bots.first("ends", body), bots.polite(), time=control))

    assert termination(record) is fault
    assert record.seats[0].printed[-1].call == 2
    assert "the last line\n" in record.seats[0].printed[-1].text
    assert "the last line\n" in record.seats[0].output_tail


def test_hostile_output_is_text_of_its_call(slot: Slot, bots: Bots) -> None:
    body = r"""
    def on_move(self, call):
        os.write(1, b"\x1b[2J\xff\x00\r\nno end")
        return super().on_move(call)
    """

    record = slot.play(job(bots.first("evil", body), bots.polite(), max_plies=2))

    assert parts(record, 0) == [(2, "\\x1b[2J\ufffd\\x00\nno end")]


def test_a_kept_bot_has_the_output_of_each_match(slot: Slot, bots: Bots) -> None:
    talker = bots.first("talker", TALKER)

    for started in ([(0, "started\n")], []):
        record = slot.play(job(talker, bots.polite("other"), max_plies=2, restart="never"))

        assert parts(record, 0) == [
            *started,
            (1, "init\n"),
            (2, "before 0\nafter 0\n"),
            (3, "term\n"),
        ]
        assert record.seats[0].output_tail == "".join(text for _, text in parts(record, 0))
