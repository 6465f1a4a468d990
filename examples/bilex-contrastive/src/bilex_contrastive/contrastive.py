"""A contrastive loss: a word's own translation against its hardest rivals."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from bilex.errors import SettingError
from bilex.similarity import SearchPool
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, LinearMap, Matrix, SpacePair, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrastive:
    """Refine a map until paired words beat their nearest rivals (after Li et al., 2022).

    Maximizes the softmax of cos(xW, y) / `temperature` for each pair, against the `negatives`
    target words nearest to xW and, the other way round, the source words nearest to y, sought
    anew in each step among the `pool` most frequent. Known translations are never rivals.
    """

    steps: int = 100
    batch: int = 256
    rate: float = 0.01
    temperature: float = 0.1
    negatives: int = 32
    pool: int = 20_000

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "negatives", "pool"):
            if getattr(self, name) < 1:
                raise SettingError(f"supervised.{name} is {getattr(self, name)}: give 1 or more")
        for name in ("rate", "temperature"):
            if not getattr(self, name) > 0:
                raise SettingError(f"supervised.{name} is {getattr(self, name)}: give more than 0")

    def fit_map(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the map after the last step, begun at `start` or as Procrustes."""
        rotation = Procrustes().fit_map(pair, lexicon, rng=rng)  # also refuses an empty lexicon
        weight = (start or rotation).weight
        x, y = unit_rows(pair.source.vectors), unit_rows(pair.target.vectors)
        sources, targets = SearchPool(x[: self.pool]), SearchPool(y[: self.pool])
        known = lexicon.source_ids * len(y) + lexicon.target_ids  # a number for each pair
        loss = weight.new_zeros(())
        for _ in range(self.steps):
            rows = torch.randperm(len(lexicon), generator=rng, device=rng.device)[: self.batch]
            i, j = lexicon.source_ids[rows, None], lexicon.target_ids[rows, None]  # (batch, 1)
            near_targets = targets.topk(x[i[:, 0]] @ weight, self.negatives).ids
            near_sources = sources.topk(y[j[:, 0]] @ weight.T, self.negatives).ids
            rivals = [
                (i, near_targets, torch.isin(i * len(y) + near_targets, known)),
                (near_sources, j, torch.isin(near_sources * len(y) + j, known)),
            ]
            with torch.enable_grad():
                moving = weight.detach().requires_grad_()
                own = _similarities(x[i] @ moving, y[j]) / self.temperature  # (batch, 1)
                losses = moving.new_zeros(len(rows))
                for s, t, translations in rivals:
                    others = _similarities(x[s] @ moving, y[t]) / self.temperature
                    others = others.masked_fill(translations, -torch.inf)
                    losses = losses + torch.cat([own, others], 1).logsumexp(1) - own[:, 0]
                loss = lexicon.weights[rows] @ losses / lexicon.weights[rows].sum()
                weight = weight - self.rate * torch.autograd.grad(loss, moving)[0]
        report = {"step": "contrastive", "pairs": len(lexicon), "loss": float(loss.detach())}
        return LinearMap(weight.detach(), report)


def _similarities(mapped: Matrix, target: Matrix) -> Matrix:
    """Return the cosine of each mapped row with each target row beside it."""
    return (unit_rows(mapped) * target).sum(-1)
