"""Errors of a sandbox: the program's own fault, or that of nobody in it."""

import errno

EXHAUSTED = frozenset(
    {errno.EAGAIN, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC}
)
"""Errors of a machine without resources for another process or file."""


class NoStartError(Exception):
    """The program cannot be executed, by its own fault; the text is the reason."""


class SandboxError(Exception):
    """The program cannot be sandboxed, through no fault of its own; the text is the reason."""


class ExhaustedError(SandboxError):
    """The machine lacks resources for a program: memory, processes, files or disk space."""
