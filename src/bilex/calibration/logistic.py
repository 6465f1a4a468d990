"""Logistic regression and choice among alternatives, with a penalty, by Newton's method."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bilex.values import Matrix, Vector

_MOST_STEPS = 50
_MOST_HALVINGS = 30
_SMALL_STEP = 1e-10
_SMALL_CURVATURE = 1e-9


def fit_logistic(
    design: Matrix,
    target: Vector,
    *,
    weights: Vector | None = None,
    penalty: Vector,
    center: Vector,
) -> Vector:
    """Return the coefficients with the least weighted log-loss plus penalty.

    The penalty of a coefficient is `penalty` / 2 times its squared distance from `center`; use 0
    for no penalty, as for the bias. All tensors are float64.

    Args:
        design: Features, (n, n_coefficients).
        target: 1 or 0 for each row.
        weights: Weights of the rows; 1 by default.
        penalty: Penalty of each coefficient, (n_coefficients,).
        center: Center of the penalty and start of the search, (n_coefficients,).
    """
    each = torch.ones_like(target) if weights is None else weights

    def misfit(found: Vector) -> Vector:
        return torch.nn.functional.binary_cross_entropy_with_logits(
            design @ found, target, weight=each, reduction="sum"
        )

    def derivatives(found: Vector) -> tuple[Vector, Matrix]:
        chance = torch.sigmoid(design @ found)
        gradient = design.T @ (each * (chance - target))
        return gradient, (design * (each * chance * (1 - chance))[:, None]).T @ design

    return _minimum(misfit, derivatives, penalty=penalty, center=center)


def fit_choice(alternatives: torch.Tensor, chosen: Matrix, *, penalty: Vector) -> Vector:
    """Return the coefficients under which the chosen alternatives are the most probable ones.

    The probability of an alternative is its share of a softmax over the sums of its features
    (conditional logit, McFadden 1974). The penalty is as for `fit_logistic`, around zero.

    Args:
        alternatives: Features of the alternatives of each case, (n, k, n_coefficients), float64.
        chosen: The share of each alternative in the choice, (n, k); rows sum to 1.
        penalty: Penalty of each coefficient, (n_coefficients,).
    """

    def misfit(found: Vector) -> Vector:
        return -(chosen * (alternatives @ found).log_softmax(1)).sum()

    def derivatives(found: Vector) -> tuple[Vector, Matrix]:
        chance = (alternatives @ found).softmax(1)
        gradient = torch.einsum("nk,nkd->d", chance - chosen, alternatives)
        mean = torch.einsum("nk,nkd->nd", chance, alternatives)
        weighted = (alternatives * chance[..., None]).flatten(0, 1)
        return gradient, weighted.T @ alternatives.flatten(0, 1) - mean.T @ mean

    return _minimum(misfit, derivatives, penalty=penalty, center=torch.zeros_like(penalty))


def _minimum(
    misfit: Callable[[Vector], Vector],
    derivatives: Callable[[Vector], tuple[Vector, Matrix]],
    *,
    penalty: Vector,
    center: Vector,
) -> Vector:
    """Return the minimum of a convex misfit plus penalty, by Newton's method from the center."""

    def loss(found: Vector) -> float:
        return float(misfit(found) + (penalty * (found - center) ** 2).sum() / 2)

    found, least = center, loss(center)
    for _ in range(_MOST_STEPS):
        gradient, curvature = derivatives(found)
        gradient = gradient + penalty * (found - center)
        curvature = curvature + (penalty + _SMALL_CURVATURE).diag()  # not singular for zeros
        step = torch.linalg.solve(curvature, gradient)
        for _ in range(_MOST_HALVINGS):
            tried = loss(found - step)
            if tried <= least:
                break
            step = step / 2
        else:
            break  # at the minimum, up to rounding
        found, least = found - step, tried
        if float(step.abs().max()) < _SMALL_STEP:
            break
    return found


def fit_platt(
    log_odds: Vector,
    target: Vector,
    *,
    others: tuple[Vector, ...] = (),
    weights: Vector | None = None,
) -> tuple[float, ...]:
    """Return the slope and the intercept that correct log-odds (Platt, 1999).

    The penalty pulls towards no correction. All tensors are float64; `target` and `weights` are as
    for `fit_logistic`.

    Args:
        log_odds: Log-odds to correct.
        target: 1 or 0 for each.
        others: Other variables; their coefficients are between the slope and the intercept.
        weights: Weights; 1 by default.
    """
    columns = [log_odds, *others, torch.ones_like(log_odds)]
    center = torch.zeros(len(columns), dtype=torch.float64)
    center[0] = 1.0
    found = fit_logistic(
        torch.stack(columns, dim=1),
        target,
        weights=weights,
        penalty=torch.ones(len(columns), dtype=torch.float64),
        center=center,
    )
    return tuple(found.tolist())
