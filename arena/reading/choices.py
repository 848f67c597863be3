"""Values with a fixed set of words, for configs and for commands, which load no pydantic."""

from typing import Final, Literal, TypeAlias

Isolation: TypeAlias = Literal["auto", "require", "none"]
"""Whether bots are sandboxed: if possible, always, or never."""
OnBroken: TypeAlias = Literal["stop", "leave_out", "forfeit"]
"""Effect of a bot that does not work: on the event, on its place in it, or on its matches."""
NetworkAccess: TypeAlias = Literal["allow", "deny"]
Restarting: TypeAlias = Literal["auto", "match", "never"]
"""Whether bots are restarted for each match; `auto` is decided by the event."""
Pinning: TypeAlias = Literal["auto", "none"]
"""Whether each slot keeps to its own cores."""
Scratch: TypeAlias = Literal["keep", "none"]
"""Whether a bot has a lasting scratch folder."""
FORMATS_BY_RESULTS: Final = frozenset({"swiss", "knockout", "ladder"})
"""Formats of two seats whose next pairings depend on results."""
EloModel: TypeAlias = Literal["logistic", "normalized"]
