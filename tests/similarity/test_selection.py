from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.similarity.selection import padded_width, select


@given(
    columns=st.integers(3, 3_000),
    count=st.integers(1, 40),
    draw=st.integers(0, 2**31),
    dtype=st.sampled_from([torch.int16, torch.float32]),
)
@settings(deadline=None, max_examples=60)
def test_select_returns_the_largest_keys_and_the_next(
    columns: int, count: int, draw: int, dtype: torch.dtype
) -> None:
    width = padded_width(columns)
    count = min(count, width - 1)
    rng = torch.Generator().manual_seed(draw)
    keys = torch.randint(-500, 500, (4, width), generator=rng).to(dtype)

    chosen, excluded = select(keys, count)

    values = keys.sort(dim=1, descending=True).values
    assert torch.equal(
        keys.gather(1, chosen).sort(dim=1, descending=True).values, values[:, :count]
    )
    assert torch.equal(excluded, values[:, count])
    assert all(len(set(row)) == count for row in chosen.tolist())
