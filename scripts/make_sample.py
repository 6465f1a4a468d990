"""Make the sample that is part of the package: English and Spanish vectors and word pairs.

    apt-get install diatheke sword-text-web sword-text-sparv
    pip install bilex
    python scripts/make_sample.py src/bilex/sample

The texts are the World English Bible and the Reina-Valera of 1909, both in the public domain. The
vectors are trained on them by bilex; their directions are kept as small whole numbers. The pairs
are those of `sample_pairs.tsv`, divided so that no word of a test pair is in a seed pair. Words
that `bilex demo` shows are in neither. What the script writes is the same each time, with the same
versions of the texts and of SciPy.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bilex.cli.demo import WORDS
from bilex.text import VectorSettings, train_vectors
from bilex.values import EmbeddingSpace, unit_rows

HERE = Path(__file__).parent
BIBLES = {"en": "engWEB2015eb", "es": "spaRV1909eb"}
SHORT_TEXT = re.compile(r"(Matthew|Mark|Luke|John|Acts)$")
"""Books whose text is shipped, too, for trying `bilex vectors` and `bilex examples`."""

SETTINGS = VectorSettings(dim=100, min_count=4)
STEPS = 100
"""How many steps a coordinate of a unit vector has from 0 to 1."""

TEST_WORDS = 400

Pairs = dict[str, list[str]]

_VERSE = re.compile(r"(?P<indent> *)(?P<book>(?:[IV]+ )?[A-Z][A-Za-z ]*) \d+:\d+: ?(?P<text>.*)")
_GLOSSARY = "The following words used in the World English Bible"


def verses(language: str) -> Iterator[tuple[str, str]]:
    """Yield each verse with the name of its book.

    A verse may go on for several lines. A reference is indented if the line before it is a
    heading, which diatheke repeats for every verse that follows.
    """
    command = ["diatheke", "-b", BIBLES[language], "-f", "plain", "-k", "Gen-Rev"]
    printed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout  # noqa: S603
    book, lines = "", [""]
    for line in printed.partition(_GLOSSARY)[0].split("\n"):
        found = _VERSE.fullmatch(line)
        if found is None:
            if line.strip():
                lines.append(line)
            continue
        yield book, _clean(lines[:-1] if found["indent"] and len(lines) > 1 else lines)
        book, lines = found["book"], [found["text"]]
    yield book, _clean(line for line in lines if not line.startswith("("))


def _clean(lines: Iterable[str]) -> str:
    text = re.sub("<[^>]*>", " ", " ".join(lines))
    return re.sub(r"\s+", " ", text).strip()


def write_vectors(space: EmbeddingSpace, path: Path) -> None:
    rows = (unit_rows(space.vectors) * STEPS).round().int().tolist()
    lines = [f"{len(space)} {space.dim}"]
    lines += [
        f"{word} {' '.join(map(str, row))}" for word, row in zip(space.words, rows, strict=True)
    ]
    write_packed(lines, path)


def write_packed(lines: Iterable[str], path: Path) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def usable_pairs(source: EmbeddingSpace, target: EmbeddingSpace) -> Pairs:
    """Return the pairs written by hand whose words have vectors, but not the words of the demo."""
    found: Pairs = {}
    for line in (HERE / "sample_pairs.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        word, translations = line.split("\t")
        known = [each for each in translations.split(", ") if each in target.index]
        if word in source.index and known and word not in WORDS:
            found[word] = known
    return found


def divided(pairs: Pairs) -> tuple[Pairs, Pairs]:
    """Return seed pairs and test pairs: test words at random, and no translation in both."""
    words = sorted(pairs)
    random.Random(0).shuffle(words)  # noqa: S311
    test = {word: pairs[word] for word in sorted(words[:TEST_WORDS])}
    taken = {target for targets in test.values() for target in targets}
    free = {word: [t for t in pairs[word] if t not in taken] for word in sorted(words[TEST_WORDS:])}
    return {word: targets for word, targets in free.items() if targets}, test


def write_pairs(pairs: Pairs, path: Path) -> None:
    lines = [f"{word}\t{target}\n" for word, targets in pairs.items() for target in targets]
    path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    spaces = {}
    for language in BIBLES:
        with TemporaryDirectory() as work:
            text = Path(work) / f"{language}.txt"
            read = [(book, verse) for book, verse in verses(language) if verse]
            text.write_text("".join(f"{verse}\n" for _, verse in read), encoding="utf-8")
            spaces[language] = train_vectors([text], SETTINGS)
        short = [verse for book, verse in read if SHORT_TEXT.match(book)]
        write_packed(short, folder / f"{language}.txt.gz")
        write_vectors(spaces[language], folder / f"{language}.vec.gz")
        print(
            language, len(read), "verses,", len(short), "shipped,", len(spaces[language]), "words"
        )
    pairs = usable_pairs(spaces["en"], spaces["es"])
    seeds, test = divided(pairs)
    write_pairs(seeds, folder / "seeds.tsv")
    write_pairs(test, folder / "test.tsv")
    print(len(seeds), "seed words,", len(test), "test words")


if __name__ == "__main__":
    main()
