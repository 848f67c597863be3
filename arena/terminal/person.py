"""A person as a player: sees the board, types moves, and has no time limit."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TextIO, TypeVar

from protocol.messages import Fields, Message
from protocol.vocabulary import Seat
from referee.border import Border
from referee.errors import Forfeit
from referee.job import Job
from referee.rules import Game, RuleError
from referee.seat import Answer, OpenCall

R = TypeVar("R", bound=Message)

_REPLIES = {"init": "ready", "move": "play", "display": "picture", "term": "bye"}

HELP = """\
type a move, or one of these words:
  legal    list the legal moves       board    show the board again
  undo     take back your last move and the replies to it
  count    how many games can follow  resign   give up
  quit     leave without a result     help     this text"""


class TakeBack(Exception):  # noqa: N818 - a request of the person, not an error
    """Request to resume the match from `moves`, the moves before the one taken back."""

    def __init__(self, moves: tuple[Fields, ...]) -> None:
        super().__init__("taken back")
        self.moves = moves


class Quit(Exception):  # noqa: N818 - a request of the person, not an error
    """Request to leave the match without a result."""


class Person:
    """A player of the referee that reads moves from one text stream and prints to another."""

    def __init__(
        self,
        seat: Seat,
        job: Job,
        game: Game[Any, Any],
        streams: tuple[TextIO, TextIO],
        count: Callable[[Game[Any, Any], Any], str],
    ) -> None:
        """Take a seat; `count` returns as text the number of games that can follow a position."""
        self.seat = seat
        self.wants: Collection[str] = ()
        self._names = job.names()
        self._game = game
        self._border = Border(game)
        self._in, self._out = streams
        self._count = count
        self._moves: list[Fields] = []
        self._state: Any = None
        """Position of the open call."""

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Answer a call of the referee."""
        self._state = call.state
        answers: Mapping[str, Callable[[Fields], Fields]] = {
            "init": self._init,
            "move": self._move,
            "display": self._display,
            "term": self._term,
        }
        reply = {"type": _REPLIES[call.name], "id": 0, **answers[call.name](call.fields)}
        return Answer(call.model.model_validate(reply))

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Print the fault."""
        self._say(str(forfeit))

    def _init(self, fields: Fields) -> Fields:
        self._moves += fields["history"]
        self._say(f"\nyou are {self._names[self.seat]}, seat {self.seat} of {fields['seats']}")
        if first := next(iter(self._game.legal(self._state)), None):
            self._say(f"write a move like {self._game.notation(first)}; help lists the commands")
        self._show()
        return {}

    def _move(self, fields: Fields) -> Fields:
        if fields["opponent_moves"]:
            self._hear(fields["opponent_moves"])
            self._show()
        while True:
            answer = self._obey(self._read("your move: "))
            if answer is not None:
                return answer

    def _hear(self, news: Sequence[Fields]) -> None:
        for played in news:
            move = self._border.read_move(played["move"])
            self._say(f"{self._names[played['seat']]} plays {self._game.notation(move)}")
        self._moves += news

    def _show(self) -> None:
        self._say(f"\n{self._game.diagram(self._state)}\n")

    def _display(self, fields: Fields) -> Fields:
        del fields
        return {"board": tuple(self._game.picture(self._state))}

    def _term(self, fields: Fields) -> Fields:
        self._hear(fields["opponent_moves"])
        self._show()
        scores = ", ".join(
            f"{name} {score}" for name, score in zip(self._names, fields["scores"], strict=True)
        )
        self._say(f"{fields['termination']}: {fields['reason']}; {scores}")
        return {}

    def _obey(self, line: str) -> Fields | None:
        """Execute a typed line; return the reply, or None to read another line."""
        commands: Mapping[str, Callable[[], Fields | None]] = {
            "": lambda: None,
            "help": lambda: self._say(HELP),
            "board": self._show,
            "legal": self._legal,
            "count": lambda: self._say(self._count(self._game, self._state)),
            "undo": self._undo,
            "resign": lambda: {"resign": True},
            "quit": self._quit,
        }
        if (command := commands.get(line.strip().lower())) is not None:
            return command()
        if line.strip().lower() == "done" and len(self._names) == 1:
            return {"done": True}
        return self._try(line.strip())

    def _try(self, text: str) -> Fields | None:
        try:
            move = self._game.parse(text)
            after = self._game.apply(self._state, move)
        except RuleError as error:
            self._say(f"not legal: {error} (help lists the commands)")
            return None
        wire = self._border.wire_move(move)
        self._moves.append({"seat": self.seat, "move": wire})
        self._say(f"\n{self._game.diagram(after)}\n")
        return {"move": wire}

    def _legal(self) -> None:
        moves = [self._game.notation(move) for move in self._game.legal(self._state)]
        self._say(" ".join(moves))

    def _undo(self) -> None:
        own = [place for place, played in enumerate(self._moves) if played["seat"] == self.seat]
        if not own:
            self._say("there is no move of yours to take back")
            return
        raise TakeBack(tuple(self._moves[: own[-1]]))

    def _quit(self) -> None:
        raise Quit

    def _read(self, prompt: str) -> str:
        self._out.write(prompt)
        self._out.flush()
        line = self._in.readline()
        if not line:
            self._say("")
            raise Quit
        if not self._in.isatty():
            self._say(line.rstrip("\n"))
        return line

    def _say(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()
