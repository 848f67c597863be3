"""A flag that tells the referees whether anybody watches."""

import mmap
import os

from arena.errors import MachineError


class Flag:
    """The number of the audience in memory shared with all referees; 0 is nobody."""

    def __init__(self) -> None:
        """Create the flag; raises MachineError."""
        try:
            self.descriptor = os.memfd_create("arena-audience")
            os.ftruncate(self.descriptor, 1)
            self._flag = mmap.mmap(self.descriptor, 1)
        except OSError as error:
            raise MachineError(f"shared memory cannot be used: {error.strerror}") from None

    def set(self, number: int) -> None:
        """Set the number of the audience."""
        self._flag[0] = number

    def close(self) -> None:
        """Release the memory."""
        self._flag.close()
        os.close(self.descriptor)
