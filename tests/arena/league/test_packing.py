"""What `arena hand-in` sends of a folder."""

import io
import zipfile
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.client import packed


def names_in(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()


@pytest.mark.parametrize("reference", ["my-bot", "./my-bot", "my-bot/../my-bot", "a-link"])
def test_a_folder_is_packed_whatever_way_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    (tmp_path / "my-bot/part").mkdir(parents=True)
    for name in ("bot.yaml", "part/main.py", ".hidden"):
        (tmp_path / "my-bot" / name).write_text("text")
    (tmp_path / "a-link").symlink_to("my-bot")
    monkeypatch.chdir(tmp_path)

    name, data = packed(Path(reference))

    assert name == "my-bot.zip"
    assert names_in(data) == ["bot.yaml", "part/main.py"]


def test_a_link_below_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "my-bot").mkdir()
    (tmp_path / "my-bot/main.py").symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match=r"main\.py"):
        packed(tmp_path / "my-bot")
