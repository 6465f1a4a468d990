"""`bilex mcp`: tools for assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.screen import note
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.service.mcp_lexicons import Lexicons

EXAMPLES = (
    "bilex mcp models/en-es",
    "bilex mcp en-es=my-model de-fr=terms.tsv",
    "bilex mcp --url http://127.0.0.1:8000",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, mcp, *EXAMPLES)


def mcp(
    models: options.Served = None,
    url: options.Url = None,
    key: options.Key = None,
) -> None:
    """Let an assistant look up words and terms (Model Context Protocol).

    Started by the assistant, which sends requests to stdin and reads answers from stdout. There are
    three tools: translate_words, find_terms and list_lexicons.
    """
    from bilex.registry import import_extra

    key = options.service_key(key, url)
    if bool(models) == (url is not None):
        raise SettingError("give model folders, or the address of a service with --url")
    import_extra("mcp", "a server for assistants needs", extra="mcp")
    from bilex.service.mcp_lexicons import LocalLexicons, ServiceLexicons
    from bilex.service.mcp_server import create_mcp_server

    lexicons: Lexicons
    if url is None:
        lexicons = LocalLexicons(models or [])
    else:
        from bilex.client import Connection

        lexicons = ServiceLexicons(Connection(url, key=key))
    server = create_mcp_server(lexicons)
    note("Waiting for an assistant on stdin; Ctrl-C stops.")
    server.run()
