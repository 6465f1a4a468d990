"""Reading files of other tools and of people."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from bilex.errors import DictionaryFileError, SettingError, UnknownPluginError
from bilex.lexicons import (
    Dictionary,
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    write_dictionary,
)
from export_data import ENTRIES, METADATA


def read(folder: Path, name: str, content: str | bytes, **options: str) -> Dictionary:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_dictionary(path, **options)


def seeds(*pairs: tuple[str, str]) -> tuple[DictionaryEntry, ...]:
    return tuple(DictionaryEntry(source, target, origin="seed") for source, target in pairs)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "dog\tchien\ncat\tchat\n"),
        ("a.txt", "dog chien\ncat chat\n"),
        ("a.csv", "source,target\ndog,chien\ncat,chat\n"),
        ("a.lexicon", '{"src": "dog", "trgs": ["chien"]}\n{"source": "cat", "target": "chat"}\n'),
        ("a.gatitos.tsv", "dog\tchien\ncat\tchat\n"),
    ],
)
def test_a_plain_lexicon_is_a_dictionary_of_seeds(tmp_path: Path, name: str, content: str) -> None:
    found = read(tmp_path, name, content)

    assert found == Dictionary(seeds(("dog", "chien"), ("cat", "chat")), DictionaryMetadata())


def test_the_provenance_of_a_lexicon_may_be_an_origin(tmp_path: Path) -> None:
    content = "source\ttarget\tweight\tprovenance\na\tb\t1\treviewed\nc\td\t2\tme\n"
    found = read(tmp_path, "a.tsv", content)

    assert [entry.origin for entry in found.entries] == ["reviewed", "seed"]
    assert found.notes == ("weights",)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "\ufeffTarget\tScore\tsrc\tcomment\n\nchien\t 0.5 \tdog\t!\n"),
        ("a.csv", "source;target;comment;score\ndog;chien;;5e-1\n"),
        ("a.csv", '"source","comment","target","score"\n"dog","a, b","chien","0.5"\n'),
    ],
)
def test_columns_may_come_in_any_order_with_others(tmp_path: Path, name: str, content: str) -> None:
    found = read(tmp_path, name, content)

    assert found.entries == (DictionaryEntry("dog", "chien", score=0.5, origin="seed"),)
    assert found.notes == ("columns: comment",)


def test_json_needs_only_the_words(tmp_path: Path) -> None:
    content = '{"target": "chien", "source": "dog", "score": 1}\n\n{"source": "a", "target": "b"}\n'
    found = read(tmp_path, "a.jsonl", content)

    assert found.entries == (
        DictionaryEntry("dog", "chien", score=1.0, origin="seed"),
        DictionaryEntry("a", "b", origin="seed"),
    )


TBX_BASIC = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tbx SYSTEM "tbx.dtd">
<t:tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns:t="urn:iso:std:iso:30042:ed-2">
<t:tbxHeader><t:fileDesc><t:sourceDesc><t:p>x</t:p></t:sourceDesc></t:fileDesc></t:tbxHeader>
<t:text><t:body>
<t:conceptEntry id="1">
  <t:descrip type="definition">An animal: a dog.</t:descrip>
  <t:langSec xml:lang="fr"><t:termSec><t:term>
      chien
      domestique</t:term><t:note>rank</t:note></t:termSec></t:langSec>
  <t:langSec xml:lang="en-US">
    <t:termSec><t:term>d<t:hi>o</t:hi>g</t:term></t:termSec>
    <t:termSec><t:term>hound</t:term><t:note>rare</t:note>
      <t:note>rank=7 origin=reviewed</t:note></t:termSec>
  </t:langSec>
</t:conceptEntry>
<t:conceptEntry id="2"><t:langSec xml:lang="fr"><t:termSec><t:term>seul</t:term></t:termSec>
</t:langSec></t:conceptEntry>
</t:body></t:text></t:tbx>
"""


def test_other_dialects_of_tbx(tmp_path: Path) -> None:
    found = read(tmp_path, "a.tbx", TBX_BASIC)

    assert found.entries == (
        DictionaryEntry("chien domestique", "dog", origin="seed", sense="An animal: a dog."),
        DictionaryEntry(
            "chien domestique",
            "hound",
            rank=7,
            origin="reviewed",
            sense="An animal: a dog.",
            note="rare",
        ),
    )
    assert found.metadata == DictionaryMetadata(source_language="fr", target_language="en-US")
    assert found.notes == ("concepts without a term in both languages: 1",)


def test_languages_may_be_requested(tmp_path: Path) -> None:
    found = read(tmp_path, "a.xml", TBX_BASIC, source_language="en", target_language="fr")

    assert [entry[:2] for entry in found.entries] == [
        ("dog", "chien domestique"),
        ("hound", "chien domestique"),
    ]
    assert found.metadata == DictionaryMetadata(source_language="en", target_language="fr")
    reverse = read(tmp_path, "a.tbx", TBX_BASIC, target_language="fr")
    assert reverse.metadata.source_language == "en-US"


@pytest.mark.parametrize("name", ["a.xml.gz", "a.dictionary"])
def test_xml_is_recognized_by_its_root(tmp_path: Path, name: str) -> None:
    content = TBX_BASIC.encode()
    found = read(tmp_path, name, gzip.compress(content) if name.endswith("gz") else content)

    assert len(found.entries) == 2


THREE = TBX_BASIC.replace(
    '<t:langSec xml:lang="en-US">',
    '<t:langSec xml:lang="de"><t:termSec><t:term>Hund</t:term></t:termSec></t:langSec>\n'
    '<t:langSec xml:lang="en-US">',
)


def test_two_of_three_languages_must_be_requested(tmp_path: Path) -> None:
    with pytest.raises(DictionaryFileError) as caught:
        read(tmp_path, "a.tbx", THREE, source_language="de")
    assert caught.value.line == 6
    assert caught.value.problem == (
        "found the languages de, fr, en-US: say which two to read (source_language and "
        "target_language)"
    )

    found = read(tmp_path, "a.tbx", THREE, source_language="de", target_language="en")
    assert [entry[:2] for entry in found.entries] == [("Hund", "dog"), ("Hund", "hound")]


def test_a_third_language_may_come_late(tmp_path: Path) -> None:
    late = TBX_BASIC.replace(
        '<t:langSec xml:lang="fr"><t:termSec><t:term>seul',
        '<t:langSec xml:lang="de"><t:termSec><t:term>x</t:term></t:termSec></t:langSec>'
        '<t:langSec xml:lang="fr"><t:termSec><t:term>seul',
    )
    with pytest.raises(DictionaryFileError, match="found the languages fr, en-US, de: say which"):
        read(tmp_path, "a.tbx", late)

    found = read(tmp_path, "a.tbx", late, source_language="fr", target_language="en")
    assert len(found.entries) == 2


def test_tbx_of_2008(tmp_path: Path) -> None:
    content = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><martifHeader><fileDesc><titleStmt><title>My terms</title>
</titleStmt></fileDesc></martifHeader><text><body><termEntry>
<langSet xml:lang="en"><tig><term>summer</term></tig></langSet>
<langSet xml:lang="fr"><ntig><termGrp><term>été</term></termGrp></ntig></langSet>
</termEntry></body></text></martif>
"""
    found = read(tmp_path, "a.tbx", content.encode("latin-1"))

    assert found.entries == seeds(("summer", "été"))
    assert found.metadata.title == "My terms"


FREEDICT = """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc>
<titleStmt><title>English-French
  FreeDict Dictionary</title></titleStmt>
<publicationStmt><publisher>FreeDict</publisher><availability status="free">
<p>GNU General Public License.</p></availability></publicationStmt>
<sourceDesc><p>x</p></sourceDesc></fileDesc></teiHeader>
<text><body xml:lang="en">
<entry><form><orth>colour</orth><orth>color</orth><pron>x</pron></form>
  <gramGrp><pos>n</pos></gramGrp>
  <sense n="1"><def>hue</def>
    <sense><cit type="trans" cert="high"><quote>couleur</quote></cit></sense>
    <cit type="example"><quote>red color</quote><cit type="trans"><quote>rouge</quote></cit></cit>
    <xr type="syn"><ref>hue</ref></xr></sense>
  <sense n="2"><cit type="translation" xml:lang="fr" cert="0.25"><quote>teinte</quote>
    <note type="usage">rare</note></cit></sense>
  <re type="compound"><form><orth>colour blind</orth></form>
    <sense><cit type="trans"><quote>daltonien</quote></cit></sense></re>
</entry>
<entry><form><orth>alone</orth></form></entry>
<entry><form><orth>tea</orth></form>
<sense><cit type="translationEquivalent" xml:lang="fr"><form><orth>thé</orth></form></cit></sense>
</entry>
</body></text></TEI>
"""


def test_freedict(tmp_path: Path) -> None:
    found = read(tmp_path, "eng-fra.tei", FREEDICT)

    assert found.entries == (
        DictionaryEntry("colour", "couleur", origin="seed", part_of_speech="n"),
        DictionaryEntry("color", "couleur", origin="seed", part_of_speech="n"),
        DictionaryEntry("colour", "teinte", 0.25, origin="seed", part_of_speech="n"),
        DictionaryEntry("color", "teinte", 0.25, origin="seed", part_of_speech="n"),
        *seeds(("tea", "thé")),
    )
    assert found.metadata == DictionaryMetadata(
        source_language="en",
        target_language="fr",
        title="English-French FreeDict Dictionary",
        license="GNU General Public License.",
    )
    assert found.notes == ("entries without a word or a translation: 1",)


def test_tei_with_two_target_languages(tmp_path: Path) -> None:
    content = FREEDICT.replace('"translationEquivalent" xml:lang="fr"', '"trans" xml:lang="br"')
    with pytest.raises(DictionaryFileError, match="found translations into fr and br: say which"):
        read(tmp_path, "a.xml", content)

    found = read(tmp_path, "a.xml", content, target_language="br")
    assert [entry.target for entry in found.entries] == ["couleur", "couleur", "thé"]
    assert found.metadata.target_language == "br"


def stardict(folder: Path, *, sequence: str = "m", options: str = "") -> Path:
    """Write a dictionary as other tools do: compressed, sorted articles, with synonyms."""
    articles = [(b"cat", b"chat\r\n  minou \n\n"), (b"dog", b"chien\tde garde")]
    data, index = b"", b""
    for word, article in articles:
        index += word + b"\0" + struct.pack(">II", len(data), len(article))
        data += article
    folder.mkdir()
    (folder / "x.idx.gz").write_bytes(gzip.compress(index))
    (folder / "x.dict.dz").write_bytes(gzip.compress(data))
    (folder / "x.ifo").write_text(
        f"StarDict's dict ifo file\nversion=2.4.2\nbookname=My book\nwordcount=2\n"
        f"idxfilesize={len(index)}\nsametypesequence={sequence}\n{options}"
    )
    (folder / "x.syn").write_bytes(b"kitty\0\0\0\0\0")
    return folder


def test_words_may_share_an_article(tmp_path: Path) -> None:
    folder = stardict(tmp_path / "x")
    index = b"".join(word + b"\0" + struct.pack(">II", 0, 4) for word in (b"a", b"b"))
    (folder / "x.idx.gz").write_bytes(gzip.compress(index))

    assert read_dictionary(folder).entries == seeds(("a", "chat"), ("b", "chat"))


@pytest.mark.parametrize("name", ["", "x.ifo"])
def test_stardict_of_other_tools(tmp_path: Path, name: str) -> None:
    found = read_dictionary(stardict(tmp_path / "x") / name)

    assert found.entries == seeds(("cat", "chat"), ("cat", "minou"), ("dog", "chien de garde"))
    assert found.metadata == DictionaryMetadata(title="My book")
    assert found.notes == ("synonyms (.syn)",)


def test_stardict_with_markup_is_not_guessed(tmp_path: Path) -> None:
    with pytest.raises(DictionaryFileError, match="its articles are of type 'h', expected plain"):
        read_dictionary(stardict(tmp_path / "x", sequence="h"))


def test_edited_files_keep_their_manifest(tmp_path: Path) -> None:
    path = tmp_path / "d.tsv"
    write_dictionary(ENTRIES, path, METADATA)
    path.write_text(path.read_text("utf-8").replace("induced", "reviewed"), "utf-8")

    found = read_dictionary(path)

    assert found.metadata == METADATA
    assert found.entries[0].origin == "reviewed"


def test_parquet_of_other_tools(tmp_path: Path) -> None:
    from pyarrow import parquet, table

    columns = {"pos": ["n"], "target": ["chien"], "rank": [1.0], "source": ["dog"]}
    parquet.write_table(table(columns), tmp_path / "d")

    found = read_dictionary(tmp_path / "d")

    assert found.entries == (DictionaryEntry("dog", "chien", rank=1, origin="seed"),)
    assert found.notes == ("columns: pos",)


@pytest.mark.parametrize("name", ["d.tmx", "d.dix", "d.anki.tsv", "d.prompts.jsonl"])
def test_some_formats_are_only_written(tmp_path: Path, name: str) -> None:
    write_dictionary(ENTRIES, tmp_path / name, METADATA)

    with pytest.raises(SettingError, match="is written but not read: give a dictionary as one of"):
        read_dictionary(tmp_path / name)


@pytest.mark.parametrize("name", ["d.tei", "d.tsv", "d.txt", "d"])
def test_the_content_comes_before_the_extension(tmp_path: Path, name: str) -> None:
    write_dictionary(ENTRIES, tmp_path / "d", METADATA, format="tbx")
    (tmp_path / "d").rename(tmp_path / name)

    assert read_dictionary(tmp_path / name).entries == ENTRIES


@pytest.mark.parametrize(
    ("form", "content", "problem"),
    [
        ("csv", "a\tb\n", "found one column ('a\\tb'), expected a source and a target word"),
        ("tsv", "a b\n", "found one column ('a b'), expected a source and a target word"),
        ("muse", "a,b\n", "1 of 1 rows have only one word, such as 'a,b' without a translation"),
        ("jsonl", "a\tb\n", "not valid JSON"),
        ("tbx", "a\tb\n", "not well-formed XML"),
    ],
)
def test_the_name_of_a_format_comes_before_the_content(
    tmp_path: Path, form: str, content: str, problem: str
) -> None:
    with pytest.raises(DictionaryFileError) as caught:
        read(tmp_path, "a.tsv", content, format=form)

    assert (caught.value.line, problem in caught.value.problem) == (1, True)


def test_columns_of_a_lexicon_that_are_not_read_are_noted(tmp_path: Path) -> None:
    found = read(tmp_path, "a.tsv", "source\tpos\ttarget\tweight\na\tn\tb\t2\n")

    assert found.notes == ("columns: pos", "weights")


def test_a_folder_has_one_manifest(tmp_path: Path) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.stardict", METADATA)
    (tmp_path / "d.stardict" / "x.manifest.json").write_text("{}")

    with pytest.raises(DictionaryFileError, match=r"found 2 \.manifest\.json files, expected one"):
        read_dictionary(tmp_path / "d.stardict")


def test_the_format_may_be_named(tmp_path: Path) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.txt", METADATA, format="tei")

    assert read_dictionary(tmp_path / "d.txt", format="tei").entries == ENTRIES
    with pytest.raises(UnknownPluginError, match="no format plugin is called 'tie'"):
        read_dictionary(tmp_path / "d.txt", format="tie")


@pytest.mark.parametrize("name", ["d.tsv", "d.tbx", "d.stardict"])
def test_a_file_that_its_manifest_does_not_describe_is_noticed(tmp_path: Path, name: str) -> None:
    write_dictionary(ENTRIES, tmp_path / name, METADATA)
    assert not read_dictionary(tmp_path / name).changed
    file = tmp_path / name
    if file.is_dir():
        file = next(file.glob("*.dict"))
    data = file.read_bytes()
    write_dictionary(ENTRIES[:1], tmp_path / f"other.{name}", METADATA)  # a write of another one
    assert not read_dictionary(tmp_path / name).changed
    file.write_bytes(data.replace(b"maison", b"Maison"))
    found = read_dictionary(tmp_path / name)
    assert found.changed
    assert found.metadata == METADATA or found.metadata.title == METADATA.title
    assert found.to_dict()["changed"] is True


def test_stardict_articles_are_for_readers_and_the_table_for_bilex(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary(ENTRIES, folder, METADATA)
    assert read_dictionary(folder).entries == ENTRIES

    (folder / "en-fr.entries.tsv").unlink()
    assert [(e.source, e.target, e.origin) for e in read_dictionary(folder)] == [
        ("house", "maison", "seed"),
        ("house", "chambre <à> part", "seed"),
        ("New York", 'New "York"', "seed"),
    ]


def test_a_stardict_table_that_does_not_fit_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary(ENTRIES, folder, METADATA)
    table = folder / "en-fr.entries.tsv"
    table.write_text(table.read_text("utf-8").replace("maison", "immeuble"), encoding="utf-8")
    found = read_dictionary(folder)

    assert found.entries[0].target == "maison"
    assert found.notes == ("en-fr.entries.tsv: it does not fit the articles, which were changed",)
    table.write_text("source\thouse\n" * 2, encoding="utf-8")
    with pytest.raises(DictionaryFileError, match="found 2 columns, expected 13"):
        read_dictionary(folder)


def test_older_stardict_articles_hold_their_fields(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    article = "chien\tprobability=0.5 origin=induced"
    write_dictionary([DictionaryEntry("dog", "x" * len(article))], folder, METADATA)
    (folder / "en-fr.entries.tsv").unlink()
    (folder / "en-fr.dict").write_text(article, encoding="utf-8")
    [found] = read_dictionary(folder)

    assert (found.target, found.probability, found.origin) == ("chien", 0.5, "induced")
