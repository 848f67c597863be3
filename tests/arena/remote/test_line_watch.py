"""Beats on the line of an entrant: when it is silent, and whether it has held during a call."""

import re
import threading
from collections.abc import Callable

import pytest
from doors import Client, TestDoor, seat_up
from waiting import PATIENCE_S

from arena.remote import line_watch
from arena.remote.line_watch import BEAT_S, SILENT_S, LineWatch
from protocol.vocabulary import Termination
from referee.errors import LineLostError
from referee.seats import remote_process
from referee.seats.bot import Bot
from referee.seats.remote_process import RemoteProcess

CLOSED = "it closed the connection|Connection reset by peer"
"""What the door says of an entrant that leaves: the second if it left messages unread."""


class Line:
    """A watched line whose clock the test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.beats: list[int] = []
        self.watch = LineWatch(self.beats.append, lambda: self.now_s)

    def after(self, seconds: float) -> None:
        self.now_s += seconds
        self.watch.look()


def test_a_beat_is_sent_each_second_and_none_before_the_last_is_answered() -> None:
    line = Line()
    line.watch.look()
    line.after(BEAT_S * 3)
    assert line.beats == [1]

    assert line.watch.answer(1)
    line.after(BEAT_S * 0.5)
    line.after(BEAT_S * 0.5)

    assert line.beats == [1, 2]


def test_a_line_without_an_answer_is_silent_until_the_answer() -> None:
    line = Line()
    line.watch.beat()
    line.after(SILENT_S)
    assert not line.watch.is_silent()
    line.after(0.1)
    assert line.watch.is_silent()

    line.watch.answer(1)

    assert not line.watch.is_silent()


@pytest.mark.parametrize(("silent_s", "has_held"), [(SILENT_S, True), (20.0, False)])
def test_a_line_that_was_silent_during_a_call_has_not_held(silent_s: float, has_held: bool) -> None:  # noqa: FBT001 - an expectation
    line = Line()
    line.watch.beat()
    line.after(silent_s)
    line.watch.answer(1)
    line.after(0.5)

    assert line.watch.has_held(100.0) is has_held
    assert line.watch.has_held(line.now_s - 0.25)  # a call after the silence


def test_wrong_answers_count_for_nothing() -> None:
    line = Line()
    line.watch.beat()

    assert not any(map(line.watch.answer, (None, 0, 2, 7, True, "1", 1.0)))
    line.after(SILENT_S + 0.1)
    assert line.watch.is_silent()


class Trial(threading.Thread):
    """A referee that holds a verdict, while the test turns the door."""

    def __init__(self, process: RemoteProcess) -> None:
        super().__init__(daemon=True)
        self.error: LineLostError | None = None
        self._process = process
        self.start()

    def run(self) -> None:
        try:
            self._process.require_line(self._process.started_ns)
        except LineLostError as error:
            self.error = error


def hold(door: TestDoor, bot: Bot, turn: Callable[[], None]) -> LineLostError | None:
    """Hold a verdict on the bot; return the error, None if the line works."""
    assert isinstance(bot.process, RemoteProcess)
    trial = Trial(bot.process)

    def is_over() -> bool:
        turn()
        return not trial.is_alive()

    door.until(is_over)
    return trial.error


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine answer as late as it likes."""
    monkeypatch.setattr(line_watch, "SILENT_S", PATIENCE_S)
    monkeypatch.setattr(remote_process, "PROOF_NS", int(PATIENCE_S * 10**9))


@pytest.mark.usefixtures("patient")
def test_a_timeout_stands_once_the_line_has_answered(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)

    assert hold(door, bot, alice.answer_beats) is None
    assert bot.suspicion() is None
    bot.stop()


def silent(_: Client) -> None:
    """Answer nothing, as a stopped `arena join` or a dead line does."""


def leaving(client: Client) -> None:
    client.leave()


@pytest.mark.parametrize(("owner", "how"), [(silent, "it was silent"), (leaving, CLOSED)])
def test_a_timeout_on_a_silent_line_ends_the_match_by_the_line(
    door: TestDoor, owner: Callable[[Client], None], how: str
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)

    error = hold(door, bot, lambda: owner(alice))

    assert error is not None
    assert re.search(f"the line to alice was lost: ({how})", str(error))
    suspicion = bot.suspicion()
    assert suspicion is not None
    assert suspicion[0] is Termination.NO_SHOW
    bot.stop()


@pytest.mark.usefixtures("patient")
def test_a_line_that_was_silent_for_a_while_is_no_proof(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    seat_up(door, bot, alice)
    watch = door.process.joined["alice"].line
    alice.answer_beats()
    beat = watch.beat()
    monkeypatch.setattr(line_watch, "SILENT_S", -1.0)  # any answer is too late for it
    watch.answer(beat)
    monkeypatch.setattr(line_watch, "SILENT_S", PATIENCE_S)

    assert hold(door, bot, alice.answer_beats) is not None
    bot.stop()


def test_a_bot_without_a_line_at_its_hello_is_absent(door: TestDoor) -> None:
    alice = door.joined("alice")
    bot = door.order("alice")
    alice.seat()  # and no hello follows

    assert hold(door, bot, lambda: None) is not None
    bot.stop()


def test_an_entrant_is_back_at_once_after_its_old_line_fell_silent(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.joined("alice")
    old = door.process.joined["alice"]
    monkeypatch.setattr(line_watch, "SILENT_S", -1.0)
    old.line.beat()

    door.joined("alice")

    assert door.process.joined["alice"] is not old
    assert door.has_said("left: alice: it was silent, and its owner has joined again")


def test_presence_says_whose_line_is_silent(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.joined("alice")
    door.until(lambda: not door.process.joined["alice"].line._sent)
    assert door.process._present()["alice"]["is_silent"] is False

    monkeypatch.setattr(line_watch, "SILENT_S", -1.0)
    door.process.joined["alice"].line.beat()

    assert door.process._present()["alice"]["is_silent"] is True
    assert door.process._present()["bob"]["is_silent"] is False
