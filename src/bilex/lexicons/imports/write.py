"""Write imported pairs: a lexicon file, and a manifest with its license beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.dictionary import DictionaryMetadata
from bilex.lexicons.formats.lookup import find_lexicon_format, lexicon_formats
from bilex.lexicons.formats.metadata import check_metadata, manifest_beside, manifest_text
from bilex.lexicons.imports.tally import ImportedPairs
from bilex.lexicons.write import write_lexicon
from bilex.storage.files import writing
from bilex.storage.hashes import FileHashes, sha256_of
from bilex.storage.version import __version__


def check_lexicon_name(path: Path) -> None:
    """Raise if a lexicon cannot be written under this name; call it before long work.

    Raises:
        LexiconFileError: If the name has another extension.
    """
    if find_lexicon_format(path) is None:
        known = ", ".join(form.extensions[0] for form in lexicon_formats().values())
        raise LexiconFileError(
            path, f"cannot be written as a lexicon, expected a name that ends in one of {known}"
        )


def write_imported(found: ImportedPairs, path: Path | str, resources: Sequence[Path] = ()) -> None:
    """Write the pairs as `write_lexicon` does, and a manifest at `path` with .manifest.json.

    The manifest names languages, license, what was left out, and the hashes of the resources.

    Args:
        found: The pairs.
        path: The file to write: .tsv, .csv or .jsonl, with or without .gz.
        resources: The files or folders that the pairs are from.

    Raises:
        LexiconFileError: If the name has another extension.
    """
    path = Path(path)
    write_lexicon(found.lexicon, path)
    hashes = FileHashes()
    metadata = DictionaryMetadata(
        source_language=found.source_language,
        target_language=found.target_language,
        license=found.report.license,
        manifest={
            "bilex": __version__,
            "import": found.report.to_dict(),
            "resources": {file.name: hashes.sha256(file) for file in resources},
        },
    )
    check_metadata(metadata)
    form = find_lexicon_format(path)
    manifest = manifest_text(
        metadata,
        format_name="" if form is None else form.name,
        entries=len(found),
        files={path.name: sha256_of(path)},
    )
    with writing(manifest_beside(path)) as part:
        part.write_text(manifest, encoding="utf-8", newline="\n")
