"""All pairs meet in every small league, on any number of slots."""

from contextlib import closing
from itertools import combinations

import pytest
from events import FakeSlots, first_wins, player
from test_league_director import Bench

from arena.league.directing.roster import Roster
from arena.league.folder import League
from arena.league.site.models import Bot


@pytest.mark.parametrize("bots", range(2, 5))
@pytest.mark.parametrize("slots", range(1, 6))
def test_all_pairs_meet(
    league: League, slots: int, bots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Roster, "_prepared", lambda _, version: player(version.player))
    bench = Bench(league)
    names = list(Bot.objects.order_by("pk").values_list("name", flat=True))
    Bot.objects.filter(name__in=names[bots:]).update(active=None)
    wanted = {frozenset(f"{name}.1" for name in pair) for pair in combinations(names[:bots], 2)}
    met: set[frozenset[str]] = set()
    with closing(bench.open()) as store:
        director = bench.director(store)
        director.chooser.slots = slots
        places = FakeSlots(first_wins, slots, [])
        for _ in range(160):
            director.step(places)
            places.running()
            bench.now_s += 1
            matches = store.matches(bench.season(store)[1].id)
            met = {frozenset(seat.player for seat in match.seats) for match in matches}
            if met >= wanted:
                break

    assert met == wanted
