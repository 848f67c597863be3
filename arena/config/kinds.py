"""Kinds of formats, without the models of configs: results are shown without loading these."""

from typing import Final

BY_RESULTS: Final = frozenset({"swiss", "knockout", "ladder"})
"""Formats of two seats whose next pairings depend on results."""
