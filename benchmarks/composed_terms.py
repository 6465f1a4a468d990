"""How well terms are composed of their words, on real vectors and with several weightings.

Two tests. French terms of `composed_terms.tsv` against their English words: how often one of
these is the best candidate, or among the five best. English phrases that the vocabulary holds
joined ("credit_card") against the same composed: how often both have the same best translation.

Run: python benchmarks/composed_terms.py DATA
DATA holds vectors/{en,fr}.vec.gz and dictionaries/xling. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch

from bilex import LexiconInducer, load_embeddings, read_lexicon
from bilex.unknown_words import Composition, Vocabulary
from bilex.values import EmbeddingSpace, Translation

TERMS = Path(__file__).with_name("composed_terms.tsv")
WEIGHTS = {"plain mean": 1e9, "1e-2": 1e-2, "1e-3": 1e-3, "3e-4": 3e-4, "1e-4": 1e-4}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    english, french = (load_embeddings(data / f"vectors/{x}.vec.gz").space for x in ("en", "fr"))
    seeds = read_lexicon(data / "dictionaries/xling/en-fr/train.5k.tsv").lexicon
    inducer = LexiconInducer().fit(english, french, seeds)
    result = {name: measure(inducer, Composition(smoothing=a)) for name, a in WEIGHTS.items()}
    for name, figures in result.items():
        print(f"{name:<12}{figures}")
    print(json.dumps(result))


def measure(inducer: LexiconInducer, composition: Composition) -> dict[str, object]:
    gold = read_terms(inducer)
    answers = inducer.translate(list(gold), reverse=True, spellers=[composition])
    composed = [answer for answer in answers if answer.how == "composed"]
    return {
        "terms": len(composed),
        "best": hits(composed, gold, 1),
        "five_best": hits(composed, gold, 5),
        **compare_phrases(inducer, composition),
    }


def compare_phrases(inducer: LexiconInducer, composition: Composition) -> dict[str, int]:
    english = inducer.source_
    single = [row for row, word in enumerate(english.words) if "_" not in word]
    words = EmbeddingSpace(tuple(english.words[row] for row in single), english.vectors[single])
    vocabulary = Vocabulary(words, inducer.source_normalization_, (composition,))
    phrases = [word for word in english.words if "_" in word]
    found = {phrase: vocabulary.spell(phrase.replace("_", " ")) for phrase in phrases}
    vectors = {
        p: s.vector for p, s in found.items() if s.vector is not None and s.how == "composed"
    }
    made = inducer.forward_.search(inducer.map_.apply(torch.stack(list(vectors.values()))), k=1)
    own = inducer.translate(list(vectors), k=1)
    french = inducer.target_.words
    same = [french[i] == a.candidates[0].word for i, a in zip(made.ids[:, 0], own, strict=True)]
    return {"phrases": len(same), "same_best": sum(same)}


def read_terms(inducer: LexiconInducer) -> dict[str, set[str]]:
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    terms = {term: set(words.split()) for term, words in (line.split("\t") for line in lines)}
    known = inducer.source_.index.keys()
    return {term: words & known for term, words in terms.items() if words & known}


def hits(answers: Sequence[Translation], gold: dict[str, set[str]], k: int) -> int:
    return sum(
        any(candidate.word in gold[answer.word] for candidate in answer.candidates[:k])
        for answer in answers
    )


if __name__ == "__main__":
    main()
