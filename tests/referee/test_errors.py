"""Who is to blame for an error, and what is said of it."""

import pytest

from referee.errors import NO_BLAME, BrokenMatchError, Forfeit, LineLostError, ShortageError
from referee.sandbox.errors import ExhaustedError, NoStartError, SandboxError
from referee.service.ends import reason_of


@pytest.mark.parametrize(
    "kind", [BrokenMatchError, LineLostError, SandboxError, ExhaustedError, ShortageError]
)
def test_a_match_that_nobody_broke_is_void_for_its_plainreason_of(kind: type[Exception]) -> None:
    assert issubclass(kind, NO_BLAME)
    assert reason_of(kind("the machine has no memory")) == "the machine has no memory"


@pytest.mark.parametrize("kind", [NoStartError, Forfeit])
def test_a_fault_of_a_bot_is_no_reason_for_a_void_match(kind: type[Exception]) -> None:
    assert not issubclass(kind, NO_BLAME)


def test_an_internal_error_is_named_with_its_place() -> None:
    with pytest.raises(IndexError) as caught:
        [].pop()

    assert reason_of(caught.value).startswith(
        "IndexError: pop from empty list (test_errors.py, line "
    )
