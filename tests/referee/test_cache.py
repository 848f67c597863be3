"""The folder of Arena's own files in a user's cache."""

from pathlib import Path

import pytest

from referee.cache import arena_cache


def test_the_cache_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert arena_cache() == tmp_path / "real/.cache/arena"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert arena_cache() == tmp_path / "caches/arena"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # not allowed by the rules of XDG
    assert arena_cache() == tmp_path / "real/.cache/arena"
