"""Read TOML tables strictly: unknown keys and wrong types are errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from bilex.errors import InputFileError
from bilex.registry import did_you_mean

T = TypeVar("T")


class CheckedTable:
    """One table of a file, with checked keys.

    Args:
        path: The file, for messages.
        name: The name of the table in the file, such as `[data]`.
        values: The content of the table.
        known: The valid keys; None allows any key.
        renamed: New names of old keys, for messages.

    Raises:
        InputFileError: If `values` is not a table, or a key is unknown.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        values: object,
        known: Sequence[str] | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        if not isinstance(values, Mapping):
            raise InputFileError(path, f"{name} is {values!r}: expected a table")
        self.path = path
        self.name = name
        self.values: Mapping[str, Any] = values
        for key in values:
            if key in (renamed or {}):
                new = (renamed or {})[key]
                raise InputFileError(
                    path, f"{name} has {key!r}, which was renamed to {new!r}: change the key"
                )
            if known is not None and key not in known:
                raise InputFileError(
                    path,
                    f"{name} has no setting {key!r}{did_you_mean(key, known)}; "
                    f"it has: {', '.join(known)}",
                )

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Any:  # noqa: ANN401 - an iterator over keys
        return iter(self.values)

    def error(self, problem: str) -> InputFileError:
        """Return an error about this table."""
        return InputFileError(self.path, f"{self.name} {problem}")

    def text(self, key: str) -> str | None:
        """Return a string; None if it is absent."""
        return self._typed(key, str, "a text in quotes")

    def flag(self, key: str) -> bool:
        """Return a boolean; false if it is absent."""
        return bool(self._typed(key, bool, "true or false"))

    def count(self, key: str, *, smallest: int) -> int | None:
        """Return a whole number of at least `smallest`; None if it is absent."""
        value = self._typed(key, int, f"a whole number, {smallest} or more")
        if value is not None and value < smallest:
            raise self._wrong(key, value, f"a whole number, {smallest} or more")
        return value

    def share(self, key: str) -> float | None:
        """Return a number between 0 and 1, both excluded; None if it is absent."""
        expected = "a share between 0 and 1, such as 0.2"
        value = self._typed(key, float, expected)
        if value is not None and not 0 < value < 1:
            raise self._wrong(key, value, expected)
        return value

    def choice(self, key: str, choices: Sequence[str], default: str) -> str:
        """Return one of several strings."""
        value = self.text(key)
        if value is not None and value not in choices:
            hint = did_you_mean(value, choices)
            raise self._wrong(key, value, f"one of {', '.join(choices)}{hint}")
        return default if value is None else value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of strings; None if it is absent."""
        return self._list(key, str, "a list of texts in quotes")

    def counts(self, key: str) -> tuple[int, ...] | None:
        """Return a list of whole numbers, 0 or more; None if it is absent."""
        values = self._list(key, int, "a list of whole numbers, 0 or more")
        for value in values or ():
            if value < 0:
                raise self._wrong(key, value, "whole numbers, 0 or more")
        return values

    def table(
        self,
        key: str,
        known: Sequence[str] | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> CheckedTable:
        """Return a table inside this one; empty if it is absent."""
        name = f"[{key}]" if not self.name.startswith("[") else f"{self.name[:-1]}.{key}]"
        return CheckedTable(self.path, name, self.values.get(key, {}), known, renamed)

    def need(self, key: str, value: T | None, example: str) -> T:
        """Return the value of a required key."""
        if value is None:
            raise self.error(f"has no {key!r}: add {key} = {example}")
        return value

    def _typed(self, key: str, kind: type[T], expected: str) -> T | None:
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._wrong(key, value, expected)
        return value

    def _list(self, key: str, kind: type[T], expected: str) -> tuple[T, ...] | None:
        values = self._typed(key, list, expected)
        if values is None:
            return None
        for value in values:
            if not isinstance(value, kind) or isinstance(value, bool):
                raise self._wrong(key, value, expected)
        return tuple(values)

    def _wrong(self, key: str, value: object, expected: str) -> InputFileError:
        return self.error(f"has {key} = {value!r}: expected {expected}")
