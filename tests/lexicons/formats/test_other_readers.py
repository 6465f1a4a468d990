"""Written files are valid by their schemas, and other libraries and programs open them."""

from __future__ import annotations

import csv
import json
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from bilex.lexicons import DictionaryEntry, DictionaryMetadata, write_dictionary
from bilex.lexicons.formats.xml_text import unescape
from conftest_types import Program
from export_data import ENTRIES, METADATA, NASTY_WORDS, REVIEWED, dictionaries, metadata

SCHEMAS = Path(__file__).parent / "schemas"
NASTY = [
    DictionaryEntry(word, other, 0.5, model=other)
    for word, other in zip(NASTY_WORDS, reversed(NASTY_WORDS), strict=True)
]


def validator(name: str) -> etree.RelaxNG | etree.DTD:
    path = SCHEMAS / name
    return etree.RelaxNG(file=path) if path.suffix == ".rng" else etree.DTD(file=path)


VALIDATORS = {
    "d.tbx": validator("tbx-basic.rng"),
    "d.tei": validator("tei-dictionary.rng"),
    "d.lift": validator("lift-0.13.rng"),
    "d.tmx": validator("tmx14.dtd"),
}


@pytest.mark.parametrize("name", VALIDATORS)
@pytest.mark.parametrize("about", [METADATA, DictionaryMetadata()], ids=["known", "unknown"])
def test_xml_follows_its_schema(tmp_path: Path, name: str, about: DictionaryMetadata) -> None:
    write_dictionary(ENTRIES, tmp_path / name, about)

    VALIDATORS[name].assertValid(etree.parse(tmp_path / name))


@given(entries=dictionaries, about=metadata, name=st.sampled_from(sorted(VALIDATORS)))
@settings(deadline=None, max_examples=30)
def test_any_xml_follows_its_schema(
    entries: list[DictionaryEntry], about: DictionaryMetadata, name: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_dictionary([*ENTRIES, *entries], Path(folder) / name, about)
        VALIDATORS[name].assertValid(etree.parse(Path(folder) / name))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("d.tbx", "<note>origin", '<note type="x">origin'),
        ("d.tbx", ' style="dca"', ""),
        ("d.tbx", ">preferredTerm-admn-sts<", ">preferred<"),
        ("d.tbx", ' type="administrativeStatus"', ' type="status"'),
        ("d.tei", 'cert="0.93"', 'cert="2"'),
        ("d.lift", '<gloss lang="fr">', "<gloss>"),
        ("d.lift", '<field type="bilex-rank">', "<field>"),
        ("d.tei", "<publisher>unknown</publisher>", ""),
        ("d.tmx", "<seg>house</seg>", ""),
        ("d.tmx", ' segtype="phrase"', ' segtype="word"'),
    ],
)
def test_the_schemas_refuse_what_the_standards_refuse(
    tmp_path: Path, name: str, right: str, wrong: str
) -> None:
    write_dictionary(ENTRIES, tmp_path / name, METADATA)
    text = (tmp_path / name).read_text("utf-8")
    assert right in text

    assert not VALIDATORS[name].validate(etree.fromstring(text.replace(right, wrong, 1).encode()))


@pytest.mark.parametrize("name", VALIDATORS)
def test_decisions_follow_the_schema(tmp_path: Path, name: str) -> None:
    write_dictionary(REVIEWED, tmp_path / name, METADATA)

    VALIDATORS[name].assertValid(etree.parse(tmp_path / name))


def test_lxml_finds_the_words_of_tbx(tmp_path: Path) -> None:
    write_dictionary(NASTY, tmp_path / "d.tbx", METADATA)
    tree = etree.parse(tmp_path / "d.tbx")
    terms = [unescape(node.text) for node in tree.iter("{urn:iso:std:iso:30042:ed-2}term")]

    assert terms == [word for entry in NASTY for word in entry[:2]]


def test_translate_toolkit_reads_tmx(tmp_path: Path) -> None:
    tmx = import_module("translate.storage.tmx")
    write_dictionary(NASTY, tmp_path / "d.tmx", METADATA)
    units = tmx.tmxfile.parsefile(str(tmp_path / "d.tmx")).units

    found = [(unescape(str(unit.source)), unescape(str(unit.target))) for unit in units]
    assert found == [entry[:2] for entry in NASTY]


def read_by_pyglossary(path: Path, format_name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the articles by word, and the metadata."""
    from pyglossary.glossary_v2 import Glossary

    Glossary.init()
    glossary = Glossary()
    assert glossary.directRead(str(path), formatName=format_name)
    articles = {}
    for entry in glossary:
        terms = entry.l_term if hasattr(entry, "l_term") else entry.l_word  # its name before 5.1.1
        articles[terms[0]] = entry.defi
    return articles, dict(glossary.iterInfo())


def test_pyglossary_reads_tei(tmp_path: Path) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.tei", METADATA)
    articles, about = read_by_pyglossary(tmp_path / "d.tei", "FreeDict")

    assert about["name"] == METADATA.title
    assert list(articles) == ["house", "New York"]
    assert "<div>maison</div>" in articles["house"]
    assert "chambre &lt;à&gt; part" in articles["house"]


def test_pyglossary_shows_no_rejected_translation(tmp_path: Path) -> None:
    write_dictionary(REVIEWED, tmp_path / "d.tei", METADATA)
    articles, _ = read_by_pyglossary(tmp_path / "d.tei", "FreeDict")

    assert "<div>maison</div>" in articles["house"]
    assert "noun" in articles["house"]
    assert "mais on" not in articles["house"]


def test_pyglossary_reads_stardict(tmp_path: Path) -> None:
    entries = [e for e in NASTY if e[:2] == (e.source.strip(), e.target.strip())]  # as it does
    write_dictionary(entries, tmp_path / "d.stardict", METADATA)
    articles, about = read_by_pyglossary(tmp_path / "d.stardict" / "en-fr.ifo", "Stardict")

    assert about["name"] == METADATA.title
    assert articles == {entry.source: f"{entry.target} (possible, 50 %)" for entry in entries}


def test_sdcv_finds_every_word(tmp_path: Path, run_program: Program) -> None:
    entries = [entry for entry in NASTY if not set(entry.source) & set("*?/|^")]  # its own syntax
    assert len(entries) > 40
    write_dictionary(entries, tmp_path / "d.stardict", METADATA)

    listed = run_program("sdcv", "-n", "-2", str(tmp_path), "-l")
    assert f"English & French    {len(entries)}" in listed
    for entry in entries:
        found = run_program(
            *("sdcv", "-n", "-e", "-j", "-0", "-1", "-2", str(tmp_path), "--", entry.source)
        )
        answer = json.loads(found.split("\n")[-2])
        articles = [article for article in answer if article["word"] == entry.source]
        assert [article["definition"].lstrip("\n") for article in articles] == [
            f"{entry.target} (possible, 50 %)"
        ]


def test_sdcv_finds_words_among_many(tmp_path: Path, run_program: Program) -> None:
    words = [f"{first}{second}é" for first in "AaZzЖ" for second in map(chr, range(65, 123))]
    write_dictionary(
        [DictionaryEntry(word, word.upper()) for word in words], tmp_path / "d.stardict", METADATA
    )
    for word in words[::7]:
        found = json.loads(
            run_program(*("sdcv", "-n", "-e", "-j", "-2", str(tmp_path), "--", word))
        )
        assert word in [article["word"] for article in found]


def test_lttoolbox_compiles_both_ways(tmp_path: Path, run_program: Program) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.dix", METADATA)
    for direction in ("lr", "rl"):
        run_program("lt-comp", direction, str(tmp_path / "d.dix"), str(tmp_path / direction))

    forward = run_program("lt-proc", "-b", str(tmp_path / "lr"), stdin="^house$ ^New York$ ^dog$")
    assert forward == '^house/maison/chambre \\<à\\> part$ ^New York/New "York"$ ^dog/@dog$'
    backward = run_program("lt-proc", "-b", str(tmp_path / "rl"), stdin="^maison$")
    assert backward == "^maison/house$"


def test_lttoolbox_compiles_nasty_words(tmp_path: Path, run_program: Program) -> None:
    write_dictionary(NASTY, tmp_path / "d.dix", METADATA)
    run_program("lt-comp", "lr", str(tmp_path / "d.dix"), str(tmp_path / "lr"))

    expanded = run_program("lt-expand", str(tmp_path / "d.dix"))
    assert expanded.count("\n") == len(NASTY)
    found = run_program("lt-proc", "-b", str(tmp_path / "lr"), stdin="^שלום$ ^e\u0301$")
    assert "@" not in found.split("$")[0]


def test_dix_follows_the_dtd_of_lttoolbox(tmp_path: Path, run_program: Program) -> None:
    write_dictionary(NASTY, tmp_path / "d.dix", METADATA)
    run_program("lt-comp", "lr", str(tmp_path / "d.dix"), str(tmp_path / "lr"))

    dtd = etree.DTD(file="/usr/share/lttoolbox/dix.dtd")
    assert dtd.validate(etree.parse(tmp_path / "d.dix"))


def test_pyarrow_reads_parquet(tmp_path: Path) -> None:
    from pyarrow import parquet

    write_dictionary(NASTY, tmp_path / "d.parquet", METADATA)
    table = parquet.read_table(tmp_path / "d.parquet")

    assert table.to_pylist() == [entry._asdict() for entry in NASTY]
    assert [str(field.type) for field in table.schema] == [
        *("string", "string", "double", "double", "int32", "int32", *["string"] * 7)
    ]
    assert json.loads(table.schema.metadata[b"bilex"])["license"] == "CC0-1.0"


def test_anki_imports_notes(tmp_path: Path) -> None:
    from anki.collection import Collection, ImportCsvRequest

    path = str(tmp_path / "d.anki.tsv")
    write_dictionary([*ENTRIES, DictionaryEntry("#dog", "chien")], path, METADATA)
    collection = Collection(str(tmp_path / "c.anki2"))
    try:
        metadata = collection.get_csv_metadata(path=path, delimiter=None)
        collection.import_csv(ImportCsvRequest(path=path, metadata=metadata))
        notes = [collection.get_note(note) for note in collection.find_notes("")]
        decks = {collection.decks.name(note.cards()[0].did) for note in notes}
    finally:
        collection.close()

    assert [note.fields for note in notes] == [
        ["house", "1. maison (very likely, 93 %)<br>2. chambre &lt;à&gt; part (checked)"],
        ["New York", "New &quot;York&quot; (given)"],
        ["#dog", "chien"],
    ]
    assert [note.tags for note in notes] == [
        ["induced", "reviewed"],
        ["seed"],
        ["induced"],
    ]
    assert decks == {"English & French"}


def test_python_reads_tables(tmp_path: Path) -> None:
    for name in ("d.csv", "d.tsv", "d.jsonl", "d.gatitos.tsv"):
        write_dictionary(NASTY, tmp_path / name, METADATA)
    with (tmp_path / "d.csv").open(encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, strict=True))
    with (tmp_path / "d.tsv").open(encoding="utf-8", newline="\n") as file:
        others = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    pairs = (tmp_path / "d.gatitos.tsv").read_text("utf-8").removesuffix("\n").split("\n")
    objects = (tmp_path / "d.jsonl").read_text("utf-8").removesuffix("\n").split("\n")

    assert rows == others
    assert [(row["source"], row["target"], row["model"]) for row in rows] == [
        (entry.source, entry.target, entry.model) for entry in NASTY
    ]
    assert [tuple(pair.split("\t")) for pair in pairs] == [entry[:2] for entry in NASTY]
    assert [json.loads(text) for text in objects] == [entry._asdict() for entry in NASTY]


def test_python_reads_muse_and_prompts(tmp_path: Path) -> None:
    entries = [e for e in NASTY if len(e.source.split()) == len(e.target.split()) == 1]
    entries = [e for e in entries if e[:2] == (e.source.strip(), e.target.strip())]
    for name in ("d.txt", "d.prompts.jsonl"):
        write_dictionary(entries, tmp_path / name, METADATA)
    lines = (tmp_path / "d.txt").read_text("utf-8").removesuffix("\n").split("\n")
    texts = (tmp_path / "d.prompts.jsonl").read_text("utf-8").removesuffix("\n").split("\n")
    prompts = [json.loads(text) for text in texts]

    assert [tuple(line.split()) for line in lines] == [entry[:2] for entry in entries]
    assert [prompt["source"] for prompt in prompts] == [entry.source for entry in entries]
    assert all(p["translations"][0]["target"] in p["prompt"] for p in prompts)
