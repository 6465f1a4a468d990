"""`bilex review serve`, `users`, `invite`, `backup`, `restore` and `migrate`: for a team."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options, review_files
from bilex.cli.command_and_group import CommandAndGroup
from bilex.cli.help_text import Group, add_command, example_lines
from bilex.cli.places import check_writable
from bilex.cli.screen import json_result, note, result
from bilex.errors import SettingError
from bilex.review.roles import ROLE_HELP, ROLES

if TYPE_CHECKING:
    from bilex.review.accounts import Accounts
    from bilex.review.project import CandidateChanges
    from bilex.review.security_log import Actor
    from bilex.review.store import ReviewStore

DEFAULT_PORT = 8766
SERVE_EXAMPLES = (
    "bilex review serve en-es --database postgresql://bilex@localhost/words",
    "bilex review serve --database postgresql://bilex@localhost/words --behind-proxy",
)
ADD_EXAMPLES = ("bilex review users add Ann --role admin",)
LIST_EXAMPLES = ("bilex review users list",)
ROLE_EXAMPLES = ("bilex review users role Ann editor",)
REMOVE_EXAMPLES = ("bilex review users remove Ann",)
PASSWORD_EXAMPLES = ("bilex review users password Ann",)
INVITE_EXAMPLES = ("bilex review invite --role reviewer --address https://words.example.org",)
BACKUP_EXAMPLES = ("bilex review backup words.jsonl.gz",)
RESTORE_EXAMPLES = ("bilex review restore words.jsonl.gz --database words.review.sqlite",)
MIGRATE_EXAMPLES = ("bilex review migrate",)


class RoleName(StrEnum):
    """What an account may do."""

    reader = "reader"
    reviewer = "reviewer"
    editor = "editor"
    admin = "admin"


_ROLES = "|".join(RoleName)
_ROLE_HELP = ", ".join(f"{role} ({ROLE_HELP[role]})" for role in ROLES) + "."

Database = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        envvar="BILEX_DATABASE",
        help="Database of the review: postgresql://USER@HOST/NAME, or a file. By default "
        "$BILEX_DATABASE, which keeps a password out of the list of processes.",
    ),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the account.")]
RoleOption = Annotated[RoleName, typer.Option(metavar=_ROLES, help=_ROLE_HELP)]
Address = Annotated[
    str,
    typer.Option(
        metavar="URL", help="Address of the server for people, such as https://words.example.org."
    ),
]


class ReviewGroup(CommandAndGroup):
    """The commands for files and teams; anything else is what `bilex review MODEL` opens."""

    title = "Commands for files and teams"


def register(app: typer.Typer, alone: Callable[..., None], *examples: str) -> None:
    """Add `bilex review` for one person, and the commands for a team below it."""
    single = typer.Typer(rich_markup_mode=None, add_completion=False)
    add_command(single, alone, *examples)
    command = typer.main.get_command(single)

    ReviewGroup.alone = command
    group = typer.Typer(
        cls=ReviewGroup, help=command.help, epilog=example_lines(*examples), rich_markup_mode=None
    )
    add_command(group, serve, *SERVE_EXAMPLES)
    users = typer.Typer(cls=Group, no_args_is_help=True, help="Add, list and change accounts.")
    add_command(users, add, *ADD_EXAMPLES)
    add_command(users, list_users, *LIST_EXAMPLES, name="list")
    add_command(users, role, *ROLE_EXAMPLES)
    add_command(users, remove, *REMOVE_EXAMPLES)
    add_command(users, password, *PASSWORD_EXAMPLES)
    group.add_typer(users, name="users")
    add_command(group, invite, *INVITE_EXAMPLES)
    add_command(group, review_files.export, *review_files.EXPORT_EXAMPLES)
    add_command(group, review_files.import_file, *review_files.IMPORT_EXAMPLES, name="import")
    add_command(group, review_files.merge, *review_files.MERGE_EXAMPLES)
    add_command(group, backup, *BACKUP_EXAMPLES)
    add_command(group, restore, *RESTORE_EXAMPLES)
    add_command(group, migrate, *MIGRATE_EXAMPLES)
    app.add_typer(group, name="review")


def serve(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="MODEL_OR_DICTIONARY",
            help="What is reviewed. Needed the first time, and for the suggestions of a new model.",
        ),
    ] = None,
    database: Database = ...,  # type: ignore[assignment]
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address of this computer to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Port to listen on.")
    ] = DEFAULT_PORT,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="A reverse proxy with HTTPS is in front: cookies are sent by HTTPS only, and the "
            "proxy says where requests come from.",
        ),
    ] = False,
    proxy_address: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS,…", help="Address or network of the proxy, if it is another computer."
        ),
    ] = "127.0.0.1",
    address: Address = "",
    oidc: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="Let people sign in at another service (OpenID Connect)."
        ),
    ] = None,
    source_language: options.SourceLanguage = None,
    target_language: options.TargetLanguage = None,
    title: options.Title = None,
    queue: options.Queue = "value",
) -> None:
    """Serve the review to a team with accounts.

    Make the first account with `bilex review users add NAME --role admin`. Stop with Ctrl-C.
    Several servers may use one database.
    """
    _check_extras()
    from bilex.review.accounts import Accounts
    from bilex.service.serving import is_loopback, listen
    from bilex.service.serving import serve as run
    from bilex.service.team.access import TeamAccess, TeamSettings
    from bilex.service.team.app import create_team_app
    from bilex.service.workbench.rendering import ReviewSettings

    if not behind_proxy and not is_loopback(host):
        raise SettingError(
            f"on {host} without HTTPS, passwords could be read on the way: put a reverse proxy "
            "with HTTPS in front and add --behind-proxy"
        )
    _check_address(address, secure=behind_proxy)
    provider = None
    if oidc is not None:
        from bilex.service.team.oidc import OidcProvider, OidcSettings

        provider = OidcProvider(OidcSettings.from_file(oidc))
    languages = {"source_language": source_language, "target_language": target_language}
    with _project(path, database, queue, title=title, **languages) as store:
        settings = TeamSettings(secure=behind_proxy, address=address, oidc=provider)
        access = TeamAccess(store.database, settings)
        app = create_team_app(store, ReviewSettings(access=access, policy=queue))
        if not Accounts(store.database).all():
            note("no accounts yet: make one with `bilex review users add NAME --role admin`")
        with listen(host, port) as listening:
            shown = f"[{host}]" if ":" in host else host
            note("Serving; stop with Ctrl-C:")
            result(address or f"http://{shown}:{listening.getsockname()[1]}")
            sys.stdout.flush()
            run(app, listening, proxies=proxy_address if behind_proxy else "")
    note("Stopped.")


def add(
    name: Name,
    role: RoleOption = RoleName.reviewer,
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Make an account; type its password, or give it as a line on stdin."""
    with _accounts(database) as (accounts, actor):
        made = accounts.add(name, role.value, _read_password(name), actor=actor)
        note(f"{made.name}: {made.role}")


def list_users(
    database: Database = ...,  # type: ignore[assignment]
    as_json: options.Json = False,
) -> None:
    """List the accounts: name, role, and the day they were made."""
    with _accounts(database) as (accounts, _):
        for each in accounts.all():
            if as_json:
                json_result({"name": each.name, "role": each.role, "created": each.created})
            else:
                result(f"{each.name}\t{each.role}\t{each.created[:10]}")


def role(
    name: Name,
    new_role: Annotated[RoleName, typer.Argument(metavar=_ROLES, help=_ROLE_HELP)],
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Change what an account may do; the person has to sign in again."""
    with _accounts(database) as (accounts, actor):
        accounts.set_role(name, new_role.value, actor=actor)


def remove(
    name: Name,
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Remove an account; its decisions stay, and nobody else gets its name."""
    with _accounts(database) as (accounts, actor):
        accounts.remove(name, actor=actor)


def password(
    name: Name,
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Set a new password; type it, or give it as a line on stdin."""
    with _accounts(database) as (accounts, actor):
        accounts.set_password(name, _read_password(name), actor=actor)


def invite(
    role: RoleOption = RoleName.reviewer,
    days: Annotated[
        float, typer.Option(metavar="N", min=0.01, max=90, help="Days until the link expires.")
    ] = 7,
    address: Address = f"http://127.0.0.1:{DEFAULT_PORT}",
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Print a link by which one person makes an account."""
    from urllib.parse import urlencode

    _check_address(address, secure=False)
    with _accounts(database) as (accounts, actor):
        token, made = accounts.invite(role.value, actor=actor, seconds=days * 24 * 3600)
        result(f"{address.rstrip('/')}/invitation?{urlencode({'token': token})}")
        note(f"for one {made.role}, until {made.until[:16].replace('T', ' ')} UTC")


def backup(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="New file, .jsonl or .jsonl.gz.")],
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Write the project with all decisions as one file, while work goes on.

    Accounts, invitations and the security log are not in it.
    """
    _check_extras()
    from bilex.review.security_log import record
    from bilex.review.store import ReviewStore

    check_writable(path)
    with ReviewStore.open(database) as store:
        saved = store.backup(path)
        detail = f"{saved.words} words, {saved.events} events"
        store.database.write(lambda one: record(one, "backup", _actor(), detail=detail))
    note(f"{path}: {saved.words:,} words and {saved.events:,} events")


def restore(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `bilex review backup`.")],
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Fill an empty database with a backup, completely or not at all."""
    _check_extras()
    from bilex.review.security_log import record
    from bilex.review.store import ReviewStore

    if not path.is_file():
        raise SettingError(f"{path} does not exist: expected a file that `backup` has written")
    with ReviewStore.restore(database, path) as store:
        counts = store.counts()
        detail = f"{counts.words} words, {counts.events} events"
        store.database.write(lambda one: record(one, "restore", _actor(), detail=detail))
    note(f"{counts.words:,} words and {counts.events:,} events restored")


def migrate(
    database: Database = ...,  # type: ignore[assignment]
) -> None:
    """Bring a database to this version of bilex, completely or not at all."""
    _check_extras()
    from bilex.review.schema import migrate as run

    before, after = run(database)
    same = before == after
    note("the database is up to date" if same else f"tables {before} → {after}")


@contextmanager
def _accounts(database: str) -> Iterator[tuple[Accounts, Actor]]:
    _check_extras()
    from bilex.review.accounts import Accounts
    from bilex.review.store import ReviewStore

    with ReviewStore.open(database) as store:
        yield Accounts(store.database), _actor()


def note_changes(changes: CandidateChanges) -> None:
    """Print what another model than before has changed in a project."""
    note(
        f"another model than before: {changes.added:,} new words, {changes.removed:,} gone, "
        f"{changes.changed:,} with another best suggestion; of the accepted words, "
        f"{changes.confirmed:,} are confirmed by it now and {changes.contradicted:,} no longer; "
        f"{changes.returning:,} rejected words have other suggestions and are asked again. All "
        "decisions stay."
    )


@contextmanager
def _project(
    path: Path | None, database: str, queue: str, **about: str | None
) -> Iterator[ReviewStore]:
    from bilex.review.store import ReviewStore
    from bilex.service.workbench.opening import has_project, open_project, prioritize

    is_changed = False
    if path is not None and not path.exists():
        raise SettingError(f"{path} does not exist: expected a model folder or a dictionary")
    if path is not None:
        if has_project(database):
            ReviewStore.open(database).close()  # tables of another version are an error
        opened = open_project(path, database, **about)
        store, is_changed = opened.store, opened.changes is not None
        if opened.changes is not None:
            note_changes(opened.changes)
    elif not has_project(database):
        raise SettingError(
            "the database has no project yet: name a model or a dictionary, as in `bilex review "
            "serve MODEL --database …`"
        )
    else:
        store = ReviewStore.open(database)
    with store:
        if is_changed or not store.has_priorities(queue):
            prioritize(store, queue)
        yield store


def _read_password(name: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    from getpass import getpass

    first = getpass(f"Password of {name}: ")
    if getpass("The same again: ") != first:
        raise SettingError("the passwords differ: try again")
    return first


def _check_address(address: str, *, secure: bool) -> None:
    from urllib.parse import urlsplit

    if not address:
        return
    parts = urlsplit(address)
    wanted = ("https",) if secure else ("https", "http")
    if parts.scheme not in wanted or not parts.hostname or parts.query or parts.path.strip("/"):
        raise SettingError(f"the address is {address!r}: expected a form like https://HOST")


def _actor() -> Actor:
    from bilex.review.security_log import COMMAND_LINE, Actor

    return Actor(COMMAND_LINE)


def check_extras(purpose: str, *more: str) -> None:
    """Raise `MissingExtraError` unless all packages of the review pages are installed."""
    from bilex.registry import import_extra

    pages = ("fastapi", "uvicorn", "jinja2", "python_multipart", "sqlalchemy", "alembic")
    for module in (*pages, *more):
        import_extra(module, purpose, extra="review")


def _check_extras() -> None:
    check_extras("the review for a team needs", "argon2", "limits")
