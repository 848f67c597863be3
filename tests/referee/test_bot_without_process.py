"""A bot on a fake process: its hello, its output, suspicions, and what its end removes."""

import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fakes import FakeProcess
from hosting import SMALL

from protocol.link import MAX_CALLERS, RefusedHelloError
from protocol.messages import Hello
from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError, ShortageError
from referee.job import Job, Player
from referee.sandbox.kept_output import KeptOutput
from referee.sandbox.tiers import BEST, process_limit
from referee.seats import bot as subject
from referee.seats.bot import EXIT_NS, FILLED, Bot

HELLO = Hello(protocol=1, token="t" * 32, name="kit")
PLAYER = Player(name="a", argv=("true",), folder="/copy", content="a", source="/home/ann/bot")


class Process(FakeProcess):
    """A process in memory; what is done with it stands in its treatment."""

    def __init__(self, *given: Any) -> None:
        super().__init__()
        self.given = given
        self.pidfd, self.output = 101, 102
        self.memory_alarm: int | None = 103
        self.kept = KeptOutput(1000)
        self.is_output_open = self.is_ended_for_memory = True
        self.text = ""

    def confirm(self) -> None:
        self.treatment.append("confirm")

    def drain(self) -> bool:
        self.treatment.append("drain")
        return self.is_output_open

    def tail(self) -> str:
        return self.text

    def wait_end(self, wait_ns: int) -> str | None:
        self.treatment.append(f"wait {wait_ns}")
        return self.ended

    def stop(self) -> None:
        self.treatment.append("stop")

    def end_for_memory(self) -> bool:
        self.treatment.append("end for memory")
        return self.is_ended_for_memory

    def seen_from_inside(self, place: Path) -> Path | None:
        return None if self.ended else Path(f"/proc/7/root{place}")

    def silence(self) -> None:
        self.treatment.append("silence")


class Remote:
    """The process of a bot on its owner's machine."""

    def __init__(self, *given: Any) -> None:
        self.given = given
        self.pidfd, self.memory_alarm = 101, None
        self.lost: str | None = None

    def look(self) -> bool:
        return False

    def wait_end(self, wait_ns: int) -> None:
        del wait_ns

    def stop(self) -> None:
        """End nothing here."""


class Link:
    """A link that notes what it watches."""

    def __init__(self) -> None:
        self.watched: dict[int, Any] = {}
        self.is_closed = False

    def watch(self, descriptor: int, on_news: Any) -> None:
        self.watched[descriptor] = on_news

    def forget(self, descriptor: int) -> None:
        del self.watched[descriptor]

    def close(self) -> None:
        self.is_closed = True


class Scratch:
    """A scratch directory that notes its treatment."""

    treatment: list[Any]

    def __init__(self, place: Path, most: int) -> None:
        self.treatment = [str(place), most]

    def give(self, copy: Path) -> None:
        self.treatment.append(("give", copy.name))

    def hold(self, copy: Path) -> None:
        self.treatment.append(("hold", copy))

    def keep(self) -> str | None:
        return "too large"

    def drop(self) -> None:
        self.treatment.append("drop")


class Lender:
    """Lends one thing, and notes for what, and that it is given back."""

    def __init__(self, lent: Any) -> None:
        self.lent, self.back = lent, list[Any]()
        self.asked: tuple[Any, ...] = ()

    def take(self, *asked: Any) -> Any:
        self.asked = asked
        return self.lent

    def give_back(self, lent: Any) -> None:
        self.back.append(lent)


@pytest.fixture(autouse=True)
def _fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(subject, "Process", Process)
    monkeypatch.setattr(subject, "RemoteProcess", Remote)
    monkeypatch.setattr(subject, "Scratch", Scratch)


def job(**fields: Any) -> Job:
    return Job(key="k", seed=1, board_seed=1, players=(PLAYER, PLAYER), **SMALL, **fields)


def started(player: Player = PLAYER, **fields: Any) -> Any:
    """Return a bot that has been started; its types are those of the fakes."""
    return cast("Any", Bot(player, job(**fields), None))


def greeted(bot: Any, monkeypatch: pytest.MonkeyPatch) -> Link:
    """Let the bot have said its hello; return its link."""
    link = Link()
    monkeypatch.setattr(bot.listener, "on_readable", lambda _: (link, HELLO))
    bot.on_readable(5)
    assert (bot.link, bot.hello) == (link, HELLO)
    return link


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_the_program_gets_its_place_and_its_limits(tmp_path: Path, transport: str) -> None:
    groups, users = Lender("group"), Lender(77)
    given: Any = (groups, users)
    bot: Any = Bot(PLAYER, job(transport=transport, dialog=str(tmp_path)), *given)

    program, limits, env, group, access = bot.process.given
    assert (program.argv, limits, group) == (PLAYER.argv, job().limits, "group")
    assert groups.asked == (limits.memory_bytes, process_limit(program, limits))
    assert (access.user, access.port) == (77, bot.listener.port)
    assert (access.port is None) == (transport == "ipc")
    assert env["ARENA_DEBUG"] == "1"
    assert env["ARENA_ENDPOINT"] == bot.listener.endpoint
    assert env["ARENA_TOKEN"] == bot.listener._token
    assert len(env["ARENA_TOKEN"]) == 32
    assert (bot.null, bot.last_id, bot.is_output_closed) == (None, 0, False)
    assert access.directory.is_dir()
    bot.confirm()
    bot.stop()
    assert bot.process.treatment == ["confirm", "wait 0", "stop"]
    assert (groups.back, users.back) == (["group"], [77])
    assert not access.directory.exists()


def test_the_second_directory_is_beside_the_first() -> None:
    one = started()
    place = one.process.given[-1].directory
    first: Any = SimpleNamespace(path=place)
    two: Any = Bot(PLAYER, job(), None, None, first)

    assert two.process.given[-1].directory.parent == place.parent
    two.stop()
    one.stop()


def test_a_bot_with_a_hello_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()
    link = greeted(bot, monkeypatch)

    assert link.watched.keys() == {101, 102, 103}
    assert link.watched[101]() is True, "news of the process are its end"
    assert link.watched[102]() is False
    assert 102 in link.watched
    bot.process.is_output_open = False
    assert link.watched[102]() is False
    assert 102 not in link.watched
    assert bot.is_output_closed
    bot.stop()


@pytest.mark.parametrize("is_ended", [False, True])
def test_a_bot_at_its_memory_limit_is_ended(
    monkeypatch: pytest.MonkeyPatch, *, is_ended: bool
) -> None:
    """Unless a group above it had no memory: then the alarm is heard again."""
    bot = started()
    link = greeted(bot, monkeypatch)
    bot.process.is_ended_for_memory = is_ended

    assert link.watched[103]() is False

    assert bot.process.treatment == ["end for memory", *([] if is_ended else ["silence"])]
    assert (103 in link.watched) is not is_ended
    bot.stop()


def test_what_the_process_lacks_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()
    bot.process.memory_alarm, bot.is_output_closed = None, True

    assert greeted(bot, monkeypatch).watched.keys() == {101}
    bot.stop()


def test_a_refused_hello_has_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()

    def refuse(descriptor: int) -> None:
        assert descriptor == 5
        raise RefusedHelloError("another protocol")

    monkeypatch.setattr(bot.listener, "on_readable", lambda _: None)
    bot.on_readable(5)
    assert (bot.link, bot.refusal) == (None, None)
    monkeypatch.setattr(bot.listener, "on_readable", refuse)
    bot.on_readable(5)
    assert (bot.link, bot.refusal) == (None, "another protocol")
    bot.stop()


def test_the_output_has_the_paths_of_the_author() -> None:
    for player, place in ((PLAYER, "/home/ann/bot"), (replace(PLAYER, source=""), "/copy")):
        bot = started(player)
        bot.process.text = "at /copy/main.py, not /copying"
        bot.process.kept.add(b"")
        bot.process.kept.next_part()
        bot.process.kept.add(b"in /copy/a\xff\x1b\n")

        assert bot.output_tail() == f"at {place}/main.py, not /copying"
        (part,) = bot.printed()
        assert (part.call, part.dropped) == (1, 0)
        assert part.text.startswith(f"in {place}/a\ufffd")
        assert "\x1b" not in part.text
        bot.stop()


def test_all_that_is_read_stands_in_the_log_of_the_match(tmp_path: Path) -> None:
    bot = started()
    bot.begin_log(job(), 1)
    assert bot.log is None
    bot.end_log()
    wanted = job(dialog=str(tmp_path))
    bot.begin_log(wanted, 1)
    bot.process.kept.add(b"a line\n")
    bot.end()

    (file,) = tmp_path.glob("*.log")
    assert file.read_text().endswith(" a line\n")
    assert ", seat 1, " in file.read_text()
    bot.clear()


def test_a_bot_gets_a_moment_to_exit_after_its_link_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bot = started()
    bot.hang_up()
    assert bot.process.treatment == []
    link = greeted(bot, monkeypatch)
    bot.hang_up()
    assert link.is_closed
    assert bot.process.treatment == [f"wait {EXIT_NS}"]

    def fail(_: int) -> None:
        raise BrokenMatchError("the clock stood still")

    monkeypatch.setattr(bot.process, "wait_end", fail)
    bot.wait_exit()
    assert bot.stop() is None, "the wait for the end has reported it"


def test_the_end_says_how_the_process_ended_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()
    link = greeted(bot, monkeypatch)
    bot.process.ended = "exit code 3"

    assert bot.stop() == "exit code 3"
    assert bot.process.treatment == ["wait 0", "stop"]
    assert link.is_closed
    assert bot.warning is None


@pytest.mark.parametrize("ended", [None, "exit code 1"])
def test_scratch_of_a_separate_file_system_is_held_once_the_bot_runs(
    monkeypatch: pytest.MonkeyPatch, ended: str | None
) -> None:
    bot = started(replace(PLAYER, tier=BEST, scratch="/kept"))
    before, bot.process.ended = list(bot._scratch.treatment), ended
    place = bot.process.given[2]["ARENA_SCRATCH"]

    greeted(bot, monkeypatch)

    held = [] if ended else [("hold", Path(f"/proc/7/root{place}"))]
    assert bot._scratch.treatment == before + held
    bot.stop()


def test_a_remote_bot_is_ordered_at_its_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = job(transport="tcp", dialog=str(tmp_path / "logs"))
    bot: Any = Bot(replace(PLAYER, door="/door"), given, None)
    player, ordered, endpoint, token = bot.process.given
    assert (player.door, ordered, token) == ("/door", given, bot.listener._token)
    assert len(token) == 32
    place = Path(endpoint.removeprefix("ipc://"))
    assert (place.name, place.is_socket()) == ("s", True)

    assert greeted(bot, monkeypatch).watched == {101: bot.process.look}
    bot.begin_log(given, 0)
    assert bot.log is None, "its output is its owner's"
    assert bot.suspicion("memory") is None
    bot.process.lost = "no answer"
    assert bot.suspicion() == (Termination.NO_SHOW, "its line was lost: no answer")
    bot.stop()
    assert not place.parent.exists()


def test_what_was_printed_and_not_kept_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()
    part = SimpleNamespace(number=2, data=b"x", dropped=9)
    empty = SimpleNamespace(number=3, data=b"", dropped=0)
    monkeypatch.setattr(bot.process, "kept", SimpleNamespace(parts=lambda: [part, empty]))

    assert [(each.call, each.text, each.dropped) for each in bot.printed()] == [(2, "x", 9)]
    bot.stop()


@pytest.mark.parametrize("has_hello", [False, True])
def test_scratch_is_kept_of_a_bot_that_came(
    monkeypatch: pytest.MonkeyPatch, *, has_hello: bool
) -> None:
    bot = started(replace(PLAYER, scratch="/kept"))
    treatment = bot._scratch.treatment
    place, most, given, held = treatment
    assert (place, most) == ("/kept", job().limits.scratch_bytes)
    assert given == ("give", held[1].name)
    assert bot.process.given[2]["ARENA_SCRATCH"] == str(held[1])
    if has_hello:
        greeted(bot, monkeypatch)

    bot.stop()

    assert bot.warning == ("too large" if has_hello else None)
    assert treatment[-1] == "drop"


def test_a_bot_is_suspected_of_what_it_has_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = started()
    assert bot.suspicion() is None
    bot.refuse_shortage()
    for lack, fault in FILLED.items():
        assert bot.suspicion(lack) == fault
    monkeypatch.setattr(bot.listener, "refused", ["x"] * (MAX_CALLERS - 1), raising=False)
    assert bot.suspicion() is None
    bot.listener.refused.append("x")
    assert bot.suspicion() == (
        Termination.MALFORMED,
        f"too many connections: {MAX_CALLERS} or more without a valid hello",
    )
    assert bot.suspicion("disk") == FILLED["disk"]
    bot.process.has_hit_memory_limit = True
    assert bot.suspicion("disk") == (Termination.MEMORY, "it exceeded its memory limit")
    bot.process.shortage = "too few processes"
    with pytest.raises(ShortageError, match="too few processes"):
        bot.refuse_shortage()
    bot.stop()
