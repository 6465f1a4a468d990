"""What every strategy must do."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from bilex.config import build_parts, preset_names
from bilex.protocols import Strategy
from bilex.values import IndexedLexicon, Round
from schedules import short_preset
from twins import Twins


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_recovers_the_twins(preset: str, twins: Twins) -> None:
    strategy = cast(Strategy, build_parts(short_preset(preset))["strategy"])
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    weights = [
        strategy.run(twins.spaces, located, rng=torch.Generator().manual_seed(0)).weight
        for _ in range(2)
    ]
    assert torch.equal(weights[0], weights[1])
    best = (twins.source.vectors @ weights[0] @ twins.target.vectors.T).argmax(1)
    translations = [twins.target.words[i] for i in best.tolist()]
    assert translations == [entry.target for entry in twins.lexicon.entries]


@pytest.mark.parametrize("preset", preset_names())
def test_a_strategy_can_be_shortened(preset: str, twins: Twins) -> None:
    strategy = cast(Strategy, build_parts(short_preset(preset))["strategy"])
    assert strategy.rounds >= 1
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    for rounds in (1, 2, 99):
        short = strategy.shortened(rounds)
        assert type(short) is type(strategy)
        assert short.rounds == min(rounds, strategy.rounds)
        assert short.lexicon_update is strategy.lexicon_update
    reported: list[Round] = []
    rng = torch.Generator().manual_seed(0)
    strategy.shortened(1).run(twins.spaces, located, rng=rng, on_round=reported.append)
    assert reported == []  # the last round is not reported
