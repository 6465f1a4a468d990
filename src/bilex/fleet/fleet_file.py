"""Read a `Fleet` from a TOML file; mistakes are errors before anything runs.

hub = "en"                                # or "auto": the language with most seeds
vectors = "vectors/{language}.vec.gz"     # relative to this file
limit = 200000
pairs = "all"                             # or a list such as ["fr-ru", "fi-tr"]
directions = "both"                       # or "forward": only as the list names them
formats = ["tsv"]                         # besides Parquet

[languages.en]
[languages.fr]
vectors = "wiki.fr.vec"                   # overrides those above
limit = 50000
lowercase = true

[seeds]
en-fr = "seeds/en-fr.tsv"                 # or a list of files
fr-oc = { file = "seeds/fr-oc.xlsx", columns = "source=2,target=3" }

[method]
preset = "bilex"
set = ["retrieval.neighborhood=5"]

[lexicons]
min_precision = 0.8
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import cast, get_args

from bilex.config import build_parts, describe_parts, in_mode, load_preset, override
from bilex.errors import BilexError, InputFileError, SettingError
from bilex.fleet.fleet import AUTO, Fleet, Language, Method, SeedFile, Selection
from bilex.lexicons.dictionary import DictionaryMetadata
from bilex.lexicons.formats import installed_formats
from bilex.lexicons.formats.metadata import check_metadata
from bilex.registry import did_you_mean, plugin_class
from bilex.storage.checked_table import CheckedTable
from bilex.values import Mode, Search

TOP = (
    "hub",
    "vectors",
    "limit",
    "lowercase",
    "pairs",
    "directions",
    "formats",
    "languages",
    "seeds",
    "method",
    "lexicons",
)
PARQUET = "parquet"
"""The format that is always written."""

_FIELD = "{language}"


def load_fleet(path: Path | str) -> Fleet:
    """Read a fleet file.

    Raises:
        InputFileError: If the file is not a valid fleet; the message has the table, the key and a
            fix.
        MissingExtraError: If a format needs a package that is not installed.
    """
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        repr(values)  # raises if a number is too long or a list too deep for messages
    except FileNotFoundError:
        raise InputFileError(path, "no such file; check the path") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputFileError(path, f"cannot be read as UTF-8 text: {problem}") from None
    except (ValueError, RecursionError) as problem:
        raise InputFileError(path, f"is not valid TOML: {problem}") from None
    top = CheckedTable(path, "the fleet", values, TOP)
    languages = {code: _language(top, code) for code in top.table("languages")}
    if len(languages) < 2:
        raise top.table("languages").error(
            f"has {len(languages)} of them: give at least two, such as [languages.en]"
        )
    _check_spelling(top, languages)
    hub = top.text("hub") or AUTO
    if hub != AUTO:
        _check_known(top, "hub", hub, languages)
    method = _method(top)
    return Fleet(
        name=path.stem,
        languages=languages,
        seeds=_seeds(top, languages),
        hub=hub,
        pairs=_pairs(top, languages),
        method=method,
        selection=_selection(top, method),
        formats=_formats(top),
    )


def _language(top: CheckedTable, code: str) -> Language:
    table = top.table("languages").table(code, ("vectors", "limit", "lowercase"))
    try:
        check_metadata(DictionaryMetadata(source_language=code))
    except SettingError as problem:
        raise table.error(f"cannot be used: {problem}") from None
    vectors = table.text("vectors")
    if vectors is None:
        default = top.text("vectors")
        if default is None:
            raise table.error(
                'has no vectors: add vectors = "…", or give vectors = "{language}.vec" for all '
                "languages above the tables"
            )
        if _FIELD not in default:
            raise top.error(
                f"has vectors = {default!r}: expected {_FIELD} in it, since it is for all languages"
            )
        vectors = default.replace(_FIELD, code)
    limit = table.count("limit", smallest=1) or top.count("limit", smallest=1)
    lowercase = table.flag("lowercase") if "lowercase" in table else top.flag("lowercase")
    return Language(code, table.path.parent / vectors, limit, lowercase)


def _check_spelling(top: CheckedTable, languages: Mapping[str, Language]) -> None:
    """Raise if two codes differ only in case: they are one language, and may be one folder."""
    known: dict[str, str] = {}
    for code in languages:
        other = known.setdefault(code.lower(), code)
        if other != code:
            raise top.table("languages").error(
                f"has {other!r} and {code!r}, which are the same language: leave out one"
            )


def _seeds(top: CheckedTable, languages: Mapping[str, Language]) -> tuple[SeedFile, ...]:
    table, found = top.table("seeds"), []
    for name in table:
        source, target = _pair(table, name, languages)
        value, columns = table.values[name], None
        if isinstance(value, str):
            files: tuple[str, ...] = (value,)
        elif isinstance(value, list):
            files = table.texts(name) or ()
            if not files:
                raise table.error(f"has no file for {name!r}: name one, or leave out the pair")
        elif not isinstance(value, Mapping):
            raise table.error(
                f"has {name} = {value!r}: expected the name of a file in quotes, a list of them, "
                'or { file = "…", columns = "…" }'
            )
        else:
            own = table.table(name, ("file", "columns"))
            files, columns = (own.need("file", own.text("file"), '"…"'),), own.text("columns")
        found += [SeedFile(source, target, table.path.parent / file, columns) for file in files]
    return tuple(found)


def _pairs(top: CheckedTable, languages: Mapping[str, Language]) -> tuple[tuple[str, str], ...]:
    directions = top.choice("directions", ("both", "forward"), "both")
    if top.values.get("pairs", "all") == "all":
        if directions != "both":
            raise top.error(
                'has directions = "forward" and all pairs: leave out directions, or list the pairs'
            )
        return tuple(permutations(languages, 2))
    if isinstance(top.values.get("pairs"), str):
        raise top.error(
            f'has pairs = {top.text("pairs")!r}: expected "all", or a list such as ["en-fr"]'
        )
    listed = [_pair(top, name, languages) for name in top.texts("pairs") or ()]
    if not listed:
        raise top.error(
            'has an empty list of pairs: give pairs = "all", or pairs such as ["en-fr"]'
        )
    backward = [(target, source) for source, target in listed] if directions == "both" else []
    return tuple(dict.fromkeys([*listed, *backward]))


def _pair(table: CheckedTable, name: str, languages: Mapping[str, Language]) -> tuple[str, str]:
    """Return the two languages of a name such as en-fr; codes may have hyphens too."""
    parts = name.split("-")
    splits = [("-".join(parts[:n]), "-".join(parts[n:])) for n in range(1, len(parts))]
    known = [(a, b) for a, b in splits if a in languages and b in languages]
    if len(known) > 1:
        raise table.error(
            f"has a pair {name!r} that can be read in several ways: rename a language"
        )
    if not known:
        unknown = next((code for code in parts if code not in languages), name)
        hint = did_you_mean(unknown, list(languages))
        raise table.error(
            f"has a pair {name!r}: expected two codes of [languages] with a hyphen between them, "
            f"such as {'-'.join(list(languages)[:2])}; {unknown!r} is none of them{hint}"
        )
    if known[0][0] == known[0][1]:
        raise table.error(f"has a pair {name!r} of one language: give two")
    return known[0]


def _method(top: CheckedTable) -> Method:
    table = top.table("method", ("preset", "mode", "set", "start", "random_state", "search"))
    preset = table.text("preset") or "bilex"
    if preset.endswith(".toml"):
        preset = str(table.path.parent / preset)
    start = table.text("start") or AUTO
    try:
        tables = load_preset(preset)
        if "mode" in table:
            tables = in_mode(tables, cast(Mode, table.choice("mode", get_args(Mode), "fast")))
        for assignment in table.texts("set") or ():
            tables = override(tables, assignment)
        plugin_class("start", start)
        settings = _same_parts(describe_parts(build_parts(tables)))
    except BilexError as problem:
        if isinstance(problem, InputFileError) and problem.path == table.path:
            raise
        raise table.error(f"cannot be used: {problem}") from problem
    search = cast(Search, table.choice("search", get_args(Search), "auto"))
    return Method(settings, start, table.count("random_state", smallest=0) or 0, search)


def _same_parts(tables: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Let all languages hold out the seeds of the same words of the hub.

    So maps trained without these words exist for every language, from which the probabilities of
    pairs without seeds are learned.
    """
    if tables.get("calibration", {}).get("name") == "held-out-seeds":
        tables["calibration"] |= {"divide": "target-words"}
    return tables


def _selection(top: CheckedTable, method: Method) -> Selection:
    table = top.table("lexicons", ("k", "min_precision"))
    precision = table.share("min_precision")
    if precision is not None and "calibration" not in method.tables:
        raise table.error(
            "has min_precision, but the method learns no probabilities: leave it out, or add "
            'set = ["calibration.name=held-out-seeds"] to [method]'
        )
    return Selection(table.count("k", smallest=1), precision)


def _formats(top: CheckedTable) -> tuple[str, ...]:
    names, formats = tuple(dict.fromkeys(top.texts("formats") or ())), installed_formats()
    for name in names:
        if name not in formats:
            hint = did_you_mean(name, list(formats))
            raise top.error(f"has a format {name!r}{hint}; `bilex formats` lists them")
        form = formats[name]
        if not form.is_writable:
            raise top.error(f"has a format {name!r}, which is read but not written: leave it out")
        form.check_packages()
    return tuple(name for name in names if name != PARQUET)


def _check_known(
    table: CheckedTable, key: str, code: str, languages: Mapping[str, Language]
) -> None:
    if code not in languages:
        hint = did_you_mean(code, list(languages))
        known = ", ".join(languages)
        raise table.error(f"has {key} = {code!r}: expected one of {known}, or auto{hint}")
