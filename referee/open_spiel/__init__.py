"""The games of OpenSpiel as games of Arena; its library is loaded with the first of them."""

from referee.open_spiel.library import PREFIX, MissingLibraryError

__all__ = ["PREFIX", "MissingLibraryError"]
