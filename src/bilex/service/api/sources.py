"""Which pairs shall be served now: those of the command line, of a TOML file and of a folder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bilex.errors import SettingError
from bilex.service.api.catalog import PairSettings
from bilex.service.api.settings import NO_DECISIONS, ConfigFile, check_pair_name
from bilex.service.places import default_database, is_model, languages_of_name

_log = logging.getLogger(__name__)


class Sources:
    """Lists the pairs each time it is called.

    Of two pairs with one name, the one that was given first is served: on the command line, in the
    file, in the folder. A review database beside a model or a dictionary is used with it.

    Args:
        given: From `pairs_of_arguments`.
        config: A TOML file, which is read again when it has changed.
        folder: A folder whose models are served.
    """

    def __init__(
        self,
        given: Sequence[PairSettings] = (),
        config: Path | None = None,
        folder: Path | None = None,
    ) -> None:
        self._given, self._config, self._folder = tuple(given), config, folder
        self._signature: object = None
        self._of_config: tuple[PairSettings, ...] = ()
        self._server: object = None
        self._named: set[str] = set()
        if folder is not None and not folder.is_dir():
            raise SettingError(f"{folder} is not a folder: expected one with models")

    def __call__(self) -> list[PairSettings]:
        """Return the pairs.

        Raises:
            BilexError: If the file cannot be read now.
        """
        pairs: dict[str, PairSettings] = {}
        for one in (*self._given, *self._in_file(), *self._in_folder()):
            pairs.setdefault(one.name, one)
        return [_with_decisions(one) for one in pairs.values()]

    def _in_file(self) -> tuple[PairSettings, ...]:
        if self._config is None:
            return ()
        stat = self._config.stat()
        signature = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        if signature != self._signature:
            read = ConfigFile.read(self._config)
            if self._signature is not None and read.server != self._server:
                _log.warning("%s: restart the server to use the new [server]", self._config)
            self._of_config, self._server, self._signature = read.pairs, read.server, signature
        return self._of_config

    def _in_folder(self) -> list[PairSettings]:
        if self._folder is None:
            return []
        found = []
        for path in sorted(self._folder.iterdir()):
            if path.name.startswith(".") or not is_model(path):  # hidden: not complete yet
                continue
            source, target = languages_of_name(path.name)
            if source:
                found.append(PairSettings(name=path.name, source=source, target=target, model=path))
            elif path.name not in self._named:
                self._named.add(path.name)
                _log.warning("%s is not served: give it a name such as en-es", path)
        return found


def pairs_of_arguments(arguments: Sequence[str]) -> list[PairSettings]:
    """Return the pairs of a command line: PATH or NAME=PATH, each a model or a dictionary.

    A model and a dictionary of one name are one pair.

    Raises:
        BilexError: If something is not there or its languages are not known.
    """
    pairs: dict[str, PairSettings] = {}
    for argument in arguments:
        one = _pair_of_argument(argument)
        known = pairs.get(one.name)
        if known is not None:
            if (known.model is None) == (one.model is None):
                raise SettingError(
                    f"two things to serve are called {one.name!r}: write NAME={argument} with "
                    "another name"
                )
            one = replace(
                known,
                model=known.model or one.model,
                dictionary=known.dictionary or one.dictionary,
            )
        pairs[one.name] = one
    return list(pairs.values())


def _pair_of_argument(argument: str) -> PairSettings:
    name, equals, rest = argument.partition("=")
    if not equals or Path(argument).exists():
        name, rest = "", argument
    path = Path(rest)
    if not path.exists():
        raise SettingError(f"{path} does not exist: expected a model folder or a dictionary")
    model = path if is_model(path) else None
    # A link may have the name; `.` has none of its own.
    places = [name, path.name, path.resolve().name]
    found = (languages_of_name(place) for place in places)
    source, target = next((languages for languages in found if languages[0]), ("", ""))
    if not source and model is None:
        from bilex.lexicons import read_dictionary

        metadata = read_dictionary(path).metadata
        source, target = (
            "" if tag == "und" else tag
            for tag in (metadata.source_language, metadata.target_language)
        )
    if not (source and target):
        raise SettingError(
            f"the languages of {path} are not known: write en-es={path} with their codes"
        )
    if not name:
        named = next((place for place in places if languages_of_name(place)[0]), "")
        stem = named if model is not None else named.partition(".")[0]
        name = stem or f"{source}-{target}"
    check_pair_name(name, SettingError)
    dictionary = None if model is not None else path
    return PairSettings(name=name, source=source, target=target, model=model, dictionary=dictionary)


def _with_decisions(pair: PairSettings) -> PairSettings:
    if pair.decisions == NO_DECISIONS:
        return replace(pair, decisions=None)
    if pair.decisions is not None:
        return pair
    for place in (pair.model, pair.dictionary):
        if place is not None and default_database(place).is_file():
            return replace(pair, decisions=str(default_database(place)))
    return pair
