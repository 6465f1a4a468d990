"""Each format to the byte: two entries of one word, one of another."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import bilex
from bilex.lexicons import write_dictionary
from bilex.lexicons.formats import installed_formats
from bilex.storage.hashes import sha256_of
from export_data import ENTRIES, METADATA, REVIEWED

EXPECTED = {
    "d.tsv": """\
source	target	probability	score	rank	back_rank	origin	model	part_of_speech	\
sense	note	reviewer	reviewed_at
house	maison	0.93	0.61	1	1	induced	css-4f\t\t\t\t\t
house	chambre <à> part	0.5		2		reviewed\t\t\t\t\t\t
New York	New "York"					seed\t\t\t\t\t\t
""",
    "d.csv": """\
source,target,probability,score,rank,back_rank,origin,model,part_of_speech,sense,note,\
reviewer,reviewed_at
house,maison,0.93,0.61,1,1,induced,css-4f,,,,,
house,chambre <à> part,0.5,,2,,reviewed,,,,,,
New York,"New ""York\""",,,,,seed,,,,,,
""",
    "d.jsonl": """\
{"source": "house", "target": "maison", "probability": 0.93, "score": 0.61, "rank": 1, \
"back_rank": 1, "origin": "induced", "model": "css-4f", "part_of_speech": "", "sense": "", \
"note": "", "reviewer": "", "reviewed_at": ""}
{"source": "house", "target": "chambre <à> part", "probability": 0.5, "score": null, "rank": 2, \
"back_rank": null, "origin": "reviewed", "model": "", "part_of_speech": "", "sense": "", \
"note": "", "reviewer": "", "reviewed_at": ""}
{"source": "New York", "target": "New \\"York\\"", "probability": null, "score": null, \
"rank": null, "back_rank": null, "origin": "seed", "model": "", "part_of_speech": "", \
"sense": "", "note": "", "reviewer": "", "reviewed_at": ""}
""",
    "d.gatitos.tsv": """\
house	maison
house	chambre <à> part
New York	New "York"
""",
    "d.tbx": """\
<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2">
<tbxHeader>
<fileDesc>
  <titleStmt><title>English &amp; French</title></titleStmt>
  <publicationStmt><p>License: CC0-1.0</p></publicationStmt>
  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>
</fileDesc>
</tbxHeader>
<text>
<body>
<conceptEntry id="c1">
  <langSec xml:lang="en"><termSec><term>house</term></termSec></langSec>
  <langSec xml:lang="fr">
    <termSec><term>maison</term><note>probability=0.93 score=0.61 rank=1 back_rank=1 \
origin=induced model=css-4f</note></termSec>
    <termSec><term>chambre &lt;à&gt; part</term>\
<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>\
<note>probability=0.5 rank=2 origin=reviewed</note></termSec>
  </langSec>
</conceptEntry>
<conceptEntry id="c2">
  <langSec xml:lang="en"><termSec><term>New York</term></termSec></langSec>
  <langSec xml:lang="fr">
    <termSec><term>New &quot;York&quot;</term><note>origin=seed</note></termSec>
  </langSec>
</conceptEntry>
</body>
</text>
</tbx>
""",
    "d.tmx": f"""\
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="bilex" creationtoolversion="{bilex.__version__}" datatype="plaintext" \
segtype="phrase" adminlang="en" srclang="en" o-tmf="bilex">
  <prop type="x-title">English &amp; French</prop>
  <prop type="x-license">CC0-1.0</prop>
</header>
<body>
<tu><prop type="x-probability">0.93</prop><prop type="x-score">0.61</prop>\
<prop type="x-rank">1</prop><prop type="x-back_rank">1</prop>\
<prop type="x-origin">induced</prop><prop type="x-model">css-4f</prop>
  <tuv xml:lang="en"><seg>house</seg></tuv>
  <tuv xml:lang="fr"><seg>maison</seg></tuv>
</tu>
<tu><prop type="x-probability">0.5</prop><prop type="x-rank">2</prop>\
<prop type="x-origin">reviewed</prop>
  <tuv xml:lang="en"><seg>house</seg></tuv>
  <tuv xml:lang="fr"><seg>chambre &lt;à&gt; part</seg></tuv>
</tu>
<tu><prop type="x-origin">seed</prop>
  <tuv xml:lang="en"><seg>New York</seg></tuv>
  <tuv xml:lang="fr"><seg>New &quot;York&quot;</seg></tuv>
</tu>
</body>
</tmx>
""",
    "d.tei": """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
  <titleStmt><title>English &amp; French</title></titleStmt>
  <publicationStmt><publisher>unknown</publisher><availability><licence>CC0-1.0</licence>\
</availability></publicationStmt>
  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>
</fileDesc>
<profileDesc>
  <langUsage><language ident="en">source</language><language ident="fr">target</language>\
</langUsage>
</profileDesc>
</teiHeader>
<text>
<body xml:lang="en">
<entry>
  <form><orth>house</orth></form>
  <sense>
    <cit type="trans" xml:lang="fr" cert="0.93"><quote>maison</quote>\
<note type="provenance">score=0.61 rank=1 back_rank=1 origin=induced model=css-4f</note></cit>
    <cit type="trans" xml:lang="fr" cert="0.5"><quote>chambre &lt;à&gt; part</quote>\
<note type="provenance">rank=2 origin=reviewed</note></cit>
  </sense>
</entry>
<entry>
  <form><orth>New York</orth></form>
  <sense>
    <cit type="trans" xml:lang="fr"><quote>New &quot;York&quot;</quote>\
<note type="provenance">origin=seed</note></cit>
  </sense>
</entry>
</body>
</text>
</TEI>
""",
    "d.dix": """\
<?xml version="1.0" encoding="UTF-8"?>
<dictionary>
<alphabet/>
<section id="main" type="standard">
<e w="0.072571" c="probability=0.93 score=0.61 rank=1 back_rank=1 origin=induced model=css-4f">\
<p><l>house</l><r>maison</r></p></e>
<e w="0.693147" c="probability=0.5 rank=2 origin=reviewed">\
<p><l>house</l><r>chambre<b/>&lt;à&gt;<b/>part</r></p></e>
<e c="origin=seed"><p><l>New<b/>York</l><r>New<b/>&quot;York&quot;</r></p></e>
</section>
</dictionary>
""",
    "d.anki.tsv": """\
#separator:tab
#html:false
#deck:English & French
#tags column:3
#columns:Front	Back	Tags
house	"1. maison (very likely, 93 %)
2. chambre <à> part (checked)"	induced reviewed
New York	"New ""York"" (given)"	seed
""",
    "d.prompts.jsonl": """\
{"source": "house", "source_language": "en", "target_language": "fr", "translations": \
[{"target": "maison", "probability": 0.93, "origin": "induced"}, {"target": "chambre <à> part", \
"probability": 0.5, "origin": "reviewed"}], "prompt": "In this context, the word \\"house\\" \
means \\"maison\\", \\"chambre <à> part\\"."}
{"source": "New York", "source_language": "en", "target_language": "fr", "translations": \
[{"target": "New \\"York\\"", "probability": null, "origin": "seed"}], "prompt": "In this \
context, the word \\"New York\\" means \\"New \\"York\\"\\"."}
""",
}


DECISIONS = {
    "d.tbx": """\
<conceptEntry id="c1">
  <langSec xml:lang="en"><descrip type="definition">building</descrip><termSec>\
<term>house</term><termNote type="partOfSpeech">noun</termNote></termSec></langSec>
  <langSec xml:lang="fr">
    <termSec><term>maison</term>\
<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote>\
<note>probability=0.93 rank=1 reviewed_at=2026-01-31T12:00:00.000000Z origin=reviewed \
model=css-4f</note><note>100 % &lt;sure&gt;</note><transacGrp>\
<transac type="transactionType">modification</transac><date>2026-01-31</date>\
<transacNote type="responsibility">Ann B; Bo</transacNote></transacGrp></termSec>
    <termSec><term>logis</term>\
<termNote type="administrativeStatus">admittedTerm-admn-sts</termNote>\
<note>rank=2 origin=reviewed</note></termSec>
  </langSec>
</conceptEntry>
<conceptEntry id="c2">
  <langSec xml:lang="en"><termSec><term>house</term>\
<termNote type="partOfSpeech">other</termNote></termSec></langSec>
  <langSec xml:lang="fr">
    <termSec><term>mais on</term>\
<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote>\
<note>probability=0.25 part_of_speech=noun%20phrase origin=rejected</note></termSec>
  </langSec>
</conceptEntry>
<conceptEntry id="c3">
  <langSec xml:lang="en"><termSec><term>house</term></termSec></langSec>
  <langSec xml:lang="fr">
    <termSec><term>mai</term><note>origin=induced</note></termSec>
  </langSec>
</conceptEntry>
</body>
</text>
</tbx>
""",
    "d.tei": """\
<entry>
  <form><orth>house</orth></form>
  <sense>
    <gramGrp><pos>noun</pos></gramGrp>
    <usg type="hint">building</usg>
    <cit type="trans" xml:lang="fr" cert="0.93"><quote>maison</quote>\
<note type="provenance">rank=1 reviewer=Ann%20B;%20Bo \
reviewed_at=2026-01-31T12:00:00.000000Z origin=reviewed model=css-4f</note>\
<note type="review">100 % &lt;sure&gt;</note></cit>
    <cit type="trans" xml:lang="fr"><quote>logis</quote>\
<note type="provenance">rank=2 origin=reviewed</note></cit>
  </sense>
  <sense>
    <gramGrp><pos>noun phrase</pos></gramGrp>
    <cit type="rejected" xml:lang="fr" cert="0.25"><quote>mais on</quote>\
<note type="provenance">origin=reviewed</note></cit>
  </sense>
  <sense>
    <cit type="trans" xml:lang="fr"><quote>mai</quote>\
<note type="provenance">origin=induced</note></cit>
  </sense>
</entry>
</body>
</text>
</TEI>
""",
    "d.lift": """\
<entry id="e69e9db0-c507-5b04-ad1c-2febd24d149a" guid="e69e9db0-c507-5b04-ad1c-2febd24d149a" \
dateModified="2026-01-31T12:00:00Z">
  <lexical-unit><form lang="en"><text>house</text></form></lexical-unit>
  <sense id="fd8e3a95-f18c-52c6-abeb-94020534c814">
    <grammatical-info value="noun"/>
    <gloss lang="fr"><text>maison</text></gloss>
    <note><form lang="fr"><text>100 % &lt;sure&gt;</text></form></note>
    <field type="bilex-probability"><form lang="fr"><text>0.93</text></form></field>
    <field type="bilex-rank"><form lang="fr"><text>1</text></form></field>
    <field type="bilex-origin"><form lang="fr"><text>reviewed</text></form></field>
    <field type="bilex-model"><form lang="fr"><text>css-4f</text></form></field>
    <field type="bilex-sense"><form lang="fr"><text>building</text></form></field>
    <field type="bilex-reviewer"><form lang="fr"><text>Ann B; Bo</text></form></field>
    <field type="bilex-reviewed_at"><form lang="fr"><text>2026-01-31T12:00:00.000000Z</text>\
</form></field>
    <trait name="status" value="Confirmed"/>
  </sense>
  <sense id="b841a4a0-4c91-5d9a-9904-d32f37c4d6a4">
    <grammatical-info value="noun"/>
    <gloss lang="fr"><text>logis</text></gloss>
    <field type="bilex-rank"><form lang="fr"><text>2</text></form></field>
    <field type="bilex-origin"><form lang="fr"><text>reviewed</text></form></field>
    <field type="bilex-sense"><form lang="fr"><text>building</text></form></field>
    <trait name="status" value="Confirmed"/>
  </sense>
""",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_text_formats(tmp_path: Path, name: str) -> None:
    write_dictionary(ENTRIES, tmp_path / name, METADATA)

    assert (tmp_path / name).read_bytes() == EXPECTED[name].encode()


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_of_reviewers(tmp_path: Path, name: str) -> None:
    write_dictionary(REVIEWED, tmp_path / name, METADATA)

    assert DECISIONS[name] in (tmp_path / name).read_text("utf-8")


def test_muse(tmp_path: Path) -> None:
    write_dictionary(ENTRIES[:1], tmp_path / "d.txt", METADATA)

    assert (tmp_path / "d.txt").read_bytes() == b"house maison\n"


def test_stardict(tmp_path: Path) -> None:
    write_dictionary(ENTRIES, tmp_path / "d.stardict", METADATA)

    files = {file.name: file.read_bytes() for file in (tmp_path / "d.stardict").iterdir()}
    assert sorted(files) == [
        *("en-fr.dict", "en-fr.entries.tsv", "en-fr.idx", "en-fr.ifo", "en-fr.manifest.json")
    ]
    assert files["en-fr.dict"].decode() == (
        'maison (very likely, 93 %)\nchambre <à> part (checked)New "York" (given)'
    )
    assert files["en-fr.entries.tsv"].decode() == EXPECTED["d.tsv"]
    assert files["en-fr.idx"] == b"house\0\0\0\0\0\0\0\0\x36New York\0\0\0\0\x36\0\0\0\x12"
    assert (
        files["en-fr.ifo"].decode()
        == """\
StarDict's dict ifo file
version=2.4.2
bookname=English & French
wordcount=2
idxfilesize=31
sametypesequence=m
source_language=en
target_language=fr
license=CC0-1.0
description=en to fr, written by bilex. License: CC0-1.0
"""
    )


def test_the_manifest_describes_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "d.tbx"
    write_dictionary(ENTRIES, path, METADATA)

    assert json.loads((tmp_path / "d.tbx.manifest.json").read_text("utf-8")) == {
        "format": "tbx",
        "entries": 3,
        "source_language": "en",
        "target_language": "fr",
        "title": "English & French",
        "license": "CC0-1.0",
        "manifest": {"bilex": "0.1", "words": 2},
        "sha256": {"d.tbx": sha256_of(path)},
    }


def test_the_manifest_of_stardict_is_in_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary(ENTRIES, folder, METADATA)

    record = json.loads((folder / "en-fr.manifest.json").read_text("utf-8"))
    assert record["sha256"] == {
        name: sha256_of(folder / name)
        for name in ("en-fr.dict", "en-fr.entries.tsv", "en-fr.idx", "en-fr.ifo")
    }
    assert [file.name for file in tmp_path.iterdir()] == ["d.stardict"]


@pytest.mark.parametrize(
    "name", [name for name, form in installed_formats().items() if form.compressible]
)
def test_gzip_holds_the_same_text_and_no_time(tmp_path: Path, name: str) -> None:
    extension = installed_formats()[name].extensions[0]
    for stem in ("a", "b"):
        write_dictionary(ENTRIES[:1], tmp_path / f"{stem}{extension}.gz", METADATA)
    write_dictionary(ENTRIES[:1], tmp_path / f"a{extension}", METADATA)

    packed = (tmp_path / f"a{extension}.gz").read_bytes()
    assert packed == (tmp_path / f"b{extension}.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / f"a{extension}").read_bytes()


def test_parquet_has_the_same_bytes_for_the_same_entries(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        write_dictionary(ENTRIES, tmp_path / name, METADATA)

    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
