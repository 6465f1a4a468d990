"""What every strategy must do."""

from __future__ import annotations

import pytest
import torch

from bilex.config import build_parts, preset_names
from bilex.values import IndexedLexicon
from schedules import short_preset
from twins import Twins


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_recovers_the_twins(preset: str, twins: Twins) -> None:
    strategy = build_parts(short_preset(preset))["strategy"]
    located = IndexedLexicon.locate(twins.lexicon, twins.pair)
    weights = [
        strategy.run(twins.pair, located, rng=torch.Generator().manual_seed(0)).weight
        for _ in range(2)
    ]
    assert torch.equal(weights[0], weights[1])
    best = (twins.source.vectors @ weights[0] @ twins.target.vectors.T).argmax(1)
    translations = [twins.target.words[i] for i in best.tolist()]
    assert translations == [entry.target for entry in twins.lexicon.entries]
