"""Formats as plugins: one module and one entry point of another package add a format."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bilex.errors import (
    BilexWarning,
    LexiconFileError,
    PluginError,
    SettingError,
    UnknownPluginError,
)
from bilex.lexicons import DictionaryEntry, read_dictionary, read_lexicon, write_dictionary
from bilex.lexicons.formats import Format, check_output, find_format, installed_formats
from bilex.values import Lexicon
from third_party import install_package

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "dictionary" / "export.md"
ENTRIES = (DictionaryEntry("Haus", "house", origin="seed"), DictionaryEntry("New York", "NY"))

# The same as in docs/dictionary/export.md.
MODULE = '''\
"""Ding: one `source :: target` pair on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bilex.lexicons import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats import FileStart, Format, Layout, RowProblem, make_pairs
from bilex.values import Entry


def render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    """Yield a line for each entry."""
    for entry in entries:
        yield f"{entry.source} :: {entry.target}\\n"


def layout(lines: Sequence[str]) -> Layout:
    """Return how to read each line; these are the first ones."""
    return Layout(pairs=pairs)


def pairs(line: str) -> list[Entry]:
    """Return the word pairs of one line."""
    words = line.split("::")
    if len(words) != 2:
        raise RowProblem(f"found {len(words) - 1} '::', expected 1")
    return make_pairs(words[0], [words[1]])


def sniff(start: FileStart) -> float:
    """Return how certain it is, from 0 to 1, that a file is in this format."""
    return 0.9 if start.lines and all(" :: " in line for line in start.lines) else 0.0


DING = Format(
    name="ding",
    extensions=(".ding",),
    summary="Word pairs with two colons between them, for Ding.",
    keeps=("source", "target"),
    render=render,
    layout=layout,
    sniff=sniff,
    compressible=True,
)
'''


def install(folder: Path, module: str, entry_points: str = "ding = bilex_ding:DING\n") -> None:
    """Write a package as pip would install it."""
    listed = f"[bilex.format]\n{entry_points}"
    install_package(folder, {"bilex_ding": module}, listed, name="bilex-ding")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder on the import path."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("bilex_ding", None)


@pytest.mark.parametrize("name", ["d.ding", "d.ding.gz"])
def test_a_format_of_another_package_is_written_and_read(
    site: Path, tmp_path: Path, name: str
) -> None:
    install(site, MODULE)
    check_output(tmp_path / name)

    assert write_dictionary(ENTRIES, tmp_path / name) == 2

    found = read_dictionary(tmp_path / name)
    assert [entry[:2] for entry in found] == [entry[:2] for entry in ENTRIES]
    lexicon = read_lexicon(tmp_path / name)
    assert lexicon == Lexicon.of([("Haus", "house"), ("New York", "NY")])
    assert lexicon.report is not None
    assert lexicon.report.format == "ding"


def test_it_is_recognized_by_its_content(site: Path, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_text("Haus :: house\nTür :: door\n", encoding="utf-8")
    with pytest.raises(LexiconFileError, match="line 1: found 3 words separated by spaces"):
        read_lexicon(tmp_path / "d.txt")

    install(site, MODULE)

    assert read_lexicon(tmp_path / "d.txt").translations["Tür"] == ("door",)


RULE = """

def select(entries, metadata):
    \"\"\"Leave out words with two colons.\"\"\"
    given = list(entries)
    kept = [entry for entry in given if "::" not in entry.source + entry.target]
    left_out = [LeftOutEntry(e, "word with two colons") for e in given if e not in kept]
    return Selection(kept, left_out)

"""
WITH_RULE = (
    MODULE.replace("import FileStart, Format", "import FileStart, Format, LeftOutEntry, Selection")
    .replace("\n\nDING = ", f"{RULE}\nDING = ")
    .replace("    render=render,\n", "    render=render,\n    select=select,\n")
)


def test_it_may_have_rules_for_its_entries(site: Path, tmp_path: Path) -> None:
    install(site, WITH_RULE)
    path = tmp_path / "d.ding"

    with pytest.warns(BilexWarning, match=r"^d\.ding: 1 entry left out, word with two colons: 1 "):
        assert write_dictionary([*ENTRIES, DictionaryEntry("a::b", "c")], path) == 2

    assert path.read_text() == "Haus :: house\nNew York :: NY\n"
    assert [entry.source for entry in read_dictionary(tmp_path / "d.ding.left-out.tsv")] == ["a::b"]


def test_rules_that_lose_an_entry_are_an_error(site: Path, tmp_path: Path) -> None:
    install(site, WITH_RULE.replace("Selection(kept, left_out)", "Selection(kept)"))

    with pytest.raises(PluginError, match="keeps 2 and leaves out 0 of 3 entries: ask its author"):
        write_dictionary([*ENTRIES, DictionaryEntry("a::b", "c")], tmp_path / "d.ding")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site"]


def test_its_problems_are_errors_with_a_line(site: Path, tmp_path: Path) -> None:
    install(site, MODULE)
    (tmp_path / "d.ding").write_text("Haus :: house\na :: b :: c\n", encoding="utf-8")

    with pytest.raises(LexiconFileError, match="line 2: found 2 '::', expected 1"):
        read_lexicon(tmp_path / "d.ding")


def test_an_unknown_format_lists_it(site: Path, tmp_path: Path) -> None:
    install(site, MODULE)

    with pytest.raises(UnknownPluginError) as caught:
        write_dictionary(ENTRIES, tmp_path / "d", format="dingo")
    assert (
        "no format plugin is called 'dingo' (did you mean 'ding'?); installed: anki, aws, aws-tmx, "
        "azure, csv, deepl, ding, dix, "
    ) in str(caught.value)
    with pytest.raises(SettingError, match=r"expected one of \.anki\.tsv, .* \.ding, \.dix, "):
        write_dictionary(ENTRIES, tmp_path / "d.dingo")


def test_without_the_package_there_is_no_such_format() -> None:
    assert "ding" not in installed_formats()


@pytest.mark.parametrize(
    ("module", "entry_points", "message"),
    [
        (
            "DING = 1\n",
            "ding = bilex_ding:DING\n",
            r"the format plugin 'ding' \(bilex_ding:DING\) of the package 'bilex-ding' is not a "
            "Format object",
        ),
        ("import no_such_module\n", "ding = bilex_ding:DING\n", "No module named 'no_such_module'"),
        (MODULE, "tsv = bilex_ding:DING\n", "two packages offer a format plugin called 'tsv'"),
        (
            MODULE.replace("    render=render,\n", "").replace("    layout=layout,\n", ""),
            "ding = bilex_ding:DING\n",
            "the format 'ding' can neither be read nor written",
        ),
    ],
    ids=["type", "import", "name", "fields"],
)
def test_a_broken_format_is_an_error_that_names_it(
    site: Path, tmp_path: Path, module: str, entry_points: str, message: str
) -> None:
    install(site, module, entry_points)

    with pytest.raises(PluginError, match=message):
        write_dictionary(ENTRIES, tmp_path / "d.ding")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"extensions": ()}, r"has the extensions \(\), expected at least one such as '\.tbx'"),
        ({"extensions": ("x",)}, "expected at least one such as"),
        ({"keeps": ("source",)}, "expected source, target and other fields of an entry"),
        ({"keeps": ("source", "target", "pos")}, "expected source, target and other fields"),
        ({"render": None}, "can neither be read nor written"),
        ({"save": print}, "may have only one of render and save"),
        ({"read": print, "layout": print}, "may have only one of read, layout and table"),
        ({"table": print, "layout": print}, "may have only one of read, layout and table"),
        ({"render": None, "save": print, "compressible": True}, "cannot be compressible"),
        ({"render": None, "layout": print, "select": print}, "has select, but is not written"),
        ({"is_folder": True}, "has render, so it cannot be a folder"),
    ],
)
def test_a_format_must_fit_together(changes: dict[str, Any], message: str) -> None:
    fields = {"name": "x", "extensions": (".x",), "summary": "", "render": print, **changes}

    with pytest.raises(PluginError, match=message):
        Format(**fields)


def test_a_format_may_only_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        write_dictionary(ENTRIES, tmp_path / "d.ods")

    assert str(caught.value) == (
        "ods is read but not written: give 'd.ods' another extension, such as .xlsx or .csv"
    )


def test_a_format_knows_its_own_name() -> None:
    for name, form in installed_formats().items():
        assert form.name == name
        assert find_format(Path("x"), name) is form
        assert re.fullmatch(r"[A-Z].*\.", form.summary)


@pytest.mark.skipif(not GUIDE.exists(), reason="the documentation is not part of this distribution")
def test_the_guide_shows_this_module() -> None:
    text = GUIDE.read_text(encoding="utf-8")

    assert f"```python\n{MODULE}```\n" in text
    assert '[project.entry-points."bilex.format"]\nding = "bilex_ding:DING"\n' in text
