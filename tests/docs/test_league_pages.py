"""The pages about a league that runs for long: their files are those that the tools accept."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league.folder import SiteSection

HOWTO = Path(__file__).resolve().parents[2] / "docs/howto"


def blocks(page: str, kind: str) -> list[str]:
    """Return the blocks of a page that are marked as of a kind."""
    return re.findall(rf"```{kind}\n(.*?)```", (HOWTO / page).read_text(), re.DOTALL)


@pytest.mark.parametrize("number", [0, 1])
def test_systemd_accepts_the_units(number: int, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = blocks("league-as-a-service.md", "ini")[number]
    path = tmp_path / f"arena-league-{number}.service"
    # the user and the checkout of the page are not on this machine
    unit = unit.replace("/opt/arena/.venv/bin/arena", sys.executable)
    path.write_text(unit.replace("User=league", "User=root"))

    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )

    own = [line for line in told.stderr.splitlines() if path.name in line]
    assert own == []


def test_the_keys_of_the_page_about_proxies_are_those_of_the_config() -> None:
    page = (HOWTO / "league-behind-a-proxy.md").read_text()

    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    shown = re.findall(r"^    (\w+): ", page, re.MULTILINE)

    assert named == shown
    assert set(named) <= set(SiteSection.model_fields)
