"""Glossary files of translation services: to the byte, their rules, and what is left out."""

from __future__ import annotations

import csv
import io
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import bilex
from bilex.errors import BilexWarning, DictionaryFileError, EmptyLexiconError, SettingError
from bilex.lexicons import (
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    read_lexicon,
    write_dictionary,
)
from bilex.lexicons.formats import installed_formats
from bilex.lexicons.formats.azure import mark_terms
from bilex.lexicons.formats.glossary_file import GlossaryFile, tab_row
from bilex.lexicons.formats.selection import describe_selection
from export_data import METADATA, NASTY_WORDS, REVIEWED, entries

NAMES = (*("aws", "aws-tmx", "azure", "deepl", "google", "google-terms", "weblate", "weblate-csv"),)
FORMATS = {name: installed_formats()[name] for name in NAMES}
ENGLISH_GERMAN = DictionaryMetadata(source_language="en", target_language="de")


def pairs(*words: tuple[str, str]) -> list[DictionaryEntry]:
    return [DictionaryEntry(*pair, origin="seed") for pair in words]


# Made by hand from the examples in each documentation.
EXAMPLES = {
    "deepl": (
        pairs(("Hello", "Guten Tag"), ("World", "Welt")),
        "Hello\tGuten Tag\nWorld\tWelt\n",
    ),
    "google": (
        pairs(("Google Home", "Google Home"), ("hello, world!", "hallo, Welt!")),
        'Google Home,Google Home\n"hello, world!","hallo, Welt!"\n',
    ),
    "google-terms": (
        pairs(("account", "Konto"), ("hello, world!", "Hallo")),
        'en,de\naccount,Konto\n"hello, world!",Hallo\n',
    ),
    "aws": (
        pairs(("Amazon Photos", "Amazon Photos"), ("a, b", "c")),
        'en,de\nAmazon Photos,Amazon Photos\n"a, b",c\n',
    ),
    "aws-tmx": (
        pairs(("Amazon Photos", "Amazon Photos"), ('34" monitor', "<34-Zoll>")),
        f"""\
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="bilex" creationtoolversion="{bilex.__version__}" datatype="plaintext" \
segtype="phrase" adminlang="en" srclang="en" o-tmf="bilex">
</header>
<body>
<tu>
  <tuv xml:lang="en"><seg>Amazon Photos</seg></tuv>
  <tuv xml:lang="de"><seg>Amazon Photos</seg></tuv>
</tu>
<tu>
  <tuv xml:lang="en"><seg>34&quot; monitor</seg></tuv>
  <tuv xml:lang="de"><seg>&lt;34-Zoll&gt;</seg></tuv>
</tu>
</body>
</tmx>
""",
    ),
    "azure": (
        pairs(("Bank", "Banque"), ("Office", "Office"), ("US", "United States")),
        "Bank\tBanque\nOffice\tOffice\nUS\tUnited States\n",
    ),
    "weblate-csv": (
        pairs(("Thank you for using Weblate.", "Danke."), ("#1", "#1")),
        "source,target\nThank you for using Weblate.,Danke.\n#1,#1\n",
    ),
}

WEBLATE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif PUBLIC "ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN" "TBXcdv04.dtd">
<martif type="TBX" xml:lang="en">
<martifHeader>
<fileDesc>
  <titleStmt><title>English &amp; French</title></titleStmt>
  <publicationStmt><p>License: CC0-1.0</p></publicationStmt>
  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>
</fileDesc>
</martifHeader>
<text>
<body>
<termEntry id="tdac52aeb7290a0c8">
  <langSet xml:lang="en"><descrip type="definition">building</descrip><tig><term>house</term>\
<termNote type="partOfSpeech">noun</termNote></tig></langSet>
  <langSet xml:lang="fr"><tig><term>maison</term>\
<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>\
<note>probability=0.93 rank=1 reviewed_at=2026-01-31T12:00:00.000000Z origin=reviewed \
model=css-4f</note><note from="translator">100 % &lt;sure&gt;</note><transacGrp>\
<transac type="transactionType">modification</transac><date>2026-01-31</date>\
<transacNote type="responsibility">Ann B; Bo</transacNote></transacGrp></tig></langSet>
</termEntry>
<termEntry id="t8f5e9155b6fa253c">
  <langSet xml:lang="en"><tig><term>house</term>\
<termNote type="partOfSpeech">other</termNote></tig></langSet>
  <langSet xml:lang="fr"><tig><term>mais on</term>\
<termNote type="administrativeStatus">forbidden</termNote>\
<note>probability=0.25 part_of_speech=noun%20phrase origin=rejected</note></tig></langSet>
</termEntry>
<termEntry id="t453c5ab042c6bb35">
  <langSet xml:lang="en"><tig><term>house</term></tig></langSet>
  <langSet xml:lang="fr"><tig><term>mai</term><note>origin=induced</note></tig></langSet>
</termEntry>
</body>
</text>
</martif>
"""


def path_of(folder: Path, name: str) -> Path:
    return folder / f"d{FORMATS[name].extensions[0]}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_documentation(tmp_path: Path, name: str) -> None:
    entries, expected = EXAMPLES[name]
    path = path_of(tmp_path, name)

    assert write_dictionary(entries, path, ENGLISH_GERMAN) == len(entries)

    assert path.read_text("utf-8") == expected
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        path.name,
        f"{path.name}.manifest.json",
    ]
    if FORMATS[name].is_readable:
        found = read_dictionary(path)
        assert list(found) == entries
        assert found.metadata == ENGLISH_GERMAN


def test_weblate(tmp_path: Path) -> None:
    path = path_of(tmp_path, "weblate")
    entries = [REVIEWED[0], REVIEWED[2], REVIEWED[3]]
    write_dictionary(entries, path, METADATA)

    assert path.read_text("utf-8") == WEBLATE
    found = read_dictionary(path)
    assert list(found) == entries
    assert found.metadata == METADATA


def test_translate_toolkit_reads_what_weblate_gets(tmp_path: Path) -> None:
    path = path_of(tmp_path, "weblate")
    write_dictionary(REVIEWED, path, METADATA)

    units = import_module("translate.storage.tbx").tbxfile.parsefile(str(path)).units

    assert [(str(u.source), str(u.target)) for u in units] == [entry[:2] for entry in REVIEWED]
    assert "100 % <sure>" in units[0].getnotes("translator")
    statuses = [u.xmlelement.findtext('.//termNote[@type="administrativeStatus"]') for u in units]
    assert statuses == ["preferredTerm-admn-sts", "preferredTerm-admn-sts", "forbidden", None]


@pytest.mark.parametrize("status", ["forbidden", "obsolete"])
def test_forbidden_terms_of_weblate_are_rejected_entries(tmp_path: Path, status: str) -> None:
    path = tmp_path / "cs.tbx"
    path.write_text(
        f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE martif PUBLIC "ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN" "TBXcdv04.dtd">
<martif type="TBX" xml:lang="en">
    <martifHeader><fileDesc><sourceDesc><p>Translate Toolkit</p></sourceDesc></fileDesc>
    </martifHeader>
    <text>
        <body>
            <termEntry>
                <langSet xml:lang="en"><tig><term>address bar</term></tig></langSet>
                <langSet xml:lang="cs">
                    <tig><term>adresní řádek</term></tig>
                    <tig><term>adresář</term>
                        <termNote type="administrativeStatus">{status}</termNote></tig>
                </langSet>
            </termEntry>
        </body>
    </text>
</martif>
""",
        encoding="utf-8",
    )

    assert [(entry.target, entry.origin) for entry in read_dictionary(path)] == [
        ("adresní řádek", "seed"),
        ("adresář", "rejected"),
    ]


def test_further_languages_of_a_terminology_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "d.aws.csv"
    path.write_text("en,fr,es\nAmazon Photos,Photos,Fotos\n", encoding="utf-8")

    found = read_dictionary(path)

    assert [entry[:2] for entry in found] == [("Amazon Photos", "Photos")]
    assert found.notes == ("columns: other es",)


def test_the_first_row_is_never_taken_for_a_header(tmp_path: Path) -> None:
    for name in ("deepl", "azure", "google"):
        words = pairs(("English", "French"), ("source", "target"))
        write_dictionary(words, path_of(tmp_path, name), METADATA)

        assert read_lexicon(path_of(tmp_path, name)).translations == {
            "English": ("French",),
            "source": ("target",),
        }


def test_a_row_with_a_third_column_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "d.deepl.tsv"
    path.write_text("a\tb\nc\td\te\n", encoding="utf-8")

    with pytest.raises(DictionaryFileError, match="line 2: found 3 columns, the header has 2"):
        read_dictionary(path)


# Rules

LONG = ["é" * 100, "é" * 101, "a" * 200, "é" * 512, "é" * 513]
BAD = ['a"b', "\u00a0a", "a\u2003", "a\x85b", "\u2028", "a\ufeff", "=1", "+a", "-a", "@a", "a;b"]
few_words = st.sampled_from(["a", "b", "A", "a, b", "#", "# c", "English", *LONG, *BAD])
glossary_entries = st.lists(
    st.one_of(
        st.tuples(
            few_words,
            few_words,
            st.sampled_from([None, 0.0, 0.25, 1.0]),
            st.none(),
            st.sampled_from([None, 1, 2]),
            st.none(),
            st.sampled_from(["seed", "induced", "reviewed", "rejected"]),
        ).map(lambda fields: DictionaryEntry(*fields)),
        entries,
    ),
    min_size=1,
    max_size=12,
)


def cells_of(text: str, separator: str) -> list[list[str]]:
    """Read as the standard library does, which knows nothing of our rules."""
    if separator == "\t":
        return [line.split("\t") for line in text.removesuffix("\n").split("\n")]
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def check_words(rows: list[list[str]]) -> None:
    for row in rows:
        assert len(row) == 2
        for word in row:
            assert word
            assert word == word.strip()
            assert word.splitlines() == [word]
            assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029" for c in word)


def check_deepl(text: str) -> list[list[str]]:
    rows = cells_of(text, "\t")
    assert len(text.splitlines()) == len(rows)
    assert all(len(word.encode()) <= 1024 for row in rows for word in row)
    assert len({source for source, _ in rows}) == len(rows)
    assert '"' not in text
    return rows


def check_azure(text: str) -> list[list[str]]:
    rows = cells_of(text, "\t")
    assert len({source for source, _ in rows}) == len(rows)
    return rows


def check_google(text: str) -> list[list[str]]:
    rows = cells_of(text, ",")
    assert len({source for source, _ in rows}) == len(rows)
    return rows


def check_google_terms(text: str) -> list[list[str]]:
    header, *rows = cells_of(text, ",")
    assert header == ["en", "fr"]
    assert len({source for source, _ in rows}) == len({target for _, target in rows}) == len(rows)
    return rows


def check_aws(text: str) -> list[list[str]]:
    header, *rows = cells_of(text, ",")
    assert header == ["en", "fr"]
    assert len({source for source, _ in rows}) == len(rows)
    assert all(len(word.encode()) <= 200 and word[0] not in "+-=@" for row in rows for word in row)
    return rows


def check_aws_tmx(text: str) -> list[list[str]]:
    tree = etree.fromstring(text.encode())
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    rows = []
    for unit in tree.iter("tu"):
        assert [variant.get(language) for variant in unit] == ["en", "fr"]
        rows.append([variant.findtext("seg") for variant in unit])
    assert all(len(word.encode()) <= 200 for row in rows for word in row)
    assert len({source for source, _ in rows}) == len(rows)
    return rows


def check_weblate(text: str) -> list[list[str]]:
    tree = etree.fromstring(text.encode())
    concepts = list(tree.iter("termEntry"))
    assert len({concept.get("id") for concept in concepts}) == len(concepts)
    rows = [[term.text for term in concept.iter("term")] for concept in concepts]
    assert len(set(map(tuple, rows))) == len(rows)
    return rows


def check_weblate_csv(text: str) -> list[list[str]]:
    header, *rows = [line.split(",") for line in text.removesuffix("\n").split("\n")]
    assert header == ["source", "target"]
    assert len({source for source, _ in rows}) == len(rows)
    assert not set('";') & set(text)
    return rows


RULES: dict[str, Callable[[str], list[list[str]]]] = {
    "aws": check_aws,
    "aws-tmx": check_aws_tmx,
    "azure": check_azure,
    "deepl": check_deepl,
    "google": check_google,
    "google-terms": check_google_terms,
    "weblate": check_weblate,
    "weblate-csv": check_weblate_csv,
}


def is_better(one: DictionaryEntry, other: DictionaryEntry) -> bool:
    order = ["reviewed", "seed", "induced", "rejected"]
    ranks = [
        (order.index(e.origin), -(-1 if e.probability is None else e.probability), e.rank or 2**40)
        for e in (one, other)
    ]
    return ranks[0] < ranks[1]


@pytest.mark.parametrize("name", NAMES)
@given(given_entries=glossary_entries)
@settings(deadline=None, max_examples=30)
def test_a_file_follows_the_rules_and_the_rest_is_listed(
    name: str, given_entries: list[DictionaryEntry]
) -> None:
    form = FORMATS[name]
    accepted = [e for e in given_entries if form.keeps_rejected or e.origin != "rejected"]
    kept, left_out = form.select(accepted, METADATA)  # type: ignore[misc]

    assert Counter(kept) + Counter(entry for entry, _ in left_out) == Counter(accepted)
    places = iter(accepted)
    assert all(entry in places for entry in kept), "in their order"
    assert all(reason for _, reason in left_out)
    for entry, reason in left_out:
        if reason == "further translation of a word":
            assert any(e.source == entry.source and not is_better(entry, e) for e in kept)
    with tempfile.TemporaryDirectory() as folder:
        path = path_of(Path(folder), name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if not kept:
                with pytest.raises(EmptyLexiconError):
                    write_dictionary(given_entries, path, METADATA)
                assert not list(Path(folder).iterdir())
                return
            assert write_dictionary(given_entries, path, METADATA) == len(kept)
        beside = path.with_name(f"{path.name}.left-out.tsv")
        assert len(caught) == beside.exists() == bool(left_out)
        if left_out:
            assert list(read_dictionary(beside)) == [entry for entry, _ in left_out]
        text = path.read_bytes().decode()
        rows = RULES[name](text)
        check_words(rows)
        assert [tuple(row) for row in rows] == [entry[:2] for entry in kept]
        if form.is_readable:
            assert [entry[:2] for entry in read_dictionary(path)] == [entry[:2] for entry in kept]


@pytest.mark.parametrize("name", NAMES)
def test_ordinary_words_are_never_left_out(tmp_path: Path, name: str) -> None:
    words = [
        "house",
        "New York",
        "naïve",
        "l’eau",
        "ꯃꯤꯇꯩ",
        "שלום",
        "👩‍👩‍👧",
        "e\u0301",
        "C++",
        "3.5",
    ]
    entries = pairs(*zip(words, reversed(words), strict=True))

    assert write_dictionary(entries, path_of(tmp_path, name), METADATA) == len(words)


@pytest.mark.parametrize("name", NAMES)
def test_nasty_words_are_kept_or_listed(tmp_path: Path, name: str) -> None:
    entries = pairs(*zip(NASTY_WORDS, reversed(NASTY_WORDS), strict=True))
    path = path_of(tmp_path, name)
    with pytest.warns(BilexWarning, match=f"^{path.name}: .* entries left out, "):
        written = write_dictionary(entries, path, METADATA)

    listed = read_dictionary(tmp_path / f"{path.name}.left-out.tsv")
    assert written > 20
    assert written + len(listed) == len(entries)


REASONS = {
    "further translation of a word": [("a", "b"), ("a", "c")],
    "source with a control character or line separator": [("a\x85b", "c")],
    "target with a control character or line separator": [("a", "\u2029")],
    "source with white space at its start or end": [("\u00a0a", "b")],
    "target with a double quote": [("a", 'b"')],
    "target longer than 1,024 bytes": [("a", "é" * 512), ("b", "é" * 513)],
}


def test_the_reasons(tmp_path: Path) -> None:
    for reason, words in REASONS.items():
        entries = pairs(("x", "y"), *words)
        _, left_out = FORMATS["deepl"].select(entries, METADATA)  # type: ignore[misc]

        assert left_out == [(entries[-1], reason)]


def test_the_reasons_of_other_formats() -> None:
    expected = {
        "aws": [
            ("é" * 101, "b", "source longer than 200 bytes"),
            ("a", "=b", "target starting with ="),
        ],
        "google-terms": [("z", "y", "target that translates another word")],
        "weblate": [("a", "\\u0001", "target with a character that XML cannot hold")],
        "weblate-csv": [("a, b", "c", "source with a comma or semicolon")],
        "aws-tmx": [("\ufffe", "b", "source with a character that XML cannot hold")],
    }
    for name, cases in expected.items():
        for source, target, reason in cases:
            entries = pairs(("x", "y"), (source, target))
            assert FORMATS[name].select(entries, METADATA).left_out == [(entries[1], reason)]  # type: ignore[misc]


def test_weblate_holds_each_pair_once_and_several_translations(tmp_path: Path) -> None:
    entries = [
        DictionaryEntry("dog", "chien", 0.9),
        DictionaryEntry("dog", "chien", sense="animal", origin="reviewed"),
        DictionaryEntry("dog", "cabot", 0.4),
    ]
    kept, left_out = FORMATS["weblate"].select(entries, METADATA)  # type: ignore[misc]

    assert kept == entries[1:]
    assert left_out == [(entries[0], "repeated pair")]


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({"origin": "seed"}, {"origin": "reviewed"}),
        ({"origin": "induced", "probability": 1.0}, {"origin": "seed"}),
        ({"probability": 0.4, "rank": 1}, {"probability": 0.5, "rank": 2}),
        ({"rank": 1}, {"probability": 0.0}),
        ({"rank": 2}, {"rank": 1}),
        ({}, {"rank": 9}),
    ],
)
def test_which_translation_is_kept(worse: dict[str, object], better: dict[str, object]) -> None:
    one = DictionaryEntry("dog", "x", **worse)  # type: ignore[arg-type]
    two = DictionaryEntry("dog", "y", **better)  # type: ignore[arg-type]

    for order in ([one, two], [two, one]):
        kept, left_out = FORMATS["deepl"].select(order, METADATA)  # type: ignore[misc]
        assert kept == [two]
        assert left_out == [(one, "further translation of a word")]


def test_of_equal_translations_the_first_is_kept() -> None:
    entries = pairs(("dog", "x"), ("dog", "y"))

    assert FORMATS["deepl"].select(entries, METADATA).kept == entries[:1]  # type: ignore[misc]


def test_a_translation_that_does_not_fit_gives_way_to_the_next() -> None:
    entries = [DictionaryEntry("dog", 'x"', origin="reviewed"), DictionaryEntry("dog", "y")]

    assert FORMATS["deepl"].select(entries, METADATA).kept == entries[1:]  # type: ignore[misc]


@given(st.lists(st.text("abé", min_size=1, max_size=5), unique=True), st.integers(0, 60))
def test_a_file_ends_before_it_is_too_large(words: list[str], largest: int) -> None:
    file = GlossaryFile(row=tab_row, start=lambda about: "é\n", end="end\n", largest=largest)
    entries = pairs(*((word, word) for word in words))
    kept, left_out = file.select(entries, METADATA)

    size = len("".join(file.render(kept, METADATA)).encode())
    assert size <= largest or not kept
    assert [*kept, *(entry for entry, _ in left_out)] == entries
    assert {reason for _, reason in left_out} <= {f"beyond the {largest:,} bytes of a file"}
    if left_out:
        more = "".join(file.render([*kept, left_out[0].entry], METADATA))
        assert len(more.encode()) > largest


@pytest.mark.parametrize(
    ("name", "length", "limit"),
    [
        ("deepl", 500, 10_485_760),
        ("aws", 98, 10_485_760),
        ("aws-tmx", 98, 10_485_760),
        ("azure", 400_000, 10_000_000),
        ("google", 400_000, 10_000_000),
        ("google-terms", 400_000, 10_000_000),
    ],
)
def test_the_largest_file(name: str, length: int, limit: int) -> None:
    form = FORMATS[name]
    size = len if name.startswith("google") else lambda text: len(text.encode())
    assert form.render is not None
    word = "é" * length
    rows = limit // (size(word) * 2 - 20) + 2
    entries = pairs(*((f"{i}{word}"[:length], f"{i}{word}"[:length]) for i in range(rows)))

    kept, left_out = form.select(entries, METADATA)  # type: ignore[misc]

    assert left_out
    assert {reason.partition(" ")[0] for _, reason in left_out} == {"beyond"}
    assert [*kept, *(entry for entry, _ in left_out)] == entries
    written = size("".join(form.render(kept, METADATA)))
    empty = size("".join(form.render([], METADATA)))
    row = size("".join(form.render([left_out[0].entry], METADATA))) - empty
    assert written <= limit < written + row


# What is reported


def test_what_is_left_out_is_listed_beside_the_file(tmp_path: Path) -> None:
    path = path_of(tmp_path, "deepl")
    entries = [*pairs(*(("dog", f"dog {i}") for i in range(5))), *pairs(("x" * 1_025, "y"))]
    with pytest.warns(BilexWarning) as caught:
        write_dictionary(entries, path, METADATA)

    assert str(caught[0].message) == (
        "d.deepl.tsv: 5 entries left out, further translation of a word: 4 (dog → dog 1, dog → "
        f"dog 2, dog → dog 3, …); source longer than 1,024 bytes: 1 ({'x' * 39}… → y); list: "
        "d.deepl.tsv.left-out.tsv"
    )
    beside = tmp_path / "d.deepl.tsv.left-out.tsv"
    assert beside.read_text().splitlines()[:2] == [
        "source\ttarget\tprobability\tscore\trank\tback_rank\torigin\tmodel\tpart_of_speech\tsense"
        "\tnote\treviewer\treviewed_at\treason",
        "dog\tdog 1\t\t\t\t\tseed\t\t\t\t\t\t\tfurther translation of a word",
    ]
    assert list(read_dictionary(beside)) == entries[1:]

    write_dictionary(entries[:1], path, METADATA)
    assert not beside.exists(), "a list of an older file would be wrong"


def test_a_file_without_any_entry_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(EmptyLexiconError) as caught:
        write_dictionary(pairs(("a", '"')), path_of(tmp_path, "deepl"), METADATA)

    assert str(caught.value).endswith(
        'd.deepl.tsv: 1 entry left out, target with a double quote: 1 (a → ")'
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_files_that_name_languages_need_them(tmp_path: Path, name: str) -> None:
    for about in (
        replace(METADATA, source_language="und"),
        replace(METADATA, target_language="und"),
    ):
        if name in ("azure", "deepl", "google", "weblate-csv"):
            write_dictionary(pairs(("a", "b")), path_of(tmp_path, name), about)
            continue
        with pytest.raises(SettingError, match=f"^{name} files name both languages: give their"):
            write_dictionary(pairs(("a", "b")), path_of(tmp_path, name), about)
        assert not list(tmp_path.iterdir())


def test_a_summary_of_nothing_much() -> None:
    _, left_out = FORMATS["azure"].select(pairs(("a", "b"), ("a", "c")), METADATA)  # type: ignore[misc]

    assert describe_selection(left_out) == (
        "1 entry left out, further translation of a word: 1 (a → c)"
    )


# Azure's dynamic dictionary


def test_terms_are_marked_up() -> None:
    text = "The word wordomatic is a dictionary entry & more."

    assert mark_terms(text, [(25, 35, 'Wörter"buch'), (9, 19, "wordomatic")]) == (
        'The word <mstrans:dictionary translation="wordomatic">wordomatic</mstrans:dictionary> is '
        'a <mstrans:dictionary translation="Wörter&quot;buch">dictionary</mstrans:dictionary> '
        "entry & more."
    )
    assert mark_terms(text, []) == text


@given(st.text(), st.lists(st.integers(0, 30), unique=True, max_size=8).map(sorted))
def test_the_text_itself_is_not_changed(text: str, cuts: list[int]) -> None:
    cuts = [cut for cut in cuts if cut <= len(text)]
    matches = [(a, b, "x") for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    marked = mark_terms(text, matches)

    start, end = '<mstrans:dictionary translation="x">', "</mstrans:dictionary>"
    assert marked.replace(start, "").replace(end, "") == text
    assert len(marked) == len(text) + len(matches) * len(start + end)


@pytest.mark.parametrize(
    ("matches", "message"),
    [
        ([(0, 2, "x"), (1, 3, "y")], "two terms overlap at 1: give one of them"),
        ([(2, 9, "x")], "a term is at 2 to 9: expected places in the text, from 0 to 4"),
        ([(-1, 2, "x")], "a term is at -1 to 2"),
        ([(2, 2, "x")], "a term is at 2 to 2"),
        ([(0, 2, "")], "the translation of 'ab' is '': expected a word"),
        ([(0, 2, "a\nb")], r"the translation of 'ab' is 'a\\nb': expected a word"),
    ],
)
def test_terms_that_cannot_be_marked_up(matches: list[tuple[int, int, str]], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        mark_terms("abcd", matches)
