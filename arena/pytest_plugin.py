"""A plugin for pytest: `pytest --arena-game NAME` checks the rules of a game by random play.

Each rule is a separate test for each variant and number of seats. pytest loads this module in
every session where Arena is installed, so it imports nothing of Arena before it is used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from arena.testing import Case
    from arena.testing.check import Rule


QUIET_S = 10.0
"""Time in s of a test before its first notice; the next ones come after ever longer times."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("arena").addoption(
        "--arena-game",
        action="append",
        default=[],
        metavar="NAME",
        help="check the rules of this game of Arena by random play",
    )


def pytest_terminal_summary(
    terminalreporter: "pytest.TerminalReporter", exitstatus: int, config: pytest.Config
) -> None:
    """Print what each seat of the named games learns, for their authors to check."""
    if exitstatus != pytest.ExitCode.OK:
        return
    for name in config.getoption("--arena-game"):
        from arena.testing import learned

        try:
            report = learned(name)
        except Exception as error:  # noqa: BLE001 - the rules that were not chosen may be broken
            report = f"{name}: no report of what seats learn: {error}"
        terminalreporter.write_line(f"\n{report}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add a test for each rule of the named games."""
    for name in config.getoption("--arena-game"):
        items += _tests_of(name, session)


def _tests_of(name: str, session: pytest.Session) -> Iterator[pytest.Item]:
    from arena.testing import RULES, BrokenRuleError, cases_of
    from referee.catalog import BrokenGameError, UnknownGameError

    try:
        cases = list(cases_of(name))
    except (UnknownGameError, BrokenGameError, BrokenRuleError) as error:
        raise pytest.UsageError(f"--arena-game: {error}") from None
    for case in cases:
        for rule in RULES:
            label = f"arena[{case}]::{rule.__name__}"
            yield RuleTest.from_parent(session, name=label, rule=rule, case=case)


class RuleTest(pytest.Item):
    """The test of one rule for one case of a game."""

    def __init__(self, *, rule: "Rule", case: "Case", **named: Any) -> None:
        super().__init__(**named)
        self._rule = rule
        self._case = case

    def runtest(self) -> None:
        """Check the rule."""
        from arena.testing import check_rule

        with announced(self.name, self.config):
            check_rule(self._rule, self._case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the broken rule, and below it the traceback of an error in the game's methods."""
        from arena.testing import BrokenRuleError
        from referee.blame import rules_traceback

        if not isinstance(excinfo.value, BrokenRuleError):
            return super().repr_failure(excinfo, style)
        cause = excinfo.value.__cause__
        trace = rules_traceback(cause) if cause is not None else ""
        return f"{excinfo.value}\n{trace}".rstrip()

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the name shown above a failure."""
        return self.path, None, self.name


@contextmanager
def announced(name: str, config: pytest.Config) -> Iterator[None]:
    """Print the name and the time of a test that takes long."""
    over = Event()

    def announce() -> None:
        capture = config.pluginmanager.getplugin("capturemanager")
        passed, due = 0.0, QUIET_S
        while not over.wait(due - passed):
            passed, due = due, 2 * due
            with capture.global_and_fixture_disabled():
                config.get_terminal_writer().line(f"\n{name}: still checked after {passed:g} s")

    thread = Thread(target=announce, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
