"""The class that every game inherits from, with all parts of the contract of a game."""

import re
from inspect import getdoc
from typing import Any

from referee.rules.claims import Claims
from referee.rules.game import M, S
from referee.rules.learning import Learning
from referee.rules.secrets import Secrets
from referee.rules.shortcuts import Shortcuts
from referee.rules.showing import Showing


class Game(Secrets[S, M], Showing[S, M], Claims[S, M], Shortcuts[S, M], Learning[S, M]):
    """The rules of one game with chosen options; only the part `Rules` has names to define."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Name and describe a game that does not do so itself."""
        super().__init_subclass__(**keywords)
        if not hasattr(cls, "name"):
            cls.name = re.sub("(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if not hasattr(cls, "summary") and cls.__doc__:
            cls.summary = (getdoc(cls) or "").partition("\n")[0].rstrip(".")
