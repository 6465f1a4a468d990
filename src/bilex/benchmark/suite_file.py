"""Read a `Suite` from a TOML file; mistakes are errors before anything runs.

description = "…"
rules = "vecmap"                          # scoring rules, unless a lexicon has its own

[data]
root = "data"                             # relative to this file; --data overrides it

[vectors]
default = "vectors/{language}.vec.gz"

[lemmas]
fr = "simplemma:fr"                       # or a file; scores are by lemma, too

[lexicons.xling]
train = { 500 = "xling/{pair}/train.500.tsv", 5000 = "xling/{pair}/train.5k.tsv" }
test = "xling/{pair}/test.tsv"

[methods.css-short]
preset = "css-paper"
mode = "fast"
set = ["strategy.rounds=3"]

[[tasks]]
lexicon = "xling"
pairs = ["en-fr"]
seeds = [100, 500, 5000]
draws = 3
methods = ["procrustes", "css-short"]
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import cast, get_args

from bilex.benchmark.suite import (
    Directions,
    LexiconFiles,
    Method,
    Reverse,
    Sampling,
    Suite,
    Task,
    Translations,
)
from bilex.benchmark.suite_list import suite_names, suite_text
from bilex.benchmark.templates import LANGUAGE_FIELDS, PAIR_FIELDS, RUN_FIELDS, check_template
from bilex.config import (
    build_parts,
    describe_parts,
    in_mode,
    load_preset,
    override,
    preset_names,
)
from bilex.errors import BilexError, InputFileError, SettingError
from bilex.evaluation import SCORING_RULES, resolve_rules
from bilex.registry import did_you_mean, plugin_class
from bilex.storage.checked_table import CheckedTable
from bilex.values import Mode

TOP = ("description", "rules", "data", "vectors", "lemmas", "lexicons", "methods", "tasks")
RENAMED = {"protocol": "rules"}

HELD_OUT = "held-out"
"""Replaces a test file: the test pairs are all training pairs not drawn as seeds."""

_PACKAGE = Path(str(resources.files("bilex")))
"""The root folder of suites whose data are in the package; other suites need --data."""

_MOST_DIGITS = 12  # of a number of words

FEWEST_EXCHANGED = 2
"""The smallest number of seeds whose translations can be exchanged."""


def load_suite(name: str) -> Suite:
    """Read a suite of the package, or a file if `name` ends in .toml.

    Raises:
        SettingError: If no suite has this name.
        InputFileError: If the file is not a valid suite; the message has the place and a fix.
    """
    if name.endswith(".toml"):
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise InputFileError(path, "no such file; check the path") from None
        except (OSError, UnicodeDecodeError) as problem:
            raise InputFileError(path, f"cannot be read as UTF-8 text: {problem}") from None
        return _suite(path, text, path.parent)
    if name not in suite_names():
        raise SettingError(
            f"no suite is called {name!r}{did_you_mean(name, suite_names())}; there are: "
            f"{', '.join(suite_names())}; or give the path of a .toml file"
        )
    found = _suite(Path(f"{name}.toml"), suite_text(name), _PACKAGE)
    return replace(found, root=None) if found.root == _PACKAGE else found


def _suite(path: Path, text: str, folder: Path) -> Suite:
    try:
        values = tomllib.loads(text)
        repr(values)  # raises if a number is too long or a list too deep for messages
    except (ValueError, RecursionError) as problem:
        raise InputFileError(path, f"is not valid TOML: {problem}") from None
    top = CheckedTable(path, "the suite", values, TOP, RENAMED)
    data = top.table("data", ("root", "limit", "lowercase"))
    lexicons = {name: _lexicon(top, name) for name in top.table("lexicons")}
    methods = {name: _method(top, name) for name in top.table("methods")}
    tasks = tuple(_task(t, lexicons, methods) for t in _task_tables(top))
    root = data.text("root")
    return Suite(
        name=path.stem,
        description=top.text("description") or "",
        root=folder / (root or "."),
        limit=data.count("limit", smallest=1),
        lowercase=data.flag("lowercase"),
        vectors=_vectors(top, tasks),
        lemmas=_lemmas(top),
        lexicons=lexicons,
        methods=methods,
        tasks=tasks,
    )


def _vectors(top: CheckedTable, tasks: tuple[Task, ...]) -> dict[str, str]:
    table = top.table("vectors")
    found = {name: table.need(name, table.text(name), "…") for name in table}
    for template in found.values():
        _check_path(table, template, LANGUAGE_FIELDS)
    for language in sorted({word for task in tasks for pair in task.pairs for word in pair}):
        if language not in found and "default" not in found:
            raise table.error(
                f'has no file for language {language!r}: add {language} = "…", or '
                'default = "vectors/{language}.vec.gz" for all'
            )
    return found


def _lemmas(top: CheckedTable) -> dict[str, str]:
    table = top.table("lemmas")
    found = {name: table.need(name, table.text(name), f'"simplemma:{name}"') for name in table}
    for template in found.values():
        _check_path(table, template, LANGUAGE_FIELDS)
    return found


def _lexicon(top: CheckedTable, name: str) -> LexiconFiles:
    known = ("train", "test", "rules", "reverse", "translations", "sampling", "wrong")
    table = top.table("lexicons").table(name, known, RENAMED)
    test = table.need("test", table.text("test"), '"{pair}/test.tsv"')
    train = _train(table)
    if test == HELD_OUT and not train:
        raise table.error(f'has test = "{HELD_OUT}" but no train file: add train = "…"')
    for template in (test, *train.values()):
        _check_path(table, template, PAIR_FIELDS)
    usual = top.choice("rules", sorted(SCORING_RULES), "vecmap")
    sampling = table.choice("sampling", get_args(Sampling), "random")
    if sampling == "random" and len(train) > 1:
        raise table.error(
            'has several train files, but sampling = "random" draws only from the largest: leave '
            'out the others, or choose sampling = "first" or "first-then-random"'
        )
    translations = table.choice("translations", get_args(Translations), "all")
    return LexiconFiles(
        name=name,
        train=train,
        test=None if test == HELD_OUT else test,
        rules=resolve_rules(table.choice("rules", sorted(SCORING_RULES), usual)),
        reverse=cast(Reverse, table.choice("reverse", get_args(Reverse), "swap")),
        translations=cast(Translations, translations),
        sampling=cast(Sampling, sampling),
        wrong=table.share("wrong"),
    )


def _train(table: CheckedTable) -> dict[int | None, str]:
    """Return training files by size; the key of a single file without a declared size is None."""
    if isinstance(table.values.get("train"), str):
        return {None: table.values["train"]}
    sizes = table.table("train")
    if not list(sizes):
        return {}
    found: dict[int | None, str] = {}
    for size in sizes:
        if not size.isdecimal() or len(size) > _MOST_DIGITS or int(size) < 1:
            raise sizes.error(f"has a size {size[:20]!r}: expected a number of words, such as 5000")
        found[int(size)] = sizes.need(size, sizes.text(size), "…")
    return found


def _method(top: CheckedTable, name: str) -> Method:
    known = ("preset", "settings", "mode", "set", "start", "source", "target")
    table = top.table("methods").table(name, known)
    if "source" in table or "target" in table:
        return _aligned(table, name)
    if "preset" in table and "settings" in table:
        raise table.error("has both a preset and settings: leave out one of the two")
    preset = table.text("preset") or name
    if preset.endswith(".toml"):
        preset = str(table.path.parent / preset)
    try:
        tables = _settings(table) if "settings" in table else load_preset(preset)
        return trained(name, _in_mode(table, tables), table.texts("set") or (), table)
    except BilexError as problem:
        if isinstance(problem, InputFileError) and problem.path == table.path:
            raise
        raise table.error(f"cannot be used: {problem}") from problem


def _settings(table: CheckedTable) -> dict[str, dict[str, object]]:
    settings = table.table("settings")
    return {part: dict(settings.table(part).values) for part in settings}


def _in_mode(
    table: CheckedTable, tables: dict[str, dict[str, object]]
) -> dict[str, dict[str, object]]:
    """Set the mode of every part that has one; a later `set` can change that of one part."""
    if "mode" not in table:
        return tables
    mode = cast(Mode, table.choice("mode", get_args(Mode), "fast"))
    chosen = in_mode(tables, mode)
    if not any(settings.get("mode") == mode for settings in chosen.values()):
        raise table.error(f'has mode = "{mode}", but no part has a mode: leave it out')
    return chosen


def trained(
    name: str,
    tables: dict[str, dict[str, object]],
    assignments: tuple[str, ...] = (),
    table: CheckedTable | None = None,
) -> Method:
    """Return a method with checked settings and all defaults."""
    for assignment in assignments:
        tables = override(tables, assignment)
    start = (table.text("start") if table is not None else None) or "auto"
    plugin_class("start", start)
    return Method(name, describe_parts(build_parts(tables)), start)


def _aligned(table: CheckedTable, name: str) -> Method:
    useless = [key for key in ("preset", "settings", "mode", "set", "start") if key in table]
    if useless:
        raise table.error(
            f"has aligned vectors and {useless[0]!r}, but nothing is trained: leave it out"
        )
    paths = [table.need(key, table.text(key), '"….vec"') for key in ("source", "target")]
    for template in paths:
        _check_path(table, template, RUN_FIELDS)
    return Method(name, aligned=(paths[0], paths[1]))


def _task_tables(top: CheckedTable) -> list[CheckedTable]:
    tasks = top.values.get("tasks", [])
    if not isinstance(tasks, list) or not tasks:
        raise top.error("has no [[tasks]]: add at least one, with lexicon, pairs and seeds")
    known = ("lexicon", "pairs", "directions", "seeds", "draws", "methods")
    return [
        CheckedTable(top.path, f"[[tasks]] number {number}", task, known)
        for number, task in enumerate(tasks, start=1)
    ]


def _task(
    table: CheckedTable, lexicons: dict[str, LexiconFiles], methods: dict[str, Method]
) -> Task:
    """Read a task; a preset that it names becomes a method, unless a table has that name."""
    name = table.need("lexicon", table.text("lexicon"), '"…"')
    if name not in lexicons:
        raise table.error(
            f"has lexicon = {name!r}{did_you_mean(name, list(lexicons))}, which no table "
            f"[lexicons.{name}] describes; there are: {', '.join(lexicons) or 'none'}"
        )
    wanted = table.texts("methods") or tuple(methods)
    if not wanted:
        raise table.error('names no method: add methods = ["procrustes"], or a table [methods.…]')
    for method in wanted:
        if method in methods:
            continue
        if method not in preset_names():
            known = [*methods, *preset_names()]
            raise table.error(
                f"names method {method!r}{did_you_mean(method, known)}, which is neither a table "
                f"[methods.{method}] nor a preset; there are: {', '.join(dict.fromkeys(known))}"
            )
        methods[method] = trained(method, load_preset(method))
    seeds = table.need("seeds", table.counts("seeds"), "[1000]")
    _check_seeds(table, seeds, lexicons[name])
    directions = table.choice("directions", get_args(Directions), "forward")
    return Task(
        lexicon=name,
        pairs=_pairs(table),
        directions=cast(Directions, directions),
        seeds=seeds,
        draws=table.count("draws", smallest=1) or 1,
        methods=wanted,
    )


def _pairs(table: CheckedTable) -> tuple[tuple[str, str], ...]:
    found = []
    for pair in table.need("pairs", table.texts("pairs"), '["en-fr"]'):
        languages = pair.split("-")
        if len(languages) != 2 or not all(languages) or languages[0] == languages[1]:
            raise table.error(
                f"has the pair {pair!r}: expected two languages and one hyphen, such as 'en-fr'"
            )
        found.append((languages[0], languages[1]))
    return tuple(found)


def _check_seeds(table: CheckedTable, seeds: tuple[int, ...], lexicon: LexiconFiles) -> None:
    if not seeds:
        raise table.error("has seeds = []: give at least one size; 0 is training without seeds")
    for size in seeds:
        if size and not lexicon.train:
            raise table.error(
                f"has {size:,} seeds, but [lexicons.{lexicon.name}] has no train file"
            )
        if None not in lexicon.train and size > (lexicon.largest or 0):
            raise table.error(
                f"has {size:,} seeds, but the largest training file of "
                f"[lexicons.{lexicon.name}] has {lexicon.largest:,}: use fewer"
            )
        if lexicon.test is None and size == lexicon.largest:
            raise table.error(
                f"has {size:,} seeds, all words of the training file of [lexicons.{lexicon.name}], "
                f'but test = "{HELD_OUT}" needs words that are not seeds: use fewer'
            )
        if lexicon.wrong is not None and round(lexicon.wrong * size) < FEWEST_EXCHANGED:
            raise table.error(
                f"has {size:,} seeds, but wrong = {lexicon.wrong} of [lexicons.{lexicon.name}] "
                "makes fewer than two of them wrong: use more seeds, or leave out wrong"
            )


def _check_path(table: CheckedTable, template: str, fields: tuple[str, ...]) -> None:
    try:
        check_template(template, fields)
    except SettingError as problem:
        raise table.error(f"cannot be used: {problem}") from None
