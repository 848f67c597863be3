"""Bots and configs shipped with Arena, in a source checkout or in the installed package."""

import re
from pathlib import Path

from arena.errors import UsageError, absence, cause
from protocol.wording import did_you_mean, nearest_name

MANIFEST = "bot.yaml"
MAX_MANIFEST_BYTES = 64 * 1024
MAX_NEARBY = 100
"""Limit of the configs in a folder that a wrong name is compared with."""
_ENDING = re.compile(r"\.ya?ml$")
"""The ending of a config, in which all names are alike."""
_GAME = re.compile(rb"^game *:", re.MULTILINE)


def data_root() -> Path:
    """Return the parent folder of `bots` and `configs`."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "data"
    return installed if installed.is_dir() else package.parent


def shipped_sources() -> tuple[Path, ...]:
    """Return the resolved folders of shipped files that bots may include.

    In a checkout these are parts of `bots` only, since an organiser may have added bots of other
    authors.
    """
    root = data_root()
    is_installed = root == Path(__file__).resolve().parents[1] / "data"
    return (root,) if is_installed else (root / "bots" / "sdk", root / "bots" / "boards")


def is_shipped_source(path: Path) -> bool:
    """Whether a resolved path is in a folder of shipped files that bots may include."""
    return any(path.is_relative_to(folder) for folder in shipped_sources())


def shipped_configs() -> tuple[str, ...]:
    """Return the paths of the shipped configs, like `configs/pente.yaml`; subfolders are last."""
    root = data_root()
    found = (root / "configs").rglob("*.yaml")
    names = (path.relative_to(root).as_posix() for path in found)
    return tuple(sorted(names, key=lambda name: (name.count("/"), name)))


def shipped_bots() -> dict[str, Path]:
    """Return the manifests of the shipped bots by name, like `greedy` and `starter/c`."""
    root = data_root() / "bots"
    found = [*root.glob(f"*/{MANIFEST}"), *root.glob(f"*/*/{MANIFEST}")]
    return {path.parent.relative_to(root).as_posix(): path for path in sorted(found)}


def resolve(path_text: str) -> Path:
    """Return the path of a config: an existing file, or a shipped config; or raise UsageError."""
    path = Path(path_text)
    try:
        if path.exists():
            return path
    except (OSError, ValueError) as error:
        raise UsageError(f"{path_text!a}: {cause(error, path)}") from None
    if path.is_symlink():
        raise UsageError(absence(path))
    known = shipped_configs()
    if path_text.removeprefix("./") in known:
        return data_root() / path_text
    nearby = filter(_is_event, sorted(path.parent.glob("*.yaml"))[:MAX_NEARBY])
    names = {name.removesuffix(".yaml"): name for name in (*map(str, nearby), *known)}
    nearest = nearest_name(_ENDING.sub("", path_text), names)
    hint = did_you_mean(names[nearest] if nearest else "", tuple(names.values()))
    if path.name and (same := [name for name in known if Path(name).stem == path.stem]):
        hint = did_you_mean(same[0], known)
    raise UsageError(f"{path_text}: this config does not exist; {hint}")


def _is_event(path: Path) -> bool:
    """Whether a file looks like the config of an event, which names its game."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return _GAME.search(file.read(MAX_MANIFEST_BYTES)) is not None
    except OSError:
        return False
