"""Output as text for a terminal."""

import sys

from protocol.wording import visible
from referee.sandbox.printable import printable


def test_a_terminal_cannot_act_on_output() -> None:
    assert printable("a\x1b[2J\u202eb\r\n\tc\n") == "a\\x1b[2J\\u202eb\n    c\n"


def test_every_character_looks_as_in_messages_of_the_protocol() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))

    assert printable(everything) == visible(everything)
