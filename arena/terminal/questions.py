"""Questions to a person before a match: the seat and the options that were not given."""

import sys
from collections.abc import Callable, Sequence
from typing import TextIO, TypeVar

from arena.config.assignments import read_assignment
from arena.config.game_options import GameOption, options_of
from arena.counting.positions import game_with
from arena.errors import UsageError
from arena.people.game_help import option_text, rules_text
from arena.people.person import Quit
from arena.terminal.output import has_screen
from arena.text import config_value, width_of, wrapped
from protocol.vocabulary import Seat
from protocol.wording import visible
from referee.catalog import AnyGame, BrokenGameError, UnknownGameError, game_class
from referee.options import make_game
from referee.rules import OptionError

Streams = tuple[TextIO, TextIO]
A = TypeVar("A")


def ask_game(
    name: str, seat: Seat | None, assignments: Sequence[str], streams: Streams
) -> tuple[AnyGame, Seat]:
    """Return the game with its options and the seat; ask for what was not given."""
    try:
        cls = game_class(name)
    except (UnknownGameError, BrokenGameError) as error:
        raise UsageError(str(error)) from None
    given = {assignment.partition("=")[0].strip() for assignment in assignments}
    known = {option.name: option for option in options_of(cls)}
    left = [known[name] for name in cls.asked_options if name not in given]
    if not left:
        game_with(name, assignments)  # a wrong option is refused before any question
    if seat is None:
        seat = _ask_seat(cls, streams)
    asked = list(assignments)
    for place, option in enumerate(left):
        asked += _ask_option(cls, option, asked, streams, is_last=place == len(left) - 1)
    return game_with(name, asked), seat


def _ask_seat(cls: type[AnyGame], streams: Streams) -> Seat:
    names = cls.seat_names
    if not names:
        return 0

    def read(answer: str) -> Seat:
        typed, known = answer.casefold(), [name.casefold() for name in names]
        if typed in known:
            return known.index(typed)
        found = [seat for seat, name in enumerate(known) if name.startswith(typed)]
        if answer and len(found) != 1:
            raise ValueError(f"answer {' or '.join(names)}")
        return found[0] if answer else 0

    question = f"{' or '.join(names)}? [{names[0]}] "
    return _ask(cls, question, f"which side you play: {names[0]} begins", read, streams)


def _ask_option(
    cls: type[AnyGame], option: GameOption, known: Sequence[str], streams: Streams, *, is_last: bool
) -> list[str]:
    """Return the option as an assignment, none for its default."""

    def read(answer: str) -> list[str]:
        assignment = [f"{option.name}={answer}"] if answer else []
        try:
            make_game(cls.name, dict(map(read_assignment, [*known, *assignment])))
        except OptionError as error:
            # a conflict with an option still to be asked is settled there
            if is_last or error.option == option.name:
                raise ValueError(f"{error.option}: {error.detail}") from None
        return assignment

    words = option.name.replace("_", " ")
    meaning = f"{words}: {option_text(option)}"
    return _ask(cls, f"{words}? [{config_value(option.default)}] ", meaning, read, streams)


def _ask(
    cls: type[AnyGame],
    question: str,
    meaning: str,
    read: Callable[[str], A],
    streams: Streams,
) -> A:
    """Ask until `read` accepts the answer; it raises ValueError otherwise."""
    print(_folded(meaning, streams[1]), file=streams[1])
    while True:
        answer = _line(question, streams)
        if answer.lower() == "quit":
            raise Quit
        if answer == "?":
            help_text = f"{meaning}\nEnter takes the value in brackets, quit or q leaves.\n"
            _show(cls.name, f"{help_text}\n{rules_text(cls())}\n", streams)
            continue
        try:
            return read(answer)
        except (ValueError, UsageError) as error:
            if answer.lower() == "q":  # an option could have this value
                raise Quit from None
            print(_folded(f"{error} (? explains, quit leaves)", streams[1]), file=streams[1])


def _show(title: str, text: str, streams: Streams) -> None:
    """Show a text by pages in a terminal, otherwise print it."""
    if streams != (sys.stdin, sys.stdout) or not has_screen():
        print(_folded(text, streams[1]), file=streams[1])
        return
    from arena.terminal.screen import full_screen

    with full_screen() as screen:
        screen.page(title, text)


def _folded(text: str, stream: TextIO) -> str:
    """Return a text within the width of the terminal; words are not broken."""
    width = width_of(stream)
    return visible(text) if width is None else "\n".join(wrapped(text, width - 1))


def _line(question: str, streams: Streams) -> str:
    streams[1].write(question)
    streams[1].flush()
    line = streams[0].readline()
    if not line:
        raise UsageError("the input ended before the game began")
    return line.strip()
