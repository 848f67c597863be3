"""One match, from Init to the verdict.

The loop is `Match.play`: Init to every seat, one Move after another until the rules, a fault or the
config end the match, then Term. One call is open at a time. A bot's fault is a Forfeit and retires
its seat; any other exception is an internal error, leaves this module and makes the match void.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar

from protocol.codec import packed
from protocol.messages import Bye, Fields, Message, Picture, Ready
from protocol.vocabulary import PROTOCOL, Seat, Termination
from protocol.wording import shown_json
from referee.errors import Forfeit
from referee.job import Job
from referee.move_codec import MoveForms, MoveReply, codec_of
from referee.play.history import history_of
from referee.play.move_calls import LEGAL_LIMIT, FastMoveCalls, MoveCalls
from referee.play.reporter import UNWATCHED, Reporter
from referee.records.adjudicator import MAX_PLIES, adjudicator_of
from referee.records.calls import Spent
from referee.records.record import Verdict
from referee.records.recorder import Recorder
from referee.records.void_record import void_bytes
from referee.rules import BrokenRulesError, FalseClaimError, Game, IllegalMoveError, Outcome
from referee.rules.outcomes import outcome_fault
from referee.rules.values import view_fault
from referee.seats.clock import Budget
from referee.seats.seat import OpenCall, Participant
from referee.seeds import derive_seed, due_draws

R = TypeVar("R", bound=Message)


class Match:
    """A match in progress.

    Normal use, with one `Participant` for each seat, such as a `BotSeat`:

        match = Match(job, make_game(job.game, job.options), players, dismiss)
        verdict = match.play(absent=[])
        calls = match.recorder.calls  # every call with its cost and move, for the record
    """

    def __init__(
        self,
        job: Job,
        game: Game[Any, Any],
        players: Mapping[Seat, Participant],
        dismiss: Callable[[Seat], None],
        reporter: Reporter = UNWATCHED,
        *,
        confirm: Callable[[], None] = lambda: None,
        move_calls: type[MoveCalls] = FastMoveCalls,
    ) -> None:
        """Set up the start position.

        `dismiss` ends the bot of a seat at fault; `confirm` raises if no verdict may be reported.
        `move_calls` is the way in which moves are asked for: plain, or fast.
        """
        self.recorder = Recorder(job)
        self._job, self._game = job, game
        self._codec = codec_of(game)
        self._most_moves = job.most_moves
        self._adjudicator = adjudicator_of(job, game)
        self._has_required_claims = job.claims == "required"
        self._has_displays = type(game).is_display_due is not Game.is_display_due
        self._has_short_moves = type(game).completed is not Game.completed
        self._players = dict(players)
        self._dismiss, self._confirm = dismiss, confirm
        self._reporter = reporter
        self._is_watched = reporter.flag
        """Its first byte is shared with the process that watchers ask."""
        self._budgets = {seat: Budget(job.time_of(seat)) for seat in job.seats()}
        self._state = game.start(len(job.players), job.board_seed)
        self._history = history_of(game, players)
        """Every move and draw so far, and what each seat learns of it."""
        self._calls = move_calls(game, self._history, self._budgets)
        self._termination = Termination.NORMAL
        self._reason: str | None = None
        """Why the match ended, unless for the outcome's reason."""
        self._stopped: Outcome | None = None
        self._given: Any = None
        """The move that the rules are to make; None between moves."""

    def play(self, absent: Iterable[Forfeit]) -> Verdict:
        """Play it; `absent` are the seats without a hello."""
        self._begin(absent)
        self._draw()
        for seat in list(self._players):
            self._init(seat)
        while self._outcome() is None:
            self._report()
            self._turn(self._game.turn(self._state))
            self._draw()
        self._report()
        return self._term()

    def decide(self, absent: Iterable[Forfeit]) -> Verdict | None:
        """Return the verdict if these absences end the match before anybody is called."""
        self._begin(absent)
        return None if self._outcome() is None else self._verdict()

    def _begin(self, absent: Iterable[Forfeit]) -> None:
        self._replay_history()
        for forfeit in absent:
            self.recorder.add_call(forfeit.seat, "start", Spent())
            self._retire(forfeit)

    def _report(self) -> None:
        """Show the match so far to watchers, if there are any."""
        if self._is_watched[0]:
            self._reporter.report(self._job.key, self.recorder.calls)

    def _draw(self) -> None:
        """Make all due draws."""
        ply = len(self._history.played)
        for draw, after in due_draws(self._game, self._state, self._job.seed, ply):
            if self._outcome() is not None:
                return
            forms = self._codec.draw_forms(draw)
            self.recorder.add_draw(forms)
            self._advance(None, draw, forms, after)

    def _advance(self, seat: Seat | None, move: Any, forms: MoveForms, after: Any) -> None:
        """Change the position by a move of a seat, or by a draw (None)."""
        before, self._state = self._state, after
        self._history.add(seat, forms, before, move, after)

    def _outcome(self) -> Outcome | None:
        if self._stopped is None:
            outcome = self._game.outcome(self._state)
            if outcome is not None or self.recorder.moves != self._most_moves:
                return outcome
            self._stop(Termination.ADJUDICATION, MAX_PLIES)
        return self._stopped

    def _stop(self, termination: Termination, reason: str) -> None:
        self._termination = termination
        self._stopped = self._game.adjudicate(self._state, reason)

    def _replay_history(self) -> None:
        for entry in self._job.history:
            move = self._codec.read_played(entry)
            forms = MoveForms(entry["move"], "", packed(entry["move"]))
            self._advance(entry.get("seat"), move, forms, self._game.apply(self._state, move))

    def _init(self, seat: Seat) -> None:
        job = self._job
        view = self._game.view(self._state, seat)
        if fault := view_fault(view):  # only here, since it takes time
            raise BrokenRulesError(f"`view` for seat {seat} {fault}")
        fields = {
            "protocol": PROTOCOL,
            "game": job.game,
            "options": self._codec.wire_options,
            "match": match_id(job, seat),
            "seat": seat,
            "seats": len(job.players),
            "players": self._names_for(seat),
            "seed": derive_seed(job.seed, "seat", seat, bits=32),
            "time": job.time_of(seat).fields(),
            "history": self._history.whole(seat, self._state),
            "view": view,
        }
        try:
            self._ask(seat, "init", fields, Ready, job.time.init_ns)
        except Forfeit as forfeit:
            self._retire(forfeit)

    def _names_for(self, seat: Seat) -> list[str]:
        names = self._job.names()
        if not self._game.is_anonymous:
            return list(names)
        return [name if place == seat else f"seat {place}" for place, name in enumerate(names)]

    def _turn(self, seat: Seat) -> None:
        try:
            if self._has_displays and self._game.is_display_due(self._state):
                self._display(seat)
            reply = self._ask_move(seat)
            if reply.move is None:
                self._end_part(seat, reply)
            else:
                self._move(seat, reply)
        except Forfeit as forfeit:
            self._retire(forfeit)
            return
        if self._has_displays and reply.move is not None and self._outcome() is not None:
            self._last_display(seat)

    def _last_display(self, seat: Seat) -> None:
        """Ask for the board after the move that ended the match, if a display is due."""
        try:
            if self._game.is_display_due(self._state):
                self._display(seat)
        except Forfeit as forfeit:
            self._retire(forfeit)
            self._termination = forfeit.termination
            self._reason = f"{self._job.player(seat).name}: {forfeit.detail}"

    def _ask(self, seat: Seat, name: str, fields: Fields, model: type[R], limit_ns: int) -> R:
        """Make a call, record its cost, and return the reply; raises Forfeit."""
        call = OpenCall(
            name=name,
            fields=fields,
            model=model,
            limit_ns=limit_ns,
            state=self._state,
            played=self._history.played,
        )
        reply, spent = self._players[seat].ask(call)
        self.recorder.add_call(seat, name, spent)
        if isinstance(reply, Forfeit):
            raise reply
        return reply

    def _ask_move(self, seat: Seat) -> MoveReply:
        """Ask for a move and charge its time to the bank; raises Forfeit."""
        try:
            budget, player = self._budgets[seat], self._players[seat]
        except KeyError:
            seats = len(self._job.players)
            raise BrokenRulesError(f"`turn` is {seat!r}, with {seats} seats") from None
        call = self._calls.open(seat, self._state, player.wants)
        reply, spent = player.ask(call)
        self.recorder.add_call(seat, "move", spent)
        budget.charge_move(spent.charged_ns)
        if isinstance(reply, Forfeit):
            raise reply
        return self._calls.reply(reply)

    def _end_part(self, seat: Seat, reply: MoveReply) -> None:
        """End the seat's part after a reply without a move."""
        if reply.resign:
            self.recorder.note(resign=True, **reply.remarks)
            self._withdraw(seat, Termination.RESIGNATION, "resignation")
        elif len(self._job.players) > 1:
            raise Forfeit(seat, Termination.MALFORMED, "play.done: only for games with one seat")
        else:
            self.recorder.note(done=True, **reply.remarks)
            self._stop(Termination.NORMAL, "the bot was done")

    def _move(self, seat: Seat, reply: MoveReply) -> None:
        before = self._state
        try:
            self._given = move = reply.move
            if self._has_short_moves:
                move = self._game.completed(before, move)
            after = self._game.apply(before, move)
            claims = (
                None
                if reply.claims is None and not self._has_required_claims
                else self._check_claims(reply, before, move, after)
            )
        except IllegalMoveError as error:
            count = self._legal_count(move, error)
            raise Forfeit(seat, Termination.ILLEGAL_MOVE, f"{error}; {count} legal") from None
        except FalseClaimError as error:
            detail = f"{self._game.notation(reply.move)}: {error}"
            raise Forfeit(seat, Termination.FALSE_CLAIM, detail) from None
        whole = reply if move is reply.move or move == reply.move else MoveReply(move)
        forms = whole.forms or self._codec.forms(whole)
        left_ms = self._budgets[seat].left_ms
        self.recorder.note_move(forms)
        if claims is not None or left_ms is not None or reply.remarks:
            self.recorder.note_rest(seat, claims=claims, left_ms=left_ms, remarks=reply.remarks)
        self._advance(seat, move, forms, after)
        self._given = None
        if self._adjudicator is not None:
            self._stopped = self._adjudicator.add(self.recorder.calls[-1], self._state)
            if self._stopped is not None:
                self._termination = Termination.ADJUDICATION

    def void_bytes(self, error: Exception) -> bytes:
        """Return the packed record of the match so far, which an error has made void."""
        try:
            move = None if self._given is None else self._codec.wire_move(self._given)
        except Exception:  # noqa: BLE001 - the rules are broken already
            move = None
        return void_bytes(self._job, self.recorder.calls, move, error)

    def _legal_count(self, refused: Any, error: IllegalMoveError) -> str:
        """Return how many moves are legal; raises BrokenRulesError if the refused one is."""
        legal = list(islice(self._game.legal(self._state), LEGAL_LIMIT))
        if refused in legal:
            raise BrokenRulesError(f"`apply` refuses a move that `legal` yields: {error}")
        moves = len(legal)
        least = "at least " if moves == LEGAL_LIMIT else ""
        return "1 move is" if moves == 1 else f"{least}{moves} moves are"

    def _check_claims(
        self, reply: MoveReply, before: Any, move: Any, after: Any
    ) -> dict[str, Any] | None:
        """Return the claims for the record; raises FalseClaimError."""
        policy, game = self._job.claims, self._game
        if game.claims_type is None:
            return None
        claims = game.claims_type() if reply.claims is None else reply.claims
        said = self._codec.wire_claims(claims)
        if policy == "ignored":
            return said
        truth = self._codec.wire_claims(game.claims(before, move, after))
        normal = self._codec.wire_claims(game.normal_claims(claims))
        for name, value in truth.items():
            if name not in said and policy == "required":
                raise FalseClaimError(f"the claim {name} is missing; true is {shown_json(value)}")
            if name in said and normal[name] != value:
                raise FalseClaimError(
                    f"claimed {name} {shown_json(said[name])}; true is {shown_json(value)}"
                )
        return said

    def _display(self, seat: Seat) -> None:
        reply = self._ask(seat, "display", {}, Picture, self._job.time.display_ns)
        self.recorder.note(picture=list(reply.board))
        if list(reply.board) != list(self._game.picture(self._state)):
            raise Forfeit(seat, Termination.FALSE_CLAIM, "the picture differs from the board")

    def _retire(self, forfeit: Forfeit) -> None:
        """Retire a seat for its fault at the last call; the others play on if the rules allow."""
        seat, self._given = forfeit.seat, None
        self.recorder.add_fault(forfeit)
        if seat in self._players:
            self._players[seat].tell_fault(forfeit)
        self._dismiss(seat)
        if self._outcome() is None:
            reason = f"{self._job.player(seat).name}: {forfeit.detail}"
            self._withdraw(seat, forfeit.termination, reason)

    def _withdraw(self, seat: Seat, termination: Termination, reason: str) -> None:
        """Retire a seat; if the match ends now, this is its termination."""
        self._state = self._game.retire(self._state, seat)
        if self._game.outcome(self._state) is not None:
            self._termination, self._reason = termination, reason

    def _term(self) -> Verdict:
        """Send Term to every seat without a fault, and return the verdict."""
        verdict = self._verdict()
        self._confirm()
        for seat in self._players:
            if seat not in verdict.offenders:
                self._say_term(seat, verdict)
        return self._verdict() if self._job.score.is_timed else verdict

    def _say_term(self, seat: Seat, verdict: Verdict) -> None:
        fields = {
            "opponent_moves": self._history.last_entries(seat),
            "termination": verdict.termination.value,
            "scores": verdict.scores,
            "reason": self._reason_for_bots(verdict),
            "offenders": verdict.offenders,
            "last": self._job.restart == "match",
        }
        try:
            self._ask(seat, "term", fields, Bye, self._job.time.term_ns)
        except Forfeit as forfeit:
            self.recorder.warnings[seat] = f"term: {forfeit.detail}"
            self._dismiss(seat)

    def _reason_for_bots(self, verdict: Verdict) -> str:
        """Return why the match ended; of a fault only its word where more could tell a secret."""
        has_secrets = self._game.is_anonymous or self._game.has_hidden_information
        if not (has_secrets and verdict.termination.is_forfeit):
            return verdict.reason
        seat = self.recorder.faults[-1].seat
        return f"seat {seat}: {verdict.termination.value}"

    def _verdict(self) -> Verdict:
        outcome = self._outcome()
        fault = outcome_fault(outcome, len(self._job.players))
        if outcome is None or fault:
            name = "outcome" if self._stopped is None else "adjudicate"
            raise BrokenRulesError(f"`{name}` {fault}")
        return self.recorder.verdict(outcome, self._termination, self._reason or outcome.reason)


def match_id(job: Job, seat: Seat) -> str:
    """Return the id of the match for this seat: opaque, and the same in a rerun.

    The match's key names all players and never leaves the arena. Each seat has an id of its own, so
    bots cannot find out by ids whether they met.
    """
    return f"{derive_seed(job.seed, 'id', seat):032x}"
