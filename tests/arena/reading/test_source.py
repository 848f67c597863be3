"""The YAML subset of Arena: every problem with its place, no expansion of values."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config.assignments import read_assignment
from arena.errors import MAX_PROBLEMS, ConfigError
from arena.reading.quantities import format_duration, format_size, parse_duration, parse_size
from arena.reading.source import parse_source

ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        ALIASES,
        "a: " + "[" * 100_000,
        "{a: " * 100_000,
        "\n".join(" " * depth + "a:" for depth in range(1000)),
        "- " * 100_000,
        "a: [" + "1, " * 300_000 + "1]",
        "? " * 100_000,
        "a: !!python/object/apply:os.system [exit]",
        "a: " + "9" * 100_000,
        "a: 'x" * 100_000,
    ],
    ids=[
        "aliases",
        "lists",
        "maps",
        "blocks",
        "items",
        "values",
        "keys",
        "tag",
        "digits",
        "quotes",
    ],
)
def test_hostile_text_is_refused_with_a_short_message(text: str) -> None:
    try:
        problems = parse_source(text, "event.yaml").problems
    except ConfigError as error:
        problems = list(error.problems)

    assert problems
    assert len(str(ConfigError(problems))) < 400 * (MAX_PROBLEMS + 1)


@given(
    st.recursive(
        st.text("ab:-[]{},&*!|>'\"#%@` \n\t0.xé\x07", max_size=8),
        lambda inner: st.lists(inner, max_size=4).map("\n".join),
        max_leaves=12,
    )
)
def test_any_text_is_read_or_refused_and_places_lie_within_it(text: str) -> None:
    try:
        source = parse_source(text, "event.yaml")
    except ConfigError as error:
        problems = list(error.problems)
    else:
        problems = source.problems
        assert isinstance(source.values(), dict)
    lines = text.replace("\r", "\n").split("\n")
    for problem in problems:
        assert problem.line <= len(lines)
        assert problem.column <= len(problem.text) + 1
        assert str(problem).startswith("event.yaml:")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("0.25", Decimal("0.25")),
        ("true", True),
        ("yes", "yes"),
        ("1:30", "1:30"),
        ("2026-11-21", "2026-11-21"),
        ('"5"', "5"),
        ("[1, a]", (1, "a")),
    ],
)
def test_values_are_read_as_they_look(text: str, value: object) -> None:
    key, read = read_assignment(f"key={text}")

    assert (key, read, type(read)) == ("key", value, type(value))


@pytest.mark.parametrize(
    "text", ["010", "1e3", ".inf", "-.INF", ".nan", "0x1F", "0o17", "+5", ".5", "5.", "1_000", "-0"]
)
def test_numbers_that_readers_disagree_about_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write numbers plainly"):
        read_assignment(f"key={text}")


@pytest.mark.parametrize("text", ["", "key", "=5", "key=", "key=[", "key=a: b", "key=*a"])
def test_an_invalid_assignment_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^-o: "):
        read_assignment(text)


@given(st.integers(1, 3600 * 1000))
def test_a_time_is_read_as_it_is_written(milliseconds: int) -> None:
    nanoseconds = milliseconds * 1_000_000

    assert parse_duration(format_duration(nanoseconds)) == nanoseconds
    assert parse_duration(f"{milliseconds}ms") == nanoseconds


@given(st.integers(1, 1 << 20), st.sampled_from([1, 1 << 10, 1 << 20]))
def test_a_size_is_read_as_it_is_written(count: int, unit: int) -> None:
    assert parse_size(format_size(count * unit)) == count * unit
