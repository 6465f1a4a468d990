"""The pairs that are served: loaded, watched and exchanged while requests are answered."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bilex.errors import BilexError, SettingError
from bilex.lexicons import read_dictionary
from bilex.model import TrainedModel
from bilex.service.api.own_entries import DecisionFeed, OwnEntries
from bilex.service.api.pairs import ServedPair
from bilex.storage.answer_file import ANSWERS, write_answers
from bilex.storage.files import writing

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PairSettings:
    """A pair to serve; with a model, a dictionary or both.

    Attributes:
        name: A name for addresses, such as en-es.
        source: The source language, as a tag such as en.
        target: The target language.
        model: A model folder.
        dictionary: A dictionary file; its entries come before those of the model.
        decisions: The database of a review, as a path or an address; its decisions come first.
    """

    name: str
    source: str
    target: str
    model: Path | None = None
    dictionary: Path | None = None
    decisions: str | None = None

    def __post_init__(self) -> None:
        if self.model is None and self.dictionary is None:
            raise SettingError(f"the pair {self.name!r} has neither a model nor a dictionary")


class UnknownPairError(BilexError, LookupError):
    """No such pair is served."""


@dataclass(frozen=True, eq=False)
class Catalog:
    """All pairs at one moment, by name."""

    pairs: Mapping[str, ServedPair]

    def by_name(self, name: str) -> ServedPair:
        """Return a pair.

        Raises:
            UnknownPairError: If there is none of this name.
        """
        found = self.pairs.get(name)
        if found is None:
            raise UnknownPairError(f"no pair {name!r}: served are {self._names()}")
        return found

    def by_languages(self, source: str, target: str) -> tuple[ServedPair, bool]:
        """Return the first pair of two languages, and whether it is used in reverse.

        Raises:
            UnknownPairError: If there is none.
        """
        for reverse, wanted in ((False, (source, target)), (True, (target, source))):
            for pair in self.pairs.values():
                if (pair.source, pair.target) == wanted:
                    return pair, reverse
        raise UnknownPairError(f"no pair from {source!r} to {target!r}: served are {self._names()}")

    def _names(self) -> str:
        return ", ".join(self.pairs) or "none"


@dataclass(eq=False)
class _Loaded:
    settings: PairSettings
    signature: object
    pair: ServedPair
    feed: DecisionFeed | None


class Models:
    """Holds the catalog, and brings it up to date.

    A request takes `current` once and works with it to its end. A pair that cannot be loaded stays
    as it was, and the problem is logged.

    Args:
        wanted: Returns the pairs that shall be served now.
        every: Seconds between two looks at the files.
        prepare: Called with each pair before it is served.
    """

    def __init__(
        self,
        wanted: Callable[[], Sequence[PairSettings]],
        *,
        every: float = 1.0,
        prepare: Callable[[ServedPair], None] = lambda pair: None,
    ) -> None:
        self._wanted, self._every, self._prepare = wanted, every, prepare
        self._loaded: dict[str, _Loaded] = {}
        self._problems: dict[str, str] = {}
        self._stopping = threading.Event()
        self._watcher: threading.Thread | None = None
        self.current = Catalog({})

    def load(self) -> None:
        """Load all pairs.

        Raises:
            BilexError: If one cannot be loaded.
        """
        self._loaded = {one.name: self._load(one) for one in self._wanted()}
        self._publish()

    def refresh(self) -> bool:
        """Load what has changed; return whether anything has."""
        try:
            wanted = {one.name: one for one in self._wanted()}
        except (BilexError, OSError) as problem:
            self._report("settings", problem)
            return False
        changed = False
        for name in self._loaded.keys() - wanted.keys():
            del self._loaded[name]
            _log.info("%s is no longer served", name)
            changed = True
        for name, settings in wanted.items():
            try:
                changed |= self._refresh_pair(name, settings)
            except (BilexError, OSError) as problem:
                self._report(name, problem)
        if changed:
            self._publish(order=list(wanted))
        return changed

    def start(self) -> None:
        """Look for changes from now on, in a thread."""
        self._stopping.clear()
        self._watcher = threading.Thread(target=self._watch, name="models", daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        """Look for changes no more."""
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()

    def _watch(self) -> None:
        while not self._stopping.wait(self._every):
            try:
                self.refresh()
            except Exception:  # noqa: BLE001 - what nobody thought of must not end the watching
                _log.exception("the models could not be brought up to date")

    def _load(self, settings: PairSettings) -> _Loaded:
        loaded = _load(settings)
        self._prepare(loaded.pair)
        return loaded

    def _refresh_pair(self, name: str, settings: PairSettings) -> bool:
        loaded = self._loaded.get(name)
        signature = _signature(settings)
        # A folder that is being replaced is not there for a moment.
        if loaded is None or (signature is not None and signature != loaded.signature):
            self._loaded[name] = self._load(settings)
            _log.info("%s is served: %s", name, self._loaded[name].pair.identity or "own entries")
        elif loaded.feed is not None and loaded.feed.refresh():
            for reverse in (False, True):
                loaded.pair.direction(reverse=reverse).take_new_words()
        else:
            return False
        self._problems.pop(name, None)
        return True

    def _report(self, name: str, problem: Exception) -> None:
        """Log a problem once, not every second."""
        if self._problems.get(name) != str(problem):
            self._problems[name] = str(problem)
            _log.error("%s stays as it is: %s", name, problem)

    def _publish(self, order: Sequence[str] = ()) -> None:
        names = [name for name in order if name in self._loaded] or list(self._loaded)
        self.current = Catalog({name: self._loaded[name].pair for name in names})


def _signature(settings: PairSettings) -> object:
    """Return what changes when a file is replaced; None if one is not there."""
    paths = [] if settings.model is None else [settings.model / "manifest.json"]
    paths += [] if settings.dictionary is None else [settings.dictionary]
    try:
        stats = [path.stat() for path in paths]
    except OSError:
        return None
    return settings, *((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)


def _load(settings: PairSettings) -> _Loaded:
    signature = _signature(settings)
    model = None if settings.model is None else _load_model(settings.model)
    own = OwnEntries(() if settings.dictionary is None else read_dictionary(settings.dictionary))
    feed = None if settings.decisions is None else DecisionFeed(settings.decisions, own)

    def version() -> str:
        return f"{signature} {0 if feed is None else feed.last}"

    pair = ServedPair.of(settings.name, settings.source, settings.target, model, own, version)
    return _Loaded(settings, signature, pair, feed)


def _load_model(folder: Path) -> TrainedModel:
    model = TrainedModel.load(folder)
    if model.contents.answers:
        return model
    _log.warning("%s keeps no answers: translating all its words, which takes a while", folder)
    model = model.with_answers()
    try:
        with writing(folder / ANSWERS) as part:
            like = folder / "manifest.json"
            write_answers(model.contents.answers, part, model=model.identity, like=like)
    except OSError as problem:
        _log.warning("the answers could not be kept in %s: %s", folder, problem)
    return model
