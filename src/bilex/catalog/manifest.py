"""The manifest of a downloaded file, `NAME.manifest.json`: where it is from, and its hash.

The layout is that of the manifests of dictionaries, so that a downloaded lexicon keeps its
languages and license when it is read.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from bilex.catalog.entry import RemoteFile
from bilex.catalog.transfer import Version
from bilex.storage.files import writing

_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def manifest_beside(path: Path) -> Path:
    """Return the path of the manifest of a file."""
    return path.with_name(f"{path.name}.manifest.json")


def write_manifest(path: Path, file: RemoteFile, version: Version, sha256: str) -> None:
    """Write where a file is from, and its hash."""
    record: dict[str, object] = {"title": file.title, "license": _license(file)}
    if file.pair is not None and all(_LANGUAGE_TAG.fullmatch(code) for code in file.pair):
        record |= {"source_language": file.pair.source, "target_language": file.pair.target}
    record["manifest"] = {
        "address": file.address,
        "page": file.page,
        "last_modified": version.last_modified,
    }
    record["sha256"] = {path.name: sha256}
    with writing(manifest_beside(path)) as part:
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        part.write_text(text, encoding="utf-8", newline="\n")


def recorded_hash(path: Path, address: str) -> str | None:
    """Return the hash of a file when it was downloaded from `address`; None if it was not."""
    try:
        record = json.loads(manifest_beside(path).read_text(encoding="utf-8"))
        if record["manifest"]["address"] != address:
            return None
        return str(record["sha256"][path.name])
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _license(file: RemoteFile) -> str:
    return f"{file.license} ({file.terms})" if file.terms else file.license
