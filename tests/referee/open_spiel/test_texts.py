"""OpenSpiel's text of a position as a picture for a terminal."""

from referee.open_spiel.texts import picture


def test_a_board_in_fen_gets_a_line_for_each_rank() -> None:
    shogi = "lnsgkgsnl/1r5+B1/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL w B 2"

    lines = picture(shogi).splitlines()
    assert lines[1] == ".  r  .  .  .  .  . +B  ."
    assert lines[9] == "w B 2"


def test_other_text_is_kept_without_colours_and_control_characters() -> None:
    assert picture("\x1b[1;31mx\x1b[0m.\to\r\n ..\n\n") == "x. o\n .."
    assert picture("") == " "
    assert picture("a/b") == "a/b"
