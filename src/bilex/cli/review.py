"""`bilex review`: check a dictionary in the browser."""

from __future__ import annotations

import threading
import webbrowser
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, review_team
from bilex.cli.places import check_writable
from bilex.cli.screen import note, progress, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.service.workbench.evidence import Evidence
    from bilex.text.index import TextIndex

EXAMPLES = (
    "bilex review en-es",
    "bilex review en-es --source-text en.txt.gz --target-text es.txt.gz",
    "bilex review dictionary.xlsx --target-language ar",
)
DEFAULT_PORT = 8765


def register(app: typer.Typer) -> None:
    """Add the command, and those for a team below it."""
    review_team.register(app, review, *EXAMPLES)


def review(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL_OR_DICTIONARY",
            help="Model folder, dictionary file, or the database of an earlier review.",
        ),
    ],
    database: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps the decisions. By default NAME.review.sqlite beside the model or "
            "dictionary.",
        ),
    ] = None,
    source_text: Annotated[
        Path | None,
        typer.Option(
            metavar="TEXT", help="Text in the source language, to show sentences with each word."
        ),
    ] = None,
    target_text: Annotated[
        Path | None,
        typer.Option(metavar="TEXT", help="Text in the target language, for the same."),
    ] = None,
    source_language: options.SourceLanguage = None,
    target_language: options.TargetLanguage = None,
    title: options.Title = None,
    queue: options.Queue = "value",
    reviewer: Annotated[
        str, typer.Option(metavar="NAME", help="Your name, which is stored with your decisions.")
    ] = "me",
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=65535,
            help=f"Port of the page. By default {DEFAULT_PORT}, or a free one if it is in use.",
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
    ] = True,
) -> None:
    """Check a dictionary in the browser, word by word.

    Shows each word with its suggested translations and keeps every decision. Stop with Ctrl-C and
    continue later with the same command. The page is only for this computer: it needs the token in
    the printed address, and nothing is sent to other hosts.
    """
    review_team.check_extras("the review page needs")
    from bilex.service.places import default_database, is_model
    from bilex.service.serving import listen_here, serve
    from bilex.service.workbench.access import LoopbackAccess
    from bilex.service.workbench.app import create_review_app
    from bilex.service.workbench.opening import open_project, prioritize
    from bilex.service.workbench.rendering import ReviewSettings

    if not path.exists():
        raise SettingError(
            f"{path} does not exist: expected a model folder, a dictionary or a review database"
        )
    where = database or default_database(path)
    check_writable(where)
    opened = open_project(
        path,
        str(where),
        source_language=source_language,
        target_language=target_language,
        title=title,
    )
    with opened.store as store:
        if opened.changes is not None:
            review_team.note_changes(opened.changes)
        counts = store.counts()
        if opened.is_new:
            note(f"{where}: a new review of {counts.words:,} words")
        else:
            note(f"{where}: {counts.decided:,} of {counts.words:,} words decided")
        if opened.changes is not None or not store.has_priorities(queue):
            prioritize(store, queue)
        evidence = _evidence(source_text, target_text, path if is_model(path) else None)
        access = LoopbackAccess(name=reviewer)
        app = create_review_app(
            store, ReviewSettings(access=access, policy=queue, evidence=evidence)
        )
        with listen_here(port, DEFAULT_PORT) as socket:
            address = f"http://127.0.0.1:{socket.getsockname()[1]}/open?token={access.token}"
            note("Open this address in your browser; stop with Ctrl-C:")
            result(address)
            if browser:
                # The socket is listening already: the browser waits until the server is ready.
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            # The start page needs it, and importing it takes a second.
            threading.Thread(target=import_module, args=("scipy.stats",), daemon=True).start()
            serve(app, socket, patience=3)
    note(f"Stopped. All decisions are in {where}.")


def _evidence(source_text: Path | None, target_text: Path | None, model: Path | None) -> Evidence:
    from bilex.service.workbench.evidence import Evidence

    return Evidence(_index(source_text), _index(target_text), model)


def _index(text: Path | None) -> TextIndex | None:
    if text is None:
        return None
    from bilex.storage.cache_folder import default_cache_folder
    from bilex.text.index import TextIndex
    from bilex.text.index_cache import cached_index, is_index

    if is_index(text):
        return TextIndex.open(text)
    with progress(f"indexing {text.name}", "bytes") as on_bytes:
        return cached_index([text], default_cache_folder(), on_bytes=on_bytes)
