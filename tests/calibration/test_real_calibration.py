"""Probabilities on real vectors: English and Spanish of Zhang et al. (2017), MUSE's pairs."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from bilex import LexiconInducer, TrainedModel, load_embeddings, read_lexicon
from bilex.calibration import calibration_error
from bilex.values import Lexicon, Vector
from candidates import calibrated_method, candidate_models, precision_area

SEED_WORDS = 600


class Trained(NamedTuple):
    """A model, and words with their translations that it has not seen."""

    model: TrainedModel
    gold: dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def trained(shared_data: Path) -> Trained:
    source, target = (
        load_embeddings(shared_data / "small" / f"{language}.vec.gz") for language in ("en", "es")
    )
    everything = read_lexicon(shared_data / "dictionaries" / "muse" / "en-es.0-5000.txt")
    pairs = [e for e in everything.entries if e.source in source.index and e.target in target.index]
    words = list(dict.fromkeys(entry.source for entry in pairs))
    order = torch.randperm(len(words), generator=torch.Generator().manual_seed(0)).tolist()
    chosen = {words[i] for i in order[:SEED_WORDS]}
    seeds = Lexicon(tuple(entry for entry in pairs if entry.source in chosen))
    model = LexiconInducer(calibrated_method()).fit(source, target, seeds).model_
    gold = {word: everything.translations[word] for word in words if word not in chosen}
    return Trained(model, gold)


def first_answers(trained: Trained, ranker: str) -> tuple[Vector, Vector]:
    """Return how far the first answer of each word is trusted, and whether it is right."""
    answers = trained.model.rankers()[ranker](list(trained.gold), 1)
    first = [answer.candidates[0] for answer in answers]
    trust = [one.score if one.probability is None else one.probability for one in first]
    right = [
        float(one.word in trained.gold[answer.word])
        for one, answer in zip(first, answers, strict=True)
    ]
    return torch.tensor(trust), torch.tensor(right)


def test_the_order_by_probability_is_better_on_unseen_words(trained: Trained) -> None:
    scores, by_score = first_answers(trained, "csls")
    chances, by_chance = first_answers(trained, "calibrated")
    assert len(by_chance) > 1_200
    assert float(by_chance.mean()) > float(by_score.mean()) + 0.03  # measured: 84.0 % to 77.8 %
    assert precision_area(chances, by_chance) > precision_area(scores, by_score)


def test_probabilities_come_true_on_unseen_words(trained: Trained) -> None:
    chances, right = first_answers(trained, "calibrated")
    assert calibration_error(chances, right) < 0.06  # measured: 0.032
    assert abs(float(chances.mean() - right.mean())) < 0.06


def test_results_on_held_out_seeds_hold_for_unseen_words(trained: Trained) -> None:
    forward = candidate_models(trained.model).forward
    assert forward is not None
    assert "similarity" in forward.features
    right = first_answers(trained, "calibrated")[1]
    promised = forward.report["p_at_1_reordered"]
    assert isinstance(promised, float)
    assert float(right.mean()) == pytest.approx(promised, abs=0.06)


def test_a_dictionary_cut_at_a_precision_has_it(trained: Trained) -> None:
    found = trained.model.induce(min_precision=0.9)
    right = [e.target in trained.gold[e.source] for e in found if e.source in trained.gold]
    assert len(right) > 700
    assert sum(right) / len(right) > 0.85
    everything = found.cut(k=1)
    others = [e.target in trained.gold[e.source] for e in everything if e.source in trained.gold]
    assert sum(right) / len(right) > sum(others) / len(others)
