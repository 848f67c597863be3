"""Limits of a sandboxed program, and the name of its tier."""

from dataclasses import dataclass

Tier = str
"""Name of a tier of isolation: a key of `referee.sandbox.tiers.TIERS`."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of a program. Threads count as processes."""

    memory_bytes: int | None = 512 * 1024 * 1024
    processes: int = 64
    files: int = 64
    disk_bytes: int = 64 * 1024 * 1024
    """Bytes of files in its temporary folder, removed with its process."""
    scratch_bytes: int = 16 * 1024 * 1024
    """Bytes of files in its scratch folder, kept from run to run."""
    output_bytes: int = 64 * 1024
    """Bytes of stdout and stderr to keep: of their beginning and their end."""
