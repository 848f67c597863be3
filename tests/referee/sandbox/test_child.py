"""A child starts without being waited for, and reports each way in which it cannot start."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from referee.sandbox.child import SECOND_NS, Child, Command, PrepareError
from referee.sandbox.new_process import FIRST
from referee.sandbox.steps import Step

PATIENCE_NS = 60 * SECOND_NS
Begin = Callable[..., Child]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    begun: list[Child] = []

    def beginner(
        *argv: str,
        folder: str | None = None,
        descriptors: tuple[int, ...] = (),
        steps: Sequence[Step] = (),
        **env: str,
    ) -> Child:
        command = Command(
            argv=argv,
            folder=folder or str(tmp_path),
            env={"PATH": os.defpath, **env},
            descriptors=descriptors,
            steps=steps,
        )
        begun.append(Child(command))
        return begun[-1]

    yield beginner
    for child in begun:
        child.kill()
        assert child.wait(PATIENCE_NS) is not None
        child.close()


def output_of(child: Child) -> str:
    """Return all that a child has printed, after its end."""
    child.confirm()
    assert child.wait(PATIENCE_NS) == 0
    return os.read(child.output, 1 << 16).decode()


def test_two_children_are_prepared_at_the_same_time(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first_in, first_out), (second_in, second_out) = os.pipe(), os.pipe()

    def meet(says: int, hears: int) -> None:
        os.write(says, b"!")
        os.read(hears, 1)  # waits until the other child is in its preparation

    monkeypatch.setattr("referee.sandbox.steps._STEPS", {"meet": meet})
    children = [
        begin("true", steps=[("meet", first_out, second_in)]),
        begin("true", steps=[("meet", second_out, first_in)]),
    ]

    assert [output_of(child) for child in children] == ["", ""]
    for descriptor in (first_in, first_out, second_in, second_out):
        os.close(descriptor)


def test_a_child_has_its_folder_and_environment_and_no_input(begin: Begin, tmp_path: Path) -> None:
    said = output_of(begin("sh", "-c", 'pwd; echo "$NAME"; cat', NAME="a bot"))

    assert said.splitlines() == [str(tmp_path), "a bot"]


def test_a_child_inherits_the_named_descriptors_alone_with_small_numbers(begin: Begin) -> None:
    pipes = [os.pipe() for _ in range(40)]
    (_, low), *_, (high_in, high) = pipes
    os.set_inheritable(pipes[20][0], True)  # noqa: FBT003 - no other form
    found = output_of(
        begin("sh", "-c", "echo high >&3; ls /proc/$$/fd", descriptors=(high, low))
    ).split()

    assert os.read(high_in, 100) == b"high\n"
    assert set(found) - {"0", "1", "2"} == {str(FIRST), str(FIRST + 1)}
    for ends in pipes:
        for end in ends:
            os.close(end)


@pytest.mark.parametrize(
    ("program", "folder", "name", "number"),
    [
        ("no-such-program", None, "no-such-program", 2),
        ("/etc/passwd", None, "/etc/passwd", 13),
        ("true", "/no/such/folder", "/no/such/folder", 2),
    ],
)
def test_what_cannot_be_executed_is_reported_with_its_name(
    begin: Begin, program: str, folder: str | None, name: str, number: int
) -> None:
    with pytest.raises(OSError, match=r"No such file|Permission denied") as caught:
        begin(program, folder=folder).confirm()

    assert (caught.value.errno, caught.value.filename) == (number, name)


def test_a_failed_step_is_distinguished_from_a_missing_program(begin: Begin) -> None:
    with pytest.raises(PrepareError, match="invalid resource"):
        begin("true", steps=[("limit", 10**6, 0)]).confirm()


def test_a_child_runs_in_its_own_session_until_it_is_killed(begin: Begin) -> None:
    child = begin("sleep", "86399")
    child.confirm()

    assert os.getsid(child.pid) == child.pid
    assert child.wait(0) is None
    child.kill()
    began_ns = time.monotonic_ns()
    assert child.wait(PATIENCE_NS) == -9
    assert time.monotonic_ns() - began_ns < PATIENCE_NS
