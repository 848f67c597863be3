"""A starter bot: it plays random legal moves in any game."""

import random

from arena_bot import Bot, Fields, done, play, resign, run


class Starter(Bot):
    """Replace the body of `on_move` by your idea."""

    name = "starter"
    version = "1"
    wants = ("view", "legal")

    def on_init(self, init: Fields) -> None:
        """Remember the match; its seed makes all random choices reproducible."""
        self.random = random.Random(init["seed"])
        self.seats = init["seats"]
        self.view: Fields = init["view"]

    def on_move(self, call: Fields) -> Fields:
        """Choose one of the legal moves."""
        self.view = call["view"]
        legal = call.get("legal")
        if legal:
            return play(self.random.choice(legal))
        # No list: a one-seat game with no move left, or more moves than fit into a message.
        return done() if self.seats == 1 else resign()

    def on_display(self, _call: Fields) -> list[str]:
        """Show the board as last seen: after an own move you must have changed it yourself."""
        board: list[str] = self.view["board"]
        return board


if __name__ == "__main__":
    run(Starter())
