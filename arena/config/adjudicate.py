"""The section `adjudicate` of a config: when the referee ends a match before its game does."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from arena.reading.checking import Section
from arena.reading.fields import PathText
from referee.job import Adjudication, DrawRule, ResignRule
from referee.records.scores import MOST_CP
from referee.tablebases import largest


class DrawRuleSection(Section):
    """A draw, when the last moves of both bots had scores near 0."""

    after: Annotated[int, Field(ge=0, le=100_000)] = 68
    """Number of moves of the match, of both bots, before the rule applies."""
    score: Annotated[int, Field(ge=0, le=MOST_CP)] = 20
    """Largest distance of a score from 0, in centipawns."""
    moves: Annotated[int, Field(ge=1, le=1000)] = 8
    """Number of moves in a row of each bot."""


class ResignRuleSection(Section):
    """A loss, when the last moves of one bot had low scores, and those of the other high ones."""

    score: Annotated[int, Field(ge=1, le=MOST_CP)] = 600
    """Least distance of both scores from 0, in centipawns."""
    moves: Annotated[int, Field(ge=1, le=1000)] = 3
    """Number of moves in a row of each bot."""


class AdjudicateSection(Section):
    """Ends of matches by the scores that both bots report, or by tablebases of chess."""

    draw: DrawRuleSection | None = None
    """End even matches as a draw, by scores; needs own: true. Default: never."""
    resign: ResignRuleSection | None = None
    """End lost matches, by scores; needs own: true. Default: never."""
    tablebases: PathText | None = None
    """Folder with Syzygy tables, which decide positions of chess. Default: none."""

    @model_validator(mode="after")
    def _has_a_rule(self) -> Self:
        if self.draw is None and self.resign is None and self.tablebases is None:
            raise ValueError("has no draw, resign or tablebases; write draw: {} or resign: {}")
        return self

    @property
    def is_by_scores(self) -> bool:
        """Whether what bots say about themselves may end a match."""
        return self.draw is not None or self.resign is not None

    def rules(self) -> Adjudication:
        """Return the section as the referee's rules; raises TablebaseError."""
        return Adjudication(
            draw=DrawRule(**dict(self.draw)) if self.draw else None,
            resign=ResignRule(**dict(self.resign)) if self.resign else None,
            pieces=largest(self.tablebases) if self.tablebases else None,
        )
