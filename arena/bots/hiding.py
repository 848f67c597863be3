"""What a bot names and its sandbox hides: said before the first match, with the cure.

A hidden network or tablebase would not be missed by the bot: many engines then play on without it,
weaker than outside of the sandbox.
"""

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
        if manifest.folder is not None and _leads_out(manifest.folder, text):
            whole = (manifest.folder / text).resolve()
            yield (
                f"option {key}: {quoted(text)} leads out of its folder, and a bot runs in a copy"
                f" of that; write the absolute path, {whole}"
            )


def _leads_out(folder: Path, text: str) -> bool:
    """Whether a relative path leads out of the bot's folder to a file or folder."""
    if text.startswith("/") or ".." not in Path(text).parts or not kind_of(folder / text):
        return False
    return not (folder / text).resolve().is_relative_to(folder)
