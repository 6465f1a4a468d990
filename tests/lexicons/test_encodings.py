"""The encoding of text that is not UTF-8, as it comes out of old programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons import read_lexicon
from bilex.lexicons.encodings import check_utf8, guess_encoding, marked_encoding, name_of

SHORT = {
    "French": ("cp1252", "dog;chien\nsummer;été\nhead;tête\nwork;œuvre\n"),
    "one French word": ("cp1252", "dog;chien\nsummer;été\n"),
    "Spanish": ("cp1252", "child;niño\ntomorrow;mañana\n"),
    "German": ("cp1252", "door;Tür\nbeautiful;schön\nstreet;STRASSE, Straße\n"),
    "French and Spanish": ("cp1252", "été;verano\ntête;cabeza\nenfant;niño\nâme;corazón\n"),
    "Icelandic": ("cp1252", "day;dagur\nthing;þing\nfather;faðir\n"),
    "Polish": ("cp1250", "snake;wąż\ntongue;język\nhand;ręka\nhead;głowa\n"),
    "Czech": ("cp1250", "yellow;žlutý\nhorse;kůň\nperson;člověk\nevening;večer\n"),
    "Hungarian": ("cp1250", "beautiful;gyönyörű\nfire;tűz\n"),
    "Turkish": ("cp1254", "mountain;dağ\nred;kırmızı\nthree;üç\n"),
    "Lithuanian": ("cp1257", "milk;pienas\nman;žmogus\nsnake;gyvatė\ntree;medis, mėdžių\n"),
    "Macintosh": ("mac_roman", "summer;été\nhead;tête\nchild;niño\n"),
    "Russian": ("cp1251", "dog;собака\nhouse;дом\nsummer;лето\n"),
    "Greek": ("cp1253", "dog;σκύλος\nhouse;σπίτι\nsea;θάλασσα\n"),
    "Arabic": ("cp1256", "dog;كلب\nhouse;بيت\nsea;بحر\n"),
    "Japanese": ("shift_jis", "dog;犬\nhouse;家\nsea;海\nsummer;夏\nmountain;山\nperson;人間\n"),
}


@pytest.mark.parametrize("name", SHORT)
def test_a_short_list_is_decoded(tmp_path: Path, name: str) -> None:
    encoding, text = SHORT[name]
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode(encoding))

    lexicon = read_lexicon(path)

    written = [line.split(";") for line in text.splitlines()]
    words = {word for entry in lexicon.entries for word in entry[:2]}
    assert words <= {part for row in written for cell in row for part in [cell, *cell.split(", ")]}
    assert lexicon.report is not None
    assert lexicon.report.encoding == name_of(encoding)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_unicode_is_known_by_its_bytes(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("dog\tchien\r\nsummer\tété\r\n".encode(encoding))

    assert read_lexicon(path).translations == {"dog": ("chien",), "summer": ("été",)}


@pytest.mark.parametrize(
    ("name", "encoding", "shown"),
    [
        ("muse/en-es.0-5000.txt", "cp1252", "Windows-1252"),
        ("muse/en-fr.0-5000.resplit.txt", "cp1252", "Windows-1252"),
        ("muse/en-fi.0-5000.txt", "cp1252", "Windows-1252"),
        ("muse/en-tr.0-5000.txt", "cp1254", "Windows-1254"),
        ("muse/en-ru.0-5000.txt", "cp1251", "Windows-1251"),
        ("muse/en-ru.0-5000.txt", "koi8_r", "KOI8-R"),
        ("muse/en-zh.0-5000.txt", "gb18030", "GB 18030"),
    ],
)
def test_published_lists_are_decoded(
    shared_data: Path, tmp_path: Path, name: str, encoding: str, shown: str
) -> None:
    text = (shared_data / "dictionaries" / name).read_text("utf-8")
    data = text.encode(encoding, "ignore")
    path = tmp_path / "a.txt"
    path.write_bytes(data)

    lexicon = read_lexicon(path)

    assert lexicon.report is not None
    assert lexicon.report.encoding == shown
    assert len(lexicon) == text.count("\n")


@given(st.binary(max_size=200))
def test_any_bytes_have_an_encoding_and_always_the_same(data: bytes) -> None:
    found = check_utf8([data])
    if found is None:
        data.decode("utf-8", "ignore")
        return
    assert guess_encoding(found.sample) == guess_encoding(found.sample)


@given(st.text(max_size=50), st.integers(1, 7))
def test_utf8_is_utf8_however_it_is_read(text: str, size: int) -> None:
    data = text.encode("utf-8", "ignore")

    assert check_utf8([data[i : i + size] for i in range(0, len(data), size)]) is None
    assert not text or marked_encoding(b"x" + data.replace(b"\0", b"")) is None


def test_damaged_utf8_is_not_another_encoding() -> None:
    found = check_utf8(["été tête forêt".encode() + b" \xe9 t"])

    assert found is not None
    assert found.is_damaged
