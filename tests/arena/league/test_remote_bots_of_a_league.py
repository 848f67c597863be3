"""A remote bot is an entrant of a league: it plays while it is there, and absence costs nothing."""

from contextlib import closing
from typing import Any

import pytest
from events import FakeSlots, first_wins, not_started, player
from leagues import Cast, bearer, cast, client_of, hand_in
from test_league_director import Bench

from arena.errors import UsageError
from arena.event.play.attendance import MISSED
from arena.league.directing.challenging import new_challenge
from arena.league.directing.director import LeagueDirector
from arena.league.directing.lost_lines import DAY_S
from arena.league.directing.roster import Roster
from arena.league.folder import GradeSection, League, open_league
from arena.league.hand_ins.versions import withdraw
from arena.league.persons.people import change_team, close_account
from arena.league.remote.door import LeagueEntrants, make_key, require_port
from arena.league.remote.presence import ENDED, NO_PORT, NOT_THERE, SILENT, Facts
from arena.league.remote.remote_bots import KEYS_A_DAY, add_remote_bot, change_key
from arena.league.seasons.grades import Grading
from arena.league.seasons.next_season import _best
from arena.league.site.models import Bot, Challenge, Person, Team, Version
from arena.league.web.here import serve_league
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd


def new_public() -> str:
    import zmq

    return zmq.curve_keypair()[0].decode()


class RemoteBench(Bench):
    """A league of four bots with a remote one, and a door that the test answers for."""

    def __init__(self, league: League, people: Cast) -> None:
        super().__init__(league)
        team: Team = people.owner.teams.get()
        self.bot = add_remote_bot(people.owner, team, "thinker", new_public())
        self.owner = people.owner
        self.facts: dict[str, dict[str, Any]] | None = {}
        self.join("thinker.1")

    def join(self, player: str, **facts: Any) -> None:
        self.facts = {player: {"bot": "b", "games": None, "is_silent": False, **facts}}

    def director(self, store: Any) -> LeagueDirector:
        director = super().director(store)
        director.roster.presence._ask = self.ask
        director.roster.refresh()
        return director

    def ask(self) -> Facts | None:
        return self.facts

    def played(self, script: Any = first_wins, steps: int = 20) -> list[Any]:
        """Return the matches of the remote bot after some more steps."""
        return [
            match
            for match in self.play(script, steps)
            if any(seat.player.startswith("thinker") for seat in match.seats)
        ]


@pytest.fixture
def bench(league: League, monkeypatch: pytest.MonkeyPatch) -> RemoteBench:
    prepared = Roster._prepared

    def fake(roster: Roster, version: Version) -> Any:
        return prepared(roster, version) if version.key else player(version.player)

    monkeypatch.setattr(Roster, "_prepared", fake)
    return RemoteBench(league, cast())


def test_a_remote_bot_plays_while_it_is_there_and_by_the_wall_clock(bench: RemoteBench) -> None:
    clocks: dict[bool, set[str]] = {True: set(), False: set()}

    def script(job: Job) -> MatchEnd:
        clocks[any(player.is_remote for player in job.players)].add(job.time.clock)
        return first_wins(job)

    assert len(bench.played(script, steps=26)) > 4
    assert clocks == {True: {"wall"}, False: {"cpu"}}
    bot = Bot.objects.get(name="thinker")
    assert (bot.active.player, bot.away) == ("thinker.1", "")
    assert bot.active.rating is not None


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (None, NO_PORT),
        ({}, NOT_THERE),
        ({"thinker.1": {"bot": None, "games": None, "is_silent": False}}, NOT_THERE),
        ({"thinker.1": {"bot": "b", "games": None, "is_silent": True}}, SILENT),
        (
            {"thinker.1": {"bot": "b", "games": ["go; ask staff"], "is_silent": False}},
            "it does not play pente",
        ),
    ],
)
def test_a_bot_that_is_away_is_neither_scheduled_nor_blamed(
    bench: RemoteBench, facts: Any, why: str
) -> None:
    before = len(bench.played())
    version = Version.objects.get(player="thinker.1")
    bench.facts = facts

    assert len(bench.played()) == before
    after = Version.objects.get(player="thinker.1")
    assert (after.faults, after.bot.parked, after.bot.away) == (0, "", why)
    assert after.rating is not None
    assert abs(after.rating - (version.rating or 0)) < 200
    assert after.place is not None
    bench.join("thinker.1")
    assert len(bench.played()) > before


@pytest.mark.parametrize(("limit", "most"), [({"matches": 1}, 1), ({"matches": 2}, 2)])
def test_a_remote_bot_gets_no_more_matches_at_a_time_than_its_owner_allows(
    bench: RemoteBench, limit: dict[str, int], most: int
) -> None:
    bench.join("thinker.1", **limit)
    seen, begun = [0], [0]
    with closing(bench.open()) as store:
        director, slots = bench.director(store), FakeSlots(first_wins, 5, [])
        for _ in range(40):
            director.step(slots)
            running = [due.pairing for due in director._running.values()]
            seen.append(sum("thinker.1" in each.players for each in running))
            begun.append(sum("thinker.1" in due.pairing.players for due in director.pending))
            slots.running()
    assert max(seen) == most
    assert max(begun) <= 1, "no pair is begun only to wait"


def test_the_second_match_of_a_pair_waits_for_a_bot_that_has_left(bench: RemoteBench) -> None:
    """Otherwise whoever lost the first one would leave, and half a pair is not rated."""

    with closing(bench.open()) as store:
        director, slots = bench.director(store), FakeSlots(first_wins, 1, [])
        while not any("thinker.1" in due.pairing.players for due in director._running.values()):
            director.step(slots)
            slots.running()
        bench.facts = {}
        director.roster.refresh()
        for _ in range(6):
            director.step(slots)
            slots.running()
        due = [due for due in director.pending if "thinker.1" in due.pairing.players]
        waiting = [each.pairing for each in due]
        assert len(waiting) == 1
        assert not director.chooser._busy(due), "nobody waits for it"

    bench.join("thinker.1")
    keys = [match.key for match in bench.played(steps=6)]
    assert {pairing.key for pairing in waiting} <= set(keys)


def line_lost(job: Job, *, is_absent: bool = False) -> MatchEnd:
    seat = job.names().index("thinker.1")
    suspect = Absence(seat=seat, termination=Termination.NO_SHOW, detail="its line was lost: x")
    return MatchEnd(job, None, "the line to thinker.1 was lost", suspect, is_absent=is_absent)


def test_a_lost_line_makes_a_match_void_once_and_the_second_time_it_is_lost_and_rated(
    bench: RemoteBench,
) -> None:
    lost: list[str] = []

    def script(job: Job) -> MatchEnd:
        if "thinker.1" not in job.names():
            return first_wins(job)
        lost.append(job.key)
        return line_lost(job)

    matches = bench.played(script, steps=24)

    key = lost[0]
    assert lost.count(key) == 2
    (match,) = [match for match in matches if match.key == key]
    (seat,) = [seat for seat in match.seats if seat.player == "thinker.1"]
    assert (seat.place, seat.is_unplayed, seat.is_at_fault) == (2, True, False)
    assert Bot.objects.get(name="thinker").parked == ""
    with closing(bench.open()) as store:
        tally = bench.director(store).standing.tally
    assert tally.matches["thinker.1"] > 0


def test_lost_lines_are_forgiven_anew_each_day(bench: RemoteBench) -> None:
    with closing(bench.open()) as store:
        director = bench.director(store)
        season, _ = bench.season(store)
        sequels = []
        for unit in range(6):
            pairing, _ = season.pair("thinker.1", "ann.1", unit)
            job = season.job(pairing, director.roster.players)
            director._voids.begin(job.key)
            sequels.append(director._voids.add(line_lost(job)))
            bench.now_s += DAY_S if unit == 4 else 1

    assert sequels == ["replayed"] * 3 + ["forfeited"] * 2 + ["replayed"]


def test_a_start_without_a_line_costs_nothing_a_few_times(bench: RemoteBench) -> None:
    starts: list[str] = []

    def script(job: Job) -> MatchEnd:
        if "thinker.1" not in job.names():
            return first_wins(job)
        starts.append(job.key)
        return line_lost(job, is_absent=True)

    bench.played(script, steps=30)

    with closing(bench.open()) as store:
        voids = store.voids(bench.season(store)[1].id)
    assert starts.count(starts[0]) > MISSED
    assert [void.key for void in voids if void.key == starts[0]]


def test_faults_of_a_remote_bot_park_it_until_it_has_a_new_key(bench: RemoteBench) -> None:
    def script(job: Job) -> MatchEnd:
        seats = [seat for seat, name in enumerate(job.names()) if name == "thinker.1"]
        return MatchEnd(job, not_started(job, *seats).finished()) if seats else first_wins(job)

    bench.played(script, steps=24)
    assert "faults" in Bot.objects.get(name="thinker").parked

    change_key(bench.owner, Bot.objects.get(name="thinker"), new_public())
    assert LeagueEntrants().now.keys.keys() == {"thinker.2"}
    bench.join("thinker.2")
    bench.played()
    bot = Bot.objects.get(name="thinker")
    assert (bot.parked, bot.active.player) == ("", "thinker.2")


def test_matches_of_a_replaced_key_are_never_played(bench: RemoteBench) -> None:
    with closing(bench.open()) as store:
        director = bench.director(store)
        for _ in range(3):
            director.step(FakeSlots(first_wins, 3, []))
    change_key(bench.owner, Bot.objects.get(name="thinker"), new_public())
    bench.join("thinker.2")

    matches = bench.played(steps=14)

    seated = {seat.player for match in matches for seat in match.seats}
    assert "thinker.2" in seated
    assert "thinker.1" not in seated


def test_a_closed_account_ends_the_remote_bots_whose_keys_it_has_set(bench: RemoteBench) -> None:
    before = len(bench.played())
    people = {person.name: person for person in Person.objects.all()}
    add_remote_bot(people["Max"], people["Max"].teams.get(), "mate-thinker", new_public())
    close_account(people["Olga"], people["Sam"])

    assert LeagueEntrants().now.keys.keys() == {"mate-thinker.1"}
    assert len(bench.played()) == before, "whatever the door still says"
    assert Bot.objects.get(name="thinker").away == ENDED

    change_key(people["Max"], Bot.objects.get(name="thinker"), new_public())
    assert "thinker.2" in LeagueEntrants().now.keys
    bench.join("thinker.2")
    assert len(bench.played()) > before


def test_the_key_of_a_withdrawn_bot_ends(bench: RemoteBench) -> None:
    before = len(bench.played())

    withdraw(bench.owner, bench.bot)

    assert LeagueEntrants().now.keys == {}
    assert len(bench.played()) == before
    change_key(bench.owner, bench.bot, new_public())
    bench.join("thinker.2")
    assert len(bench.played()) > before


def test_whoever_changes_the_team_plays_no_longer_for_the_old_one(bench: RemoteBench) -> None:
    """The secret half of a key leaves with its owner."""
    before = len(bench.played())
    people = {person.name: person for person in Person.objects.all()}
    add_remote_bot(people["Max"], people["Max"].teams.get(), "mate-thinker", new_public())
    change_team(people["Olga"], people["Olga"].teams.get().name, people["Sam"])
    assert LeagueEntrants().now.keys.keys() == {"mate-thinker.1", "thinker.1"}, "the same team"

    change_team(people["Olga"], "Elsewhere", people["Sam"])

    assert LeagueEntrants().now.keys.keys() == {"mate-thinker.1"}
    assert len(bench.played()) == before, "whatever the door still says"
    assert Bot.objects.get(name="thinker").away == ENDED
    own = add_remote_bot(people["Olga"], people["Olga"].teams.get(), "other-thinker", new_public())
    change_key(people["Max"], Bot.objects.get(name="thinker"), new_public())
    change_team(people["Olga"], "Elsewhere", people["Sam"])
    assert LeagueEntrants().now.keys.keys() == {"mate-thinker.1", "thinker.2", f"{own.name}.1"}


def test_a_person_adds_a_remote_bot_and_gets_the_command(league: League) -> None:
    people = cast()
    site = league.folder / "league.yaml"
    site.write_text(f"{site.read_text()}remote: tcp://0.0.0.0:7777\n")
    serve_league(found := open_league(league.folder))
    make_key(found)
    client = client_of(people.owner)

    key = new_public()
    answer = client.post("/me/remote-bots", {"name": "thinker", "key": f'thinker: "{key}"'})

    assert answer.status_code == 302
    text = client.get("/me").content.decode()
    assert "arena join tcp://localhost:7777 ./my-bot --key thinker.secret --server '" in text
    assert Version.objects.get().key == key
    secret = found.remote_key.read_text().strip()
    for path in ("/me", "/bots/thinker", "/"):
        assert secret not in client.get(path).content.decode()
    rival = client_of(people.rival).get("/bots/thinker").content.decode()
    assert "plays from its owner" in rival
    assert "arena join" not in rival
    assert (
        client_of(people.rival).post("/bots/thinker/key", {"key": new_public()}).status_code == 403
    )
    used = client_of(people.rival).post("/me/remote-bots", {"name": "spy", "key": key})
    assert (used.status_code, "used already" in used.content.decode()) == (400, True)
    assert not Bot.objects.filter(name="spy").exists()


@pytest.mark.usefixtures("league")
@pytest.mark.parametrize("key", ["", "x", "alice: 'nothing'", 41 * "a", '"', "\u00e4" * 40])
def test_what_is_no_key_is_refused(key: str) -> None:
    people = cast()
    with pytest.raises(UsageError, match="public key"):
        add_remote_bot(people.owner, people.owner.teams.get(), "thinker", key)
    assert not Bot.objects.filter(name="thinker").exists()


@pytest.mark.usefixtures("league")
def test_a_bot_gets_some_new_keys_a_day() -> None:
    people = cast()
    bot = add_remote_bot(people.owner, people.owner.teams.get(), "thinker", new_public())
    for _ in range(KEYS_A_DAY - 1):
        change_key(people.owner, bot, new_public())
    with pytest.raises(UsageError, match="a day"):
        change_key(people.owner, bot, new_public())
    with pytest.raises(UsageError, match="handed in"):
        change_key(people.owner, people.bot, new_public())


def test_what_needs_a_program_is_refused_for_a_remote_bot(bench: RemoteBench) -> None:
    bench.played()
    bot = Bot.objects.get(name="thinker")
    client = client_of(bench.owner)

    with pytest.raises(UsageError, match="arena join"):
        hand_in(bench.league, bot, b"x")
    assert client.post("/bots/thinker/play", {"seat": "0"}).status_code == 409
    assert client.post("/bots/thinker/versions/1/play").status_code == 400
    assert "thinker" not in {version.bot.name for version in _best("s").values()}
    rule = GradeSection(against="random", score=60)
    grades = [grade for grade in Grading([rule]).grades() if grade.bot == "thinker"]
    assert {(grade.evidence.decision, grade.reason[:12]) for grade in grades} == {
        ("none", "a remote bot")
    }
    assert "thinker.1" not in {pair[0] for pair in Grading([rule]).undecided()}
    row = client.get("/api/table", headers=bearer(bench.owner)).json()["table"]
    (found,) = [each for each in row if each["bot"] == "thinker"]
    assert (found["is_remote"], found["away"]) == (True, None)


def test_a_challenge_of_a_bot_that_is_away_is_refused_or_ends(bench: RemoteBench) -> None:
    bench.played()
    own, rival = Version.objects.get(player="ann.1"), Version.objects.get(player="thinker.1")
    Challenge.objects.create(person=bench.owner, one=own, other=rival)
    bench.facts = {}
    bench.played(steps=10)
    assert Challenge.objects.get().ended is not None
    with pytest.raises(UsageError, match="thinker is away"):
        new_challenge(bench.owner, Version.objects.get(player="ann.1"), rival)


def test_a_league_that_starts_each_bot_once_has_no_port_for_remote_bots(league: League) -> None:
    season = league.folder / "season.yaml"
    season.write_text(f"{season.read_text()}restart: never\n")
    site = league.site.model_copy(update={"remote": "tcp://0.0.0.0:7777"})
    with pytest.raises(UsageError, match="restart: match"):
        require_port(League(league.folder, site), league.season())
    wrong = league.site.model_copy(update={"remote": "7777"})
    with pytest.raises(UsageError, match=r"remote in league\.yaml must be tcp://HOST:PORT"):
        require_port(League(league.folder, wrong), league.season())
