"""`bilex demo`: from two files of vectors to a dictionary, on the sample of the package."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from bilex.cli.screen import note

EXAMPLE = "Example: `bilex demo`, then `bilex translate bilex-demo/en-es bread --probabilities`"

WORDS = ("water", "house", "bread", "river", "king", "sword", "green", "wisdom", "wept", "kissed")
"""Shown with their translations; none of them is a seed word."""


def register(app: typer.Typer) -> None:
    """Add the command, which runs others of the same program."""

    @app.command(epilog=EXAMPLE)
    def demo(
        folder: Annotated[
            Path,
            typer.Option("--output", "-o", help="Folder to write, new or of a demo."),
        ] = Path("bilex-demo"),
    ) -> None:
        """Make an English–Spanish dictionary from sample data, in about a minute and offline.

        Shows each command before it runs, so that you can run it again with other settings or
        your own files.
        """
        from bilex.sample import copy_sample

        copy_sample(folder)
        note(f"{folder} holds the sample: {folder / 'README.md'} says what is in it")
        model, dictionary = folder / "en-es", folder / "en-es.tsv"
        _say("Learn from two files of word vectors and some word pairs:")
        vectors = folder / "en.vec.gz", folder / "es.vec.gz"
        _run(app, "fit", *vectors, folder / "seeds.tsv", "-o", model)
        _say("Look up words that were not among the pairs:")
        _run(app, "translate", model, *WORDS, "-k", 3, "--probabilities")
        _say("How good is it? Test pairs that it has not seen tell:")
        _run(app, "evaluate", model, folder / "test.tsv")
        _say("Write the whole dictionary:")
        _run(app, "induce", model, "-o", dictionary)
        _say(
            "What to try next:",
            f"  bilex translate {model} mother      # any of its words; --reverse for Spanish",
            f"  bilex induce {model} -o sure.tsv --min-precision 0.9",
            "  bilex inspect YOUR.vec OTHER.vec PAIRS.csv    # are your own files ready?",
            "  bilex data list                     # where to get vectors and word pairs",
            "  bilex vectors TEXT.txt -o xx.vec    # if you have text and no vectors",
        )


def _say(*lines: str) -> None:
    note("")
    for line in lines:
        note(line)


def _run(app: typer.Typer, *arguments: object) -> None:
    """Show a command, then run it."""
    texts = [str(argument) for argument in arguments]
    note(f"$ bilex {shlex.join(texts)}")
    app(texts, prog_name="bilex", standalone_mode=False)
