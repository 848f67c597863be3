"""What a bot names and its sandbox hides: said before the first match, with the cure.

A hidden network or tablebase would not be missed by the bot: many engines then play on without it,
weaker than outside of the sandbox.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.bots.installations import hidden, hidden_file, installed
from arena.bots.manifest import Manifest
from arena.bots.named_files import kind_of, named_paths, option_texts, own_command
from protocol.wording import quoted


def hidden_from(
    manifest: Manifest, program: str, args: Sequence[str], shown: Sequence[str]
) -> str | None:
    """Return why a bot's program or a named file is hidden from the bot, and the cure, or None.

    `program` is that of its whole command, `args` are those of the player, and `shown` are the
    installations of the event's config.
    """
    programs = [program, *(manifest.starts or ())[:1]]
    detail = hidden([installed(name) or name for name in programs], shown)
    files = (_of_command(manifest, args, shown), _of_options(manifest, shown))
    return detail or next((each for found in files for each in found), None)


def _of_command(manifest: Manifest, args: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Yield the hidden files; folders and temporary files may be for results, with their own."""
    temporary = Path(tempfile.gettempdir()).resolve()
    for path in named_paths([*own_command(manifest)[1:], *args]):
        if kind_of(path) != "file" or path.is_relative_to(temporary):
            continue
        if detail := hidden_file(path, f"{path}, named in its command,", shown):
            yield detail


def _of_options(manifest: Manifest, shown: Sequence[str]) -> Iterator[str]:
    for key, text in option_texts(manifest):
        for path in named_paths([text]):
            if detail := hidden_file(path, f"option {key}: {path}", shown):
                yield detail
        if (meant := _outside(manifest.folder, key, text)) is not None:
            yield (
                f"option {key}: {quoted(text)} is not in its folder, and a bot runs in a copy"
                f" of that; write the absolute path, {meant}"
            )


def _outside(folder: Path | None, key: str, text: str) -> Path | None:
    """Return the file or folder outside of the bot's folder that a relative path means, or None.

    The bot's author may have written it as seen from the folder of the bot, or from the present one
    where an engine is tried by hand.
    """
    if text.startswith("/") or text.strip() in ("", "."):
        return None
    if folder is not None and kind_of(folder / text):
        whole = (folder / text).resolve()
        return whole if ".." in Path(text).parts and not whole.is_relative_to(folder) else None
    here = Path(text).absolute()
    is_path = "/" in text or _PATH.search(key)
    return here.resolve() if is_path and kind_of(here) else None


_PATH = re.compile(r"(?i)(path|file|folder|dir(ectory)?)s?$")
"""Option with a path as its value."""
