"""CLDF word lists: forms of two languages for the same concept.

Forms are paired by their parameter, or by the Concepticon concept of their parameters if there is
a second data set. The spelling is `Form`, or `Value` if that has fewer characters of the phonetic
alphabet (IPA) or is in another script: then `Form` is a transcription.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bilex.errors import LexiconFileError
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import Language, PairRequest
from bilex.lexicons.imports.licenses import license_id
from bilex.lexicons.imports.lines import objects, texts
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tables import Table
from bilex.lexicons.imports.tally import Tally
from bilex.lexicons.imports.words import clean_label
from bilex.lexicons.writing_systems import script_of
from bilex.values import Entry

LARGEST_METADATA = 2**24
MOST_PAIRS = 10_000
"""Of one concept; more cannot be synonyms."""

_METADATA = "-metadata.json"
_IPA = re.compile("[\u0250-\u02ff\u1d00-\u1dbf\u0361\u035c]")
_SEVERAL = re.compile("[,;/~]")


@dataclass(frozen=True, slots=True)
class _Form:
    concept: str
    side: int
    text: str


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    sets = [_WordList(path, request, tally)]
    if request.other is not None:
        sets.append(_WordList(request.other, request, tally))
    terms = dict.fromkeys(one.license for one in sets if one.license)
    tally.license = " AND ".join(terms)
    concepts: dict[str, tuple[dict[str, None], dict[str, None]]] = defaultdict(lambda: ({}, {}))
    for one in sets:
        for form in one.forms(by_concept=len(sets) > 1):
            concepts[form.concept][form.side][form.text] = None
    provenance = "cldf:" + "+".join(one.name for one in sets)
    for sources, targets in concepts.values():
        if len(sources) * len(targets) > MOST_PAIRS:
            tally.leave_out(f"concepts with more than {MOST_PAIRS:,} pairs")
            continue
        for source in sources:
            for target in targets:
                yield Entry(source, target, provenance=provenance)


class _WordList:
    """One data set: its tables and columns, found by the terms of the CLDF ontology."""

    def __init__(self, path: Path, request: PairRequest, tally: Tally) -> None:
        self._path = _metadata_file(path)
        self._request = request
        self._tally = tally
        record = _load(self._path)
        self._tables = {
            term: table
            for table in objects(record.get("tables"))
            if (term := _term(table.get("dc:conformsTo")))
        }
        self._dialect = record.get("dialect")
        self.name = clean_label(record.get("rdf:ID")) or clean_label(
            self._path.name.removesuffix(_METADATA)
        )
        self.license = license_id(next(iter(texts(record.get("dc:license"))), ""))
        if "FormTable" not in self._tables:
            raise LexiconFileError(self._path, "has no FormTable: is it a word list?")

    def forms(self, *, by_concept: bool) -> Iterator[_Form]:
        """Yield the forms of both languages."""
        languages, concepts = self._languages(), self._concepts() if by_concept else None
        wanted = ("languageReference", "parameterReference", "form", "value")
        for language, parameter, form, value in self._rows("FormTable", wanted, optional=1):
            self._tally.entries += 1
            if languages is None:
                side, code = self._side(language), language
            else:
                side, code = languages.get(language, (None, language))
            self._tally.saw(code)
            if side is None:
                continue
            concept = parameter if concepts is None else concepts.get(parameter, "")
            if not concept:
                self._tally.leave_out("forms without a Concepticon concept")
                continue
            text = self._spelling(form, value)
            if text is not None:
                yield _Form(concept, side, text)

    def _spelling(self, form: str, value: str) -> str | None:
        if not value or value == form:
            return form
        is_transcribed = len(_IPA.findall(form)) > len(_IPA.findall(value))
        scripts = script_of(form), script_of(value)
        if not is_transcribed and (None in scripts or scripts[0] == scripts[1]):
            return form
        if _SEVERAL.search(value):
            self._tally.leave_out("transcribed forms whose value lists several words")
            return None
        self._tally.changed["spelled as in Value, since Form is a transcription"] += 1
        return value

    def _languages(self) -> dict[str, tuple[int | None, str]] | None:
        """Return the side and the code of each language; None without a table of languages."""
        if "LanguageTable" not in self._tables:
            return None
        sides: dict[str, tuple[int | None, str]] = {}
        wanted = ("id", "iso639P3code", "glottocode")
        for number, iso, glottocode in self._rows("LanguageTable", wanted, optional=2):
            sides[number] = self._side(number, iso, glottocode), iso or glottocode or number
        return sides

    def _side(self, *codes: str) -> int | None:
        """Return the side of a language with these codes: ISO 639-3, Glottolog or its own."""
        both: tuple[Language, Language] = (self._request.source, self._request.target)
        for side, language in enumerate(both):
            if any(language.matches(code) for code in codes):
                return side
        return None

    def _concepts(self) -> dict[str, str]:
        if "ParameterTable" not in self._tables:
            raise LexiconFileError(
                self._path, "has no ParameterTable, which is needed to pair two data sets"
            )
        rows = self._rows("ParameterTable", ("id", "concepticonReference"))
        return {row[0]: row[1] for row in rows}

    def _rows(
        self, term: str, properties: tuple[str, ...], *, optional: int = 0
    ) -> Iterator[list[str]]:
        """Yield the columns with these properties; the last `optional` ones may be missing."""
        table = self._tables[term]
        columns = _columns(table)
        names = [columns.get(name) for name in properties]
        needed = len(properties) - optional
        if None in names[:needed]:
            missing = properties[names.index(None)]
            raise LexiconFileError(self._path, f"the {term} has no column for {missing!r}")
        file = _inside(self._path, table.get("url"))
        present = [name for name in names if name is not None]
        delimiter = self._delimiter(table)
        rows = Table(file.parent, file.name, present, delimiter=delimiter).rows(self._tally)
        if len(present) == len(names):
            yield from rows
            return
        for row in rows:
            cells = iter(row)
            yield ["" if name is None else next(cells) for name in names]

    def _delimiter(self, table: dict[str, Any]) -> str:
        for dialect in (table.get("dialect"), self._dialect):
            if isinstance(dialect, dict):
                found = dialect.get("delimiter", ",")
                if found in (",", ";", "\t", "|"):
                    return str(found)
                raise LexiconFileError(self._path, f"unknown delimiter {str(found)[:10]!r}")
        return ","


def _metadata_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob(f"*{_METADATA}"))
    found = [file for file in found if file.name.lower() != "csvw-metadata.json"] or found
    if len(found) != 1:
        raise LexiconFileError(
            path, f"found {len(found)} files ending in {_METADATA}, expected one: give its name"
        )
    return found[0]


def _load(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_METADATA + 1)
        found = json.loads(data) if len(data) <= LARGEST_METADATA else None
    except OSError as error:
        raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise LexiconFileError(path, f"not valid JSON ({error})") from None
    if not isinstance(found, dict):
        raise LexiconFileError(path, "found no JSON object, expected the metadata of a CLDF set")
    return found


def _term(address: object) -> str:
    """Return the last part of an address in the ontology, such as "FormTable"."""
    return address.rpartition("#")[2] if isinstance(address, str) else ""


def _columns(table: dict[str, Any]) -> dict[str, str]:
    """Return the names of columns by their property."""
    schema = table.get("tableSchema")
    columns = objects(schema.get("columns")) if isinstance(schema, dict) else []
    found: dict[str, str] = {}
    for column in columns:
        name = column.get("name") or column.get("titles")
        if isinstance(name, str):
            found.setdefault(_term(column.get("propertyUrl")), name)
    return found


def _inside(metadata: Path, url: object) -> Path:
    """Return the file of a table, which must be in the folder of the metadata."""
    name = url if isinstance(url, str) else ""
    if not name or name != Path(name).name or not name.isprintable():
        raise LexiconFileError(
            metadata, f"the file of a table is {name[:100]!r}, expected a name in the same folder"
        )
    return metadata.parent / name


def _sniff(start: ResourceStart) -> float:
    if any(name.endswith(_METADATA) for name in start.names):
        return 0.8
    is_metadata = start.path.name.endswith(".json") and b"cldf" in start.data
    return 0.95 if is_metadata and b"FormTable" in start.data else 0.0


CLDF = Importer(
    name="cldf",
    files="*-metadata.json or its folder",
    summary="CLDF word lists (Lexibank): forms of many small languages for the same concepts.",
    sniff=_sniff,
    read=_read,
    joins=True,
)
