"""`bilex demo`: from two vector files to a dictionary, on the sample data of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bilex.cli.help_text import add_command
from bilex.cli.places import check_writable
from bilex.cli.screen import command_line, note

EXAMPLES = ("bilex demo", "bilex translate bilex-demo/en-es bread --probabilities")

WORDS = ("water", "house", "bread", "river", "king", "sword", "green", "wisdom", "wept", "kissed")
"""Shown with their translations; none of them is a seed word."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, demo, *EXAMPLES)


def demo(
    folder: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Folder to write: a new one, or one of a demo."
        ),
    ] = Path("bilex-demo"),
) -> None:
    """Make an English-Spanish dictionary from sample data, offline.

    Takes about a minute. Shows each command before it runs, so that you can run it again with
    other settings or with your own files.
    """
    from bilex.sample import copy_sample

    check_writable(folder)
    copy_sample(folder)
    note(f"The sample data is in {folder}; {folder / 'README.md'} describes it.")
    model, dictionary = folder / "en-es", folder / "en-es.tsv"
    _say("Train on two vector files and some word pairs:")
    vectors = folder / "en.vec.gz", folder / "es.vec.gz"
    _run("fit", *vectors, folder / "seeds.tsv", "-o", model)
    _say("Translate words that were not among the pairs:")
    _run("translate", model, *WORDS, "-k", 3, "--probabilities")
    _say("Measure how many answers are right, on test pairs that were not used for training:")
    _run("evaluate", model, folder / "test.tsv")
    _say("Write the whole dictionary:")
    _run("induce", model, "-o", dictionary)
    _say(
        "What to try next:",
        f"  {command_line('translate', model, 'mother')}",
        f"  {command_line('translate', model, 'madre', '--reverse')}",
        f"  {command_line('induce', model, '-o', 'sure.tsv', '--min-precision', 0.9)}",
        "  bilex inspect YOUR.vec OTHER.vec PAIRS.csv    # check your own files",
        "  bilex data list                               # where to get vectors and word pairs",
        "  bilex vectors TEXT.txt -o xx.vec              # if you have text and no vectors",
    )


def _say(*lines: str) -> None:
    note("")
    for line in lines:
        note(line)


def _run(*arguments: object) -> None:
    """Show a command, then run it."""
    from bilex.cli.app import app

    note(f"$ {command_line(*arguments)}")
    app([str(argument) for argument in arguments], prog_name="bilex", standalone_mode=False)
