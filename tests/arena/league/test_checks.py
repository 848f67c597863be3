"""The lane of checks: only what has passed plays, and whatever ends a check, the hand-in waits."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from leagues import cast, hand_in, state_of

from arena.league.folder import League
from arena.league.hand_ins.checks import ENDS_A_TRY, MACHINE, TRIES, Checks
from arena.league.hand_ins.examiner import Outcome
from arena.league.site.models import Bot, HandIn, Notice

Verdict = Callable[[Mapping[str, Any]], Outcome | None]


class FakeExaminer:
    """Ends an examination at the second look, as a script says."""

    def __init__(self, verdict: Verdict, log: list[str]) -> None:
        self._verdict, self._log = verdict, log
        self._order: Mapping[str, Any] = {}
        self._looks = 0
        self.pid = 1
        self.lines: list[str] = []

    def begin(self, order: Mapping[str, Any]) -> None:
        self._order, self._looks, self.lines = order, 0, []
        self._log.append(f"{order['bot']} on {order['cores']}")

    def look(self) -> Outcome | None:
        self._looks += 1
        self.lines.append(f"look {self._looks}")
        return self._verdict(self._order) if self._looks > 1 else None

    def close(self) -> None:
        self._log.append("closed")


class FakeLender:
    """Lends slots with core 7 and so on while it may."""

    def __init__(self, slots: int = 1) -> None:
        self.free: list[tuple[int, ...]] = [(7 + number,) for number in range(slots)]
        self.lent: list[tuple[int, ...]] = []
        self.is_over = False
        self.sweeps = 0
        self.wants_quiet = False

    def borrow(self) -> tuple[int, ...] | None:
        if not self.free:
            return None
        self.lent.append(self.free.pop(0))
        return self.lent[-1]

    def is_due(self) -> bool:
        return self.is_over

    def give_back(self, cores: tuple[int, ...]) -> None:
        self.lent.remove(cores)
        self.free.append(cores)

    def sweep(self) -> None:
        self.sweeps += 1


def checks_of(league: League, verdict: Verdict, log: list[str] | None = None) -> Checks:
    begin: Any = lambda: FakeExaminer(verdict, [] if log is None else log)  # noqa: E731
    return Checks(league, 1, (), begin)


def run(checks: Checks, steps: int = 12) -> None:
    for _ in range(steps):
        checks.step()


def accept(order: Mapping[str, Any]) -> Outcome:
    return Outcome("accepted", tree=f"tree of {order['archive'][-4:]}")


def refuse(_: Mapping[str, Any]) -> Outcome:
    return Outcome("refused", reason="does not compile", log="line 3")


def stumble(_: Mapping[str, Any]) -> Outcome:
    return Outcome("machine", reason="no memory")


def test_an_accepted_hand_in_plays(league: League) -> None:
    bot = cast().bot
    receipt = hand_in(league, bot, b"one")

    run(checks_of(league, accept))

    row = HandIn.objects.get(pk=receipt.number)
    assert (row.state, row.version.number, row.report) == ("accepted", 1, ["look 1", "look 2"])
    assert Bot.objects.get(pk=bot.pk).active == row.version
    assert row.version.player == "deep-blue.1"


def test_a_refused_hand_in_leaves_the_old_version_playing(league: League) -> None:
    bot = cast().bot
    hand_in(league, bot, b"one")
    run(checks_of(league, accept))
    receipt = hand_in(league, bot, b"two")

    run(checks_of(league, refuse))

    row = HandIn.objects.get(pk=receipt.number)
    assert (row.state, row.log, row.report[-1]) == ("refused", "line 3", "does not compile")
    assert Bot.objects.get(pk=bot.pk).active.number == 1


def test_what_only_staff_can_cure_is_one_notice(league: League) -> None:
    def lack(_: Mapping[str, Any]) -> Outcome:
        return Outcome("refused", reason="no cargo; ask staff", notice="install cargo")

    bot = cast().bot
    for data in (b"one", b"two"):
        hand_in(league, bot, data)
        run(checks_of(league, lack))

    assert [row.report[-1] for row in HandIn.objects.all()] == ["no cargo; ask staff"] * 2
    assert [each.text for each in Notice.objects.all()] == ["install cargo"]


def test_the_same_tree_is_the_same_version(league: League) -> None:
    bot = cast().bot
    for data in (b"one", b"two", b"one"):
        hand_in(league, bot, data)
        run(checks_of(league, accept))

    assert bot.versions.count() == 2
    assert Bot.objects.get(pk=bot.pk).active.number == 1


def test_a_problem_of_the_machine_refuses_nobody_at_once(league: League) -> None:
    receipt = hand_in(league, cast().bot, b"one")
    seen = []

    checks = checks_of(league, stumble)
    for _ in range(TRIES):
        run(checks, 3)  # begin, and look twice
        seen.append(state_of(receipt))

    assert seen == ["waiting"] * (TRIES - 1) + ["refused"]
    assert HandIn.objects.get().report[-1] == MACHINE
    assert Notice.objects.filter(text__contains="no memory").count() == TRIES


@pytest.mark.parametrize("kills", [1, ENDS_A_TRY * TRIES - 1])
def test_a_killed_director_honours_the_receipt(league: League, kills: int) -> None:
    receipt = hand_in(league, cast().bot, b"one")
    for _ in range(kills):
        checks_of(league, accept).step()
        assert state_of(receipt) == "checking"

    run(checks_of(league, accept))

    assert state_of(receipt) == "accepted"


def test_a_newer_hand_in_goes_before_one_whose_check_was_killed(league: League) -> None:
    bot = cast().bot
    older = hand_in(league, bot, b"older")
    checks_of(league, accept).step()
    newer = hand_in(league, bot, b"newer")

    run(checks_of(league, accept))

    assert (state_of(older), state_of(newer)) == ("replaced", "accepted")


def test_hand_ins_are_examined_in_the_order_of_their_receipts(league: League) -> None:
    people = cast()
    order = []

    def note(given: Mapping[str, Any]) -> Outcome:
        order.append(given["bot"])
        return accept(given)

    names = ["bot-c", "bot-a", "bot-b"]
    for name in names:
        team = people.rival.teams.get()
        hand_in(league, Bot.objects.create(name=name, team=team), name.encode())
    run(checks_of(league, note))

    assert order == names


def rivals(league: League, number: int) -> list[Bot]:
    """Return bots that have each handed in."""
    team = cast().rival.teams.get()
    bots = [Bot.objects.create(name=f"bot-{at}", team=team) for at in range(number)]
    for bot in bots:
        hand_in(league, bot, bot.name.encode())
    return bots


def test_while_others_wait_a_slot_of_the_ladder_is_borrowed(league: League) -> None:
    rivals(league, 4)
    log: list[str] = []
    checks, lender = checks_of(league, accept, log), FakeLender()
    checks.lender = lender

    run(checks)

    begun = [line for line in log if line != "closed"]
    assert sorted(begun) == ["bot-0 on ()", "bot-1 on (7,)", "bot-2 on ()", "bot-3 on (7,)"]
    assert not lender.lent
    assert log.count("closed") == 2
    assert HandIn.objects.filter(state=HandIn.ACCEPTED).count() == 4


def test_for_many_that_wait_as_many_slots_are_borrowed_as_there_are(league: League) -> None:
    rivals(league, 5)
    log: list[str] = []
    checks, lender = checks_of(league, accept, log), FakeLender(slots=2)
    checks.lender = lender

    run(checks, 3)
    assert lender.lent == [(7,), (8,)]
    run(checks)

    begun = [line.rpartition(" on ")[2] for line in log if line != "closed"]
    assert set(begun) == {"()", "(7,)", "(8,)"}
    assert not lender.lent
    assert HandIn.objects.filter(state=HandIn.ACCEPTED).count() == 5


def test_nothing_is_borrowed_for_one_hand_in(league: League) -> None:
    rivals(league, 1)
    checks, lender = checks_of(league, accept), FakeLender()
    checks.lender = lender

    for _ in range(5):
        checks.step()
        assert not lender.lent


def test_hand_ins_wait_for_a_match_that_is_to_run_alone(league: League) -> None:
    rivals(league, 1)
    checks, lender = checks_of(league, accept), FakeLender()
    checks.lender = lender
    lender.wants_quiet = True
    run(checks, 2)
    assert HandIn.objects.get().state == HandIn.WAITING
    assert not checks.is_busy()

    lender.wants_quiet = False
    run(checks)

    assert HandIn.objects.get().state == HandIn.ACCEPTED


def test_a_loan_that_is_over_ends_with_its_examination(league: League) -> None:
    rivals(league, 4)
    log: list[str] = []
    checks, lender = checks_of(league, accept, log), FakeLender()
    checks.lender = lender

    run(checks, 2)
    lender.is_over = True
    run(checks, 3)

    assert not lender.lent
    assert [line for line in log if "(7,)" in line] == ["bot-1 on (7,)"]
    assert HandIn.objects.filter(state=HandIn.CHECKING).count() == 1


def test_an_order_names_the_files_that_play_unless_they_are_parked(league: League) -> None:
    (bot,) = rivals(league, 1)
    playing = []

    def note(order: Mapping[str, Any]) -> Outcome:
        playing.append(order["playing"])
        return Outcome("accepted", tree="the same")

    checks = checks_of(league, note)
    run(checks)
    hand_in(league, bot, b"again")
    run(checks)
    Bot.objects.filter(pk=bot.pk).update(parked="it crashed")
    hand_in(league, bot, b"once more")
    run(checks)

    assert playing == ["", "the same", ""]


def test_two_hand_ins_of_a_bot_are_never_examined_at_once(league: League) -> None:
    (bot,) = rivals(league, 1)
    checks = checks_of(league, lambda _: None)
    checks.lender = FakeLender()
    checks.step()
    newer = hand_in(league, bot, b"newer")

    run(checks)

    assert state_of(newer) == "waiting"


def test_one_process_examines_what_waits(league: League) -> None:
    rivals(league, 3)
    log: list[str] = []

    run(checks_of(league, accept, log))

    assert log == ["bot-0 on ()", "bot-1 on ()", "bot-2 on ()", "closed"]


@pytest.mark.parametrize("verdict", [accept, stumble])
def test_what_a_process_leaves_behind_is_swept_when_it_ends(
    verdict: Verdict, league: League
) -> None:
    rivals(league, 1)
    checks, lender = checks_of(league, verdict), FakeLender()
    checks.lender = lender

    run(checks, 2)
    assert not lender.sweeps
    run(checks)

    assert lender.sweeps


def test_an_end_of_checks_gives_back_what_was_borrowed(league: League) -> None:
    rivals(league, 2)
    checks, lender = checks_of(league, accept), FakeLender()
    checks.lender = lender
    run(checks, 2)
    assert lender.lent

    checks.close()

    assert not lender.lent
