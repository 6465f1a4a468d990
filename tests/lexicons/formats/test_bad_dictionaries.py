"""Damaged and hostile files: each raises a `DictionaryFileError` with the line, nothing else."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from bilex.errors import BilexError, DictionaryFileError
from bilex.lexicons import read_dictionary, write_dictionary
from bilex.lexicons.formats import xml_nodes
from export_data import ENTRIES, METADATA, NASTY_WORDS


class Bad(NamedTuple):
    """A file and its error."""

    name: str
    content: str | bytes
    line: int | None
    problem: str


HEADER = "source\ttarget\tprobability\trank\torigin\n"
CSV_QUOTES = (
    "the row is not well-formed CSV (unexpected end of data): close each double quote on the "
    "line where it opens, and write a quote inside a quoted cell twice"
)
TBX = '<tbx xml:lang="en"><text><body>\n{}</body></text></tbx>'
PAIR = (
    '<conceptEntry><langSec xml:lang="en"><termSec><term>{}</term></termSec></langSec>'
    '<langSec xml:lang="fr"><termSec><term>b</term>{}</termSec></langSec></conceptEntry>'
)
LAUGHS = """\
<!DOCTYPE tbx [
<!ENTITY a "haha">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
]>
<tbx>&b;</tbx>"""

BAD_FILES = [
    Bad("a.tsv", "", None, "the file is empty, expected lines with one word pair each"),
    Bad("a.tsv", HEADER, None, "found no entry with both words"),
    Bad("a.tsv", HEADER + "a\tb\t\t\t\n\na\tb\n", 4, "found 2 columns, the header has 5"),
    Bad(
        "a.tsv",
        HEADER + "a\t \t\t\t\n",
        2,
        "the target word is empty: fill it in or delete the row",
    ),
    Bad(
        "a.tsv",
        HEADER + "a\tb\thigh\t\t\n",
        2,
        "the probability is 'high', expected a number such as 0.5",
    ),
    Bad(
        "a.tsv",
        HEADER + "a\tb\t2\t\t\n",
        2,
        "the probability is 2.0, expected a number from 0 to 1",
    ),
    Bad("a.tsv", HEADER + "a\tb\t\t²\t\n", 2, "the rank is '²', expected a whole number from 1"),
    Bad(
        "a.tsv",
        HEADER + f"a\tb\t\t{'9' * 5000}\t\n",
        2,
        f"the rank is '{'9' * 5000}', expected a whole number from 1",
    ),
    Bad(
        "a.tsv",
        HEADER + "a\tb\t\t\tme\n",
        2,
        "the origin is 'me', expected one of seed, induced, reviewed, rejected",
    ),
    Bad("a.csv", 'source,"rank\na,b\n', 1, CSV_QUOTES),
    Bad("a.tsv", "source\ttarget\trank\trank\n", None, "the header names 2 rank columns"),
    Bad(
        "a.csv",
        'source,target,rank\na,"b,1\n',
        2,
        CSV_QUOTES,
    ),
    Bad(
        "a.jsonl",
        '{"source": "a", "target": "b", "rank": true}\n',
        1,
        "the rank is True, expected a whole number",
    ),
    Bad(
        "a.jsonl",
        '{"source": "a", "rank": 1}\n',
        1,
        "the target word is empty: fill it in or delete the row",
    ),
    Bad(
        "a.jsonl",
        '{"source": "a", "target": "b", "probability": NaN}\n',
        1,
        "the probability is nan, expected a number from 0 to 1",
    ),
    Bad(
        "a.jsonl",
        f'{{"source": "a", "target": "b", "score": 1{"0" * 400}}}\n',
        1,
        "the score is inf, expected a finite number",
    ),
    Bad("a.tbx", "<tbx>", 1, "not well-formed XML: no element found"),
    Bad("a.tbx", "<tbx>\n</tb>", 2, "not well-formed XML: mismatched tag"),
    Bad("a.tbx", "", 1, "not well-formed XML: no element found"),
    Bad("a.tbx", "<html/>", 1, "found <html>, expected <tbx>"),
    Bad("a.tei", "<html/>", 1, "found <html>, expected <TEI>"),
    Bad("a.xml", "\n<html/>", 2, "found <html>, expected a dictionary in TBX, TEI or LIFT"),
    Bad("a.xml", "<a b c>\n", 1, "not well-formed XML: not well-formed (invalid token)"),
    Bad("a.tbx", "<? <tbx> b\n", 1, "not well-formed XML: not well-formed (invalid token)"),
    Bad("a.tbx", TBX.format(""), None, "found no entry with both words"),
    Bad("a.tei", "<TEI><entry/></TEI>", None, "found no entry with both words"),
    Bad("a.tbx", "<tbx>\x01</tbx>", 1, "not well-formed XML: not well-formed (invalid token)"),
    Bad(
        "a.tbx",
        TBX.format(PAIR.format(" ", "")),
        2,
        "the source word is empty: fill it in or delete the row",
    ),
    Bad(
        "a.tbx",
        TBX.format(PAIR.format("a", "<note>rank=first origin=seed</note>")),
        2,
        "the rank is 'first', expected a whole number from 1",
    ),
    Bad("a.tbx", LAUGHS, 2, "declares the entity 'a': replace each entity by its text"),
    Bad(
        "a.tei",
        '<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/passwd">]><TEI>&a;</TEI>',
        1,
        "declares the entity 'a': replace each entity by its text",
    ),
    Bad(
        "a.tei",
        '<!DOCTYPE TEI [<!ENTITY % a SYSTEM "http://localhost/x"> %a;]><TEI/>',
        1,
        "declares the entity 'a': replace each entity by its text",
    ),
    Bad(
        "a.tei",
        '<!DOCTYPE TEI SYSTEM "tei.dtd">\n<TEI>\n&nbsp;</TEI>',
        3,
        "the entity &nbsp; is not defined: replace it by its text",
    ),
    Bad(
        "a.tei",
        "<TEI>" + "<a>" * 300,
        1,
        "more than 200 elements inside each other: is it a dictionary?",
    ),
    Bad(
        "a.tei",
        b'<?xml version="1.0" encoding="utf-7"?><TEI/>',
        1,
        "in an encoding that cannot be read (multi-byte encodings are not supported): convert it "
        "to UTF-8",
    ),
    Bad(
        "a.tbx.gz",
        gzip.compress(b"<tbx>" * 100)[:-9],
        None,
        "the gzip archive is damaged or cut short (Compressed file ended before the "
        "end-of-stream marker was reached): download or compress it again",
    ),
    Bad(
        "a.dictionary",
        b"\x1f\x8b",
        None,
        "the gzip archive is damaged or cut short (Compressed file ended before the "
        "end-of-stream marker was reached): download or compress it again",
    ),
    Bad("a.ifo", "x", 1, "starts with 'x', expected \"StarDict's dict ifo file\""),
    Bad("a.ifo", b"\xff", None, "not in UTF-8, expected the .ifo file of StarDict"),
    Bad(
        "a.ifo",
        "StarDict's dict ifo file\nsametypesequence=m\n",
        None,
        "there is no a.dict beside it",
    ),
    Bad(
        "a.ifo",
        "StarDict's dict ifo file\nversion=2.4.2\n",
        None,
        "its articles are of type 'mixed', expected plain text ('m'): convert it first, for "
        "example with PyGlossary",
    ),
]


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: f"{bad.name}: {bad.problem[:40]}")
def test_a_damaged_file_is_an_error_with_its_line(tmp_path: Path, bad: Bad) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content if isinstance(bad.content, bytes) else bad.content.encode())

    with pytest.raises(DictionaryFileError) as caught:
        read_dictionary(path)

    assert (caught.value.problem, caught.value.line) == (bad.problem, bad.line)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DictionaryFileError, match="no such file"):
        read_dictionary(tmp_path / "a.tbx")


def test_a_part_that_never_ends_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_nodes, "LONGEST_PART", 1000)
    content = f"<TEI>{' ' * 9000}<entry>{'x' * 1001}</entry></TEI>"
    (tmp_path / "a.tei").write_text(content)

    with pytest.raises(DictionaryFileError, match="<entry> holds more than 1,000 characters"):
        read_dictionary(tmp_path / "a.tei")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("en-fr.idx", b"house", "ends in the middle of a word"),
        (
            "en-fr.idx",
            b"house\0" + b"\xff" * 8,
            "an article has 4,294,967,295 bytes at 4,294,967,295: the index is",
        ),
        ("en-fr.idx", b"\xff\0" + b"\0" * 8, "is not UTF-8"),
        ("en-fr.dict", b"maison", "ends before the article of 'house': it was cut short"),
        ("en-fr.dict", b"\xff" * 999, "is not UTF-8"),
        ("en-fr.dict", b"x\torigin=me" + b"\n" * 999, "article 'house': the origin is 'me'"),
        ("en-fr.manifest.json", b"{", "not valid JSON"),
        (
            "en-fr.manifest.json",
            b"[]",
            "found no JSON object, expected the metadata of a dictionary",
        ),
        ("en-fr.manifest.json", b'{"title": 1}', "'title' is not of the right type"),
        ("en-fr.manifest.json", b'{"manifest": 1}', "'manifest' is not of the right type"),
        ("en-fr.manifest.json", b'{"title": "\\u0001"}', "expected one line"),
        ("other.ifo", b"", "found 2 .ifo files, expected the one of a StarDict dictionary"),
    ],
)
def test_a_damaged_stardict_is_an_error(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.stardict", METADATA)
    (tmp_path / "d.stardict" / name).write_bytes(content)

    with pytest.raises(DictionaryFileError) as caught:
        read_dictionary(tmp_path / "d.stardict")

    assert problem in caught.value.problem


def test_a_damaged_archive_of_stardict_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary(ENTRIES, folder, METADATA)
    (folder / "en-fr.dict.dz").write_bytes(gzip.compress(bytes(range(256)))[:40])
    (folder / "en-fr.dict").unlink()

    with pytest.raises(DictionaryFileError, match="the archive is damaged"):
        read_dictionary(folder)


@pytest.mark.parametrize(
    ("columns", "metadata", "problem"),
    [
        ({"src": ["a"], "target": ["b"]}, {}, "found the columns src, target, expected source and"),
        ({"source": ["a", None], "target": ["b", "c"]}, {}, "row 2: the source word is empty"),
        ({"source": ["a"], "target": ["b"], "rank": [0.5]}, {}, "cannot be read as Parquet: "),
        ({"source": ["a"], "target": ["b"]}, {b"bilex": b"{"}, "its metadata is not valid JSON"),
        ({"source": ["a"], "target": ["b"]}, {b"bilex": b"1"}, "found no JSON object"),
    ],
)
def test_bad_tables_in_parquet_are_errors(
    tmp_path: Path, columns: dict[str, list[object]], metadata: dict[bytes, bytes], problem: str
) -> None:
    from pyarrow import parquet, table

    parquet.write_table(table(columns).replace_schema_metadata(metadata), tmp_path / "d.parquet")

    with pytest.raises(DictionaryFileError) as caught:
        read_dictionary(tmp_path / "d.parquet")

    assert problem in caught.value.problem


def mutated(content: bytes, rng: random.Random) -> bytes:
    pieces = [b"\0", b"\xff", b"\n", b"\t", b"<", b"</", b">", *map(str.encode, NASTY_WORDS)]
    damaged = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(damaged))
        end = min(start + rng.choice([0, 0, 1, 3, 20]), len(damaged))
        damaged[start:end] = rng.choice([*pieces, b"", bytes(damaged[: rng.randint(0, 30)])])
    return bytes(damaged[: rng.choice([len(damaged), rng.randint(0, len(damaged))])])


def fuzz(folder: Path, rounds: int) -> None:
    rng = random.Random(0)
    names = ["d.tsv", "d.csv", "d.jsonl", "d.parquet", "d.tbx", "d.tei", "d.tsv.gz", "d.stardict"]
    whole, damaged = folder / "whole", folder / "damaged"
    for name in names:
        write_dictionary(ENTRIES, whole / name, METADATA)
    for _ in range(rounds):
        name = rng.choice(names)
        if (whole / name).is_dir():
            shutil.copytree(whole / name, damaged / name, dirs_exist_ok=True)
            victim = damaged / name / rng.choice([file.name for file in (whole / name).iterdir()])
            victim.write_bytes(mutated(victim.read_bytes(), rng))
        else:
            damaged.mkdir(exist_ok=True)
            (damaged / name).write_bytes(mutated((whole / name).read_bytes(), rng))
        try:
            found = read_dictionary(damaged / name)
        except BilexError:
            continue
        assert all(entry.source and entry.target for entry in found.entries)


def test_damaged_files_end_in_a_dictionary_or_an_error(tmp_path: Path) -> None:
    fuzz(tmp_path, 400)


@pytest.mark.slow
def test_many_damaged_files_end_in_a_dictionary_or_an_error(tmp_path: Path) -> None:
    fuzz(tmp_path, 20_000)
