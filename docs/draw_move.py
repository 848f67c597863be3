"""Draw how a move travels: the picture and the table of docs/explanation/how-a-move-travels.md.

    python3 docs/draw_move.py

To update the page after a change of the code, edit STAGES and run this again. The script and
tests/docs/test_draw_move.py refuse a missing stage, and one not used by its caller.
"""

import ast
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/explanation/how-a-move-travels.md"
PICTURE = PAGE.with_suffix(".svg")
BEGIN, END = "<!-- the stages: written by docs/draw_move.py -->\n\n", "\n<!-- end of the stages -->"

LANES = {"director": 10, "referee": 250, "bot": 490}
"""Processes, with the left edge of their column in the picture, in pixels."""
WIDTH, TOP, STEP, BOX_WIDTH, BOX_HEIGHT = 740, 70, 56, 230, 40


class StaleStageError(Exception):
    """A stage does not exist any more, or its caller does not use it."""


@dataclass(frozen=True)
class Stage:
    """One function on the way of a move."""

    name: str
    """Dotted name of the function; empty in the bot's own program."""
    does: str
    has: str
    """Data passed to the next stage."""
    caller: str = ""
    """Dotted name of the calling function; empty at the entry of a process."""
    lane: Literal["director", "referee", "bot"] = "referee"

    @property
    def label(self) -> str:
        """Class and function."""
        return ".".join(self.name.split(".")[-2:]) if self.name else "the bot"


_DIRECTOR = "arena.event.play.director.Director"
_MATCH = "referee.play.match.Match"
_PLAYER = "referee.seats.bot_seat.BotSeat"
_CALLS = "referee.play.move_calls.MoveCalls"
_CLOCK = "referee.seats.stopwatch.Stopwatch"
_RECORDS = "referee.records"
_SLOTS = "arena.event.slots.local_slots"
STAGES = (
    Stage(f"{_DIRECTOR}._next_job", "choose the next match", "pairing",
          f"{_DIRECTOR}._fill", "director"),
    Stage("arena.event.plan.Plan.job_of", "make its job", "`Job`: game, players, seeds, limits",
          f"{_DIRECTOR}._next_job", "director"),
    Stage(f"{_SLOTS}.Slot.submit", "send the job", "a line of JSON",
          f"{_DIRECTOR}._fill", "director"),
    Stage("referee.__main__._serve", "read the job", "`Job`", ""),
    Stage("referee.service.slot.Slot.play", "start the bots", "connected players",
          "referee.service.ends.played"),
    Stage(f"{_MATCH}._turn", "ask the seat to move", "position, legal moves, time limit",
          f"{_MATCH}.play"),
    Stage(f"{_CALLS}.open", "open the call", "`OpenCall`: fields, limit, model",
          f"{_MATCH}._ask_move"),
    Stage(f"{_PLAYER}.ask", "make the call", "reply and its cost", f"{_MATCH}._ask_move"),
    Stage("protocol.codec.encode_call", "encode the call", "msgpack bytes with a new id",
          f"{_PLAYER}._send"),
    Stage(f"{_CLOCK}.start", "start the clocks", "CPU time, wall time, deadline",
          f"{_PLAYER}._send"),
    Stage("protocol.link.Link.send", "send the call", "a ZMTP message", f"{_PLAYER}._send"),
    Stage("", "choose a move", "`play` with the move, claims, a note", "", "bot"),
    Stage("protocol.link.Link.receive", "receive the reply", "msgpack bytes",
          f"{_PLAYER}._receive"),
    Stage("protocol.codec.decode", "decode the reply", "a map with the id of the call",
          f"{_PLAYER}._reply_in"),
    Stage(f"{_CLOCK}.judge", "judge the time", "charged time, or a timeout",
          f"{_PLAYER}._judge"),
    Stage("protocol.messages.parse", "check its types", "`Play`, or malformed",
          f"{_PLAYER}._judge"),
    Stage("referee.move_codec.MoveCodec.to_reply", "translate the move", "the game's own types",
          f"{_CALLS}.reply"),
    Stage(f"{_MATCH}._move", "play the move", "move and claims", f"{_MATCH}._turn"),
    Stage("referee.rules.game.Rules.apply", "check the rules", "next state, or an illegal move",
          f"{_MATCH}._move"),
    Stage(f"{_MATCH}._check_claims", "check the claims", "claims, or a false claim",
          f"{_MATCH}._move"),
    Stage(f"{_RECORDS}.recorder.Recorder.note_move", "note the move", "call, move, claims, times",
          f"{_MATCH}._move"),
    Stage(f"{_RECORDS}.record.Record.finished", "pack the record",
          "`Finished`: result, packed record", "referee.service.ends.played"),
    Stage("referee.service.pipe.end_bytes", "send the match",
          "a line of JSON and the packed record", "referee.__main__._serve"),
    Stage(f"{_SLOTS}.Slot.read", "read the match", "`MatchEnd`",
          f"{_SLOTS}.LocalSlots._ready", "director"),
    Stage(f"{_DIRECTOR}._keep", "take in the result", "`Finished`, or a void match",
          f"{_DIRECTOR}._turn_over", "director"),
    Stage("arena.results.store.Store.add_match", "store the match", "one transaction in SQLite",
          f"{_DIRECTOR}._finish", "director"),
)  # fmt: skip
"""The way of a move, in order."""


def find(name: str) -> tuple[Path, ast.FunctionDef]:
    """Return the file and the syntax tree of a function; raises StaleStageError."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = ROOT.joinpath(*parts[:length]).with_suffix(".py")
        if path.is_file():
            node: ast.AST | None = ast.parse(path.read_text(encoding="utf-8"))
            for part in parts[length:]:
                node = _member(node, part)
            if isinstance(node, ast.FunctionDef):
                return path, node
            break
    raise StaleStageError(f"{name} does not exist; edit STAGES in docs/draw_move.py")


def check(stage: Stage) -> None:
    """Raise StaleStageError unless the stage exists and its caller uses it."""
    if stage.name:
        find(stage.name)
    if not stage.caller:
        return
    used = stage.name.rpartition(".")[2]
    nodes = ast.walk(find(stage.caller)[1])
    names = {getattr(node, "attr", None) or getattr(node, "id", None) for node in nodes}
    if used not in names:
        detail = f"{stage.caller} does not use {used}; edit STAGES in docs/draw_move.py"
        raise StaleStageError(detail)


def table() -> str:
    """Return the table of all stages in Markdown."""
    lines = ["| | process | stage | function | result |\n|---:|---|---|---|---|\n"]
    for number, stage in enumerate(STAGES, 1):
        where = f"`{_place(stage)}`" if stage.name else "the bot's own program"
        lines.append(f"| {number} | {stage.lane} | {stage.does} | {where} | {stage.has} |\n")
    return "".join(lines)


def picture() -> str:
    """Return the picture as SVG."""
    height = TOP + STEP * len(STAGES)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' font-family="sans-serif" font-size="13">\n<title>How a move travels</title>\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>\n'
    )
    parts = [head]
    for lane, left in LANES.items():
        parts.append(
            f'<rect x="{left}" y="10" width="{BOX_WIDTH}" height="{height - 20}" rx="6"'
            f' fill="#f2f4f8"/>\n<text x="{left + BOX_WIDTH / 2:g}" y="38" text-anchor="middle"'
            f' font-weight="bold" fill="#222">{lane} process</text>\n'
        )
    for number, stage in enumerate(STAGES):
        parts.append(_box(number, stage))
        if number:
            parts.append(_arrow(number))
    return "".join([*parts, "</svg>\n"])


def in_page(page: str) -> str:
    """Return the table in the form of the page."""
    return page.partition(BEGIN)[2].partition(END)[0]


def main() -> int:
    """Check all stages and write the picture and the table; return the exit code."""
    try:
        for stage in STAGES:
            check(stage)
    except StaleStageError as error:
        print(f"draw_move: {error}", file=sys.stderr)
        return 1
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}{table()}{END}{rest.partition(END)[2]}", encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    return 0


def _member(node: ast.AST | None, name: str) -> ast.AST | None:
    members = getattr(node, "body", ())
    return next((member for member in members if getattr(member, "name", None) == name), None)


def _place(stage: Stage) -> str:
    path, _ = find(stage.name)
    return f"{path.relative_to(ROOT).as_posix()}:{stage.label.removeprefix(path.stem + '.')}"


def _top(number: int) -> int:
    return TOP + STEP * number - 8


def _box(number: int, stage: Stage) -> str:
    left, top = LANES[stage.lane] + 8, _top(number)
    middle = left + (BOX_WIDTH - 16) / 2
    return (
        f'<rect x="{left}" y="{top}" width="{BOX_WIDTH - 16}" height="{BOX_HEIGHT}" rx="5"'
        f' fill="#fff" stroke="#4051b5"/>\n<text x="{middle:g}" y="{top + 17}"'
        f' text-anchor="middle" fill="#222">{number + 1}. {escape(stage.does)}</text>\n'
        f'<text x="{middle:g}" y="{top + 32}" text-anchor="middle" font-size="11" fill="#555"'
        f' font-family="monospace">{escape(stage.label)}</text>\n'
    )


def _arrow(number: int) -> str:
    before, after = LANES[STAGES[number - 1].lane], LANES[STAGES[number].lane]
    half = BOX_WIDTH // 2
    start, end = _top(number - 1) + BOX_HEIGHT, _top(number)
    return (
        f'<path d="M{before + half} {start}L{after + half} {end - 1}" stroke="#555" fill="none"'
        ' marker-end="url(#tip)"/>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
