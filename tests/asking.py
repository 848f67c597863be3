"""Run the command as a fork of the server of `preloaded.py`: `asking.py ADDRESS arena ARGUMENTS`.

A program for tests of scripts: it has the streams, the folder, the environment and the exit code of
the command, but imports next to nothing. Signals do not reach the command.
"""

import json
import os
import socket
import sys

LONGEST = 1 << 20


def main() -> None:
    """Ask for the fork and exit as it does."""
    address, *arguments = sys.argv[1:]
    request = {"arguments": arguments, "folder": os.getcwd(), "env": dict(os.environ)}  # noqa: PTH109 - pathlib is too large
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control.connect(address)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    socket.send_fds(control, [json.dumps(request).encode()], [0, 1, 2, theirs.fileno()])
    theirs.close()
    ours.recv(LONGEST)  # its pid
    sys.exit(os.waitstatus_to_exitcode(int(ours.recv(LONGEST))))


if __name__ == "__main__":
    main()
