"""Ways to words outside the vocabulary: from options to spellers, and what is told of them."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note
from bilex.errors import VectorFileError

if TYPE_CHECKING:
    from bilex.unknown_words import Speller, Vocabulary
    from bilex.values import Translation

SAME_VECTORS = 0.9
"""Mean cosine of known words and the same words spelled anew: below, the file is another's."""

_FOUND = {
    "lemma": "lemma",
    "case": "in another case:",
    "joined": "written as",
    "composed": "composed of",
    "subwords": "spelled from subwords",
}


def choose_spellers(
    vocabulary: Vocabulary,
    *,
    lemmas: Path | None,
    any_case: bool,
    compose: bool,
    subwords: Path | None,
) -> list[Speller]:
    """Return the spellers that were asked for, the surest first."""
    from bilex.unknown_words import AnyCase, Composition, Lemmas

    chain: list[Speller] = []
    if lemmas is not None:
        chain.append(Lemmas.read(lemmas))
    if any_case:
        chain.append(AnyCase())
    if compose:
        chain.append(Composition())
    if subwords is not None:
        chain.append(_subwords(subwords, vocabulary))
    return chain


def tell(result: Translation, known: Container[str]) -> None:
    """Say what stood for a word that is not in the vocabulary, or why there is no answer."""
    if result.how == "unknown":
        note(f"{result.word!r} is not in the vocabulary of this model{_hint(result, known)}")
    elif result.how != "known":
        parts = " + ".join(repr(part) for part in result.parts)
        found = f"{_FOUND.get(result.how, result.how)} {parts}".strip()
        note(f"{result.word!r} is not in the vocabulary: {found}")


def _subwords(path: Path, vocabulary: Vocabulary) -> Speller:
    from bilex.embeddings import load_embeddings
    from bilex.unknown_words import Subwords, agreement

    vectors = load_embeddings(path, limit=1).space.subwords
    if vectors is None:
        raise VectorFileError(
            path, "holds no subwords: give the .bin file that fastText wrote beside the .vec file"
        )
    cosine = agreement(vectors, vocabulary)
    if cosine < SAME_VECTORS:
        note(
            f"warning: {path.name} spells words of the model otherwise (mean cosine {cosine:.2f}): "
            "is it from the vectors that the model was trained on, and of this language?"
        )
    return Subwords(vectors)


def _hint(result: Translation, known: Container[str]) -> str:
    lower = result.word.lower()
    if result.missing:
        words = ", ".join(repr(word) for word in result.missing)
        return f", and cannot be composed without {words}"
    if lower != result.word and lower in known:
        return f"; {lower!r} is: try --any-case"
    return "; try --compose" if len(result.word.split()) > 1 else ""
