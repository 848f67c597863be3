"""Tables as text: they shrink to a width by dropping columns, then by cutting between words."""

import ast
import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from rich.cells import cell_len

import arena
from arena.text import (
    Tone,
    beside,
    columns,
    folded,
    given,
    in_blocks,
    narrowed,
    plural,
    rough,
    score,
    seconds,
    shortened,
    table,
    wrapped,
)

HEADER = ["match", "players by seat", "scores", "plies", "reason"]
ROWS = [
    ["1", "emma - oliver", "10.25 3.5", "169", "five in a row after a long endgame of many moves"],
    ["2", "oliver - emma", "0 5", "12", "resignation"],
]
SPARE = ("scores", "plies")


def narrow(width: int | None) -> list[str]:
    return narrowed(HEADER, ROWS, left=len(HEADER), spare=SPARE, width=width).splitlines()


@pytest.mark.parametrize("width", [80, 60, 50, 45])
def test_a_table_fits_its_terminal(width: int) -> None:
    assert max(map(len, narrow(width))) <= width


@pytest.mark.parametrize("width", [60, 50, 45])
def test_no_word_is_cut(width: int) -> None:
    words = {word for row in [HEADER, *ROWS] for cell in row for word in cell.split()}

    shown = [line for line in narrow(width) if not line.startswith("-")]
    assert {word.removesuffix("...") for line in shown for word in line.split()} - {""} <= words


LONG_NAMES = ["a-student-with-a-long-name-of-32", "学生一二三四五六七八九十", "emma"]


@pytest.mark.parametrize("width", [80, 60, 40, 34])
def test_long_names_in_any_script_fit_a_narrow_terminal(width: int) -> None:
    rows = [["1", name, "1234.5", "10", "0"] for name in LONG_NAMES]
    lines = narrowed(["#", "bot", "score", "+", "-"], rows, left=2, spare=("wall",), width=width)
    blocks = in_blocks(["", *"123"], [[name, *"123"] for name in LONG_NAMES], width)

    assert max(map(shown_columns, f"{lines}\n{blocks}".splitlines())) <= width
    assert "emma" in lines


def test_a_text_is_cut_between_words_or_within_a_long_one() -> None:
    assert shortened("five in a row after a while", 16) == "five in a row..."
    assert shortened("a-student-with-a-long-name-of-32", 14) == "a-studen...-32"
    assert shortened("2 a-student-with-a-long-name", 14) == "2 a-stud...ame"
    assert shortened("学生一二三四五六七八九十", 12) == "学生一...十"
    assert shortened("emma", 4) == "emma"


def test_columns_are_dropped_in_order_before_texts_are_cut() -> None:
    assert narrow(None) == table(HEADER, ROWS, left=5).splitlines()
    assert "plies" in narrow(82)[0]
    assert "scores" not in narrow(82)[0]
    assert "plies" not in narrow(75)[0]
    assert narrow(60)[2].endswith("...")


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_wide_table_is_cut_into_blocks_of_columns(width: int) -> None:
    header = ["", *(str(number) for number in range(1, 13))]
    rows = [[f"{number} bot", *("10-0-10" for _ in range(12))] for number in range(1, 13)]

    blocks = in_blocks(header, rows, width).split("\n\n")

    lines = [line for block in blocks for line in block.splitlines()]
    assert max(map(len, lines)) <= width
    assert [name for block in blocks for name in block.splitlines()[0].split()] == header[1:]
    assert all(block.splitlines()[2].startswith("1 bot") for block in blocks)
    assert in_blocks(header, rows, None) == table(header, rows)


WIDE = "小林光一"
COMBINED = "Zoe\u0308"


def shown_columns(text: str) -> int:
    """Return the columns of a text in a terminal, by the properties of its characters."""
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


@pytest.mark.parametrize("tone", [None, lambda *_: ""])
def test_wide_and_combining_characters_stay_in_their_columns(tone: Tone | None) -> None:
    names = ["emma", WIDE, COMBINED, f"{WIDE}{COMBINED}x"]
    lines = table(["bot", "points"], [[name, "3"] for name in names], tone=tone).splitlines()

    assert len({shown_columns(line) for line in lines}) == 1
    assert [line.split() for line in lines[2:]] == [[name, "3"] for name in names]


def test_printable_characters_before_the_first_combining_one_take_one_column() -> None:
    for character in filter(str.isprintable, map(chr, range(0x300))):
        assert columns(f"{character}e") == cell_len(f"{character}e"), ascii(character)


def test_colours_do_not_move_columns() -> None:
    plain = table(HEADER, ROWS, left=2)
    coloured = table(HEADER, ROWS, left=2, tone=lambda *_: "31")

    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert "\x1b[31memma - oliver\x1b[0m" in coloured


@pytest.mark.parametrize("width", [20, 40])
def test_a_table_with_wide_characters_fits_its_terminal(width: int) -> None:
    rows = [[WIDE, *("1-0-1" for _ in range(6))]]
    blocks = in_blocks(["", *"123456"], rows, width)

    assert max(map(shown_columns, blocks.splitlines())) <= width
    assert shown_columns(beside(WIDE, WIDE, width)) == width - 1


def test_a_long_line_is_folded_between_words_with_its_indent() -> None:
    text = "  * one sentence of many words\n\n    ./a-path-of-30-characters-without-end"

    assert folded(text, 20).split("\n") == [
        "  * one sentence of",
        "    many words",
        "",
        "    ./a-path-of-30-characters-without-end",
    ]
    assert folded(text, None) == text


@pytest.mark.parametrize("width", range(14, 50))
def test_a_line_with_wide_characters_is_folded_by_columns(width: int) -> None:
    text = f"{WIDE}, {COMBINED}: open, at least 60 % against {WIDE} (3 of 200 {COMBINED} {WIDE} x)"

    for lines in (folded(text, width).splitlines(), wrapped(text, width)):
        assert max(map(shown_columns, lines)) <= width
        assert " ".join(lines).split() == text.split()
        assert len(lines) < 3 * shown_columns(text) // width + 2


@pytest.mark.parametrize("width", [3, 20, 21, 79, 80])
@pytest.mark.parametrize("text", ["\u5b57" * 60, "a" + "\u5b57" * 60, "  x " + "\u5b57" * 60])
def test_a_long_word_of_wide_characters_is_cut_between_them(text: str, width: int) -> None:
    lines = wrapped(text, width)

    assert max(map(shown_columns, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_fact_that_is_folded_continues_below_itself() -> None:
    assert folded("open files  as many as there are\ncure        none", 24).split("\n") == [
        "open files  as many as",
        "            there are",
        "cure        none",
    ]


def test_a_command_to_copy_and_a_coloured_row_are_not_folded() -> None:
    command = "arena tournament my.yaml --update --skip-broken"

    assert folded(f"to do that: {command}", 20).splitlines() == ["to do that:", command]
    assert folded(f"see `{command}` for all", 20).splitlines() == ["see", f"`{command}`", "for all"]
    row = "\x1b[32m2-0-0\x1b[0m " * 4
    assert folded(row, 20) == row


def test_a_long_text_is_cut_in_a_time_that_grows_with_its_length(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = 0

    def measure(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return 2 * len(text)

    monkeypatch.setattr("arena.text.columns", measure)
    long = "\u6f22" * 2000

    assert shortened(long, 20) == "\u6f22" * 6 + "..." + "\u6f22" * 2
    assert measured < 10 * len(long)


@pytest.mark.parametrize(
    ("value", "text"), [("-0.0004", "0"), ("12.50", "12.5"), ("1e22", "1" + "0" * 22)]
)
def test_a_score_has_at_most_three_decimals(value: str, text: str) -> None:
    assert score(Decimal(value)) == text


def test_a_forged_score_is_not_written_with_a_billion_digits() -> None:
    with pytest.raises(ValueError, match="a score of more than 40 digits"):
        score(Decimal("1e999999999"))


@pytest.mark.parametrize(
    ("value", "exact", "short"),
    [
        (-1234567.5, "-1234567.5", "-1234568"),
        (16384, "16384", "16384"),
        (0.1, "0.1", "0.1"),
        (1 / 3, "0.333333333333333", "0.3333"),
        (9999.96, "9999.96", "10000"),
        (1e22, "1e+22", "1e+22"),
        (-0.0, "0", "0"),
    ],
)
def test_a_number_keeps_its_digits(value: float, exact: str, short: str) -> None:
    assert given(value) == exact
    assert rough(value) == short


@pytest.mark.parametrize(
    "nanoseconds", [10**power + off for power in range(4, 13) for off in (-501, -499, -1, 0, 1)]
)
def test_a_time_has_no_more_than_999_of_a_smaller_unit(nanoseconds: int) -> None:
    number, unit = seconds(nanoseconds).split()

    assert float(number) < 1000 or unit == "s"
    assert float(number) * {"µs": 1e3, "ms": 1e6, "s": 1e9}[unit] == pytest.approx(
        nanoseconds, rel=0.02, abs=500
    )


def signed_formats() -> Iterator[tuple[str, str]]:
    """Yield each format of a number with a sign and digits after the point, with its file."""
    for file in sorted(Path(arena.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
                constant = [part for part in node.format_spec.values if hasattr(part, "value")]
                yield file.name, "".join(str(part.value) for part in constant)


def test_no_number_with_a_sign_is_a_negative_zero() -> None:
    signed = [each for each in signed_formats() if re.fullmatch(r"\+.*[.]\d+[fe]", each[1])]

    assert len(signed) > 10
    assert [each for each in signed if not each[1].startswith("+z")] == []


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (0, "match", "0 matches"),
        (1, "match", "1 match"),
        (2, "seat", "2 seats"),
        (1, "ply", "1 ply"),
        (2, "ply", "2 plies"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
        (3, "box", "3 boxes"),
    ],
)
def test_a_count_has_the_noun_in_its_number(count: int, noun: str, said: str) -> None:
    assert plural(count, noun) == said
