"""Choose the resolvers for words outside the vocabulary."""

from __future__ import annotations

from pathlib import Path

from bilex.embeddings import load_embeddings
from bilex.errors import VectorFileError, warn_user
from bilex.oov.composition import Composition
from bilex.oov.renaming import AnyCase, Lemmas
from bilex.oov.subwords import Subwords, agreement
from bilex.oov.vocabulary import Vocabulary, WordResolver

SAME_VECTORS = 0.9
"""Mean cosine between the vectors of known words and their vectors made of subwords: below this
value, the subword file does not belong to the vectors."""


def choose_resolvers(
    vocabulary: Vocabulary,
    *,
    lemmas: Path | str | None = None,
    any_case: bool = False,
    compose: bool = False,
    subwords: Path | str | None = None,
) -> tuple[WordResolver, ...]:
    """Return the requested resolvers, the most reliable first.

    Args:
        vocabulary: The vocabulary of the language of the words.
        lemmas: A file of forms and their lemmas, or `simplemma:` and the code of a language.
        any_case: Try lower case, capitalized, and capitals.
        compose: Join or compose terms of several words.
        subwords: The fastText .bin file of the same training run as the vectors.

    Raises:
        LexiconFileError: If the file of lemmas is damaged.
        SettingError: If simplemma does not know the language.
        MissingExtraError: If simplemma is requested and not installed.
        VectorFileError: If the file of subwords is damaged or contains none.
    """
    chain: list[WordResolver] = []
    if lemmas is not None:
        chain.append(Lemmas.read(lemmas))
    if any_case:
        chain.append(AnyCase())
    if compose:
        chain.append(Composition())
    if subwords is not None:
        chain.append(_subwords(Path(subwords), vocabulary))
    return tuple(chain)


def _subwords(path: Path, vocabulary: Vocabulary) -> WordResolver:
    vectors = load_embeddings(path, limit=1).subwords
    if vectors is None:
        raise VectorFileError(
            path, "holds no subwords: give the .bin file that fastText wrote with the .vec file"
        )
    cosine = agreement(vectors, vocabulary)
    if cosine < SAME_VECTORS:
        warn_user(
            f"{path.name} does not match the vectors of the model: for known words the mean cosine "
            f"is {cosine:.2f}, expected {SAME_VECTORS} or more; use the .bin file of the vectors "
            "that the model was trained on, for this language"
        )
    return Subwords(vectors)
