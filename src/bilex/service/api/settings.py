"""Settings of the server, from a TOML file, the environment and the command line.

    [server]
    port = 8000
    workers = 2
    keys = "keys.json"

    [[pairs]]
    name = "en-es"
    model = "models/en-es"

What is given later wins: the file, then variables such as BILEX_SERVE_PORT, then options. Unknown
tables, keys and variables are errors. Paths in the file begin at its folder.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bilex.errors import InputFileError, SettingError
from bilex.registry import did_you_mean
from bilex.service.api.catalog import PairSettings
from bilex.service.places import languages_of_name
from bilex.service.serving import HOST, is_loopback

PREFIX = "BILEX_SERVE_"
"""Of environment variables."""

CONFIG = "CONFIG"
"""The variable, after the prefix, that names the TOML file."""

NO_DECISIONS = ""
"""Decisions of a pair whose review shall not be used, even if there is one beside it."""

_DRAIN_SECONDS = 5.0
_BOUNDS: dict[str, tuple[float, float]] = {
    "port": (0, 65_535),
    "workers": (1, 256),
    "body_bytes": (1_000, 1_000_000_000),
    "body_seconds": (0.1, 3_600),
    "answer_seconds": (0.1, 3_600),
    "idle_seconds": (1, 3_600),
    "at_once": (1, 100_000),
    "drain_seconds": (0, 600),
    "stop_seconds": (0, 600),
}
_SWITCHES = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]{0,99}")
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*")
_PAIR_KEYS = ("name", "source", "target", "model", "dictionary", "decisions")
_TABLES = ("server", "pairs")

Complain = Callable[[str], Exception]
"""Makes the error for a problem."""


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """How to serve.

    Attributes:
        host: Address of this computer to listen on.
        port: Port to listen on; 0 for any free one.
        workers: Processes that answer requests.
        folder: A folder whose models are served, also those that are added later.
        keys: The file of API keys; None if everybody may ask.
        open: Everybody may ask, also from other computers.
        page: Whether there is a page at `/`; None for one if no key is needed, since browsers do
            not send keys by themselves.
        proxies: Addresses or networks, separated by commas, of proxies that say where requests
            come from.
        log: Whether each request is logged.
        body_bytes: Largest body of a request.
        body_seconds: Time in which a body has to arrive, and the head of a request.
        answer_seconds: Time after which a request is answered with an error.
        idle_seconds: Time that an unused connection is kept open.
        at_once: Requests that a worker takes at once; others are told to come back.
        drain_seconds: Time between SIGTERM and the end, in which `/readyz` says that the server is
            about to stop; None for 0 on the loopback and 5 otherwise.
        stop_seconds: Time that running requests have after that.
    """

    host: str = HOST
    port: int = 8000
    workers: int = 1
    folder: Path | None = None
    keys: Path | None = None
    open: bool = False
    page: bool | None = None
    proxies: str = ""
    log: bool = True
    body_bytes: int = 4_000_000
    body_seconds: float = 10.0
    answer_seconds: float = 30.0
    idle_seconds: float = 75.0
    at_once: int = 256
    drain_seconds: float | None = None
    stop_seconds: float = 10.0

    @property
    def is_local(self) -> bool:
        """Return whether only programs on this computer can ask."""
        return is_loopback(self.host) and not self.proxies

    @property
    def has_page(self) -> bool:
        """Return whether there is a page at `/`."""
        return self.keys is None if self.page is None else self.page

    @property
    def drain(self) -> float:
        """Return the seconds between SIGTERM and the end."""
        if self.drain_seconds is not None:
            return self.drain_seconds
        return 0.0 if is_loopback(self.host) else _DRAIN_SECONDS

    def check_exposure(self) -> None:
        """Raise `SettingError` if others could ask without a key, and nobody said so."""
        if self.keys is None and not self.open and not self.is_local:
            where = self.host if not is_loopback(self.host) else f"a proxy ({self.proxies})"
            raise SettingError(
                f"everybody who reaches {where} could ask: make a key with `bilex serve keys add "
                "NAME --keys keys.json` and serve with --keys keys.json, or allow it with --open"
            )
        if self.keys is not None and self.open:
            raise SettingError("--open and --keys contradict each other: give one of them")


@dataclass(frozen=True)
class ConfigFile:
    """The contents of a TOML file.

    Attributes:
        server: The settings of the server that it has.
        pairs: The pairs that it lists.
    """

    server: Mapping[str, object]
    pairs: tuple[PairSettings, ...]

    @classmethod
    def read(cls, path: Path) -> ConfigFile:
        """Read a file.

        Raises:
            InputFileError: If it cannot be read, or a setting in it is wrong.
        """
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputFileError(path, "no such file; check the path") from None
        except OSError as problem:
            raise InputFileError(path, f"cannot be read: {problem.strerror}") from None
        except (ValueError, RecursionError) as problem:
            raise InputFileError(path, f"is not valid TOML: {problem}") from None

        def complain(problem: str) -> InputFileError:
            return InputFileError(path, problem)

        for name in tables:
            if name not in _TABLES:
                raise complain(
                    f"[{name}] is unknown{did_you_mean(name, _TABLES)}: expected [server] and "
                    "[[pairs]]"
                )
        server, pairs = tables.get("server", {}), tables.get("pairs", [])
        if not isinstance(server, dict):
            raise complain("server is not a table: write [server] on a line of its own")
        if not (isinstance(pairs, list) and all(isinstance(one, dict) for one in pairs)):
            raise complain("pairs is not a list of tables: write [[pairs]] before each pair")
        folder = path.absolute().parent
        checked = {}
        for key, value in server.items():
            known = _known(key, _about(complain, "[server]:"))
            checked[known] = _checked(key, value, _about(complain, f"[server] {key}"), folder)
        made = tuple(
            _pair(table, number, folder, complain) for number, table in enumerate(pairs, start=1)
        )
        names = [one.name for one in made]
        for name in names:
            if names.count(name) > 1:
                raise complain(f"two [[pairs]] are called {name!r}: give them different names")
        return cls(checked, made)


def make_settings(
    config: ConfigFile | None,
    environment: Mapping[str, str],
    options: Mapping[str, object],
) -> ServerSettings:
    """Return the settings; options win over the environment, which wins over the file.

    Args:
        config: The file.
        environment: Variables by name; those with another prefix are left alone.
        options: Of the command line; those that are None were not given.

    Raises:
        SettingError: If a value is not possible.
    """
    chosen: dict[str, Any] = {} if config is None else dict(config.server)
    for variable, text in environment.items():
        key = variable.removeprefix(PREFIX).lower()
        if not variable.startswith(PREFIX) or key == CONFIG.lower():
            continue
        _known(key, _about(SettingError, f"${variable}:"))
        about = _about(SettingError, f"${variable}")
        chosen[key] = _checked(key, _of_text(key, text), about)
    for key, value in options.items():
        if value is not None:
            about = _about(SettingError, f"--{key.replace('_', '-')}")
            chosen[key] = _checked(key, value, about)
    return ServerSettings(**chosen)


def check_pair_name(name: str, complain: Complain) -> None:
    """Raise an error if a name cannot stand in an address."""
    if not _NAME.fullmatch(name):
        raise complain(
            f"{name!r} cannot be the name of a pair: use letters from a to z, digits, -, _ and ."
        )


def _about(complain: Complain, what: str) -> Complain:
    return lambda problem: complain(f"{what} {problem}")


def _known(key: str, complain: Complain) -> str:
    names = [field.name for field in fields(ServerSettings)]
    if key not in names:
        raise complain(
            f"there is no setting {key!r}{did_you_mean(key, names)}; there are: {', '.join(names)}"
        )
    return key


def _kind(key: str) -> str:
    hint = next(str(field.type) for field in fields(ServerSettings) if field.name == key)
    return hint.removesuffix(" | None")


def _of_text(key: str, text: str) -> object:
    """Return the value of an environment variable; the text itself if it is not possible."""
    kind = _kind(key)
    if kind == "bool":
        return _SWITCHES.get(text.strip().lower(), text)
    if kind in ("int", "float"):
        try:
            return int(text) if kind == "int" else float(text)
        except ValueError:
            return text
    return text


def _checked(key: str, value: object, complain: Complain, folder: Path | None = None) -> object:
    """Return a value as the type of its setting, or raise the error that `complain` makes."""
    kind = _kind(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "Path":
        if isinstance(value, str | Path) and str(value):
            return Path(value) if folder is None else folder / value
        raise complain(f"is {value!r}: expected a path")
    if kind == "bool":
        if isinstance(value, bool):
            return value
        raise complain(f"is {value!r}: expected true or false")
    if kind == "str":
        if isinstance(value, str) and (value or key == "proxies"):
            return value
        raise complain(f"is {value!r}: expected a text")
    least, most = _BOUNDS[key]
    if is_number and (kind == "float" or isinstance(value, int)):
        number = float(value) if kind == "float" else value  # type: ignore[arg-type]
        if least <= number <= most:  # type: ignore[operator]
            return number
    what = "a number" if kind == "float" else "a whole number"
    raise complain(f"is {value!r}: expected {what} from {least:,} to {most:,}")


def _pair(
    table: Mapping[str, object], number: int, folder: Path, complain: Complain
) -> PairSettings:
    """Return a pair of a TOML file; `number` is its place, for messages."""

    def wrong(problem: str) -> Exception:
        return complain(f"[[pairs]] number {number}: {problem}")

    for key, value in table.items():
        if key not in _PAIR_KEYS:
            raise wrong(
                f"there is no key {key!r}{did_you_mean(key, _PAIR_KEYS)}; there are: "
                f"{', '.join(_PAIR_KEYS)}"
            )
        if key == "decisions" and value is False:
            continue
        if not (isinstance(value, str) and value):
            raise wrong(f"{key} is {value!r}: expected a text")
    given = {key: str(value) for key, value in table.items() if value is not False}
    if "model" not in given and "dictionary" not in given:
        raise wrong("it has neither a model nor a dictionary: add one of them")
    place = Path(given.get("model") or given["dictionary"])
    found = languages_of_name(given.get("name") or place.name)
    source, target = given.get("source", found[0]), given.get("target", found[1])
    if not (source and target):
        raise wrong('its languages are not known: add source = "…" and target = "…"')
    for key, tag in (("source", source), ("target", target)):
        if len(tag) > 35 or not _LANGUAGE.fullmatch(tag):
            raise wrong(f"{key} is {tag!r}: expected a language tag such as en or pt-BR")
    name = given.get("name", f"{source}-{target}")
    check_pair_name(name, wrong)
    decisions = given.get("decisions")
    if decisions is not None and "://" not in decisions:
        decisions = str(folder / decisions)
    return PairSettings(
        name=name,
        source=source,
        target=target,
        model=folder / given["model"] if "model" in given else None,
        dictionary=folder / given["dictionary"] if "dictionary" in given else None,
        decisions=NO_DECISIONS if table.get("decisions") is False else decisions,
    )
