"""One program after another in a sandbox, and what is left of it."""

import select
import subprocess
from pathlib import Path

import pytest
from programs import FAMILY, STAY, all_end, descriptors_of, line_of, python
from waiting import PATIENCE_S

from referee.sandbox.errors import NoStartError
from referee.sandbox.limits import Limits
from referee.sandbox.program import Program
from referee.sandbox.sandbox import Sandbox


@pytest.mark.usefixtures("subreaper")
def test_nothing_of_a_program_is_left_and_other_children_are_spared(rooms: Path) -> None:
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as child:
        with Sandbox.probe() as sandbox, sandbox.run(python(FAMILY + STAY), Limits()) as process:
            pidfds = descriptors_of([process.pid, *map(int, line_of(process).split())])
            assert len(list(rooms.glob("arena-*"))) == 1

        assert all_end(pidfds)
        assert list(rooms.glob("arena-*")) == []
        assert child.poll() is None


@pytest.mark.usefixtures("subreaper", "rooms")
def test_a_program_sees_only_the_given_variables(tmp_path: Path) -> None:
    program = Program(name="guest", argv=("/usr/bin/env",), folder=str(tmp_path))

    with Sandbox(None, None).run(program, Limits(), {"GREETING": "hello"}) as process:
        while select.select([process.output], [], [], PATIENCE_S)[0] and process.drain():
            pass
        names = {line.partition("=")[0] for line in process.tail().splitlines()}

    assert names == {"HOME", "TMPDIR", "LANG", "PATH", "ARENA_SANDBOX", "GREETING"}


@pytest.mark.usefixtures("subreaper")
def test_a_program_that_cannot_start_leaves_nothing(rooms: Path, tmp_path: Path) -> None:
    program = Program(name="guest", argv=("./gone",), folder=str(tmp_path))

    with (
        pytest.raises(NoStartError, match="No such file"),
        Sandbox.probe() as sandbox,
        sandbox.run(program, Limits()),
    ):
        pytest.fail("it runs")

    assert list(rooms.glob("arena-*")) == []
