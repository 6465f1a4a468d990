"""The metadata of a dictionary as JSON, and the manifest file that holds it.

Beside each dictionary `name` there is `name.manifest.json`: languages, title, license, how it was
made, the number of entries, and the hash of each file. A dictionary that is a folder has its
manifest inside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bilex.errors import DictionaryFileError, SettingError
from bilex.lexicons.dictionary import DictionaryMetadata
from bilex.storage.hashes import sha256_of

_LANGUAGE_TAG = re.compile(r"([A-Za-z]{2,3}|[Xx](?=-))(-[A-Za-z0-9]{1,8})*")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_TEXTS = ("source_language", "target_language", "title", "license")


def check_metadata(metadata: DictionaryMetadata) -> None:
    """Raise a `SettingError` if a format cannot hold the metadata."""
    for name in ("source_language", "target_language"):
        tag = getattr(metadata, name)
        if not _LANGUAGE_TAG.fullmatch(tag):
            raise SettingError(
                f"the {name} is {tag!r}, expected a language tag such as 'en' or 'zh-Hant'; "
                "'und' if it is unknown"
            )
    for name in ("title", "license"):
        text = getattr(metadata, name)
        if _UNPRINTABLE.search(text) or text != text.strip():
            raise SettingError(
                f"the {name} is {text!r}: expected one line without spaces around it"
            )
    try:
        json.dumps(dict(metadata.manifest), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"the manifest cannot be written as JSON ({error}): expected names with texts, "
            "finite numbers, lists and tables"
        ) from None


def metadata_from_json(record: object, path: Path) -> DictionaryMetadata:
    """Return the metadata in a JSON object; a missing key means unknown.

    Raises:
        DictionaryFileError: If `record` is not such an object; `path` is the file it is from.
    """
    if not isinstance(record, dict):
        raise DictionaryFileError(
            path, "found no JSON object, expected the metadata of a dictionary"
        )
    texts = {name: record[name] for name in _TEXTS if name in record}
    manifest = record.get("manifest", {})
    wrong = [name for name, text in texts.items() if not isinstance(text, str)]
    if wrong or not isinstance(manifest, dict):
        raise DictionaryFileError(path, f"{(wrong or ['manifest'])[0]!r} is not of the right type")
    metadata = DictionaryMetadata(**texts, manifest=manifest)
    try:
        check_metadata(metadata)
    except SettingError as error:
        raise DictionaryFileError(path, str(error)) from None
    return metadata


def manifest_beside(path: Path) -> Path:
    """Return the path of the manifest of a dictionary file."""
    return path.with_name(f"{path.name}.manifest.json")


def manifest_inside(folder: Path, metadata: DictionaryMetadata) -> Path:
    """Return the path of the manifest of a dictionary that is a folder."""
    return folder / f"{metadata.source_language}-{metadata.target_language}.manifest.json"


def manifest_text(
    metadata: DictionaryMetadata, *, format_name: str, entries: int, files: Mapping[str, str]
) -> str:
    """Return the content of a manifest; `files` maps file names to hashes."""
    record = {
        "format": format_name,
        "entries": entries,
        **metadata.to_dict(),
        "sha256": dict(files),
    }
    return json.dumps(record, ensure_ascii=False, indent=2) + "\n"


class Manifest(NamedTuple):
    """What the manifest of a dictionary holds.

    Attributes:
        metadata: The metadata; all fields are unknown if there is no manifest.
        changed: Whether a hash differs from that of the dictionary: it was edited, or the process
            that wrote the two files was killed in between.
    """

    metadata: DictionaryMetadata = DictionaryMetadata()
    changed: bool = False


def read_manifest(path: Path, *, is_folder: bool) -> Manifest:
    """Return what the manifest of an existing dictionary holds; an edited one keeps its metadata.

    Args:
        path: The dictionary; for a folder, also one of the files in it.
        is_folder: Whether dictionaries of this format are folders.

    Raises:
        DictionaryFileError: If the manifest is damaged, or a folder has several.
    """
    manifest = _find_in_folder(path) if is_folder else manifest_beside(path)
    if manifest is None or not manifest.exists():
        return Manifest()
    try:
        record = json.loads(manifest.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DictionaryFileError(
            manifest, f"not valid JSON ({error}): delete or repair it"
        ) from None
    metadata = metadata_from_json(record, manifest)
    return Manifest(metadata, _differs(manifest, record.get("sha256")))


def _differs(manifest: Path, hashes: object) -> bool:
    if not isinstance(hashes, dict):
        return False
    files = {
        manifest.with_name(name): expected
        for name, expected in hashes.items()
        if name and name == Path(name).name
    }
    try:
        return any(not file.is_file() or sha256_of(file) != files[file] for file in files)
    except OSError:  # such as a name that is too long: no such file was written
        return True


def _find_in_folder(path: Path) -> Path | None:
    if not path.is_dir():
        return path.with_name(f"{path.stem}.manifest.json")
    found = sorted(path.glob("*.manifest.json"))
    if len(found) > 1:
        raise DictionaryFileError(path, f"found {len(found)} .manifest.json files, expected one")
    return found[0] if found else None
