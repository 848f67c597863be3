"""The games of OpenSpiel (https://github.com/google-deepmind/open_spiel) as games of Arena.

Its library is optional: nothing here imports it before a game of it is asked for.
"""

from referee.open_spiel.library import PREFIX, MissingLibraryError

__all__ = ["PREFIX", "MissingLibraryError"]
