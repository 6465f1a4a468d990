from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.similarity import csls_topk, neighborhood_means
from bilex.values import unit_rows
from exact_csls import csls_both_ways


def brute_force_csls(x: torch.Tensor, y: torch.Tensor, neighborhood: int) -> torch.Tensor:
    cosine = x.double() @ y.double().T
    r_x = cosine.sort(dim=1, descending=True).values[:, :neighborhood].mean(1)
    r_y = cosine.sort(dim=0, descending=True).values[:neighborhood].mean(0)
    return 2 * cosine - r_x[:, None] - r_y[None]


@given(
    n=st.integers(1, 50),
    m=st.integers(1, 50),
    neighborhood=st.integers(1, 12),
    draw=st.integers(0, 2**31),
)
@settings(deadline=None, max_examples=50)
def test_csls_is_the_published_formula(n: int, m: int, neighborhood: int, draw: int) -> None:
    rng = torch.Generator().manual_seed(draw)
    x = unit_rows(torch.randn(n, 5, generator=rng))
    y = unit_rows(torch.randn(m, 5, generator=rng))
    expected = brute_force_csls(x, y, neighborhood)

    forward, backward = csls_both_ways(x, y, 3, neighborhood=neighborhood)

    best = expected.sort(dim=1, descending=True).values[:, :3]
    torch.testing.assert_close(forward.scores.double(), best, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        expected.gather(1, forward.ids), forward.scores.double(), atol=1e-5, rtol=0
    )
    best = expected.T.sort(dim=1, descending=True).values[:, :3]
    torch.testing.assert_close(backward.scores.double(), best, atol=1e-5, rtol=0)
    torch.testing.assert_close(
        expected.T.gather(1, backward.ids), backward.scores.double(), atol=1e-5, rtol=0
    )


def test_a_joint_rotation_changes_nothing() -> None:
    rng = torch.Generator().manual_seed(0)
    x, y = (unit_rows(torch.randn(400, 10, generator=rng)) for _ in range(2))
    rotation = torch.linalg.qr(torch.randn(10, 10, generator=rng)).Q
    before = csls_both_ways(x, y, 5)
    after = csls_both_ways(x @ rotation, y @ rotation, 5)
    assert torch.equal(before.forward.ids, after.forward.ids)
    torch.testing.assert_close(before.forward.scores, after.forward.scores, atol=1e-5, rtol=0)


def test_csls_takes_hubs_down() -> None:
    rng = torch.Generator().manual_seed(1)
    x = unit_rows(torch.randn(300, 20, generator=rng))
    hub = unit_rows(x.sum(0, keepdim=True))
    y = torch.cat([unit_rows(x + 0.9 * torch.randn(300, 20, generator=rng)), hub])
    by_cosine = (x @ y.T).argmax(1)
    means = neighborhood_means(x, y, 10)
    found = csls_topk(x, y, 1, query_means=means, candidate_means=neighborhood_means(y, x, 10)).ids[
        :, 0
    ]
    assert int((found == 300).sum()) <= int((by_cosine == 300).sum())
    right = torch.arange(300)
    assert int((found == right).sum()) >= int((by_cosine == right).sum())


def test_progress_counts_the_rows_of_each_search() -> None:
    seen: list[tuple[int, int]] = []
    x = unit_rows(torch.randn(30, 4, generator=torch.Generator().manual_seed(2)))
    y = x[:20]

    def on_block(done: int, total: int) -> None:
        seen.append((done, total))

    means = neighborhood_means(x, y, 10, on_block=on_block)
    others = neighborhood_means(y, x, 10, on_block=on_block)
    csls_topk(x, y, 2, query_means=means, candidate_means=others, on_block=on_block)
    assert seen == [(30, 30), (20, 20), (30, 30)]
