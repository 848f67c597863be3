"""After a shortage fewer matches run at once, for a while; a match that ran alone is known."""

from dataclasses import replace

import pytest
from events import first_wins, player

from arena.league.slots.crowding import (
    MOST_CUTS,
    MOST_KEYS,
    QUIET_CUTS,
    QUIET_S,
    RECOVERY_S,
    Crowding,
)
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd


class Machine:
    """A machine of four slots, and the time."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.crowding = Crowding(4, lambda: self.now_s)

    def short(self, key: str = "a", *beside: str, is_examining: bool = False) -> MatchEnd:
        """Return the end of a match that lacked something, beside others."""
        self.crowding.look([key, *beside], is_examining=is_examining)
        return self.crowding.after(short(key))


def short(key: str) -> MatchEnd:
    suspect = Absence(seat=1, termination=Termination.MEMORY, detail="it used most of the memory")
    void = "too little memory"
    return MatchEnd(job(key), void=void, suspect=suspect, is_exhausted=True, is_short=True)


def job(key: str) -> Job:
    return Job(key=key, game="pente", players=(player("ann"), player("bob")), seed=1, board_seed=1)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_the_limit_is_halved_until_a_match_runs_alone(machine: Machine) -> None:
    limits = []
    while not (end := machine.short()).is_alone:
        limits.append(machine.crowding.most)

    assert limits == [2, 1]
    assert end.suspect == short("a").suspect


def test_matches_that_ran_together_halve_the_limit_once(machine: Machine) -> None:
    machine.crowding.look(["a", "b", "c"], is_examining=False)
    for key in ("a", "b", "c"):
        assert not machine.crowding.after(short(key)).is_alone

    assert machine.crowding.most == 2


def test_a_match_begun_before_the_limit_did_not_run_alone(machine: Machine) -> None:
    machine.short("a", "b")
    machine.short("c", "b")
    assert machine.crowding.most == 1

    assert not machine.short("b").is_alone
    assert machine.short("b").is_alone


def test_the_limit_is_doubled_after_a_while(machine: Machine) -> None:
    machine.short()
    machine.short()
    machine.crowding.look(["a"], is_examining=False)
    limits = []
    for _ in range(3):
        machine.now_s += RECOVERY_S
        machine.crowding.look(["a"], is_examining=False)
        limits.append(machine.crowding.most)

    assert limits == [2, 4, 4]
    assert not machine.crowding.after(short("a")).is_alone  # others may have begun beside it


def test_a_match_beside_an_examination_blames_nobody_and_ends_all_the_same(
    machine: Machine,
) -> None:
    ends = [machine.short(is_examining=True) for _ in range(MOST_CUTS)]

    assert [end.is_alone for end in ends] == [False] * (MOST_CUTS - 1) + [True]
    assert ends[-1].suspect is None


def test_examinations_wait_until_a_match_with_many_shortages_has_run_alone(
    machine: Machine,
) -> None:
    """Otherwise hand-ins without end would keep a bot that fills the machine from any blame."""
    wanted = []
    for _ in range(QUIET_CUTS):
        wanted.append(machine.crowding.wants_quiet)
        machine.short(is_examining=True)
    assert wanted == [False] * QUIET_CUTS
    assert machine.crowding.wants_quiet

    end = machine.short()

    assert end.is_alone
    assert end.suspect == short("a").suspect
    assert not machine.crowding.wants_quiet


@pytest.mark.parametrize("end", [first_wins(job("a")), replace(short("a"), is_short=False)])
def test_examinations_wait_no_longer_for_a_match_that_has_ended(
    machine: Machine, end: MatchEnd
) -> None:
    for _ in range(QUIET_CUTS):
        machine.short(is_examining=True)

    machine.crowding.look(["a"], is_examining=False)
    machine.crowding.after(end)

    assert not machine.crowding.wants_quiet


def test_examinations_do_not_wait_for_ever_for_a_match_that_is_not_played(machine: Machine) -> None:
    for _ in range(QUIET_CUTS):
        machine.short(is_examining=True)
    machine.now_s += QUIET_S

    assert not machine.crowding.wants_quiet


def test_other_ends_pass_unchanged(machine: Machine) -> None:
    for end in (first_wins(job("a")), replace(short("a"), is_short=False)):
        machine.crowding.look(["a"], is_examining=False)
        assert machine.crowding.after(end) is end

    assert machine.crowding.most == 4


def test_the_shortages_of_few_matches_are_counted(machine: Machine) -> None:
    for number in range(MOST_KEYS + 10):
        machine.short(str(number), is_examining=True)

    assert len(machine.crowding._cuts) == MOST_KEYS
