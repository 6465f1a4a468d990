"""A contrastive loss: a word's own translation against its hardest rivals."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from bilex.alignment.supervised import Procrustes
from bilex.errors import SettingError
from bilex.similarity import SearchPool
from bilex.values import IndexedLexicon, LinearMap, SpacePair, unit_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrastive:
    """Refine a map until paired words beat their nearest rivals (after Li et al., 2022).

    Maximizes, for each pair, the softmax of cos(xW, y) / `temperature` against the `negatives`
    target words nearest to xW and as many source words nearest to y, sought anew in each step
    among the `pool` most frequent. Pairs of the lexicon are never rivals.
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
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the map after the last step, begun at `start` or as Procrustes."""
        rotation = Procrustes().fit_map(spaces, lexicon, rng=rng)  # also refuses an empty lexicon
        weight = (start or rotation).weight.clone().requires_grad_()
        x, y = unit_rows(spaces.source.vectors), unit_rows(spaces.target.vectors)
        sources, targets = SearchPool(x[: self.pool]), SearchPool(y[: self.pool])
        known = lexicon.source_ids * len(y) + lexicon.target_ids  # one number for each pair
        for _ in range(self.steps):
            rows = torch.randperm(len(lexicon), generator=rng, device=rng.device)[: self.batch]
            i, j = lexicon.source_ids[rows, None], lexicon.target_ids[rows, None]  # (batch, 1)
            with torch.no_grad():
                near_targets = targets.topk(x[i[:, 0]] @ weight, self.negatives).ids
                near_sources = sources.topk(y[j[:, 0]] @ weight.T, self.negatives).ids
            s = torch.cat([i, i.expand_as(near_targets), near_sources], dim=1)
            t = torch.cat([j, near_targets, j.expand_as(near_sources)], dim=1)
            right = torch.isin(s * len(y) + t, known)  # (batch, 1 + 2 · negatives)
            right[:, 0] = False  # the pair itself stays, all other known ones go
            scores = (unit_rows(x[s] @ weight) * y[t]).sum(2) / self.temperature
            losses = -scores.masked_fill(right, -torch.inf).log_softmax(1)[:, 0]
            loss = (lexicon.weights[rows] * losses).sum() / lexicon.weights[rows].sum()
            (gradient,) = torch.autograd.grad(loss, weight)
            weight = (weight - self.rate * gradient).detach().requires_grad_()
        report = {"step": "contrastive", "pairs": len(lexicon), "loss": loss.item()}
        return LinearMap(weight.detach(), report)
