"""The `bilex` command: its sub-commands, and how errors reach the user."""

from __future__ import annotations

import errno
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TextIO

import typer

from bilex.cli.help_text import SETTINGS, example_lines
from bilex.cli.lazy_group import LazyGroup, Listed
from bilex.cli.screen import note, result, use_utf8
from bilex.errors import BilexError, BilexWarning
from bilex.storage.version import __version__

USER_ERROR = 2
INTERRUPTED = 130

_WINDOWS = sys.platform == "win32"
_MAKE, _DATA, _REFERENCE, _RESEARCH = (
    "Make and use a dictionary",
    "Prepare data",
    "Look up",
    "Research",
)
COMMANDS = {
    "demo": Listed(_MAKE, "Make an English-Spanish dictionary from sample data, offline."),
    "fit": Listed(_MAKE, "Train a model from two vector files and seed pairs."),
    "translate": Listed(_MAKE, "Translate words."),
    "induce": Listed(_MAKE, "Translate every word of the model: write the dictionary."),
    "export": Listed(_MAKE, "Write a model's dictionary, or its vectors in one space."),
    "glossary": Listed(_MAKE, "Find the terms of a dictionary in a text."),
    "mcp": Listed(_MAKE, "Let an assistant look up words and terms (Model Context Protocol)."),
    "review": Listed(_MAKE, "Check a dictionary in the browser, word by word."),
    "serve": Listed(_MAKE, "Answer over HTTP: words, terms of texts and whole dictionaries."),
    "fleet": Listed(_MAKE, "Make lexicons between many languages, through a hub."),
    "evaluate": Listed(_MAKE, "Measure how many answers of a model are right, on test pairs."),
    "inspect": Listed(_DATA, "Check vectors and seed pairs before training."),
    "convert": Listed(_DATA, "Convert vectors or a dictionary to another format."),
    "vectors": Listed(_DATA, "Make word vectors from plain text."),
    "examples": Listed(_DATA, "Print sentences of a text that contain a word."),
    "seeds": Listed(_DATA, "Get seed pairs from Wiktionary, PanLex and other dictionaries."),
    "data": Listed(_DATA, "Find and download vectors, seed pairs and test sets."),
    "presets": Listed(_REFERENCE, "List the training methods, or show the settings of one."),
    "formats": Listed(_REFERENCE, "List the dictionary formats."),
    "bench": Listed(_RESEARCH, "Compare methods on many language pairs and seed sizes."),
}
"""By name; each is in the module of the same name."""


class ReaderGoneError(Exception):
    """The program that reads our output, such as head or less, has ended."""


class InterruptedByUserError(Exception):
    """The user pressed Ctrl-C."""


class Program(LazyGroup):
    """All commands; typer would end the process for two errors that `main` reports itself."""

    listed = COMMANDS

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run a command, and write its output before the program ends."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except KeyboardInterrupt:
            raise InterruptedByUserError from None
        except OSError as error:
            if not _is_closed_pipe(error):
                raise
            raise ReaderGoneError from None


app = typer.Typer(
    name="bilex",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
    help="Make a bilingual dictionary from word vectors of two languages and some word pairs.",
    epilog=example_lines(
        "bilex demo",
        "bilex fit en.vec fr.vec seeds.tsv -o en-fr",
        "bilex translate en-fr house",
        "bilex induce en-fr -o en-fr.tsv",
    ),
)


class _Notes(logging.Handler):
    """Prints log records as notes, above the progress bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        note(self.format(record))


def _print_version(wanted: bool) -> None:
    if wanted:
        result(f"bilex {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print more details about each step to stderr.")
    ] = False,
) -> None:
    """Set up what all commands share."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, handlers=[_Notes()], format="%(name)s: %(message)s")


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    # Threads that spin while they wait take the cores from other programs, and from each other.
    # torch reads this when it is imported, so it must be set here.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    use_utf8()
    try:
        with _printed_warnings():
            app(prog_name="bilex")
    except BilexError as error:
        _fail(str(error), USER_ERROR)
    except ReaderGoneError:
        # Not an error, but Python would report one when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or error}", USER_ERROR)
    except (InterruptedByUserError, KeyboardInterrupt):
        _fail("interrupted; no incomplete file was left", INTERRUPTED)


def _is_closed_pipe(error: OSError) -> bool:
    """Return whether nobody reads our output any more; Windows reports that as EINVAL."""
    if isinstance(error, BrokenPipeError):
        return True
    return _WINDOWS and error.errno == errno.EINVAL and error.filename is None


@contextmanager
def _printed_warnings() -> Iterator[None]:
    """Print warnings of the library as lines on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BilexWarning)
        show = warnings.showwarning

        def print_ours(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, BilexWarning):
                note(f"warning: {message}")
            else:
                show(message, category, filename, lineno, file, line)

        warnings.showwarning = print_ours
        yield


def _fail(message: str, code: int) -> None:
    note(f"bilex: {message}")
    sys.exit(code)
