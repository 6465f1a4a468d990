"""Logistic regression with a penalty, by Newton's method."""

from __future__ import annotations

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
    found, loss = center, _loss(design, target, each, penalty, center, center)
    for _ in range(_MOST_STEPS):
        chance = torch.sigmoid(design @ found)
        gradient = design.T @ (each * (chance - target)) + penalty * (found - center)
        curvature = (design * (each * chance * (1 - chance))[:, None]).T @ design
        curvature += (penalty + _SMALL_CURVATURE).diag()  # not singular for a column of zeros
        step = torch.linalg.solve(curvature, gradient)
        for _ in range(_MOST_HALVINGS):
            tried = _loss(design, target, each, penalty, center, found - step)
            if tried <= loss:
                break
            step = step / 2
        else:
            break  # at the minimum, up to rounding
        found, loss = found - step, tried
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


def _loss(
    design: Matrix,
    target: Vector,
    each: Vector,
    penalty: Vector,
    center: Vector,
    found: Vector,
) -> float:
    odds = design @ found
    misfit = torch.nn.functional.binary_cross_entropy_with_logits(
        odds, target, weight=each, reduction="sum"
    )
    return float(misfit + (penalty * (found - center) ** 2).sum() / 2)
