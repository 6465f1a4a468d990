"""LIFT as FieldWorks writes it, and decisions that people change in other programs."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from lxml import etree

from bilex.errors import DictionaryFileError
from bilex.lexicons import (
    DictionaryEntry,
    DictionaryMetadata,
    Origin,
    read_dictionary,
    read_lexicon,
    write_dictionary,
)
from bilex.lexicons.imports import import_pairs
from export_data import METADATA, REVIEWED

FIELDWORKS = """\
<?xml version="1.0" encoding="UTF-8" ?>
<lift producer="SIL.FLEx 9.1.25" version="0.13">
<header>
<ranges><range id="grammatical-info" href="file://C:/Sena 3/Sena 3.lift-ranges"/></ranges>
<fields><field tag="Plant Name"><form lang="en"><text></text></form>
<form lang="qaa-x-spec"><text>Class=LexSense; Type=String; WsSelector=kwsAnal</text></form></field>
</fields>
</header>
<entry dateCreated="2008-11-03T06:17:24Z" dateModified="2013-10-26T01:41:19Z" \
id="mbwa_dd15cbc4" guid="dd15cbc4-9085-4d66-af3d-8428f078a7da">
<lexical-unit>
<form lang="seh-fonipa-x-etic"><text>mbwa</text></form>
<form lang="seh"><text>mbwa<span lang="seh"> nyumba</span></text></form>
</lexical-unit>
<trait name="morph-type" value="phrase"/>
<pronunciation><form lang="seh"><text>x</text></form></pronunciation>
<note><form lang="en"><text>of the
house</text></form></note>
<sense id="a" order="0">
<grammatical-info value="Noun"><trait name="type" value="inflAffix"/></grammatical-info>
<gloss lang="en"><text>dog</text></gloss>
<gloss lang="pt"><text>cão</text></gloss>
<definition><form lang="en"><text>a domestic mammal</text></form></definition>
<example><form lang="seh"><text>mbwa wanga</text></form>
<translation type="Free translation"><form lang="en"><text>my dog</text></form></translation>
</example>
<note type="anthropology"><form lang="en"><text>x</text></form></note>
<field type="Plant Name"><form lang="en"><text>y</text></form></field>
<trait name="semantic-domain-ddp4" value="1.6.1 Animal"/>
<subsense id="b"><gloss lang="en"><text>cur</text></gloss>
<note type="general"><form lang="en"><text>rude</text></form></note>
<trait name="status" value="Disproved"/></subsense>
</sense>
<sense id="c" order="1">
<definition><form lang="en"><text>guard of the house</text></form></definition>
<trait name="status" value="Confirmed"/></sense>
</entry>
<entry id="gone" dateDeleted="2013-01-01T00:00:00Z"/>
<entry id="citation"><citation><form lang="seh"><text>ona</text></form></citation>
<sense><gloss lang="en"><text>see</text></gloss><gloss lang="en"><text>look</text></gloss></sense>
</entry>
<entry id="alone"><lexical-unit><form lang="seh"><text>x</text></form></lexical-unit></entry>
</lift>
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "sena.lift"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_fieldworks_writes_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, FIELDWORKS)
    found = read_dictionary(path, source_language="seh", target_language="en")

    word = "mbwa nyumba"
    assert found.entries == (
        DictionaryEntry(word, "dog", origin="seed", part_of_speech="Noun", note="of the house"),
        DictionaryEntry(word, "cur", origin="rejected", note="rude"),
        DictionaryEntry(word, "guard of the house", origin="reviewed", note="of the house"),
        DictionaryEntry("ona", "see", origin="seed"),
        DictionaryEntry("ona", "look", origin="seed"),
    )
    assert found.metadata == DictionaryMetadata(source_language="seh", target_language="en")
    assert found.notes == (
        "entries without a word or a translation: 1",
        "words in other writing systems: seh-fonipa-x-etic",
    )


def test_the_first_writing_system_is_read_unless_another_is_requested(tmp_path: Path) -> None:
    path = written(tmp_path, FIELDWORKS)
    found = read_dictionary(path, target_language="pt")

    assert [entry[:2] for entry in found] == [("mbwa", "cão")]
    assert found.metadata.source_language == "seh-fonipa-x-etic"


def test_one_of_several_languages_of_glosses_must_be_requested(tmp_path: Path) -> None:
    with pytest.raises(DictionaryFileError) as caught:
        read_dictionary(written(tmp_path, FIELDWORKS))

    assert caught.value.line == 9
    assert caught.value.problem == (
        "found translations into en and pt: say which to read (target_language)"
    )


def test_rejected_senses_are_no_seeds(tmp_path: Path) -> None:
    found = import_pairs(written(tmp_path, FIELDWORKS), "seh", "en")

    assert ("mbwa nyumba", "dog") in [entry[:2] for entry in found.entries]
    assert "cur" not in [entry.target for entry in found.entries]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<lift><entry><x></entry></lift>", "not well-formed XML: mismatched tag"),
        (
            '<lift><entry><lexical-unit><form lang="a"><text>b</text></form></lexical-unit>'
            '<sense><gloss lang="c"><text>d</text></gloss><field type="bilex-rank">'
            '<form lang="c"><text>first</text></form></field></sense></entry></lift>',
            "the rank is 'first', expected a whole number from 1",
        ),
        ("<lift/>", "found no entry with both words"),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(DictionaryFileError) as caught:
        read_dictionary(written(tmp_path, text), format="lift")

    assert caught.value.problem == problem


def test_ids_stay_the_same_and_differ_from_each_other(tmp_path: Path) -> None:
    entries = [DictionaryEntry(*pair) for pair in ("ab", "ab", "ac", "bc", "ab")]
    for name in ("a.lift", "b.lift"):
        write_dictionary(entries, tmp_path / name, METADATA)
    tree = etree.parse(tmp_path / "a.lift")
    ids = [node.get("id") for node in tree.iter("entry", "sense")]

    assert (tmp_path / "a.lift").read_bytes() == (tmp_path / "b.lift").read_bytes()
    assert len(set(ids)) == len(ids) == 3 + 5
    assert all(UUID(one).version == 5 for one in ids)
    assert [node.get("guid") for node in tree.iter("entry")] == [
        node.get("id") for node in tree.iter("entry")
    ]


def test_the_date_is_that_of_the_last_review_in_utc(tmp_path: Path) -> None:
    entries = [
        DictionaryEntry("a", "b", reviewed_at="2026-01-31"),
        DictionaryEntry("a", "c", reviewed_at="2026-01-31T01:30:00.5+02:00"),
        DictionaryEntry("b", "c", reviewed_at="0001-01-01T00:00:00+02:00"),
    ]
    write_dictionary(entries, tmp_path / "d.lift", METADATA)
    found = [node.get("dateModified") for node in etree.parse(tmp_path / "d.lift").iter("entry")]

    assert found == ["2026-01-31T00:00:00Z", None]
    assert list(read_dictionary(tmp_path / "d.lift")) == entries


@pytest.mark.parametrize(
    ("name", "old", "new", "target", "origin"),
    [
        ("d.tbx", "<term>mai</term>", "<term>mai</term>{preferred}", "mai", "reviewed"),
        ("d.tbx", "<term>mai</term>", "<term>mai</term>{deprecated}", "mai", "rejected"),
        ("d.tbx", "deprecatedTerm", "admittedTerm", "mais on", "reviewed"),
        ("d.tbx", "preferredTerm", "deprecatedTerm", "maison", "rejected"),
        ("d.tbx", "preferredTerm", "supersededTerm", "maison", "reviewed"),
        ("d.tei", 'type="rejected"', 'type="trans"', "mais on", "reviewed"),
        ("d.tei", "origin=induced", "origin=rejected", "mai", "rejected"),
        ("d.lift", '"Disproved"', '"Confirmed"', "mais on", "reviewed"),
        ("d.lift", '"Disproved"', '"Pending"', "mais on", "rejected"),
        ("d.tsv", "induced", "rejected", "mai", "rejected"),
    ],
)
def test_decisions_may_be_changed_in_the_file(
    tmp_path: Path, name: str, old: str, new: str, target: str, origin: Origin
) -> None:
    write_dictionary(REVIEWED, tmp_path / name, METADATA)
    text = (tmp_path / name).read_text("utf-8")
    assert text.count(old) == 1
    for word in ("preferred", "deprecated"):
        status = f'<termNote type="administrativeStatus">{word}Term-admn-sts</termNote>'
        new = new.replace(f"{{{word}}}", status)
    (tmp_path / name).write_text(text.replace(old, new), "utf-8")

    assert [
        entry._replace(origin=origin) if entry.target == target else entry for entry in REVIEWED
    ] == list(read_dictionary(tmp_path / name))


def test_tbx_with_data_categories_as_elements(tmp_path: Path) -> None:
    path = tmp_path / "d.tbx"
    path.write_text(
        """<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
xmlns:min="http://www.tbxinfo.net/ns/min" xmlns:basic="http://www.tbxinfo.net/ns/basic">
<text><body><conceptEntry><langSec xml:lang="en"><descripGrp>
<basic:definition>a pet</basic:definition></descripGrp>
<termSec><term>dog</term><min:partOfSpeech>noun</min:partOfSpeech></termSec></langSec>
<langSec xml:lang="fr"><termSec><term>chien</term>
<min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus><transacGrp>
<basic:transactionType>origination</basic:transactionType>
<basic:responsibility>Tommy</basic:responsibility></transacGrp></termSec></langSec></conceptEntry>
</body></text></tbx>"""
    )

    assert list(read_dictionary(path)) == [
        DictionaryEntry("dog", "chien", origin="rejected", part_of_speech="noun", sense="a pet")
    ]


def test_a_cell_marked_wrong_is_rejected_whole(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("English,French,Note,review\ndog,chien; chat,a pet,wrong\ncat,chat,,ok\n")
    found = read_dictionary(path)
    lexicon = read_lexicon(path)

    assert [(*entry[:2], entry.origin) for entry in found] == [
        ("dog", "chien", "rejected"),
        ("dog", "chat", "rejected"),
        ("cat", "chat", "reviewed"),
    ]
    assert [entry[:2] for entry in lexicon.entries] == [("cat", "chat")]
    assert lexicon.report is not None
    assert lexicon.report.reviewed == 1
    path.write_text("English,French,review\ndog,chien,wrong\n")
    with pytest.raises(ValueError, match=r"found no word pair but 1 row marked wrong \(line 2\)"):
        read_lexicon(path)
