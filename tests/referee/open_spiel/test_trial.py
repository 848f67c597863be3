"""Parameters that would crash the process or take too much are refused by the trial."""

import pytest

from referee.open_spiel.trial import TrialError, tried


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("hex", {"board_size": 100_000}, "more than 1024 MB of memory"),
        ("connect_four", {"rows": 20_000}, "the limit is 65536"),
        ("hex", {"board_size": -5}, "refuses it: no action is legal"),
    ],
)
def test_a_trial_refuses(name: str, parameters: dict[str, int], says: str) -> None:
    with pytest.raises(TrialError) as refusal:
        tried(name, tuple(parameters.items()), 2)

    assert says in str(refusal.value)


def test_a_trial_accepts() -> None:
    tried("hex", (("board_size", 5),), 2)
