"""Output of a program as text that moves no cursor and turns no reading direction."""


def printable(text: str) -> str:
    """Return the lines with escapes for characters that no terminal prints, and tabs as spaces."""
    text = text.replace("\r\n", "\n").replace("\t", "    ")
    wrong = {c for c in set(text) if c != "\n" and not c.isprintable()}
    if not wrong:
        return text
    return text.translate({ord(c): c.encode("unicode_escape").decode() for c in wrong})
