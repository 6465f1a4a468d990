"""Bootstrap confidence intervals of means."""

from __future__ import annotations

import torch

SMALLEST_BOOTSTRAP = 100
"""With fewer resamples, the ends of a 95 % interval depend on one or two of them."""

_DRAWS_IN_A_BLOCK = 2**22  # 32 MiB of indices


def resampled_means(values: torch.Tensor, resamples: int, rng: torch.Generator) -> torch.Tensor:
    """Return the mean of each row over units drawn with replacement.

    All rows share each draw, so differences between rows can be compared.

    Args:
        values: One row per ranker, one column per unit.
        resamples: Number of bootstrap samples, each of the size of the data.
        rng: Random generator.

    Returns:
        One row per ranker, one column per resample, in float64.
    """
    n_units = values.shape[1]
    values = values.to(rng.device, torch.float64)
    rows = max(1, _DRAWS_IN_A_BLOCK // n_units)
    blocks = []
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), n_units)
        draws = torch.randint(n_units, shape, generator=rng, device=rng.device)
        blocks.append(torch.stack([row[draws].sum(1) / n_units for row in values]))
    return torch.cat(blocks, dim=1)


def percentile_intervals(means: torch.Tensor) -> list[tuple[float, float]]:
    """Return the middle 95 % of each row."""
    ends = torch.tensor([0.025, 0.975], dtype=means.dtype, device=means.device)
    low, high = torch.quantile(means, ends, dim=1).tolist()
    return list(zip(low, high, strict=True))
