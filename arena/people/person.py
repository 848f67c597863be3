"""A person as a player, who types moves or commands without a limit of time into a `Console`."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

from arena.errors import ArenaError
from arena.people.typed_moves import read_move
from arena.results.seen import notation_for
from protocol.codec import packed
from protocol.messages import Fields, Message
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.errors import Forfeit
from referee.job import Job
from referee.move_codec import MoveCodec
from referee.rules import Game, RuleError
from referee.rules.layout import Place
from referee.seats.seat import FREE, Answer, OpenCall

R = TypeVar("R", bound=Message)

LISTED = 2000
"""Limit of legal moves in a list for a person."""


class TakeBack(Exception):  # noqa: N818 - a request of the person, not an error
    """Request to resume the match from `moves`, the moves before the one taken back."""

    def __init__(self, moves: tuple[Fields, ...]) -> None:
        super().__init__("taken back")
        self.moves = moves


class Quit(Exception):  # noqa: N818 - a request of the person, not an error
    """Request to leave the match without a result."""


@dataclass(frozen=True, kw_only=True)
class PersonScene:
    """A match as a person sees it now."""

    game: Game[Any, Any]
    names: tuple[str, ...]
    seat: Seat
    state: Any
    before: Any = None
    """The position before the moves in `news`; None at the start."""
    news: tuple[str, ...] = ()
    """The last moves, in words."""
    places: tuple[Place, ...] = ()
    """The places of these moves, as far as the person sees them."""
    ply: int = 0
    is_over: bool = False


class Console(Protocol):
    """The screen and keyboard of a person: shows the match, returns typed lines."""

    def show(self, scene: PersonScene) -> None:
        """Show the position and the last moves."""

    def say(self, text: str) -> None:
        """Show a message of one or more lines."""

    def read(self) -> str:
        """Wait for the next line; raises Quit at the end of the input."""


@dataclass(frozen=True, kw_only=True)
class Aids:
    """Answers to a person's questions."""

    count: Callable[[Game[Any, Any], Any], str]
    """Returns the number of continuations of a position, as text."""
    hint: Callable[[Sequence[Fields], str], str]
    """Returns the move of a bot after these moves; the bot is a name, "" for the usual one."""
    rules: Callable[[], str]
    """Returns the rules and options of the game."""


def can_take_back(game: Game[Any, Any]) -> bool:
    """Whether moves can be taken back: not in games with draws or hidden information."""
    return not (game.has_chance or game.has_hidden_information)


@dataclass(frozen=True)
class _Command:
    run: Callable[[str], Fields | None]
    help: str
    argument: str = ""
    """Name of its optional argument; "" without one."""


class Person:
    """A seat for a person who types moves."""

    def __init__(
        self, seat: Seat, job: Job, game: Game[Any, Any], console: Console, aids: Aids
    ) -> None:
        self.seat = seat
        self.wants: Collection[str] = ()
        self._job = job
        self._names = tuple(escaped(name) for name in job.names())
        self._game = game
        self._codec = MoveCodec(game)
        self._console = console
        self._aids = aids
        self._moves: Sequence[Fields] = ()
        """Every move and draw so far, in full."""
        self._state: Any = None
        self._before: Any = None
        self._news: list[Fields] = []
        self._answered: Any = None
        """Position shown last before moves of others: after the person's own, or at the start."""
        self._commands = self._make_commands()

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Answer a call of the referee."""
        self._state, self._moves = call.state, call.played
        answers: Mapping[str, Callable[[Fields], Fields]] = {
            "init": self._init,
            "move": self._move,
            "display": self._display,
            "term": self._term,
        }
        reply = {"id": 0, **answers[call.name](dict(call.fields))}
        return call.model.model_validate(reply), FREE

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Show the fault."""
        self._console.say(escaped(str(forfeit)))

    def _init(self, fields: Fields) -> Fields:
        if fields["history"]:
            self._news = fields["history"][-1:]
            self._before = self._replayed(self._moves[:-1])
        if self._game.turn(self._state) != self.seat:
            self._show()  # otherwise the call for a move comes next
            self._answered = self._state
        return {}

    def _move(self, fields: Fields) -> Fields:
        self._hear(fields["opponent_moves"])
        self._show()
        while True:
            answer = self.obey(self._console.read())
            if answer is not None:
                return answer

    def _display(self, fields: Fields) -> Fields:
        return {"board": tuple(self._game.picture(self._state))}

    def _term(self, fields: Fields) -> Fields:
        self._hear(fields["opponent_moves"])
        self._show(is_over=True)
        return {}

    def _hear(self, moves: Sequence[Fields]) -> None:
        if moves and self._answered is not None:
            self._before, self._news, self._answered = self._answered, [], None
        self._news += moves

    def _words(self, entry: Fields) -> str:
        """Return a move or draw as far as the person may see it."""
        seen = notation_for(self._game, entry)
        if entry.get("seat") is None:
            return f"drawn {seen}" if seen else "a hidden draw"
        if entry["seat"] == self.seat:
            return f"you play {seen}"
        name = self._names[entry["seat"]]
        return f"{name} plays {seen}" if seen else f"{name} makes a hidden move"

    def _seen_places(self) -> Iterator[Place]:
        """Yield the places of the moves in the news that the person sees in full."""
        state = self._before
        if state is None or not self._news:
            return
        for seen, entry in zip(self._news, self._moves[-len(self._news) :], strict=True):
            try:
                move = self._codec.read_played(entry)
                if entry.get("seat") is not None and packed(seen) == packed(entry):
                    yield from self._game.gesture_in(state, move)
                state = self._game.apply(state, move)
            except RuleError:
                return  # a player has left the match: the moves after it have no position here

    def _show(self, *, is_over: bool = False) -> None:
        self._console.show(
            PersonScene(
                game=self._game,
                names=self._names,
                seat=self.seat,
                state=self._state,
                before=self._before,
                news=tuple(map(self._words, self._news)),
                places=tuple(dict.fromkeys(self._seen_places())),
                ply=len(self._moves),
                is_over=is_over,
            )
        )

    def obey(self, line: str) -> Fields | None:
        """Execute a line of the person; return the reply of the call, or None to read another."""
        words = line.split(maxsplit=1)
        if not words:
            return None
        command = self._commands.get(words[0].lower())
        argument = words[1].strip() if len(words) > 1 else ""
        if command is not None and (command.argument or not argument):
            return command.run(argument)
        return self._try(line)

    def _try(self, line: str) -> Fields | None:
        try:
            typed = read_move(self._game, self._state, line)
            move = self._game.completed(self._state, typed)
            after = self._game.apply(self._state, move)
        except RuleError as error:
            is_leaving = line.strip().lower() in ("q", "exit")
            hint = "to leave without a result, type quit" if is_leaving else "? for help"
            self._console.say(f"not legal: {error} ({hint})")
            return None
        wire = self._codec.wire_move(move)
        own = {"seat": self.seat, "move": wire}
        self._moves = (*self._moves, own)
        self._before, self._state = self._state, after
        self._news = [own]
        self._show()
        self._answered = after
        return {"move": wire}

    def _make_commands(self) -> dict[str, _Command]:
        commands = {
            "?": _Command(self._help, "this text and the rules"),
            "legal": _Command(self._legal, "list the legal moves"),
            "hint": _Command(self._hint, "ask a bot for a move", argument="[BOT]"),
            "undo": _Command(self._undo, "take back your last move and the replies to it"),
            "count": _Command(self._count, "how many games can follow"),
            "board": _Command(self._board, "show the board again"),
            "resign": _Command(lambda _: {"resign": True}, "give up"),
            "quit": _Command(self._quit, "leave without a result"),
        }
        if len(self._names) == 1:
            commands["done"] = _Command(lambda _: {"done": True}, "stop and keep the points")
        return commands | {"help": commands["?"]}

    def _help(self, _: str) -> None:
        listed = {name: each for name, each in self._commands.items() if name != "help"}
        lines = [f"  {f'{name} {each.argument}':<12} {each.help}" for name, each in listed.items()]
        first = next(iter(self._game.legal(self._state)), None)
        example = "" if first is None else f" like {self._game.notation(first)}"
        head = f"type a move{example}, or one of these words:"
        self._console.say("\n".join([head, *lines, "", self._aids.rules()]))

    def _legal(self, _: str) -> None:
        legal = islice(self._game.legal(self._state), LISTED + 1)
        moves = [self._game.notation(move) for move in legal]
        cut = f" … (the first {LISTED})" if len(moves) > LISTED else ""
        self._console.say(" ".join(moves[:LISTED]) + cut)

    def _hint(self, bot: str) -> None:
        if self._replayed(self._moves) != self._state:
            self._console.say("no hint: a player has left the match, which an init cannot express")
            return
        try:
            self._console.say(self._aids.hint(self._moves, bot))
        except ArenaError as error:
            self._console.say(f"no hint: {escaped(str(error), keep=chr(10))}")

    def _undo(self, _: str) -> None:
        own = [n for n, played in enumerate(self._moves) if played.get("seat") == self.seat]
        if not can_take_back(self._game):
            self._console.say(
                "nothing can be taken back in a game with chance or hidden moves:"
                " you have seen what came after"
            )
        elif not own:
            self._console.say("you have no move to take back")
        elif self._replayed(self._moves) != self._state:
            self._console.say("nothing can be taken back: a player has left the match")
        else:
            raise TakeBack(tuple(self._moves[: own[-1]]))

    def _replayed(self, moves: Sequence[Fields]) -> Any:
        """Return the position after these moves; None if they cannot all be played."""
        state = self._game.start(len(self._names), self._job.board_seed)
        try:
            for played in moves:
                if played.get("seat") not in (None, self._game.turn(state)):
                    return None
                state = self._game.apply(state, self._codec.read_played(played))
        except RuleError:
            return None
        return state

    def _count(self, _: str) -> None:
        if self._game.has_hidden_information:
            self._console.say("not counted: the number would tell what you cannot see")
        else:
            self._console.say(self._aids.count(self._game, self._state))

    def _board(self, _: str) -> None:
        self._show()

    def _quit(self, _: str) -> None:
        raise Quit
