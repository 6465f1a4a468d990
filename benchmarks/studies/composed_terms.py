"""Measure how well terms of several words are composed of their words, with several weightings.

    python benchmarks/studies/composed_terms.py DATA

Two tests. French terms of `composed_terms.tsv` against their English words: how often one of these
is the best candidate, or among the five best. English phrases that the vocabulary has joined
("credit_card") against the same phrase composed: how often both have the same best translation.
The map is that of Procrustes with 5,000 seeds, and candidates are ranked by CSLS.

DATA has vectors/{en,fr}.vec.gz and dictionaries/xling. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import torch

import bilex
from bilex import EmbeddingSpace, TrainedModel, Translation
from bilex.oov import Composition, Vocabulary

TERMS = Path(__file__).with_name("composed_terms.tsv")
PRESET = "procrustes"
WEIGHTS = {"plain mean": 1e9, "1e-2": 1e-2, "1e-3": 1e-3, "3e-4": 3e-4, "1e-4": 1e-4}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    vectors, xling = data / "vectors", data / "dictionaries" / "xling"
    english, french = (bilex.load_embeddings(vectors / f"{x}.vec.gz") for x in ("en", "fr"))
    seeds = bilex.read_lexicon(xling / "en-fr" / "train.5k.tsv")
    model = bilex.fit(english, french, seeds, preset=PRESET, any_case=False)
    result = {name: measure(model, Composition(smoothing=a)) for name, a in WEIGHTS.items()}
    for name, figures in result.items():
        print(f"{name:<12}{figures}")
    print(json.dumps(result))


def measure(model: TrainedModel, composition: Composition) -> dict[str, object]:
    gold = read_terms(model.source)
    answers = model.translate(list(gold), reverse=True, resolvers=[composition])
    composed = [answer for answer in answers if answer.how == "composed"]
    return {
        "terms": len(composed),
        "best": hits(composed, gold, 1),
        "five_best": hits(composed, gold, 5),
        **compare_phrases(model, composition),
    }


def compare_phrases(model: TrainedModel, composition: Composition) -> dict[str, int]:
    english, french = model.source, model.target
    single = [row for row, word in enumerate(english.words) if "_" not in word]
    words = EmbeddingSpace(tuple(english.words[row] for row in single), english.vectors[single])
    vocabulary = Vocabulary(words, model.contents.source_normalization, (composition,))
    phrases = [word for word in english.words if "_" in word]
    found = {phrase: vocabulary.resolve(phrase.replace("_", " ")) for phrase in phrases}
    vectors = {
        phrase: resolved.vector
        for phrase, resolved in found.items()
        if resolved.vector is not None and resolved.how == "composed"
    }
    composed = model.mapping.apply(torch.stack(list(vectors.values())))
    best = model.index.forward.search(composed, k=1).ids[:, 0].tolist()
    own = model.translate(list(vectors), k=1)
    same = [
        french.words[row] == answer.candidates[0].word
        for row, answer in zip(best, own, strict=True)
    ]
    return {"phrases": len(same), "same_best": sum(same)}


def read_terms(english: EmbeddingSpace) -> dict[str, set[str]]:
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    terms = {term: set(words.split()) for term, words in (line.split("\t") for line in lines)}
    known = english.index.keys()
    return {term: words & known for term, words in terms.items() if words & known}


def hits(answers: Sequence[Translation], gold: dict[str, set[str]], k: int) -> int:
    return sum(
        any(candidate.word in gold[answer.word] for candidate in answer.candidates[:k])
        for answer in answers
    )


if __name__ == "__main__":
    main()
