"""Seeds: too wide to guess from the data of a bot, and reproducible."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from events import job_of, plan_of
from fakes import DONE, FIRST, FakeBot, played
from pydantic import TypeAdapter
from verifying import verify

from arena.results.store import Store
from referee.job import Job
from referee.play.match import match_id
from referee.records.replay import ReplayError
from referee.seeds import MAX_SEED, SEED_BITS, derive_seed, is_guessable

BITS = range(SEED_BITS)


def received(job: Job) -> tuple[int, str]:
    """Return the data of the bot in seat 0 that is derived from a seed."""
    return derive_seed(job.seed, "seat", 0, bits=32), match_id(job, 0)


def test_a_derived_seed_is_the_same_everywhere_and_for_ever() -> None:
    assert derive_seed(1997, "match", "ann,bob/b0/0") == 47494136412182761219892485430620467510
    assert derive_seed(MAX_SEED, "board", 0, bits=32) == 4143543182


def test_similar_parts_give_different_seeds() -> None:
    parts: list[tuple[str | int, ...]] = [(), ("",), ("", ""), (1,), ("1",), ("a", "b"), ("a,b",)]
    parts += [("a\0b",), ("a", 1), ("a1",), ('a", "b',)]
    seeds = {derive_seed(seed, *each) for each, seed in product(parts, (0, 1, MAX_SEED))}

    assert len(seeds) == 3 * len(parts)


PLAN = plan_of()


def job_of_event(seed: int) -> Job:
    """Return the first match of an event of this seed."""
    return replace(PLAN, seed=seed).job_of(PLAN.pairings[0])


LINKS: dict[str, Callable[[int], object]] = {
    "event to match": lambda seed: job_of_event(seed).seed,
    "event to board": lambda seed: job_of_event(seed).board_seed,
    "match to bot": lambda seed: derive_seed(seed, "seat", 0),
}


@pytest.mark.parametrize("link", LINKS)
def test_every_bit_of_a_seed_counts_and_every_bit_is_used(link: str) -> None:
    # a link of fewer bits could be searched, whatever the others have
    results = [LINKS[link](seed) for seed in (0, *(1 << bit for bit in BITS))]

    assert len(set(results)) == len(results)
    ones = [sum(int(str(result)) >> bit & 1 for result in results) for bit in BITS]
    assert all(0 < count < len(results) for count in ones)


def test_a_bot_can_guess_a_small_seed_but_no_drawn_seed() -> None:
    def found(seed: int) -> int | None:
        seen = received(job_of_event(seed))
        guesses = range(3000)
        return next((guess for guess in guesses if received(job_of_event(guess)) == seen), None)

    assert found(1997) == 1997
    assert is_guessable(1997)
    drawn = 0x9C1185A5C5E9FC54612808977EE8F548
    assert found(drawn) is None
    assert found(drawn & ~(2**64 - 1) | 1997) is None
    assert not is_guessable(drawn)


def test_a_seed_of_128_bits_comes_back_whole_from_the_database(tmp_path: Path) -> None:
    store = Store(tmp_path / "arena.db", is_new_allowed=True)
    number = store.add_event("cup", MAX_SEED, {"seed": MAX_SEED}, {})
    event = store.event(number)
    assert event is not None
    assert (event.seed, event.config["seed"]) == (MAX_SEED, MAX_SEED)

    store.replace_event(number, MAX_SEED - 1, {}, {})
    assert [each.seed for each in store.events()] == [MAX_SEED - 1]
    store.close()


def test_a_match_of_a_wide_seed_is_replayed_from_its_record() -> None:
    bots = [FakeBot(FIRST, DONE)]
    options = {"rows": 4, "cols": 5, "colors": 2}
    job = job_of("ann", game="down_n_out", options=options, seed=MAX_SEED, board_seed=MAX_SEED - 1)

    match = played(job, bots)
    record = match.stored

    assert (record["seed"], record["board_seed"]) == (str(MAX_SEED), str(MAX_SEED - 1))
    verify(match.record)
    with pytest.raises(ReplayError):
        verify(
            replace(match.record, job=replace(job, board_seed=int(float(MAX_SEED - 1))))
        )  # as in a double


def test_a_job_of_a_wide_seed_reaches_its_referee_whole() -> None:
    job = replace(job_of("ann"), seed=MAX_SEED, board_seed=MAX_SEED - 1)
    jobs: TypeAdapter[Job] = TypeAdapter(Job)

    assert jobs.validate_json(jobs.dump_json(job)) == job
