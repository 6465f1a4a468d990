"""API keys: made and removed on the command line, stored as hashes, read again when they change."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bilex.errors import InputFileError, SettingError
from bilex.registry import did_you_mean
from bilex.service.api.rates import Rate
from bilex.storage.files import writing

SCOPES = ("translate", "glossary", "lexicon", "metrics")
"""What a key may be for."""

_log = logging.getLogger(__name__)

_TOKEN = re.compile(r"bilex_([0-9a-f]{8})_([0-9a-f]{64})")
_NAME = re.compile(r"[\w .@-]{1,60}")
_NOBODYS = hashlib.sha256(secrets.token_bytes()).digest()
_SECONDS_BETWEEN_LOOKS = 1.0


@dataclass(frozen=True)
class Key:
    """A key without its secret.

    Attributes:
        name: Who uses it; stands in logs.
        identity: The part of the token that is not secret.
        digest: SHA-256 of the token. A token has 256 random bits, so it needs no salt.
        scopes: What it is for.
        rate: How many requests it may make; None for any number.
    """

    name: str
    identity: str
    digest: bytes
    scopes: frozenset[str]
    rate: Rate | None = None


class Keys:
    """All keys of a file."""

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self.all = tuple(keys)
        self._by_identity: Mapping[str, Key] = {one.identity: one for one in self.all}

    def find(self, token: str) -> Key | None:
        """Return the key of a token; None if there is none.

        The time that it takes says nothing about the secret part.
        """
        parts = _TOKEN.fullmatch(token)
        key = None if parts is None else self._by_identity.get(parts[1])
        digest = hashlib.sha256(token.encode()).digest()
        is_right = hmac.compare_digest(digest, _NOBODYS if key is None else key.digest)
        return key if is_right else None


class WatchedKeys:
    """The keys of a file, read again when it has changed.

    A file that cannot be read any more leaves the keys as they were.

    Raises:
        InputFileError: If it cannot be read the first time.
    """

    def __init__(self, path: Path, *, every: float = _SECONDS_BETWEEN_LOOKS) -> None:
        self._path, self._every = path, every
        self._signature = _signature(path)
        self._keys = read_keys(path)
        self._next_look = time.monotonic() + every
        self._problem = ""

    def current(self) -> Keys:
        """Return the keys."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + self._every
            self._look()
        return self._keys

    def _look(self) -> None:
        try:
            signature = _signature(self._path)
            if signature == self._signature:
                return
            self._keys, self._signature, self._problem = read_keys(self._path), signature, ""
            _log.info("%s has %d keys now", self._path, len(self._keys.all))
        except (InputFileError, OSError) as problem:
            if str(problem) != self._problem:
                self._problem = str(problem)
                _log.error("the keys stay as they are: %s", problem)


def read_keys(path: Path) -> Keys:
    """Read a file of keys.

    Raises:
        InputFileError: If it is not there, or not a file of keys.
    """
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["keys"]
        return Keys(map(_key, listed))
    except FileNotFoundError:
        raise InputFileError(
            path, f"no such file; make a key with `bilex serve keys add NAME --keys {path}`"
        ) from None
    except OSError as problem:
        raise InputFileError(path, f"cannot be read: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise InputFileError(
            path, f"is not a file of keys ({problem}): expected one of `bilex serve keys add`"
        ) from None


def add_key(path: Path, name: str, scopes: Sequence[str], rate: Rate | None) -> str:
    """Make a key, add it to a file and return its token, which is stored nowhere.

    Raises:
        SettingError: If there is a key of this name, or a scope is unknown.
        InputFileError: If the file is not a file of keys.
    """
    if not _NAME.fullmatch(name) or name != name.strip():
        raise SettingError(
            f"{name!r} cannot be the name of a key: use up to 60 letters, digits, spaces and .@-_"
        )
    for scope in scopes:
        if scope not in SCOPES:
            raise SettingError(
                f"there is no scope {scope!r}{did_you_mean(scope, SCOPES)}: choose from "
                f"{', '.join(SCOPES)}"
            )
    if not scopes:
        raise SettingError(f"a key needs a scope: choose from {', '.join(SCOPES)}")
    keys = read_keys(path).all if path.exists() else ()
    if any(one.name == name for one in keys):
        raise SettingError(f"there is a key {name!r} already: choose another name, or remove it")
    identity = secrets.token_hex(4)
    while any(one.identity == identity for one in keys):
        identity = secrets.token_hex(4)
    token = f"bilex_{identity}_{secrets.token_hex(32)}"
    digest = hashlib.sha256(token.encode()).digest()
    _write(path, (*keys, Key(name, identity, digest, frozenset(scopes), rate)))
    return token


def remove_key(path: Path, name: str) -> None:
    """Remove a key from a file.

    Raises:
        SettingError: If there is none of this name.
        InputFileError: If the file is not a file of keys.
    """
    keys = read_keys(path).all
    left = tuple(one for one in keys if one.name != name)
    if len(left) == len(keys):
        names = [one.name for one in keys]
        raise SettingError(
            f"there is no key {name!r}{did_you_mean(name, names)}; there are: "
            f"{', '.join(names) or 'none'}"
        )
    _write(path, left)


def _key(entry: Mapping[str, object]) -> Key:
    digest, rate, scopes = bytes.fromhex(str(entry["sha256"])), entry["rate"], entry["scopes"]
    if len(digest) != 32 or not isinstance(scopes, list) or not set(scopes) <= set(SCOPES):
        raise ValueError(f"the key {entry['name']!r} has a wrong hash or wrong scopes")
    return Key(
        str(entry["name"]),
        str(entry["id"]),
        digest,
        frozenset(scopes),
        None if rate is None else Rate.of_text(str(rate)),
    )


def _write(path: Path, keys: Iterable[Key]) -> None:
    listed = [
        {
            "name": one.name,
            "id": one.identity,
            "sha256": one.digest.hex(),
            "scopes": [scope for scope in SCOPES if scope in one.scopes],
            "rate": None if one.rate is None else str(one.rate),
        }
        for one in keys
    ]
    old = path.stat() if path.exists() else None
    with writing(path) as part:
        part.touch(mode=0o600)
        part.write_text(
            json.dumps({"keys": listed}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        if old is not None and os.name == "posix":  # the server may run as somebody else
            part.chmod(old.st_mode & 0o777)
            if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
                os.chown(part, old.st_uid, old.st_gid)


def _signature(path: Path) -> object:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size
