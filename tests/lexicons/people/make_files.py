"""Write the lexicons as people make them; LibreOffice writes the spreadsheets.

Run `python tests/lexicons/people/make_files.py` after a change; it needs `soffice`. The files are
kept with the tests, which need neither.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from bilex.lexicons import DictionaryEntry, DictionaryMetadata, write_dictionary

FILES = Path(__file__).parent / "files"

WORDS = (
    ("symbol", "symbole", "n."),
    ("dog", "chien", "n."),
    ("summer", "été", "n."),
    ("head", "tête", "n."),
    ("to go", "aller", "v."),
    ("beautiful", "beau", "adj."),
    ("quickly", "vite", "adv."),
    ("house", "maison", "n."),
    ("water", "eau", "n."),
    ("to eat", "manger", "v."),
)
LISTS = (
    ("symbol", "symbole, signe"),
    ("dog", "chien"),
    ("child", "enfant, gamin, gosse"),
    ("beautiful", "beau, belle"),
    ("house", "maison"),
    ("well, yes", "eh bien, d'accord mon très cher ami"),
)
ARTICLES = (
    ("the symbol", "le symbole"),
    ("to go", "aller"),
    ("the water", "l’eau"),
    ("a house", "une maison"),
    ("dog", "chien, le"),
    ("to wash", "se laver"),
)


def text(name: str, lines: Sequence[str], *, encoding: str = "utf-8", end: str = "\n") -> None:
    """Write a text file."""
    (FILES / name).write_bytes("".join(f"{line}{end}" for line in lines).encode(encoding))


def write_texts() -> None:
    """Write the files of text editors and of the export of spreadsheets."""
    pos = [";".join(row) for row in WORDS]
    text("pos.csv", ["English;French;Part of speech", *pos])
    text("pos-without-header.tsv", ["\t".join(row) for row in WORDS])
    text("lists.csv", ["English;French", *(f'"{a}";"{b}"' for a, b in LISTS)])
    text("lists-with-semicolons.tsv", ["dog\tchien; chienne", "cat\tchat|chatte", "a\tun (ou; le)"])
    text(
        "lists-with-slashes.csv", ["Wort,Traduction", "er,il/lui", "sie,elle / elles", "24/7,24/7"]
    )
    text("weights-pos.csv", ["source,target,weight,pos", "dog,chien,0.5,n", "go,aller,,v"])
    text("decimal-commas.csv", ["English;Français;Weight", "dog;chien;0,5", "cat;chat;1,25"])
    text("ids.csv", ["ID,English,French", *(f"{n},{r[0]},{r[1]}" for n, r in enumerate(WORDS, 1))])
    text("ids-without-header.csv", [f"L{n:03},{r[0]},{r[1]}" for n, r in enumerate(WORDS, 1)])
    text("unknown-names.csv", ["Nr;Lemma (dial.);Ital.", "1;hund;cane", "2;katz;gatto"])
    text("articles.csv", ["English;French", *(f'{a};"{b}"' for a, b in ARTICLES)])
    text(
        "comments.csv",
        [
            "# Seeds, second version",
            "English,French",
            "dog,chien",
            "# checked, up to here",
            "cat,chat",
        ],
    )
    text(
        "comments.txt", ["# seeds of the project", "dog chien", "#the #le", "# checked", "cat chat"]
    )
    text(
        "empty-cells.csv",
        ["English,French,Notes", "dog,chien,", "cat,,ask", ",chat,", "sea,mer,ok"],
    )
    text("short-rows.csv", ["English,French,Notes", "dog,chien,good", "cat,chat", "sea"])
    text("excel-rest.csv", ["English;French;;", "dog;chien;;", ";;;", "cat;chat;;"], end="\r\n")
    text("header-of-names.txt", ["English French", "dog chien", "cat chat"])
    text("codes.tsv", ["EN\tFR", "dog\tchien", "cat\tchat"])
    text("codes-of-three-letters.csv", ["eng,fra,pos", "dog,chien,n", "cat,chat,n"])
    text("own-names.csv", ["Deutsch;Español;Anmerkung", "Hund;perro;", "Katze;gato;auch: gata"])
    text("two-translations.csv", ["English,French 1,French 2", "dog,chien,chienne", "sea,mer,"])
    text("sources.csv", ["English,French,Source", "dog,chien,Smith 1990", "sea,mer,fieldwork"])
    text(
        "several-columns.tsv",
        ["abuse\ttouell\ttouellañ", "a lot\tkalz", "sea\tmor\tmorioù\tmoreier"],
    )
    text(
        "notes-in-quotes.csv",
        ["English,French,Notes", 'dog,chien,"pet, animal"', 'say ""hi"",salut,'],
    )
    latin = ["English;French", *(f"{a};{b}" for a, b, _ in WORDS)]
    text("windows-1252.csv", [*latin, "work;l’œuvre"], encoding="cp1252", end="\r\n")
    text("latin-1.txt", [f"{a}\t{b}" for a, b, _ in WORDS], encoding="latin-1")
    text("windows-1250.csv", ["English;Polski", "snake;wąż", "tongue;język", "head;głowa"],
         encoding="cp1250")  # fmt: skip
    text("windows-1251.csv", ["English;Русский", "dog;собака", "house;дом", "summer;лето"],
         encoding="cp1251")  # fmt: skip
    text("excel-unicode-text.txt", ["English\tFrench", "dog\tchien", "summer\tété"],
         encoding="utf-16", end="\r\n")  # fmt: skip
    text("byte-order-mark.csv", ["\ufeffEnglish,French", "dog,chien", "summer,été"])
    text("arabic.csv", ["English,Arabic", "dog,الكلب", "house,البيت", "sea,البحر"])
    text("three-languages.csv", ["English,French,Spanish", "dog,chien,perro", "sea,mer,mar"])
    text("swapped.csv", ["French,English", "chien,dog", "mer,sea"])


def write_own() -> None:
    """Write dictionaries of bilex, as a model makes them and as people change them."""
    entries = [
        DictionaryEntry("dog", "chien", 0.97, 0.8, 1, 1, "induced", "m1"),
        DictionaryEntry("dog", "chienne", 0.31, 0.5, 2, 1, "induced", "m1"),
        DictionaryEntry("cat", "chat", 0.95, 0.7, 1, 1, "reviewed", "m1"),
        DictionaryEntry("sea", "mer", origin="seed"),
        DictionaryEntry("=1+1", "deux", 0.5, 0.4, 1, 2, "induced", "m1"),
    ]
    about = DictionaryMetadata(source_language="en", target_language="fr")
    for name in ("induced.tsv", "induced.xlsx"):
        write_dictionary(entries, FILES / name, about)
        (FILES / f"{name}.manifest.json").unlink()


def sheet(name: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a sheet in the XML of OpenDocument; a cell that starts with a digit is a number."""
    lines = []
    for row in rows:
        cells = "".join(
            f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
            if cell[:1].isdigit()
            else f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p>'
            "</table:table-cell>"
            for cell in row
        )
        lines.append(f"<table:table-row>{cells}</table:table-row>")
    return f'<table:table table:name="{name}">{"".join(lines)}</table:table>'


def workbook(*sheets: str) -> str:
    """Return a flat OpenDocument spreadsheet."""
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    return (
        f'<?xml version="1.0"?><office:document xmlns:office="{space}office:1.0" '
        f'xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0" office:version="1.2" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet">'
        f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body>"
        "</office:document>"
    )


BOOKS = {
    "list": workbook(
        sheet("Wörter", [("English", "French", "Part of speech"), *WORDS]),
    ),
    "second-sheet": workbook(
        sheet("About", [("My dictionary",), ("Please do not change",)]),
        sheet("en-fr", [("No.", "English", "French"), ("1", "dog", "chien"), ("2", "sea", "mer")]),
    ),
    "title-above": workbook(
        sheet(
            "Sheet1", [("Seeds of 2024",), ("",), ("English", "French"), *(w[:2] for w in WORDS)]
        ),
    ),
    "lists": workbook(sheet("Sheet1", [("English", "French"), *LISTS])),
    "numbers": workbook(
        sheet(
            "Sheet1", [("English", "French", "Weight"), ("dog", "chien", "0.5"), ("two", "2", "1")]
        ),
    ),
}
CONVERSIONS = {
    "list": ("xlsx", "ods", "csv"),
    "second-sheet": ("xlsx", "ods"),
    "title-above": ("ods", "csv"),
    "lists": ("xlsx", "csv"),
    "numbers": ("xlsx", "ods"),
}


def write_sheets() -> None:
    """Let LibreOffice write the spreadsheets, and a workbook of bilex that it opened and saved."""
    soffice = shutil.which("soffice")
    if soffice is None:
        raise SystemExit("soffice is not installed: apt install libreoffice-calc")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in BOOKS.items():
            path = Path(folder) / f"{name}.fods"
            path.write_text(content, encoding="utf-8")
            for ending in CONVERSIONS[name]:
                convert(soffice, path, ending, Path(folder))
                shutil.move(
                    Path(folder) / f"{name}.{ending}", FILES / f"libreoffice-{name}.{ending}"
                )
        reviewed = Path(folder) / "reviewed.xlsx"
        shutil.copy(FILES / "induced.xlsx", reviewed)
        review(reviewed, {"chien": "ok", "chienne": "wrong", "deux": "unsure"})
        (Path(folder) / "out").mkdir()
        convert(soffice, reviewed, "xlsx", Path(folder) / "out")
        convert(soffice, reviewed, "ods", Path(folder) / "out")
        for made in sorted((Path(folder) / "out").iterdir()):
            shutil.move(made, FILES / f"libreoffice-{made.name}")


def convert(soffice: str, path: Path, ending: str, folder: Path) -> None:
    """Convert a file by LibreOffice."""
    subprocess.run(  # noqa: S603 - the program and its arguments are ours
        [soffice, "--headless", "--convert-to", ending, "--outdir", str(folder), str(path)],
        check=True,
        capture_output=True,
    )


def review(path: Path, decisions: dict[str, str]) -> None:
    """Fill the review column of a workbook, as a person would."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    xml = files[name].decode()
    for word, decision in decisions.items():
        row = xml[: xml.index(f">{word}<")].rpartition('<row r="')[2].partition('"')[0]
        start = (
            xml.index(f'<c r="E{row}"') if f'<c r="E{row}"' in xml else xml.index(f'<c r="H{row}"')
        )
        cell = f'<c r="D{row}" t="inlineStr"><is><t>{decision}</t></is></c>'
        xml = xml[:start] + cell + xml[start:]
    files[name] = xml.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in files.items():
            archive.writestr(file, content)


if __name__ == "__main__":
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir()
    write_texts()
    write_own()
    write_sheets()
