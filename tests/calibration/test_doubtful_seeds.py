"""Seeds that look wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.alignment.strategies import Single
from bilex.alignment.supervised import Procrustes
from bilex.calibration import HeldOutSeeds
from bilex.calibration.doubtful_seeds import FAR, NEAR, distance_shares, doubtful_pairs, far_apart
from bilex.lexicons import read_lexicon
from bilex.retrieval import Csls
from bilex.values import Compute, IndexedLexicon, Lexicon, LinearMap, SpacePair
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


def test_the_farthest_come_first() -> None:
    twins = make_twins(20)
    lexicon = locate(twins, [(f"s{i}", f"t{i}") for i in range(9)])
    shares = torch.tensor([0.3, 0.0, FAR, 0.9, 0.3, 0.0, 0.0, NEAR, 0.0])
    found = doubtful_pairs(twins.spaces, lexicon, shares)
    assert found == (("s3", "t3"), ("s0", "t0"), ("s4", "t4"))


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
