"""Small files of every resource that seeds are imported from, made by their specifications.

Each has the pairs of `EXPECTED` between English and Finnish, beside what must be left out.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

EXPECTED = (("dog", "koira"), ("hot dog", "hodari"), ("river", "joki"))
"""The pairs in every resource, in this order."""


def json_lines(records: Iterable[object]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


# Wiktionary.


def wiktionary_records() -> list[dict[str, object]]:
    return [
        {
            "word": "dog",
            "lang": "English",
            "lang_code": "en",
            "pos": "noun",
            "senses": [
                {
                    "glosses": ["A mammal."],
                    "translations": [{"lang_code": "fi", "word": "koira", "sense": "animal"}],
                }
            ],
            "translations": [
                {"lang": "Finnish", "code": "fi", "word": "koira", "sense": "animal"},
                {"lang": "Finnish", "code": "fi", "sense": "animal", "note": "see elsewhere"},
                {"lang": "French", "code": "fr", "word": "chien", "sense": "animal"},
            ],
        },
        {"title": "doggies", "redirect": "doggy", "pos": "hard-redirect"},
        {"word": "koira", "lang_code": "fi", "pos": "noun", "senses": [{"glosses": ["dog"]}]},
        {
            "word": "hot dog",
            "lang_code": "en",
            "pos": "noun",
            "senses": [],
            "translations": [{"lang_code": "fin", "code": "fin", "word": "hodari", "tags": ["x"]}],
        },
        {
            "word": "joki",
            "lang_code": "fi",
            "pos": "noun",
            "senses": [],
            "translations": [{"lang_code": "en", "word": "river (water)"}],
        },
    ]


def write_wiktionary(folder: Path) -> Path:
    path = folder / "kaikki.jsonl"
    path.write_text(json_lines(wiktionary_records()), encoding="utf-8")
    return path


# Wikidata.


def statement(value: str, *, rank: str = "normal", snaktype: str = "value") -> dict[str, object]:
    snak: dict[str, object] = {"snaktype": snaktype, "property": "P5137"}
    if snaktype == "value":
        snak["datavalue"] = {"value": {"id": value}, "type": "wikibase-entityid"}
    return {"mainsnak": snak, "rank": rank}


def lexeme(
    number: int, lemmas: dict[str, str], claims: Mapping[str, object] | list[object]
) -> dict[str, object]:
    return {
        "type": "lexeme",
        "id": f"L{number}",
        "lemmas": {code: {"language": code, "value": word} for code, word in lemmas.items()},
        "lexicalCategory": "Q1084",
        "language": "Q1860",
        "senses": [{"id": f"L{number}-S1", "glosses": {}, "claims": claims}],
    }


def wikidata_lexemes() -> list[dict[str, object]]:
    return [
        lexeme(1, {"en": "dog"}, {"P5972": [statement("L2-S1")]}),
        lexeme(2, {"fi": "koira"}, []),
        lexeme(3, {"en": "hot dog"}, []),
        lexeme(4, {"fi": "hodari"}, {"P5972": [statement("L3-S1")]}),
        lexeme(5, {"en": "river"}, {"P5137": [statement("Q4022")]}),
        lexeme(6, {"fi": "joki", "sv": "å"}, {"P5137": [statement("Q4022")]}),
        lexeme(7, {"en": "cat"}, {"P5137": [statement("Q146", rank="deprecated")]}),
        lexeme(
            8, {"fi": "kissa"}, {"P5137": [statement("Q146"), statement("", snaktype="novalue")]}
        ),
    ]


def write_wikidata(folder: Path) -> Path:
    path = folder / "lexemes.json"
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in wikidata_lexemes())
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return path


# PanLex.

PANLEX = {
    "langvar.csv": "id,lang_code,var_code,name_expr\n187,eng,0,1\n199,fin,0,2\n211,fra,0,3\n",
    "expr.csv": (
        "id,langvar,txt,txt_degr\n1,187,dog,dog\n2,199,koira,koira\n3,187,hot dog,hotdog\n"
        '4,199,hodari,hodari\n5,187,river,river\n6,199,joki,joki\n7,211,"chien, le",chien\n'
    ),
    "source.csv": (
        "id,label,grp,quality,license\n1,fin-eng:One,1,7,cc\n2,fin-eng:Copy,1,3,cc\n"
        "3,fin-eng:Two,3,5,na\n4,fin-eng:Bad,4,0,na\n"
    ),
    "meaning.csv": "id,source\n10,1\n11,2\n12,3\n13,3\n14,4\n",
    "denotation.csv": (
        "id,meaning,expr\n1,10,1\n2,10,2\n3,11,1\n4,11,2\n5,12,1\n6,12,2\n7,13,3\n8,13,4\n"
        "9,14,5\n10,14,6\n11,14,7\n"
    ),
}


def write_panlex(folder: Path) -> Path:
    for name, text in PANLEX.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def write_zipped_panlex(folder: Path) -> Path:
    path = folder / "panlex.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in PANLEX.items():
            archive.writestr(zipfile.ZipInfo(f"panlex-csv/{name}"), text)
    return path


# CLDF.

TERMS = "http://cldf.clld.org/v1.0/terms.rdf#"


def column(name: str, term: str) -> dict[str, str]:
    return {"name": name, "propertyUrl": TERMS + term}


def cldf_metadata() -> dict[str, object]:
    return {
        "dc:conformsTo": f"{TERMS}Wordlist",
        "dc:license": "https://creativecommons.org/licenses/by/4.0/",
        "rdf:ID": "swadesh",
        "tables": [
            {
                "url": "forms.csv",
                "dc:conformsTo": f"{TERMS}FormTable",
                "tableSchema": {
                    "columns": [
                        column("ID", "id"),
                        column("Language_ID", "languageReference"),
                        column("Parameter_ID", "parameterReference"),
                        column("Value", "value"),
                        column("Form", "form"),
                    ]
                },
            },
            {
                "url": "languages.csv",
                "dc:conformsTo": f"{TERMS}LanguageTable",
                "tableSchema": {
                    "columns": [
                        column("ID", "id"),
                        column("Glottocode", "glottocode"),
                        column("ISO639P3code", "iso639P3code"),
                    ]
                },
            },
            {
                "url": "parameters.csv",
                "dc:conformsTo": f"{TERMS}ParameterTable",
                "tableSchema": {
                    "columns": [
                        column("ID", "id"),
                        column("Concepticon_ID", "concepticonReference"),
                    ]
                },
            },
        ],
    }


CLDF = {
    "languages.csv": "ID,Glottocode,ISO639P3code\nEnglish,stan1293,eng\nSuomi,finn1318,fin\n",
    "parameters.csv": "ID,Concepticon_ID\ndog,2009\nhotdog,1\nriver,666\n",
    "forms.csv": (
        "ID,Language_ID,Parameter_ID,Value,Form\n1,English,dog,dog,dɒɡ\n2,Suomi,dog,koira,koira\n"
        "3,English,hotdog,hot dog,hot dog\n4,Suomi,hotdog,,hodari\n"
        '5,English,river,river,river\n6,Suomi,river,"joki",joki\n7,Svenska,dog,hund,hund\n'
    ),
}


def write_cldf(folder: Path) -> Path:
    for name, text in CLDF.items():
        (folder / name).write_text(text, encoding="utf-8")
    metadata = json.dumps(cldf_metadata(), indent=1)
    (folder / "Wordlist-metadata.json").write_text(metadata, encoding="utf-8")
    return folder / "Wordlist-metadata.json"


# The others.


def write_smol(folder: Path) -> Path:
    path = folder / "gatitos.jsonl"
    records = [
        {"sl": "en", "tl": "fi", "src": "dog", "trgs": ["koira"]},
        {"sl": "en", "tl": "fi", "src": "hot dog", "trg": "hodari"},
        {"sl": "en", "tl": "fi", "srcs": ["A text."], "trgs": ["Teksti."]},
        {"sl": "en", "tl": "sv", "src": "dog", "trgs": ["hund"]},
        {"sl": "fi", "tl": "en", "src": "joki", "trgs": ["river"]},
    ]
    path.write_text(json_lines(records), encoding="utf-8")
    return path


def write_opus(folder: Path) -> Path:
    path = folder / "en-fi.dic.gz"
    text = (
        "9\t0.8\tdog\tkoira\t0.9\t0.8\n1\t0.1\thot dog\thodari\t0.5\t0.5\n"
        "3\t0.5\triver\tjoki\t0.7\t0.7\n2\t0.1\t,\t,\t0.1\t0.1\n"
    )
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en">
<teiHeader><fileDesc><titleStmt><title>English-Finnish</title></titleStmt>
<publicationStmt><availability status="free"><p>Available under the terms of the GNU General
Public License ver. 2.0 and any later version.</p></availability></publicationStmt></fileDesc>
</teiHeader>
<text><body>
<entry><form><orth>dog</orth><pron>dɒɡ</pron></form><gramGrp><pos>n</pos></gramGrp>
<sense><usg type="dom">zool.</usg><cit type="trans"><quote>koira</quote>
<gramGrp><pos>n</pos><colloc>villi</colloc></gramGrp></cit>
<cit type="example"><quote>a dog barks</quote><cit type="trans"><quote>koira haukkuu</quote></cit>
</cit></sense></entry>
<entry><form><orth>hot dog</orth></form><sense><cit type="trans">
<quote>hodari</quote><quote> </quote></cit></sense></entry>
<entry><form><orth>river</orth></form><sense><cit type="trans" xml:lang="fi">
<quote>joki <usg>geo.</usg></quote></cit><cit type="trans" xml:lang="sv"><quote>å</quote></cit>
</sense></entry>
</body></text></TEI>
"""


def write_freedict(folder: Path) -> Path:
    path = folder / "eng-fin.tei"
    path.write_text(TEI, encoding="utf-8")
    return path


DIX = """<?xml version="1.0" encoding="UTF-8"?>
<dictionary>
<alphabet/><sdefs><sdef n="n"/></sdefs>
<pardefs><pardef n="num"><e><p><l>one</l><r>yksi</r></p></e></pardef></pardefs>
<section id="main" type="standard">
<e><p><l>dog<s n="n"/></l><r>koira<s n="n"/></r></p></e>
<e r="LR"><p><l>hot<b/>dog<s n="n"/></l><r>hodari<s n="n"/></r></p></e>
<e r="RL"><p><l>stream<s n="n"/></l><r>joki<s n="n"/></r></p></e>
<e><re>[0-9]+</re></e>
<e><p><l>twenty<b/></l><r>kaksikymmentä</r></p><par n="num"/></e>
<e i="yes"><p><l>cat</l><r>kissa</r></p></e>
<e><p><l>of<j/>the</l><r>sen</r></p></e>
<e w="0.693147"><p><l>river<g></g><s n="n"/></l><r>joki<s n="n"/></r></p></e>
</section>
</dictionary>
"""


def write_apertium(folder: Path) -> Path:
    path = folder / "apertium-eng-fin.eng-fin.dix"
    path.write_text(DIX, encoding="utf-8")
    return path


LIFT = """<?xml version="1.0" encoding="UTF-8"?>
<lift version="0.13"><header/>
<entry id="1"><lexical-unit><form lang="fi"><text>koira</text><annotation name="x"/></form>
<form lang="fi-fonipa"><text>kɔirɑ</text></form></lexical-unit>
<sense><grammatical-info value="Noun"/><gloss lang="en"><text>dog</text></gloss>
<gloss lang="sv"><text>hund</text></gloss>
<definition><form lang="en"><text>a mammal</text></form></definition></sense></entry>
<entry id="2"><lexical-unit><form lang="fi"><text>hodari</text></form></lexical-unit>
<sense><subsense><gloss lang="en"><text>hot dog</text></gloss></subsense></sense></entry>
<entry id="3"><lexical-unit><form lang="fi"><text>joki</text></form></lexical-unit>
<sense><gloss lang="en"><text>river</text></gloss></sense></entry>
<entry id="4"><sense><gloss lang="en"><text>cat</text></gloss></sense></entry>
</lift>
"""


def write_lift(folder: Path) -> Path:
    path = folder / "words.lift"
    path.write_text(LIFT, encoding="utf-8")
    return path


ARTICLES = (
    ("00databaseinfo", "00-database-info\nAvailability:\n\n  Licensed under CC BY-SA 3.0\n\nEnd\n"),
    ("dog", "dog /dɒɡ/ <n>\nkoira <masc> [zool.]\nan animal\n"),
    ("hot dog", "hot dog //hɒt dɒɡ// <n>\n1. hodari 2.\na sausage\n 3.\nthe bread\n"),
    ("river", 'river /ɹɪvə/\njoki\n      "up the river"  - ylävirtaan\n see: {stream}\n'),
    ("void", "void /vɔɪd/\n see: {empty}\n"),
    ("hours", "hours <pl>\n1. tunti <n>h,  /h/\n2. päivässäpd,  /piː diː/, päivä\n"),
)
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def dictd_number(number: int) -> str:
    digits = _DIGITS[number % 64]
    while number := number // 64:
        digits = _DIGITS[number % 64] + digits
    return digits


def write_dictd(folder: Path) -> Path:
    text, rows = b"", []
    for word, article in ARTICLES:
        data = article.encode()
        rows.append(f"{word}\t{dictd_number(len(text))}\t{dictd_number(len(data))}\n")
        text += data
    rows.append(rows[1].replace("dog", "doggy"))
    (folder / "freedict-eng-fin.index").write_text("".join(sorted(rows)), encoding="utf-8")
    (folder / "freedict-eng-fin.dict.dz").write_bytes(gzip.compress(text, mtime=0))
    return folder / "freedict-eng-fin.index"


WRITERS: dict[str, Callable[[Path], Path]] = {
    "apertium": write_apertium,
    "cldf": write_cldf,
    "dictd": write_dictd,
    "freedict": write_freedict,
    "lift": write_lift,
    "opus": write_opus,
    "panlex": write_panlex,
    "smol": write_smol,
    "wikidata": write_wikidata,
    "wiktionary": write_wiktionary,
}
"""Writes the files of a resource, by the name of its importer; returns what to import."""
