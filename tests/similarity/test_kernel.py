from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import DimensionError, SettingError
from bilex.similarity import SearchPool, topk
from bilex.similarity.products import BFloat16Product, Int8Product
from bilex.values import Compute, Neighbors, unit_rows

PRECISIONS = ("auto", "int8", "bfloat16", "float32", "exhaustive")


def brute_force(
    x: torch.Tensor,
    y: torch.Tensor,
    k: int,
    query_bias: torch.Tensor | None = None,
    candidate_bias: torch.Tensor | None = None,
) -> Neighbors:
    scores = x.double() @ y.double().T
    if candidate_bias is not None:
        scores = scores + candidate_bias
    if query_bias is not None:
        scores = scores + query_bias[:, None]
    best = scores.float().sort(dim=1, descending=True, stable=True)
    return Neighbors(best.indices[:, :k], best.values[:, :k])


def assert_same(found: Neighbors, expected: Neighbors) -> None:
    assert torch.equal(found.ids, expected.ids)
    assert torch.equal(found.scores, expected.scores)


def vectors(n: int, dim: int, draw: int) -> torch.Tensor:
    return unit_rows(torch.randn(n, dim, generator=torch.Generator().manual_seed(draw)))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("m", [1, 5, 255, 256, 257, 1000, 3001])
def test_every_precision_finds_what_brute_force_finds(precision: str, m: int) -> None:
    x, y = vectors(1100, 24, 1), vectors(m, 24, 2)
    found = topk(x, y, 10, compute=Compute(precision=precision))  # type: ignore[arg-type]
    assert_same(found, brute_force(x, y, 10))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_biases_shift_scores_and_ranks(precision: str) -> None:
    x, y = vectors(700, 16, 3), vectors(900, 16, 4)
    rng = torch.Generator().manual_seed(5)
    query_bias = torch.randn(700, generator=rng)
    candidate_bias = torch.randn(900, generator=rng)
    found = topk(
        x,
        y,
        7,
        query_bias=query_bias,
        candidate_bias=candidate_bias,
        compute=Compute(precision=precision),  # type: ignore[arg-type]
    )
    assert_same(found, brute_force(x, y, 7, query_bias, candidate_bias))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_ties_go_to_the_lower_row(precision: str) -> None:
    x = vectors(40, 12, 6)
    y = vectors(100, 12, 7).repeat(5, 1)  # every score five times
    found = topk(x, y, 12, compute=Compute(precision=precision))  # type: ignore[arg-type]
    assert_same(found, brute_force(x, y, 12))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_zero_rows_and_long_rows_are_exact_too(precision: str) -> None:
    x, y = vectors(300, 12, 8), vectors(600, 12, 9)
    x[::7] = 0
    y[::5] = 0
    y[1] *= 1e4
    x[2] *= 1e-20
    found = topk(x, y, 5, compute=Compute(precision=precision))  # type: ignore[arg-type]
    assert_same(found, brute_force(x, y, 5))


@given(
    n=st.integers(0, 40),
    m=st.integers(1, 600),
    k=st.integers(1, 30),
    draw=st.integers(0, 2**31),
    memory=st.integers(20, 26),
)
@settings(deadline=None, max_examples=60)
def test_any_block_size_gives_the_same_answer(
    n: int, m: int, k: int, draw: int, memory: int
) -> None:
    x, y = vectors(n, 6, draw), vectors(m, 6, draw + 1)
    expected = brute_force(x, y, min(k, m))
    for precision in ("int8", "bfloat16", "float32", "exhaustive"):
        compute = Compute(memory=2**memory, precision=precision)
        assert_same(topk(x, y, k, compute=compute), expected)


@given(
    draw=st.integers(0, 2**31),
    lengths=st.tuples(*[st.floats(-4, 4)] * 3),
    biased=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_vectors_and_biases_of_any_length_are_exact_too(
    draw: int, lengths: tuple[float, float, float], biased: bool
) -> None:
    """Whole numbers of 8 bits hold neither long vectors beside short ones nor large biases."""
    rng = torch.Generator().manual_seed(draw)
    x = 10 ** lengths[0] * torch.randn(20, 9, generator=rng) ** 3
    y = 10 ** lengths[1] * torch.randn(400, 9, generator=rng) ** 3
    bias = 10 ** lengths[2] * torch.randn(400, generator=rng) if biased else None
    expected = brute_force(x, y, 7, candidate_bias=bias)
    for precision in ("int8", "bfloat16", "float32"):
        found = topk(x, y, 7, candidate_bias=bias, compute=Compute(precision=precision))
        assert_same(found, expected)


def test_the_result_of_a_query_does_not_depend_on_the_other_queries() -> None:
    x, y = vectors(2_000, 30, 10), vectors(1_500, 30, 11)
    together = topk(x, y, 10)
    alone = topk(x[77:78], y, 10)
    assert_same(alone, Neighbors(together.ids[77:78], together.scores[77:78]))


def test_relabeling_candidates_permutes_the_answer() -> None:
    x, y = vectors(50, 20, 12), vectors(800, 20, 13)
    order = torch.randperm(800, generator=torch.Generator().manual_seed(0))
    found = topk(x, y[order], 10)
    assert torch.equal(order[found.ids], topk(x, y, 10).ids)


@pytest.mark.parametrize(
    ("precision", "product", "noise"),
    [("int8", Int8Product, 0.02), ("bfloat16", BFloat16Product, 1e-4)],
)
def test_the_certificate_is_checked(
    precision: str, product: type, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clustered vectors closer than few bits can tell: the coarse product alone is wrong."""
    rng = torch.Generator().manual_seed(14)
    x = unit_rows(torch.randn(8, 64, generator=rng))
    y = unit_rows(x.repeat_interleave(100, dim=0) + noise * torch.randn(800, 64, generator=rng))
    expected = brute_force(x, y, 10)
    compute = Compute(precision=precision)  # type: ignore[arg-type]
    assert_same(topk(x, y, 10, compute=compute), expected)
    monkeypatch.setattr(
        product,
        "ceiling",
        lambda self, queries, keys: torch.full((len(queries),), -torch.inf).double(),
    )
    uncertified = topk(x, y, 10, compute=compute)
    assert not torch.equal(uncertified.ids, expected.ids)


def test_a_pool_answers_again_and_again() -> None:
    x, y = vectors(1_500, 12, 23), vectors(900, 12, 24)
    pool = SearchPool(y)
    expected = brute_force(x, y, 4)
    for first in range(0, 1_500, 300):  # from the fifth block on, by the coarser product
        found = pool.topk(x[first : first + 300], 4)
        rows = slice(first, first + 300)
        assert_same(found, Neighbors(expected.ids[rows], expected.scores[rows]))
    assert len(pool) == 900


def test_progress_ends_at_the_number_of_rows() -> None:
    seen: list[tuple[int, int]] = []
    topk(
        vectors(3_000, 8, 15),
        vectors(500, 8, 16),
        3,
        on_block=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (3_000, 3_000)
    assert len(seen) > 1


def test_k_is_clamped_and_empty_queries_are_fine() -> None:
    x, y = vectors(3, 4, 17), vectors(5, 4, 18)
    assert topk(x, y, 99).ids.shape == (3, 5)
    assert topk(x[:0], y, 2).ids.shape == (0, 2)
    assert topk(x, y[:0], 2).ids.shape == (3, 0)


def test_bad_calls_say_what_is_wrong() -> None:
    x, y = vectors(3, 4, 19), vectors(5, 6, 20)
    with pytest.raises(DimensionError, match="queries have 4 dimensions, candidates 6"):
        topk(x, y, 1)
    with pytest.raises(SettingError, match="k is 0"):
        topk(x, x, 0)
    with pytest.raises(SettingError, match="at least 1 MiB"):
        Compute(memory=5)


def test_no_full_matrix_is_ever_held() -> None:
    """The largest tensor stays within the budget, far below the 36 MB of an n × m matrix."""
    x, y = vectors(3_000, 16, 21), vectors(3_000, 16, 22)
    sizes: list[int] = []

    class Watch(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(
            self,
            function: Callable[..., object],
            types: object,
            args: tuple[object, ...] = (),
            kwargs: dict[str, object] | None = None,
        ) -> object:
            result = function(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                sizes.append(result.untyped_storage().nbytes())
            return result

    with Watch():  # type: ignore[no-untyped-call]
        topk(x, y, 10, compute=Compute(memory=4 * 2**20, precision="float32"))
    assert max(sizes) <= 4 * 2**20


@pytest.mark.parametrize("shortcut", ["high", "medium"])
def test_coarse_float32_products_of_the_user_cost_time_not_exactness(shortcut: str) -> None:
    x, y = vectors(200, 64, 25), vectors(1_000, 64, 26)
    expected = brute_force(x, y, 10)
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(shortcut)
    try:
        found = topk(x, y, 10, compute=Compute(precision="float32"))
    finally:
        torch.set_float32_matmul_precision(before)
    assert_same(found, expected)
