"""MUSE: two words and a space on each line, as MUSE, VecMap and fastText read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bilex.lexicons.columns import is_header
from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowLeftOut, RowProblem, make_pairs
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.text_rows import Layout
from bilex.lexicons.left_out import NO_TRANSLATION
from bilex.values import Entry


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    for entry in entries:
        line = f"{entry.source} {entry.target}\n"
        if line.split() != [entry.source, entry.target]:
            word = entry.source if entry.source.split() != [entry.source] else entry.target
            raise RowProblem(
                f"the word {word!r} contains white space, which separates words in a MUSE file: "
                "write another format, such as gatitos"
            )
        yield line


def _layout(lines: Sequence[str]) -> Layout:
    words = [_words(line) for line in lines if not _is_comment(line)]
    return Layout(
        pairs=_pairs,
        has_header=bool(words) and len(words[0]) == 2 and is_header(words[0]),
        is_comment=_is_comment,
    )


def _words(line: str) -> list[str]:
    return [word for word in line.replace("\t", " ").split(" ") if word]


def _is_comment(line: str) -> bool:
    """Return whether a line is a comment; `# #` and `#the #las` are pairs of words."""
    if not line.lstrip(" \t").startswith("#"):
        return False
    words = _words(line)
    return len(words) != 2 or (words[0] == "#" and any(map(str.isalpha, words[1])))


def _pairs(line: str) -> list[Entry]:
    words = _words(line)
    if len(words) == 1:
        raise RowLeftOut(NO_TRANSLATION)
    if len(words) != 2:
        raise RowProblem(
            f"found {len(words)} words separated by spaces, expected 2; terms of several words "
            "need a tab between source and target on every line"
        )
    return make_pairs(words[0], [words[1]])


def _sniff(start: FileStart) -> float:
    with_space = sum(" " in line.strip(" ") for line in start.lines)
    return 0.3 if 2 * with_space > len(start.lines) else 0.0


MUSE = Format(
    name="muse",
    extensions=(".txt",),
    summary="Word pairs with a space between them, for MUSE, VecMap and fastText.",
    keeps=("source", "target"),
    render=_render,
    layout=_layout,
    sniff=_sniff,
    compressible=True,
)
