r"""A vocabulary as bytes: the words in UTF-8, joined by `\n`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bilex.errors import SettingError, VectorFileError


def check_writable(words: Sequence[str], *, forbidden: str = "\n") -> None:
    """Raise if the words could not be separated again when read.

    Raises:
        SettingError: If a word is empty, contains a forbidden character or cannot be encoded.
    """
    for number, word in enumerate(words, start=1):
        bad = next((character for character in forbidden if character in word), None)
        if bad is not None:
            raise SettingError(
                f"word number {number}, {word!r}, contains {bad!r}, which this format does not "
                "allow: rename or remove the word, or choose another format"
            )
        if not word or any("\ud800" <= character <= "\udfff" for character in word):
            raise SettingError(
                f"word number {number} is {word!r}; expected at least one character, "
                "all encodable in UTF-8: rename or remove the word"
            )


def join_words(words: Sequence[str]) -> bytes:
    """Return the words as bytes."""
    check_writable(words)
    return "\n".join(words).encode()


def split_words(blob: bytes, count: int, path: Path) -> list[str]:
    """Return the words in the bytes.

    Raises:
        VectorFileError: If they are not UTF-8, one is empty, or there are not `count` of them.
    """
    try:
        words = blob.decode().split("\n")
    except UnicodeDecodeError as error:
        raise VectorFileError(
            path, f"the words are not UTF-8 ({error}); the file is damaged: write it again"
        ) from None
    if len(words) != count or "" in words:
        found = f"{len(words)} words" if len(words) != count else "an empty word"
        raise VectorFileError(
            path,
            f"found {found} for {count} vectors; expected one word for each vector: "
            "the file is damaged, write it again",
        )
    return words
