"""`bilex convert`: a file of vectors or a dictionary, from any format to any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.dictionaries import check_excel
from bilex.cli.help_text import add_command
from bilex.cli.loading import load_space
from bilex.cli.places import check_writable
from bilex.cli.screen import note, progress
from bilex.errors import ModelFolderError, SettingError

if TYPE_CHECKING:
    from bilex.lexicons.dictionary import Dictionary, DictionaryEntry
    from bilex.values import Progress

EXAMPLES = (
    "bilex convert cc.en.300.vec.gz -o en.safetensors --limit 200000",
    "bilex convert en-fr.tsv -o en-fr.tbx --license CC0-1.0",
    "bilex convert en-fr.tbx -o en-fr.tsv",
)

ENTRIES_AT_ONCE = 1_000
"""Between two updates of the progress bar."""

VECTORS = (".vec", ".bin", ".kv", ".safetensors")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, convert, *EXAMPLES)


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Vectors or a dictionary, in any format."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PATH", help="File or folder to write.")
    ] = ...,  # type: ignore[assignment]
    limit: options.Limit = None,
    lowercase: options.Lowercase = False,
    format: options.Format = None,
    source_language: options.SourceLanguage = None,
    target_language: options.TargetLanguage = None,
    title: options.Title = None,
    license: options.License = None,
    excel: options.Excel = False,
) -> None:
    """Convert vectors or a dictionary to another format.

    The extension of the output gives the format. Vectors become .vec or .txt (also .gz, .bz2, .xz,
    .zst), .bin (word2vec), .kv (gensim), .safetensors, or without an extension a memory-mapped
    folder. Dictionaries become any format that `bilex formats` lists; all fields that both formats
    have are kept. If a TBX or TEI file has several languages, --source-language and
    --target-language choose two of them.
    """
    if (source / "config.toml").is_file():
        raise ModelFolderError(
            source, "is a model: use `bilex export` to write its dictionary or its vectors"
        )
    check_writable(output, inputs=[source])
    for_dictionaries = (format, source_language, target_language, title, license)
    if format is None and _are_vectors(source, output):
        if for_dictionaries != (None,) * 5 or excel:
            raise SettingError(
                "--format, --title, --license, --excel and languages are for dictionaries"
            )
        _convert_vectors(source, output, limit, lowercase)
        return
    if limit is not None or lowercase:
        raise SettingError("--limit and --lowercase are for vectors, not for dictionaries")
    check_excel(output, format, excel)
    languages = (source_language, target_language)
    _convert_dictionary(source, output, format, languages, title, license, excel=excel)


def _are_vectors(source: Path, output: Path) -> bool:
    """Return whether to write vectors, by the extension of the output; of the input for .txt."""
    from bilex.lexicons.formats import installed_formats

    name = output.name.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    if name.endswith(VECTORS) or "." not in name:
        return True
    return name.endswith(".txt") and not any(
        form.matches(source) and ".txt" not in form.extensions
        for form in installed_formats().values()
    )


def _convert_vectors(source: Path, output: Path, limit: int | None, lowercase: bool) -> None:
    from bilex.embeddings import save_embeddings
    from bilex.text.output import check_vector_output

    check_vector_output(output)
    space = load_space(source, limit=limit, lowercase=lowercase, cache=None)
    with progress(f"writing {output.name}", "words") as on_block:
        save_embeddings(space, output, on_block=on_block)
    note(f"{output}: {len(space):,} words × {space.dim}")


def _convert_dictionary(
    source: Path,
    output: Path,
    format: str | None,
    languages: tuple[str | None, str | None],
    title: str | None,
    license: str | None,
    *,
    excel: bool,
) -> None:
    from bilex.lexicons import read_dictionary, write_dictionary
    from bilex.lexicons.formats import check_output

    check_output(output, format)
    found = read_dictionary(source, source_language=languages[0], target_language=languages[1])
    for left_out in found.notes:
        note(f"{source.name}: left out {left_out}")
    if found.changed:
        note(f"{source.name}: changed since its manifest was written")
    metadata = replace(
        found.metadata,
        title=found.metadata.title if title is None else title,
        license=found.metadata.license if license is None else license,
    )
    with progress(f"writing {output.name}", "entries") as on_entries:
        entries = _counted(found, on_entries)
        count = write_dictionary(entries, output, metadata, format=format, byte_order_mark=excel)
    note(f"{output}: {count:,} entries")


def _counted(found: Dictionary, on_entries: Progress) -> Iterator[DictionaryEntry]:
    for done, entry in enumerate(found.entries):
        if done % ENTRIES_AT_ONCE == 0:
            on_entries(done, len(found.entries))
        yield entry
