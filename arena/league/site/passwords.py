"""Passwords by argon2id, a few at a time: each takes tens of megabytes of memory."""

from threading import BoundedSemaphore
from typing import Any

from django.contrib.auth.hashers import Argon2PasswordHasher

AT_ONCE = 4
_PLACES = BoundedSemaphore(AT_ONCE)


class BoundedArgon2(Argon2PasswordHasher):
    """Argon2id with the memory of RFC 9106 for small machines, at most AT_ONCE at the same time."""

    time_cost = 3
    memory_cost = 64 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> Any:
        """Return the hash of a password."""
        with _PLACES:
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> Any:
        """Whether a password has this hash."""
        with _PLACES:
            return super().verify(password, encoded)
