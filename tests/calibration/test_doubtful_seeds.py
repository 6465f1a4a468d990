"""Seeds that look wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.alignment.strategies import Single
from bilex.alignment.supervised import Procrustes
from bilex.calibration import HeldOutSeeds
from bilex.calibration.doubtful_seeds import (
    NEAR,
    distance_shares,
    doubtful_pairs,
    far_apart,
    likely_wrong,
    random_pairs,
)
from bilex.lexicons import read_lexicon
from bilex.retrieval import Csls
from bilex.sample import load_sample
from bilex.values import Compute, IndexedLexicon, Lexicon, LinearMap, SpacePair, Vector
from candidates import calibrated_method
from twins import Twins, make_twins


def locate(twins: Twins, pairs: list[tuple[str, str]]) -> IndexedLexicon:
    return IndexedLexicon.locate(Lexicon.of(pairs), twins.spaces)


@pytest.mark.parametrize("memory", [2**20, 2**30])
def test_the_share_of_nearer_words_from_the_better_side(memory: int) -> None:
    twins = make_twins(90, dim=5, noise=0.3)
    spaces = SpacePair(twins.source, twins.target, Compute(memory=memory))
    lexicon = locate(twins, [(f"s{i}", f"t{(7 * i) % 90}") for i in range(90)])
    found = distance_shares(spaces, LinearMap(twins.rotation), lexicon)
    cosines = (twins.source.vectors @ twins.rotation).double() @ twins.target.vectors.double().T
    expected = []
    for i, j in zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True):
        forward = (cosines[i] > cosines[i, j] + 1e-6).sum()
        backward = (cosines[:, j] > cosines[i, j] + 1e-6).sum()
        expected.append(float(torch.minimum(forward, backward)) / 90)
    assert found.tolist() == pytest.approx(expected, abs=1e-6)
    assert len(distance_shares(spaces, LinearMap(twins.rotation), locate(twins, []))) == 0


RANDOM = torch.linspace(0, 1, 400)
"""Distances of random pairs: uniformly distributed."""


def right_shares(pairs: int, *, far: int) -> Vector:
    """Return distances of right pairs, of which `far` are far apart: the nth by 0.05 far / n."""
    tail = (0.05 * far / torch.arange(1.0, far + 1)).clamp(max=1) + 1e-4
    return torch.cat([tail, torch.zeros(pairs - far)])


def test_the_farthest_come_first() -> None:
    twins = make_twins(200)
    shares = torch.zeros(100)
    shares[:20] = torch.linspace(0.1, 0.95, 20)[torch.randperm(20)]
    lexicon = locate(twins, [(f"s{i}", f"t{i}") for i in range(100)])
    found = doubtful_pairs(twins.spaces, lexicon, shares, RANDOM)
    expected = shares.sort(descending=True).indices[:20].tolist()
    assert found == tuple((f"s{i}", f"t{i}") for i in expected)


@pytest.mark.parametrize("far", [0, 3, 10, 30])
def test_right_pairs_alone_are_not_listed(far: int) -> None:
    assert not likely_wrong(right_shares(500, far=far), RANDOM).any()


@pytest.mark.parametrize("wrong", [1, 3])
def test_a_few_wrong_pairs_are_too_little_evidence(wrong: int) -> None:
    shares = torch.cat([right_shares(500, far=15), torch.linspace(0.3, 0.9, wrong)])
    assert not likely_wrong(shares, RANDOM).any()


@pytest.mark.parametrize("far", [0, 10, 30])
def test_four_in_five_of_the_listed_pairs_are_wrong(far: int) -> None:
    rng = torch.Generator().manual_seed(0)
    listed, right, wrong = 0, 0, 0
    for _ in range(40):
        shares = torch.cat([right_shares(900, far=far), torch.rand(100, generator=rng)])
        found = likely_wrong(shares, RANDOM)
        listed += int(found.sum())
        right += int(found[900:].sum())
        wrong += 100
    assert right / listed >= 0.8
    assert right / wrong >= 0.5  # most wrong pairs are found


def test_without_random_pairs_to_compare_with_none_is_listed() -> None:
    shares = torch.cat([torch.zeros(80), torch.linspace(0.3, 0.9, 20)])
    assert likely_wrong(shares, RANDOM).any()
    assert not likely_wrong(shares, torch.zeros(0)).any()
    assert not likely_wrong(shares, torch.zeros(50)).any()  # random pairs are near: no difference
    assert len(likely_wrong(torch.zeros(0), RANDOM)) == 0


def test_random_pairs_are_none_of_the_given_pairs() -> None:
    twins = make_twins(30)
    pairs = [(f"s{i}", f"t{j}") for i in range(20) for j in (i, (i + 1) % 20)]
    lexicon = locate(twins, pairs)
    found = random_pairs(lexicon)
    drawn = list(zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True))
    given = zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True)
    assert not set(drawn) & set(given)
    assert len(drawn) >= 30
    assert len(random_pairs(locate(twins, []))) == 0


def test_other_translations_of_a_word_are_not_listed() -> None:
    # Each word has a near translation, and every third a far one, as "have" has "tienen".
    twins = make_twins(300, dim=8, noise=0.05)
    pairs = [(f"s{i}", f"t{i}") for i in range(90)]
    cosines = twins.source.vectors @ twins.rotation @ twins.target.vectors.T
    order = cosines.argsort(dim=1, descending=True)
    pairs += [(f"s{i}", twins.target.words[int(order[i, 3 + i // 3])]) for i in range(0, 90, 3)]
    model = LexiconInducer(calibrated_method()).fit(twins.source, twins.target, Lexicon.of(pairs))
    assert not model.model_.report.doubtful_seeds


def test_a_map_that_puts_most_pairs_apart_is_in_doubt_itself() -> None:
    assert far_apart(torch.tensor([0.0, NEAR, 0.4])).tolist() == [False, False, True]
    assert not far_apart(torch.tensor([0.0, 2 * NEAR, 0.4])).any()
    assert len(far_apart(torch.zeros(0))) == 0


def test_wrong_seeds_are_found_by_maps_that_have_not_seen_them() -> None:
    twins = make_twins(300, dim=8, noise=0.05)
    pairs = [(f"s{i}", f"t{i}") for i in range(100)]
    wrong = [(f"s{i}", f"t{300 - i}") for i in range(100, 120)]
    lexicon = locate(twins, pairs + wrong)
    found = HeldOutSeeds().cross_fit(
        twins.spaces,
        lexicon,
        Procrustes().fit_map(twins.spaces, lexicon, rng=torch.Generator()),
        strategy=Single(supervised=Procrustes()),
        retrieval=Csls(),
        rng=torch.Generator().manual_seed(0),
    )
    assert not set(found.doubtful_seeds()) - set(wrong)
    assert len(found.doubtful_seeds()) >= 15  # some wrong pairs happen to be near each other


def test_a_model_lists_them_in_its_folder(tmp_path: Path) -> None:
    twins = make_twins(300, dim=8, noise=0.05)
    wrong = [(f"s{i}", f"t{300 - i}") for i in range(100, 120)]
    seeds = Lexicon.of([(f"s{i}", f"t{i}") for i in range(100)] + wrong)
    model = LexiconInducer(calibrated_method()).fit(twins.source, twins.target, seeds).model_
    found = model.report.doubtful_seeds
    assert found
    assert set(found) <= set(wrong)
    model.save(tmp_path / "m")
    listed = read_lexicon(tmp_path / "m" / "doubtful_seeds.tsv")
    assert [(entry.source, entry.target) for entry in listed.entries] == list(found)
    assert TrainedModel.load(tmp_path / "m").report.doubtful_seeds == found
    sound = LexiconInducer(calibrated_method()).fit(
        twins.source, twins.target, Lexicon(seeds.entries[:100])
    )
    sound.model_.save(tmp_path / "m")
    assert not (tmp_path / "m" / "doubtful_seeds.tsv").exists()


def test_probabilities_are_not_learned_from_them() -> None:
    twins = make_twins(800, dim=8, noise=0.05)
    right = [(f"s{i}", f"t{i}") for i in range(300)]
    wrong = [(f"s{i}", f"t{800 - i}") for i in range(300, 375)]

    def probabilities(pairs: list[tuple[str, str]]) -> torch.Tensor:
        model = LexiconInducer(calibrated_method()).fit(
            twins.source, twins.target, Lexicon.of(pairs)
        )
        assert model.model_.contents.candidate_models is not None
        learned = model.model_.contents.candidate_models.forward
        assert learned is not None
        assert learned.report["words"] == len(pairs) - len(model.model_.report.doubtful_seeds)
        answers = model.model_.translate([f"s{i}" for i in range(500, 600)], k=1)
        return torch.tensor([answer.candidates[0].probability for answer in answers])

    # A fifth of the labels would be wrong. Some wrong pairs are near each other and not found.
    assert probabilities(right).mean() > 0.95
    assert probabilities(right + wrong).mean() > 0.85


@pytest.mark.slow
def test_the_sample_has_no_doubtful_seeds_unless_some_are_made_wrong() -> None:
    sample = load_sample()
    pairs = [(entry.source, entry.target) for entry in sample.seeds.entries]
    rows = torch.randperm(len(pairs), generator=torch.Generator().manual_seed(1))[:150].tolist()
    spoiled = list(pairs)
    for row, other in zip(rows, [*rows[1:], *rows[:1]], strict=True):
        spoiled[row] = (pairs[row][0], pairs[other][1])
    wrong = set(spoiled) - set(pairs)
    listed = []
    for seeds in (pairs, spoiled):
        inducer = LexiconInducer(calibrated_method())
        inducer.fit(sample.source, sample.target, Lexicon.of(seeds))
        listed.append(set(inducer.model_.report.doubtful_seeds))
    assert not listed[0]
    assert len(listed[1] & wrong) >= 0.8 * len(listed[1])  # measured: 115 of 130
    assert len(listed[1] & wrong) >= 0.5 * len(wrong)
