"""One match, from Init to the verdict.

The loop is `Match.play`: Init for everyone, one Move after another until the rules, a fault or the
config end it, then Term. One call is open at a time. A fault of a bot arrives as a Forfeit and
retires its seat; any other exception is ours and leaves this module: the match is void.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from protocol.codec import packed_list
from protocol.messages import LEGAL_LIMIT_BYTES, Bye, Fields, Message, Picture, Play, Ready
from protocol.vocabulary import PROTOCOL, Seat, Termination
from referee.border import Border
from referee.errors import Forfeit
from referee.job import MILLISECOND_NS, Job, TimeControl
from referee.player import Seated
from referee.record import Call, Fault, Spent, Verdict
from referee.rules import FalseClaimError, Game, IllegalMoveError, Outcome
from referee.seeds import derive_seed
from referee.verdict import settle

LEGAL_LIMIT = LEGAL_LIMIT_BYTES // 8
"""No more legal moves than this are even listed: their encoding would be too long anyway."""

LIST_HEADER = 5
"""Bytes that stand before the items of a list, at most."""

R = TypeVar("R", bound=Message)


class Match:
    """A match in progress."""

    def __init__(
        self,
        job: Job,
        game: Game[Any, Any],
        players: Mapping[Seat, Seated],
        wants: Mapping[Seat, Collection[str]],
        dismiss: Callable[[Seat], None],
    ) -> None:
        """Sit down. `wants` are the hellos' wishes; `dismiss` ends a bot that has forfeited."""
        self.calls: list[Call] = []
        """Every charged call so far."""
        self.warnings: dict[Seat, str] = {}
        self._job = job
        self._game = game
        self._border = Border(game)
        self._players = dict(players)
        self._wants = wants
        self._dismiss = dismiss
        self._state = game.start(len(job.players), job.board_seed)
        self._played: list[Fields] = []
        """Every move so far, as messages tell them."""
        self._plies = 0
        self._faults: list[Fault] = []
        self._termination = Termination.NORMAL
        self._reason: str | None = None
        """Why the match ended, where that is not the outcome's reason."""
        self._stopped: Outcome | None = None

    @property
    def state(self) -> Any:
        """The position as it stands."""
        return self._state

    def play(self, absent: Iterable[Forfeit]) -> Verdict:
        """Play the match to its end; `absent` are the bots that never said hello."""
        self._begin(absent)
        for seat in list(self._players):
            self._init(seat)
        while self._outcome() is None:
            self._turn(self._game.turn(self._state))
        return self._term()

    def decide(self, absent: Iterable[Forfeit]) -> Verdict | None:
        """Return the verdict if these absences end the match before anybody is called."""
        self._begin(absent)
        return None if self._outcome() is None else self._verdict()

    def _begin(self, absent: Iterable[Forfeit]) -> None:
        self._replay_history()
        for forfeit in absent:
            self._retire(forfeit, "start")

    def _outcome(self) -> Outcome | None:
        if self._stopped is None and (outcome := self._game.outcome(self._state)) is not None:
            return outcome
        if self._stopped is None and self._plies == self._job.max_plies:
            self._stop(Termination.ADJUDICATION, f"stopped after {self._plies} plies")
        return self._stopped

    def _stop(self, termination: Termination, reason: str) -> None:
        self._termination = termination
        self._stopped = self._game.adjudicate(self._state, reason)

    def _replay_history(self) -> None:
        for entry in self._job.history:
            move = self._border.read_move(entry["move"])
            self._state = self._game.apply(self._state, move)
            self._played.append({"seat": entry["seat"], "move": entry["move"]})
        for player in self._players.values():
            player.told = len(self._played)

    def _init(self, seat: Seat) -> None:
        player = self._players[seat]
        job = self._job
        call = {
            "protocol": PROTOCOL,
            "game": job.game,
            "options": self._border.wire_options(),
            "match": match_id(job, seat),
            "seat": seat,
            "seats": len(job.players),
            "players": self._names_for(seat),
            "seed": derive_seed(job.seed, "seat", seat, bits=32),
            "time": _times(job.time),
            "history": self._played,
            "view": self._game.view(self._state, seat),
        }
        try:
            if player.null is None:
                player.measure_null()
            self._ask(seat, "init", call, Ready, job.time.init_ns)
        except Forfeit as forfeit:
            self._retire(forfeit, "init")

    def _names_for(self, seat: Seat) -> list[str]:
        names = self._job.names()
        if not self._game.is_anonymous:
            return list(names)
        return [name if place == seat else f"seat {place}" for place, name in enumerate(names)]

    def _turn(self, seat: Seat) -> None:
        try:
            if self._game.is_display_due(self._state):
                self._display(seat)
            limit_ns = self._players[seat].budget.move_limit_ns()
            call = self._move_call(seat)
            reply = self._ask(seat, "move", call, self._border.play_model, limit_ns)
            self._follow(seat, reply)
        except Forfeit as forfeit:
            self._retire(forfeit, self.calls[-1].call)
            return
        if reply.move is not None and self._outcome() is not None:
            self._last_display(seat)

    def _last_display(self, seat: Seat) -> None:
        """Ask for the board after the move that ended the match, if that is due."""
        try:
            if self._game.is_display_due(self._state):
                self._display(seat)
        except Forfeit as forfeit:
            self._retire(forfeit, "display")
            self._termination = forfeit.termination
            self._reason = f"{self._job.player(seat).name}: {forfeit.detail}"

    def _ask(self, seat: Seat, name: str, call: Fields, model: type[R], limit_ns: int) -> R:
        """Make a call and note what it cost, whatever comes of it."""
        player = self._players[seat]
        try:
            return player.ask(name, call, model, limit_ns)
        finally:
            self._note(seat, name, player.spent)

    def _note(self, seat: Seat, name: str, spent: Spent) -> None:
        self.calls.append(Call(seat=seat, call=name, ply=self._plies, **spent._asdict()))

    def _move_call(self, seat: Seat) -> Fields:
        wants = self._wants.get(seat, ())
        call: Fields = {
            "ply": self._plies + len(self._job.history),
            "opponent_moves": self._news(seat),
        }
        if (left_ms := self._players[seat].budget.left_ms()) is not None:
            call["left_ms"] = left_ms
        if "view" in wants:
            call["view"] = self._game.view(self._state, seat)
        if "legal" in wants:
            self._add_legal(call)
        return call

    def _add_legal(self, call: Fields) -> None:
        moves = islice(self._game.legal(self._state), LEGAL_LIMIT + 1)
        legal = self._border.packed_moves(moves)
        if len(legal) > LEGAL_LIMIT or sum(map(len, legal)) + LIST_HEADER > LEGAL_LIMIT_BYTES:
            call["legal_omitted"] = True
        else:
            call["legal"] = packed_list(legal)

    def _news(self, seat: Seat) -> list[Fields]:
        """Return what the others have played since this seat's last call."""
        player = self._players[seat]
        news = [played for played in self._played[player.told :] if played["seat"] != seat]
        player.told = len(self._played)
        return news

    def _follow(self, seat: Seat, reply: Play[Any, Any]) -> None:
        """Do what the reply says."""
        if reply.move is not None:
            self._move(seat, reply, reply.move)
        elif reply.resign:
            self._add(resign=True, note=reply.note)
            self._withdraw(seat, Termination.RESIGNATION, "resignation")
        elif len(self._job.players) > 1:
            raise Forfeit(seat, Termination.MALFORMED, "play.done: only for games with one seat")
        else:
            self._add(done=True, note=reply.note)
            self._stop(Termination.NORMAL, "the bot was done")

    def _move(self, seat: Seat, reply: Play[Any, Any], model: Message) -> None:
        move = self._border.move(model)
        before = self._state
        try:
            after = self._game.apply(before, move)
            claims = self._check_claims(reply, before, move, after)
        except IllegalMoveError as error:
            legal = self._legal_count()
            raise Forfeit(seat, Termination.ILLEGAL_MOVE, f"{error}; {legal} legal") from None
        except FalseClaimError as error:
            detail = f"{self._game.notation(move)}: {error}"
            raise Forfeit(seat, Termination.FALSE_CLAIM, detail) from None
        wire = self._border.wire_move(move)
        self._add(
            move=wire,
            notation=self._game.notation(move),
            claims=claims,
            note=reply.note,
            left_ms=self._players[seat].budget.left_ms(),
        )
        self._state = after
        self._plies += 1
        self._played.append({"seat": seat, "move": wire})

    def _legal_count(self) -> str:
        moves = sum(1 for _ in islice(self._game.legal(self._state), LEGAL_LIMIT))
        if moves == 1:
            return "1 move is"
        return f"{'at least ' if moves == LEGAL_LIMIT else ''}{moves} moves are"

    def _check_claims(
        self, reply: Play[Any, Any], before: Any, move: Any, after: Any
    ) -> dict[str, Any] | None:
        """Return the claims as they stand in the record, or raise FalseClaimError."""
        policy, game = self._job.claims, self._game
        if game.claims_type is None or (reply.claims is None and policy != "required"):
            return None
        claims = self._border.claims(reply.claims) if reply.claims else game.claims_type()
        said = self._border.wire_claims(claims)
        if policy == "ignored":
            return said
        truth = self._border.wire_claims(game.claims(before, move, after))
        normal = self._border.wire_claims(game.normal_claims(claims))
        for name, value in truth.items():
            if name not in said and policy == "required":
                raise FalseClaimError(f"the claim {name} is missing; true is {value!r}")
            if name in said and normal[name] != value:
                raise FalseClaimError(f"claimed {name} {said[name]!r}; true is {value!r}")
        return said

    def _display(self, seat: Seat) -> None:
        reply = self._ask(seat, "display", {}, Picture, self._job.time.display_ns)
        self._add(picture=list(reply.board))
        if list(reply.board) != list(self._game.picture(self._state)):
            detail = "the picture is not the board as it stands"
            raise Forfeit(seat, Termination.FALSE_CLAIM, detail)

    def _retire(self, forfeit: Forfeit, call: str) -> None:
        """Take a seat out of play for its fault; the others go on, if the rules let them."""
        seat = forfeit.seat
        if not self.calls or self.calls[-1].seat != seat or call == "start":
            self._note(seat, call, Spent())
        self._add(fault=forfeit.termination)
        self._faults.append(
            Fault(
                seat=seat,
                termination=forfeit.termination,
                detail=forfeit.detail,
                call=call,
                ply=self._plies,
            )
        )
        if seat in self._players:
            self._players[seat].tell_fault(forfeit)
        self._dismiss(seat)
        if self._outcome() is None:
            reason = f"{self._job.player(seat).name}: {forfeit.detail}"
            self._withdraw(seat, forfeit.termination, reason)

    def _withdraw(self, seat: Seat, termination: Termination, reason: str) -> None:
        """Retire a seat; if the others cannot go on without it, that is how the match ended."""
        self._state = self._game.retire(self._state, seat)
        if self._game.outcome(self._state) is not None:
            self._termination, self._reason = termination, reason

    def _term(self) -> Verdict:
        """Say goodbye to everyone who is still there and close the books."""
        verdict = self._verdict()
        gone = verdict.offenders
        for seat in self._players:
            if seat not in gone:
                self._say_term(seat, verdict)
        return self._verdict()

    def _say_term(self, seat: Seat, verdict: Verdict) -> None:
        call = {
            "opponent_moves": self._news(seat),
            "termination": verdict.termination.value,
            "scores": verdict.scores,
            "reason": self._reason_for_bots(verdict),
            "offenders": verdict.offenders,
            "last": self._job.restart == "match",
        }
        try:
            self._ask(seat, "term", call, Bye, self._job.time.term_ns)
        except Forfeit as forfeit:
            self.warnings[seat] = f"term: {forfeit.detail}"
            self._dismiss(seat)

    def _reason_for_bots(self, verdict: Verdict) -> str:
        """Return why the match ended, in an anonymous one without any name or word of a bot."""
        if not (self._game.is_anonymous and verdict.termination.is_forfeit):
            return verdict.reason
        seat = self._faults[-1].seat
        return f"seat {seat}: {verdict.termination.value}"

    def _verdict(self) -> Verdict:
        outcome = self._outcome()
        if outcome is None:
            raise RuntimeError("a match without outcome has no verdict")
        charged = [
            self._players[seat].budget.charged_ns if seat in self._players else 0
            for seat in self._job.seats()
        ]
        standing = settle(
            outcome,
            rule=self._job.score,
            time=self._job.time,
            charged_ns=charged,
            faults={fault.seat: fault.call for fault in self._faults},
        )
        return Verdict(
            termination=self._termination,
            reason=self._reason or outcome.reason,
            points=standing.points,
            places=standing.places,
            scores=standing.scores,
            faults=tuple(self._faults),
        )

    def _add(self, **facts: Any) -> None:
        """Add facts from the reply to the last call."""
        self.calls[-1] = replace(self.calls[-1], **facts)


def match_id(job: Job, seat: Seat) -> str:
    """Return the match's id for the bot in this seat: the same in a rerun, and it says nothing.

    The key names all players, so that it never leaves the arena. Each seat has an id of its own:
    bots that compare theirs cannot tell whether they met.
    """
    return f"{derive_seed(job.seed, 'id', seat):032x}"


def _times(control: TimeControl) -> Fields:
    """Return the time control as `init` tells it."""
    limits = {
        "init_ms": control.init_ns,
        "per_move_ms": control.per_move_ns,
        "bank_ms": control.bank_ns,
        "wall_bank_ms": control.wall_allowed_ns,
        "display_ms": control.display_ns,
        "term_ms": control.term_ns,
        "grace_ms": control.grace_ns,
    }
    told = {name: ns // MILLISECOND_NS for name, ns in limits.items() if ns is not None}
    if control.strikes is not None:
        told["strikes"] = control.strikes
    return {"clock": control.clock, "ponder": control.ponder, **told}
