"""Reading lexicons in every format."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bilex.errors import SettingError
from bilex.lexicons import read_lexicon, write_dictionary
from bilex.values import Entry, Lexicon, LexiconReport
from export_data import ENTRIES, METADATA

PLAIN = (Entry("dog", "chien"), Entry("cat", "chat"))


def report_of(lexicon: Lexicon) -> LexiconReport:
    assert lexicon.report is not None
    return lexicon.report


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "format_name"),
    [
        ("a.tsv", "dog\tchien\ncat\tchat\n", "tsv"),
        ("a.txt", "dog\tchien\ncat\tchat", "tsv"),
        ("a.txt", "dog chien\ncat chat\n", "muse"),
        ("a.tsv", "dog chien\ncat  chat\n", "muse"),
        ("a", "dog chien\r\ncat chat\r\n", "muse"),
        ("a.csv", "dog,chien\ncat,chat\n", "csv"),
        ("a.csv", "dog;chien\ncat;chat\n", "csv"),
        ("a.csv", '"dog", "chien"\n"cat", "chat"\n', "csv"),
        ("a.txt", "dog,chien\ncat,chat\n", "csv"),
        ("a.csv", "source,target\ndog,chien\ncat,chat\n", "csv"),
        ("a.tsv", "Target\tPOS\t source \nchien\tn\tdog\nchat\tn\tcat\n", "tsv"),
        ("a.csv", "dog\tchien\ncat\tchat\n", "tsv"),
        ("a.jsonl", '{"source":"dog","target":"chien"}\n{"source":"cat","target":"chat"}', "jsonl"),
        ("a.txt", '{"src":"dog","trgs":["chien"]}\n{"source":"cat","target":"chat"}', "jsonl"),
        ("a.tsv", "\n dog \t chien\n \t \n\ncat\tchat \n", "tsv"),
        ("a.tsv", "\ufeffdog\tchien\ncat\tchat\n", "tsv"),
    ],
)
def test_the_format_is_found_by_content(
    tmp_path: Path, name: str, content: str, format_name: str
) -> None:
    loaded = read_lexicon(written(tmp_path, name, content))

    assert loaded.entries == PLAIN
    assert report_of(loaded).format == format_name


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.tsv"])
def test_gzip_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name, gzip.compress(b"dog\tchien\ncat\tchat\n"))

    assert read_lexicon(str(path)).entries == PLAIN


def test_further_columns_are_further_translations(tmp_path: Path) -> None:
    path = written(tmp_path, "en_br.tsv", "abuse\ttouell\ttouellañ\t\na lot\tkalz\n")
    loaded = read_lexicon(path)

    assert loaded.translations == {"abuse": ("touell", "touellañ"), "a lot": ("kalz",)}
    assert report_of(loaded).columns == ("source", "target", "target", "target")


def test_a_header_may_name_weights_provenances_and_several_targets(tmp_path: Path) -> None:
    content = "source\ttarget\ttarget\tweight\tprovenance\na\tb\tc\t.5\tWiktionary\nd\te\t\t\t\n"
    loaded = read_lexicon(written(tmp_path, "a.tsv", content))

    assert loaded.entries == (
        Entry("a", "b", 0.5, "Wiktionary"),
        Entry("a", "c", 0.5, "Wiktionary"),
        Entry("d", "e"),
    )


def test_the_origin_of_a_dictionary_is_its_provenance(tmp_path: Path) -> None:
    for name, content in {
        "a.tsv": "source\ttarget\tprobability\torigin\na\tb\t0.5\treviewed\n",
        "b.csv": "source,target,origin,probability\na,b,reviewed,0.5\n",
        "c.jsonl": '{"source": "a", "target": "b", "origin": "reviewed", "probability": null}\n',
        "d.tsv": "source\ttarget\torigin\tprovenance\na\tb\tme\treviewed\n",
    }.items():
        loaded = read_lexicon(written(tmp_path, name, content))
        assert loaded.entries == (Entry("a", "b", 1.0, "reviewed"),)


@pytest.mark.parametrize("name", ["d.tbx", "d.tei.xml.gz", "d.stardict", "d.parquet"])
def test_a_dictionary_of_any_format_is_a_lexicon(tmp_path: Path, name: str) -> None:
    write_dictionary(ENTRIES, tmp_path / name, METADATA)

    lexicon = read_lexicon(tmp_path / name, lowercase=True, unreviewed=True)

    assert lexicon.entries == (
        Entry("house", "maison", 1.0, "induced"),
        Entry("house", "chambre <à> part", 1.0, "reviewed"),
        Entry("new york", 'new "york"', 1.0, "seed"),
    )
    report = report_of(lexicon)
    assert (report.format, report.entries) == (name.split(".")[1], 3)
    assert report.columns[:2] == ("source", "target")
    assert len(read_lexicon(tmp_path / name)) == 2


def test_a_format_that_is_only_written_is_an_error(tmp_path: Path) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.tmx", METADATA)

    with pytest.raises(SettingError, match="tmx is written but not read"):
        read_lexicon(tmp_path / "d.tmx")


def test_json_holds_lists_weights_and_provenances(tmp_path: Path) -> None:
    content = '{"source": "a", "target": ["b", "c"], "weight": 2, "provenance": "me", "pos": "n"}'
    loaded = read_lexicon(written(tmp_path, "a.jsonl", content))

    assert loaded.entries == (Entry("a", "b", 2.0, "me"), Entry("a", "c", 2.0, "me"))


def test_words_keep_odd_blanks_quotes_and_commas(tmp_path: Path) -> None:
    content = 'a\u00a0b\tc\u2028d\n"e"\tf, g\n\u00a0h\x0b\ti\x85\n'
    loaded = read_lexicon(written(tmp_path, "a.tsv", content))

    assert [entry[:2] for entry in loaded.entries] == [
        ("a\u00a0b", "c\u2028d"),
        ('"e"', "f, g"),
        ("\u00a0h\x0b", "i\x85"),
    ]


def test_a_row_of_braces_is_a_pair_of_words(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", '{"a":1\t}\n')

    assert read_lexicon(path).entries == (Entry('{"a":1', "}"),)


def test_numbers_are_words_where_both_sides_have_them(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", "five\t5\t5\nsix\t6\t6.0\n")

    assert read_lexicon(path).translations["six"] == ("6", "6.0")


def test_lowercasing_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "a.tsv", "Hund\tDOG\nhund\tdog\n")

    assert read_lexicon(path).entries[0] == Entry("Hund", "DOG")
    lowered = read_lexicon(path, lowercase=True)
    assert lowered.entries == (Entry("hund", "dog"),) * 2
    assert report_of(lowered).duplicates == 1


def test_the_report_counts_what_was_seen(tmp_path: Path) -> None:
    content = "source\ttarget\tpos\n\na lot\tbeaucoup\tadv\na lot\tbeaucoup\tadv\n_\tb_c, d\tn\n"
    report = report_of(read_lexicon(written(tmp_path, "a.tsv", content)))

    assert report.columns == ("source", "target", "pos")
    assert report.ignored_columns == ("pos",)
    assert (report.lines, report.blank_lines, report.entries) == (5, 1, 3)
    assert (report.source_words, report.duplicates, report.multi_word, report.listed) == (
        2,
        1,
        3,
        1,
    )


def test_the_format_is_decided_by_the_first_hundred_lines(tmp_path: Path) -> None:
    content = "".join(f"a{i}\tb{i}\n" for i in range(250))

    assert report_of(read_lexicon(written(tmp_path, "a.tsv", content))).entries == 250


@pytest.mark.parametrize(
    ("name", "pairs", "words"),
    [
        ("xling/en-fr/train.5k.tsv", 5_000, 5_000),
        ("muse/en-ja.0-5000.txt", 7_135, 4_899),
        ("muse/en-ru.5000-6500.txt", 2_447, 1_500),
    ],
)
def test_published_files_are_read_whole(
    shared_data: Path, name: str, pairs: int, words: int
) -> None:
    report = report_of(read_lexicon(shared_data / "dictionaries" / name))

    assert (report.entries, report.source_words) == (pairs, words)
