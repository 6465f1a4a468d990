"""Passwords: which are accepted, and how they are kept."""

from __future__ import annotations

import secrets
import threading
import unicodedata

from bilex.errors import AccountError
from bilex.registry import import_extra

import_extra("argon2", "accounts need", extra="review")

from argon2 import PasswordHasher  # noqa: E402 - after the error
from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: E402

SHORTEST, LONGEST = 12, 200  # characters

_FEWEST_DIFFERENT = 5  # characters
_AT_ONCE = 4  # each takes 19 MiB


class Passwords:
    """Hashes and checks passwords with Argon2id.

    The parameters are those that OWASP's Password Storage Cheat Sheet recommends (19 MiB, two
    passes, one lane). Thread-safe.
    """

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._nobodys = self.hash(secrets.token_urlsafe())

    def hash(self, password: str) -> str:
        """Return what to store."""
        with self._places:
            return self._hasher.hash(_bytes(password))

    def matches(self, stored: str, password: str) -> bool:
        """Return whether a password is right.

        Takes as long if nothing is stored, so that the time does not reveal who has an account.
        """
        with self._places:
            try:
                self._hasher.verify(stored or self._nobodys, _bytes(password[: LONGEST + 1]))
            except (Argon2Error, InvalidHashError):
                return False
        return bool(stored)

    def is_outdated(self, stored: str) -> bool:
        """Return whether a hash was made with other parameters."""
        return self._hasher.check_needs_rehash(stored)


def check_password(password: str, name: str) -> None:
    """Raise an error if a password is easy to guess.

    Raises:
        AccountError: If it is too short, too long, repetitive or contains the name.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise AccountError(
            f"the password has {len(password)} characters, expected {SHORTEST} to {LONGEST}: a "
            "sentence is easy to remember"
        )
    if len(set(password)) < _FEWEST_DIFFERENT:
        raise AccountError("the password repeats few characters: choose a less regular one")
    if name.casefold() in password.casefold() and len(password) < len(name) + SHORTEST:
        raise AccountError("the password is mostly the name: choose another one")


def _bytes(password: str) -> bytes:
    # The same letters are typed as different code points on different systems.
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
