"""What is known of a whole dictionary: what it may hold, and the file that holds it beside others.

Every dictionary `name` comes with `name.manifest.json`: languages, title, license, how it was made,
how many entries it has and the hash of each of its files when it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from bilex.dictionary import DictionaryFacts
from bilex.errors import LexiconFileError, SettingError

_LANGUAGE_TAG = re.compile(r"([A-Za-z]{2,3}|[Xx](?=-))(-[A-Za-z0-9]{1,8})*")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TEXTS = ("source_language", "target_language", "title", "license")


def check_facts(facts: DictionaryFacts) -> None:
    """Raise a `SettingError` if a format could not hold the facts."""
    for name in ("source_language", "target_language"):
        tag = getattr(facts, name)
        if not _LANGUAGE_TAG.fullmatch(tag):
            raise SettingError(
                f"the {name} is {tag!r}, expected a language tag such as 'en' or 'zh-Hant'; "
                "'und' if it is not known"
            )
    for name in ("title", "license"):
        text = getattr(facts, name)
        if _UNPRINTABLE.search(text) or text != text.strip():
            raise SettingError(
                f"the {name} is {text!r}: expected one line, without blanks around it"
            )
    try:
        json.dumps(dict(facts.manifest), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"the manifest cannot be written as JSON ({error}): expected names with texts, "
            "finite numbers, lists and tables"
        ) from None


def facts_json(facts: DictionaryFacts) -> dict[str, object]:
    """Return the facts as a JSON object."""
    texts = {name: getattr(facts, name) for name in _TEXTS}
    return {**texts, "manifest": dict(facts.manifest)}


def facts_of_json(record: object, path: Path) -> DictionaryFacts:
    """Read the facts from a JSON object; what it does not tell is not known."""
    if not isinstance(record, dict):
        raise LexiconFileError(path, "found no JSON object, expected the facts of a dictionary")
    texts = {name: record[name] for name in _TEXTS if name in record}
    manifest = record.get("manifest", {})
    wrong = [name for name, text in texts.items() if not isinstance(text, str)]
    if wrong or not isinstance(manifest, dict):
        raise LexiconFileError(path, f"{(wrong or ['manifest'])[0]!r} is not of the right type")
    facts = DictionaryFacts(**texts, manifest=manifest)
    try:
        check_facts(facts)
    except SettingError as error:
        raise LexiconFileError(path, str(error)) from None
    return facts


def manifest_beside(path: Path) -> Path:
    """Return where the facts of a dictionary file are kept."""
    return path.with_name(f"{path.name}.manifest.json")


def manifest_text(
    facts: DictionaryFacts, *, format_name: str, entries: int, files: Mapping[str, str]
) -> str:
    """Return the content of a manifest; `files` are names and hashes."""
    record = {"format": format_name, "entries": entries, **facts_json(facts), "sha256": dict(files)}
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


def read_manifest(path: Path) -> DictionaryFacts:
    """Read a manifest; nothing is known if there is none.

    Hashes are not compared: people edit dictionaries, and the manifest still tells where they
    come from.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return DictionaryFacts()
    except (ValueError, RecursionError) as error:
        raise LexiconFileError(path, f"not valid JSON ({error}): delete or repair it") from None
    return facts_of_json(record, path)
