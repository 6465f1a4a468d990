"""Two optimizers of the relaxed CSLS loss: stochastic gradient steps, and monotone descent."""

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
""""spectral" keeps the singular values of the map at most 1; "none" does not limit them."""

_STRIDE = 0.05  # relative to the norm of the map; longer strides leave the path of single steps
_STRIDES_PER_CHECK = 4  # the check for the end makes a GPU wait, so it is not done every stride


@dataclass(frozen=True, slots=True, kw_only=True)
class Rcsls:
    """Minimize the RCSLS loss by stochastic gradient steps on batches of pairs.

    The first map is that of Procrustes unless one is given. The map need not stay orthogonal. With
    few pairs, many steps overfit, and Procrustes may be better.

    The fast mode covers the same total distance, `steps` times `rate`, in about 30 times fewer
    steps, each of which changes the map by up to 5 % of its norm.

    Attributes:
        steps: Number of gradient steps.
        batch: Pairs per step.
        rate: Learning rate.
        neighborhood: Number of nearest neighbors in the loss.
        source_pool: Search neighbors among this many of the most frequent source words.
        target_pool: Search neighbors among this many of the most frequent target words.
        constraint: "spectral" keeps the singular values of the map at most 1; "none" does not
            limit them.
        mode: "fast" joins many steps into one and finds neighbors approximately; "exact" takes
            each step with the true nearest neighbors.
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
        """Cover the total distance of all steps in as few strides as possible."""
        left, value = weight.new_full((), self.steps * self.rate), weight.new_zeros(())
        taken = 0
        while float(left) > 0:
            for batch in islice(batches, _STRIDES_PER_CHECK):
                value, gradient = loss.value_and_gradient(batch, weight)
                longest = _STRIDE * weight.norm() / gradient.norm()
                rate = torch.minimum(longest.clamp(min=self.rate), left)
                weight = _constrained(weight - rate * gradient, self.constraint)
                left = left - rate
            taken += _STRIDES_PER_CHECK
        return _Descent(weight, value, taken)


class _Descent(NamedTuple):
    """The final map of a descent, the loss of its last batch, and the number of steps."""

    weight: Matrix
    value: torch.Tensor
    taken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RcslsDescent:
    """Minimize the RCSLS loss over all pairs at once; the loss never increases.

    A step that increases the loss is undone and halved; after a successful step the rate grows.
    The loss scales with the map, so it has no minimum without a bound on the singular values.

    Attributes:
        steps: The largest number of steps.
        rate: Initial learning rate.
        tolerance: Stop when a step improves the loss by less than this share.
        neighborhood: Number of nearest neighbors in the loss.
        source_pool: Search neighbors among this many of the most frequent source words.
        target_pool: Search neighbors among this many of the most frequent target words.
        constraint: "spectral" keeps the singular values of the map at most 1; "none" does not
            limit them.
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
            if gain <= 0:  # undo the step: keep the old map and gradient
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
    rotation = Procrustes().fit_map(spaces, lexicon, rng=rng)  # raises if the lexicon is empty
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
    """Yield batches from shuffled passes over the pairs, without end; short batches are skipped."""
    size = min(size, pairs)
    while True:
        order = torch.randperm(pairs, generator=rng, device=rng.device)
        for first in range(0, pairs - size + 1, size):
            yield order[first : first + size]
