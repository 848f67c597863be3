"""Names that look alike: with two of them in one table, one could pass for the other."""

from collections.abc import Iterable

from arena.reading.names import casefolded

_ALIKE = str.maketrans(
    {
        **dict(zip("01i|", "olll", strict=True)),
        **dict(
            zip(
                "\u0430\u0431\u0432\u0435\u0456\u0458\u043a\u043c\u043d\u043e"
                "\u0440\u0441\u0455\u0442\u0443\u0445\u04bb\u0501\u04cf",
                "a6beijkmhopcstyxhdl",
                strict=True,
            )
        ),
        **dict(
            zip(
                "\u03b1\u03b2\u03b5\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
                "abeikuvoptux",
                strict=True,
            )
        ),
    }
)
"""Letters and digits by those that look the same, in small or in capital letters."""
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))


def looks(name: str) -> str:
    """Return what two names have in common that look alike."""
    seen = " ".join(casefolded(name).split()).translate(_ALIKE).translate(_ALIKE)
    for pair, letter in _PAIRS:
        seen = seen.replace(pair, letter)
    return seen


def alike(name: str, others: Iterable[str]) -> str | None:
    """Return another name that looks like this one, or None."""
    own = looks(name)
    return next((other for other in others if looks(other) == own and other != name), None)
