"""Open the review project of a model or a dictionary; make it when it is opened first."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from bilex.errors import SettingError
from bilex.lexicons.dictionary import DictionaryEntry
from bilex.registry import resolve
from bilex.review.database import Database
from bilex.review.decisions import is_sqlite_file
from bilex.review.events import LONGEST_WORD, text_problem
from bilex.review.project import Candidate, CandidateChanges, Project, ReviewWord
from bilex.review.queue import QueueFeatures, ReviewPolicy
from bilex.review.schema import migrate, version
from bilex.review.store import ReviewStore
from bilex.service.places import default_database, is_model, languages_of_name
from bilex.service.workbench.rendering import MOST_SHOWN

POLICIES = "review_queue"
"""The kind of plugin that a queue policy is."""

_LEAST_PROBABILITY = 0.01  # of a candidate that is shown after the third one
_ALWAYS_SHOWN = 3


class Material(NamedTuple):
    """What is to be reviewed."""

    project: Project
    words: list[ReviewWord]


class Opened(NamedTuple):
    """An open project; `changes` says what another model than before has changed."""

    store: ReviewStore
    is_new: bool
    changes: CandidateChanges | None = None


def has_project(database: str) -> bool:
    """Return whether there is a file, or a server's database with a project."""
    if "://" not in database:
        return Path(database).exists()
    with Database(database) as opened:
        if opened.path is not None and not opened.path.exists():
            return False
        return opened.read(version) is not None


def open_project(
    path: Path,
    database: str | None = None,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    title: str | None = None,
) -> Opened:
    """Open the project of a model folder or a dictionary file.

    Without a database there, one is made. If another model than before is given, its candidates
    replace the old ones, and all decisions stay.

    Args:
        path: A model folder, a dictionary in any format that is read, or a database.
        database: A file or a database address; by default a file beside `path`.
        source_language: A language tag; by default from the dictionary, or from a name like en-es.
        target_language: The same for the target language.
        title: Of a new project.
    """
    if is_sqlite_file(path):
        return Opened(_open_file(str(path)), is_new=False)
    where = database or str(default_database(path))
    exists = has_project(where)
    store = _open_file(where) if exists else None
    if store is not None and is_model(path) and store.project.model == _identity(path):
        return Opened(store, is_new=False)
    found = read_material(path)
    known = found.project if store is None else store.project
    project = replace(
        known,
        model=found.project.model,
        source_language=source_language or known.source_language,
        target_language=target_language or known.target_language,
        title=title or known.title,
    )
    if store is None:
        project = replace(project, seed=secrets.randbits(63))
        return Opened(ReviewStore.create(where, project, found.words), is_new=True)
    if store.project.model == found.project.model:
        return Opened(store, is_new=False)
    return Opened(store, is_new=False, changes=store.replace_candidates(project, found.words))


def prioritize(store: ReviewStore, policy: str) -> None:
    """Give all words of a project the priorities of a queue policy.

    Raises:
        UnknownPluginError: If no policy has this name.
    """
    chosen = cast(ReviewPolicy, resolve(POLICIES, policy))
    items = list(store.all_items())
    given = chosen.priorities(QueueFeatures.of_items(store.project, items)).tolist()
    store.set_priorities(policy, zip((each.word.word for each in items), given, strict=True))


def read_material(path: Path) -> Material:
    """Return the words of a model folder or a dictionary, with their candidates.

    Raises:
        BilexError: If it cannot be read.
    """
    return _of_model(path) if path.is_dir() and is_model(path) else _of_dictionary(path)


def _open_file(path: str) -> ReviewStore:
    """Open a file; the tables of an older version of bilex are brought to this one."""
    migrate(path)
    return ReviewStore.open(path)


def _identity(folder: Path) -> str:
    import json

    return str(json.loads((folder / "manifest.json").read_text("utf-8")).get("id", ""))


def _of_model(folder: Path) -> Material:
    from bilex.lexicons import read_lexicon
    from bilex.storage.answer_file import known_answers

    identity = _identity(folder)
    source, target = languages_of_name(folder.resolve().name)
    project = Project(source_language=source, target_language=target, model=identity)
    answers = known_answers(folder, reverse=False)
    if answers is None:
        from bilex.model import TrainedModel

        induced = TrainedModel.load(folder).induce(k=MOST_SHOWN)
        return Material(project, list(_grouped(iter(induced))))
    seeds_file = folder / "seeds.jsonl"
    seeds = read_lexicon(seeds_file).translations if seeds_file.stat().st_size else {}
    words = []
    for rank, translation in enumerate(answers.translate(answers.words, MOST_SHOWN)):
        own = seeds.get(translation.word, ())
        candidates = tuple(
            Candidate(each.word, each.probability, "seed" if each.word in own else "induced")
            for each in translation.candidates
        )
        words.append(_word(translation.word, rank, candidates))
    return Material(project, [word for word in words if word is not None])


def _of_dictionary(path: Path) -> Material:
    from bilex.lexicons import read_dictionary

    dictionary = read_dictionary(path)
    metadata = dictionary.metadata
    source, target = languages_of_name(path.name)
    known = {"und": ""}
    # Without a column of origins, all entries count as seeds.
    has_origins = any(entry.origin != "seed" for entry in dictionary)
    words = list(_grouped(iter(dictionary), origin=None if has_origins else "dictionary"))
    if not words:
        raise SettingError(f"{path} has no word that can be reviewed: choose another dictionary")
    project = Project(
        title=metadata.title,
        source_language=known.get(metadata.source_language, metadata.source_language) or source,
        target_language=known.get(metadata.target_language, metadata.target_language) or target,
        model=str(metadata.manifest.get("model", "")) or dictionary.entries[0].model,
    )
    return Material(project, words)


def _grouped(
    entries: Iterator[DictionaryEntry], *, origin: str | None = None
) -> Iterator[ReviewWord]:
    """Yield the words of a dictionary in the order in which they occur first.

    Args:
        entries: The entries.
        origin: Of all of them; None if each has its own.
    """
    found: dict[str, dict[str, Candidate]] = {}
    for entry in entries:
        candidate = Candidate(entry.target, entry.probability, origin or entry.origin)
        found.setdefault(entry.source, {}).setdefault(entry.target, candidate)
    for rank, (word, candidates) in enumerate(found.items()):
        made = _word(word, rank, tuple(candidates.values()))
        if made is not None:
            yield made


def _word(word: str, rank: int, candidates: tuple[Candidate, ...]) -> ReviewWord | None:
    """Return a word with the candidates worth showing; None if the word cannot be stored."""
    if not word.strip() or len(word) > LONGEST_WORD or text_problem(word):
        return None
    shown = [
        each
        for number, each in enumerate(candidates[:MOST_SHOWN])
        if not text_problem(each.target)
        and each.target.strip()
        and (
            number < _ALWAYS_SHOWN
            or each.probability is None
            or each.probability >= _LEAST_PROBABILITY
        )
    ]
    return ReviewWord(word=word, rank=rank, candidates=tuple(shown))
