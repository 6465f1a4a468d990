"""Two ways down the relaxed CSLS loss: many small steps, or few safe ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

import torch

from bilex.alignment.orthogonal import clip_spectrum
from bilex.alignment.supervised.procrustes import Procrustes
from bilex.alignment.supervised.rcsls_loss import Batch, RcslsLoss
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.values import IndexedLexicon, LinearMap, Matrix, Mode, SpacePair

Constraint = Literal["none", "spectral"]
"""Whether the map may stretch: "spectral" keeps its singular values at most 1."""

_STRIDE = 0.05  # of the length of the map: longer strides wander off the path of short ones
_UNASKED = 4  # strides between questions whether the path is done: each makes a GPU wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Rcsls:
    """Descend the RCSLS loss by stochastic gradient steps on batches of pairs.

    The map starts as Procrustes' unless one is given, and need not stay orthogonal. With few
    pairs, many steps overfit: Procrustes may then be better.

    Small steps follow the steepest descent closely, and so do larger ones as long as the
    neighbors stay much the same. So "fast" goes the same way, `steps` times `rate`, in strides
    that move the map by up to 5 % of its length, some 30 times fewer; "exact" takes each step,
    with neighbors that are proven to be the nearest.
    """

    steps: int = 2_000
    batch: int = 400
    rate: float = 1.0
    neighborhood: int = 10
    source_pool: int = 100_000
    target_pool: int = 100_000
    constraint: Constraint = "none"
    mode: Mode = "fast"

    def __post_init__(self) -> None:
        names = ("steps", "batch", "neighborhood", "source_pool", "target_pool")
        require_at_least_one("supervised", self, *names)
        if self.rate <= 0:
            raise SettingError(f"supervised.rate is {self.rate}: give a number above 0")

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the map after the last step."""
        weight = _begin(spaces, lexicon, rng, start)
        loss = _loss(self, spaces, exact=self.mode == "exact")
        pairs = Batch.of(spaces, lexicon)
        batches = _batches(len(lexicon), self.batch, rng)
        descend = self._steps if self.mode == "exact" else self._strides
        weight, value, taken = descend(loss, (pairs.take(rows) for rows in batches), weight)
        report = {"step": "rcsls", "pairs": len(lexicon), "loss": float(value), "steps": taken}
        return LinearMap(weight, report)

    def _steps(self, loss: RcslsLoss, batches: Iterator[Batch], weight: Matrix) -> _Descent:
        value = weight.new_zeros(())
        for batch in islice(batches, self.steps):
            value, gradient = loss.value_and_gradient(batch, weight)
            weight = _constrained(weight - self.rate * gradient, self.constraint)
        return _Descent(weight, value, self.steps)

    def _strides(self, loss: RcslsLoss, batches: Iterator[Batch], weight: Matrix) -> _Descent:
        """Go as far as all steps would, in as few strides as the way allows."""
        left, value = weight.new_full((), self.steps * self.rate), weight.new_zeros(())
        taken = 0
        while float(left) > 0:
            for batch in islice(batches, _UNASKED):
                value, gradient = loss.value_and_gradient(batch, weight)
                longest = _STRIDE * weight.norm() / gradient.norm()
                rate = torch.minimum(longest.clamp(min=self.rate), left)
                weight = _constrained(weight - rate * gradient, self.constraint)
                left = left - rate
            taken += _UNASKED
        return _Descent(weight, value, taken)


class _Descent(NamedTuple):
    """Where a descent ended, the loss of its last batch, and how many steps it took."""

    weight: Matrix
    value: torch.Tensor
    taken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RcslsDescent:
    """Descend the RCSLS loss over all pairs at once, never accepting a worse map.

    Each step is taken back and halved until the loss falls, and lengthened after it did. The
    loss scales with the map, so without a bound it falls forever by stretching: the singular
    values are kept at most 1 unless `constraint` is "none".
    """

    steps: int = 50
    rate: float = 1.0
    tolerance: float = 1e-4
    neighborhood: int = 10
    source_pool: int = 100_000
    target_pool: int = 100_000
    constraint: Constraint = "spectral"

    def __post_init__(self) -> None:
        names = ("steps", "neighborhood", "source_pool", "target_pool")
        require_at_least_one("supervised", self, *names)
        if self.rate <= 0:
            raise SettingError(f"supervised.rate is {self.rate}: give a number above 0")
        if self.tolerance < 0:
            raise SettingError(f"supervised.tolerance is {self.tolerance}: give 0 or more")

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return the best map found; stops early when a step gains less than `tolerance`."""
        weight = _constrained(_begin(spaces, lexicon, rng, start), self.constraint)
        loss, pairs, rate = _loss(self, spaces), Batch.of(spaces, lexicon), self.rate
        value, gradient = loss.value_and_gradient(pairs, weight)
        accepted, converged = 0, False
        for _ in range(self.steps):
            trial = _constrained(weight - rate * gradient, self.constraint)
            trial_value, trial_gradient = loss.value_and_gradient(pairs, trial)
            gain = float(value - trial_value)
            if gain <= 0:  # roll back: the old map and gradient still stand
                rate /= 2
                converged = rate * float(gradient.norm()) < self.tolerance
            else:
                weight, value, gradient = trial, trial_value, trial_gradient
                accepted, rate = accepted + 1, rate * 1.5
                converged = gain < self.tolerance * max(1.0, abs(float(value)))
            if converged:
                break
        report = {
            "step": "rcsls-descent",
            "pairs": len(lexicon),
            "loss": float(value),
            "accepted": accepted,
            "converged": converged,
        }
        return LinearMap(weight, report)


def _begin(
    spaces: SpacePair, lexicon: IndexedLexicon, rng: torch.Generator, start: LinearMap | None
) -> Matrix:
    rotation = Procrustes().fit_map(spaces, lexicon, rng=rng)  # also refuses an empty lexicon
    return rotation.weight if start is None else start.weight


def _loss(settings: Rcsls | RcslsDescent, spaces: SpacePair, *, exact: bool = True) -> RcslsLoss:
    return RcslsLoss(
        spaces,
        exact=exact,
        neighborhood=settings.neighborhood,
        source_pool=settings.source_pool,
        target_pool=settings.target_pool,
    )


def _constrained(weight: Matrix, constraint: Constraint) -> Matrix:
    return clip_spectrum(weight) if constraint == "spectral" else weight


def _batches(pairs: int, size: int, rng: torch.Generator) -> Iterator[torch.Tensor]:
    """Yield batches from shuffled passes over the pairs, for ever; a short rest is skipped."""
    size = min(size, pairs)
    while True:
        order = torch.randperm(pairs, generator=rng, device=rng.device)
        for first in range(0, pairs - size + 1, size):
            yield order[first : first + size]
