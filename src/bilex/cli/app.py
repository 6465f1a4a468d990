"""The `bilex` command: its sub-commands, and how errors reach the user."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, TextIO

import typer

from bilex.cli import (
    bench,
    convert,
    data,
    demo,
    evaluate,
    examples,
    export,
    fit,
    formats,
    induce,
    inspect,
    presets,
    seeds,
    translate,
    vectors,
)
from bilex.cli.screen import note, result, use_utf8
from bilex.errors import BilexError, BilexWarning
from bilex.storage.version import __version__

USER_ERROR = 2
INTERRUPTED = 130

app = typer.Typer(
    name="bilex",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="From two word-embedding files and a few seed pairs to a bilingual lexicon.",
    epilog="Start with: `bilex fit en.vec fr.vec seeds.tsv -o en-fr`, "
    "then `bilex induce en-fr -o en-fr.tsv`",
)
COMMANDS = (
    demo,
    fit,
    translate,
    induce,
    export,
    evaluate,
    inspect,
    convert,
    formats,
    presets,
    seeds,
    data,
    vectors,
    examples,
    bench,
)
for module in COMMANDS:
    module.register(app)


class _Notes(logging.Handler):
    """Prints what is logged as notes, above a bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        note(self.format(record))


def _print_version(wanted: bool) -> None:
    if wanted:
        result(f"bilex {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="And exit.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show what the library does, on stderr.")
    ] = False,
) -> None:
    """Set up what all commands share."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, handlers=[_Notes()], format="%(name)s: %(message)s")


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    # Threads that spin while they wait take the cores from a browser, and from each other. Read by
    # torch when it is imported, so never later than here.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    use_utf8()
    try:
        with _printed_warnings():
            app(prog_name="bilex")
    except BilexError as error:
        _fail(str(error), USER_ERROR)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: nothing is wrong, but Python would
        # complain while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.filename or 'a file'}: {error.strerror or error}", USER_ERROR)
    except KeyboardInterrupt:
        _fail("interrupted; nothing was left half-written", INTERRUPTED)


@contextmanager
def _printed_warnings() -> Iterator[None]:
    """Print what the library warns of as lines on stderr."""
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
