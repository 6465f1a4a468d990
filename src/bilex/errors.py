"""All errors and warnings that bilex raises.

    BilexError
    ├── InputFileError (ValueError)      a file is damaged or has another format
    │   ├── VectorFileError              … a file of word vectors
    │   ├── LexiconFileError             … a file of word pairs
    │   ├── DictionaryFileError          … a file of dictionary entries
    │   ├── ModelFolderError             … a folder written by `fit`
    │   └── ReviewFileError              … a log or backup of reviewers' decisions
    ├── SettingError (ValueError)        a setting is unknown, out of bounds or of no effect
    ├── UnknownPluginError (LookupError) no installed plugin has this name
    ├── PluginError (TypeError)          an installed plugin cannot be loaded or used
    ├── EmptyLexiconError (ValueError)   no seed pair is left to learn from
    ├── DimensionError (ValueError)      vectors whose sizes do not fit together
    ├── NotFittedError (RuntimeError)    `fit` was not called
    ├── DownloadError (OSError)          a file cannot be downloaded
    ├── EventError (ValueError)          an action of a reviewer that cannot be stored
    ├── StoreError (RuntimeError)        a database of reviewers' decisions that cannot be used
    ├── ServiceError (RuntimeError)      a lexicon service does not answer, or refuses a request
    └── MissingExtraError (ImportError)  an optional dependency is not installed

A message says what was found, what was expected and what to do. A problem that does not stop the
work is a `BilexWarning`.
"""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path


class BilexWarning(UserWarning):
    """Something a user should know about a result, such as a map that looks wrong."""


def warn_user(message: str) -> None:
    """Emit a `BilexWarning` that points at the code which called bilex, not into bilex."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("bilex."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BilexWarning, stacklevel=level)


class BilexError(Exception):
    """Base class of all errors that bilex raises."""


class InputFileError(BilexError, ValueError):
    """A file cannot be read; the message has the path, the line and a fix."""

    def __init__(self, path: Path | str, problem: str, *, line: int | None = None) -> None:
        self.path = Path(path)
        self.problem = problem
        self.line = line
        where = str(path) if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {problem}")


class VectorFileError(InputFileError):
    """A file of word vectors is damaged or not a file of word vectors."""


class LexiconFileError(InputFileError):
    """A file of word pairs is damaged or not a file of word pairs."""


class DictionaryFileError(InputFileError):
    """A file of dictionary entries is damaged, or a format cannot hold an entry."""


class ModelFolderError(InputFileError):
    """A model folder is incomplete, damaged or made by an incompatible version."""


class ReviewFileError(InputFileError):
    """A log or backup of reviewers' decisions is damaged or has another format."""


class SettingError(BilexError, ValueError):
    """A setting is unknown, out of bounds, clashes with another or would have no effect."""


class UnknownPluginError(BilexError, LookupError):
    """No installed plugin has this name."""


class PluginError(BilexError, TypeError):
    """A plugin is installed but cannot be loaded, or does not have the required form."""


class EmptyLexiconError(BilexError, ValueError):
    """No pair is left to learn from or to score."""


class DimensionError(BilexError, ValueError):
    """Vectors or matrices have sizes that do not fit together."""


class NotFittedError(BilexError, RuntimeError):
    """There is no model yet: `fit` was not called."""


class DownloadError(BilexError, OSError):
    """A file cannot be downloaded; the message says why and what to do."""


class EventError(BilexError, ValueError):
    """An action of a reviewer that cannot be stored."""


class StoreError(BilexError, RuntimeError):
    """A database of reviewers' decisions is missing, of another version, or does not answer."""


class AccountError(BilexError, ValueError):
    """An account, invitation or password is refused; the message says why."""


class ServiceError(BilexError, RuntimeError):
    """A lexicon service does not answer, or refuses a request; the message says what to do.

    Attributes:
        status: The HTTP status; None if there was no answer.
        code: A short name that programs can test, such as unknown-pair, unreachable or timeout.
    """

    def __init__(self, message: str, *, status: int | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


class MissingExtraError(BilexError, ImportError):
    """An optional dependency is needed; the message has the command that installs it."""


_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal: escape sequences and changes of text direction."""


def visible(text: str) -> str:
    r"""Return the text with control characters as \u001b; tabs and line breaks are kept."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
