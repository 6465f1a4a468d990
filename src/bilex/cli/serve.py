"""`bilex serve` and `bilex serve keys`: models and dictionaries over HTTP."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.command_and_group import CommandAndGroup
from bilex.cli.help_text import Group, add_command, example_lines
from bilex.cli.places import check_writable
from bilex.cli.screen import json_result, note, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.service.api.settings import ServerSettings

EXAMPLES = (
    "bilex serve en-es",
    "bilex serve en-es en-es=terms.tsv fr-de=model --workers 2",
    "bilex serve --folder models --host 0.0.0.0 --keys keys.json",
    "bilex serve --config serve.toml",
)
ADD_EXAMPLES = (
    "bilex serve keys add search-team --rate 600/minute",
    "bilex serve keys add prometheus --scopes metrics",
)
LIST_EXAMPLES = ("bilex serve keys list",)
REMOVE_EXAMPLES = ("bilex serve keys remove search-team",)

KeysFile = Annotated[
    Path,
    typer.Option(
        "--keys",
        metavar="FILE",
        envvar="BILEX_SERVE_KEYS",
        help="The file of keys; a running server reads it again when it has changed.",
    ),
]
KeyName = Annotated[str, typer.Argument(metavar="NAME", help="Who uses the key.")]


class ServeGroup(CommandAndGroup):
    """The commands for keys; anything else is what is served."""

    title = "Commands"


def register(app: typer.Typer) -> None:
    """Add the command, and those for keys below it."""
    single = typer.Typer(rich_markup_mode=None, add_completion=False)
    add_command(single, serve, *EXAMPLES)
    ServeGroup.alone = typer.main.get_command(single)
    group = typer.Typer(
        cls=ServeGroup,
        help=ServeGroup.alone.help,
        epilog=example_lines(*EXAMPLES),
        rich_markup_mode=None,
    )
    keys = typer.Typer(cls=Group, no_args_is_help=True, help="Make, list and remove API keys.")
    add_command(keys, add, *ADD_EXAMPLES)
    add_command(keys, list_keys, *LIST_EXAMPLES, name="list")
    add_command(keys, remove, *REMOVE_EXAMPLES)
    group.add_typer(keys, name="keys")
    app.add_typer(group, name="serve")


def serve(
    models: options.Served = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            envvar="BILEX_SERVE_CONFIG",
            help="Settings and pairs. Pairs that are added to it later are served, too.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Serve every model in a folder, also those added later."
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="HOST", help="Address of this computer to listen on. By default 127.0.0.1."
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, max=65535, help="Port to listen on. By default 8000; 0 for any."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Processes that answer requests; they share the memory of the models. By default "
            "1.",
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File of API keys, made with `bilex serve keys add NAME`."
        ),
    ] = None,
    open: Annotated[
        bool | None,
        typer.Option("--open", help="Answer everybody, also on other computers, without keys."),
    ] = None,
    page: Annotated[
        bool | None,
        typer.Option(
            "--page/--no-page",
            help="Have a page at / where people try it. By default, if no keys are needed.",
        ),
    ] = None,
    proxies: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS,…",
            help="Addresses or networks of reverse proxies, which say where requests come from.",
        ),
    ] = None,
) -> None:
    """Answer over HTTP: words, terms of texts and whole dictionaries.

    Decisions of a review beside a model come first. Models may be replaced while the server runs.
    All settings can be in the file, or in variables such as BILEX_SERVE_PORT. Stop with Ctrl-C.
    """
    _check_extra()
    from bilex.service.api.catalog import Models
    from bilex.service.api.logs import log_to
    from bilex.service.api.running import prepare_process, serve_api, warm_up
    from bilex.service.api.settings import ConfigFile, make_settings
    from bilex.service.api.sources import Sources, pairs_of_arguments
    from bilex.service.serving import listen

    options = {
        "folder": folder,
        "host": host,
        "port": port,
        "workers": workers,
        "keys": keys,
        "open": open,
        "page": page,
        "proxies": proxies,
    }
    read = None if config is None else ConfigFile.read(config)
    settings = make_settings(read, os.environ, options)
    settings.check_exposure()
    if settings.keys is not None:
        from bilex.service.api.keys import read_keys

        read_keys(settings.keys)
    if not models and settings.folder is None and not (read and read.pairs):
        raise SettingError(
            "nothing to serve: give a model or a dictionary, or --folder or --config"
        )
    prepare_process()
    wanted = Sources(pairs_of_arguments(models or []), config, settings.folder)
    with listen(settings.host, settings.port) as listening:
        # Before models are loaded, so that a port in use is reported at once.
        served = Models(wanted, prepare=warm_up)
        for pair in wanted():
            if pair.decisions is not None and "://" not in pair.decisions:
                note(f"{pair.name}: decisions of {pair.decisions} come first")
        served.load()
        names = ", ".join(served.current.pairs) or "nothing yet"
        note(f"Serving {names}; stop with Ctrl-C:")
        result(_address(settings, listening.getsockname()[1]))
        sys.stdout.flush()
        log_to(sys.stderr)
        owner = os.getpid()
        serve_api(settings, served, listening)
    if os.getpid() == owner:
        note("Stopped.")


def add(
    name: KeyName,
    keys: KeysFile = Path("keys.json"),
    scopes: Annotated[
        str,
        typer.Option(
            metavar="SCOPE,…",
            help="What it is for: translate, glossary, lexicon (also entries of words), metrics.",
        ),
    ] = "translate,glossary,lexicon",
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="N/UNIT",
            help="Requests that it may make in any second, minute, hour or day, such as "
            "600/minute. By default, any number.",
        ),
    ] = None,
) -> None:
    """Make a key, and print it. It is stored as a hash, so it is never shown again."""
    _check_extra()
    from bilex.service.api.keys import add_key
    from bilex.service.api.rates import Rate

    check_writable(keys)
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    token = add_key(keys, name, wanted, None if rate is None else Rate.of_text(rate))
    note(f"Send it with each request as `Authorization: Bearer KEY`; only its hash is in {keys}:")
    result(token)


def list_keys(
    keys: KeysFile = Path("keys.json"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one line a key.")] = False,
) -> None:
    """List the keys, without their secrets."""
    _check_extra()
    from bilex.service.api.keys import SCOPES, read_keys

    for key in read_keys(keys).all:
        scopes = [scope for scope in SCOPES if scope in key.scopes]
        rate = None if key.rate is None else str(key.rate)
        if json:
            json_result({"name": key.name, "id": key.identity, "scopes": scopes, "rate": rate})
        else:
            result(f"{key.name}\t{key.identity}\t{','.join(scopes)}\t{rate or 'any number'}")


def remove(name: KeyName, keys: KeysFile = Path("keys.json")) -> None:
    """Remove a key; a running server refuses it within a second."""
    _check_extra()
    from bilex.service.api.keys import remove_key

    check_writable(keys)
    remove_key(keys, name)
    note(f"Removed {name}.")


def _address(settings: ServerSettings, port: int) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{port}"


def _check_extra() -> None:
    from bilex.registry import import_extra

    modules = ["fastapi", "uvicorn", "jinja2", "sqlalchemy", "alembic", "prometheus_client"]
    if sys.platform != "win32":
        modules += ["gunicorn", "uvicorn_worker"]
    for module in modules:
        if module != "prometheus_client":  # looks at the environment when it is imported
            import_extra(module, "serving needs", extra="serve")
            continue
        from importlib.util import find_spec

        if find_spec(module) is None:
            import_extra(module, "serving needs", extra="serve")
