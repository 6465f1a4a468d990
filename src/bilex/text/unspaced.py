"""Words of scripts without spaces, such as Chinese or Thai, learned from the text itself.

No dictionary is needed, so it works for any language: a unigram language model of frequent pieces
(Kudo, 2018) is fitted to the text by the sentencepiece package. Its pieces are taken as words.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

from bilex.registry import import_extra
from bilex.text.corpus import Corpus
from bilex.text.words import UNSPACED, Words

LONGEST_PIECE = 8
"""In characters."""

MOST_LINES, MOST_RUNS = 200_000, 50_000
"""How much of the text the model is fitted to: its beginning, so that memory is bounded."""

_LONGEST_RUN = 1_000  # in characters; sentencepiece leaves out what is longer than 4,192 bytes
_LEAST_SHARE = 0.05  # of the characters; below that, these scripts are foreign to the text
_CHARACTERS_OF_A_PIECE = 500  # of text per piece of several characters; chosen by measurement
_FEWEST_PIECES = 500


class LearnedPieces:
    """Splits runs of characters by a model that `learn_pieces` fitted.

    Args:
        model: The serialized model.
    """

    def __init__(self, model: bytes) -> None:
        self.model = model
        self._processor = _sentencepiece().SentencePieceProcessor(model_proto=model)

    def split(self, run: str) -> list[str]:
        """Return the pieces of a run; joined, they are the run."""
        pieces: list[str] = self._processor.encode(run, out_type=str)
        return pieces


def learn_words(corpus: Corpus, *, keep_case: bool = False, segmented: bool = False) -> Words:
    """Return the word splitter for a text; learn pieces if its script has no spaces.

    Args:
        corpus: The text.
        keep_case: Keep capital letters, instead of lower-casing.
        segmented: Spaces separate the words in any script, so nothing is learned.

    Raises:
        InputFileError: If a file is not UTF-8 text.
        MissingExtraError: If the text has a script without spaces and sentencepiece is missing.
    """
    if segmented:
        return Words(keep_case=keep_case)
    runs: list[str] = []
    characters = 0
    for line in islice(corpus.lines(), MOST_LINES):
        characters += len(line.text)
        if not line.text.isascii():
            runs += _runs(line.text)
        if len(runs) >= MOST_RUNS:
            break
    if sum(map(len, runs)) <= characters * _LEAST_SHARE:
        return Words(keep_case=keep_case)
    return Words(keep_case=keep_case, runs=LearnedPieces(learn_pieces(runs)))


def learn_pieces(runs: list[str]) -> bytes:
    """Fit a unigram model to runs of characters; the same runs give the same bytes."""
    characters = sum(map(len, runs))
    pieces = max(characters // _CHARACTERS_OF_A_PIECE, _FEWEST_PIECES)
    model = io.BytesIO()
    _sentencepiece().SentencePieceTrainer.train(
        sentence_iterator=iter(runs),
        model_writer=model,
        model_type="unigram",
        vocab_size=pieces + len(set().union(*runs)),
        hard_vocab_limit=False,  # a small text has fewer pieces
        character_coverage=1.0,
        max_sentencepiece_length=LONGEST_PIECE,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        split_by_whitespace=False,
        split_by_unicode_script=False,
        split_by_number=False,
        num_threads=1,  # so that sums have a fixed order
        bos_id=-1,
        eos_id=-1,
        minloglevel=2,
    )
    return model.getvalue()


def _runs(line: str) -> Iterator[str]:
    for found in UNSPACED.finditer(line):
        for start in range(found.start(), found.end(), _LONGEST_RUN):
            yield line[start : min(start + _LONGEST_RUN, found.end())]


def _sentencepiece() -> Any:  # noqa: ANN401 - a module
    return import_extra(
        "sentencepiece", "finding the words of a script without spaces needs", extra="text"
    )
