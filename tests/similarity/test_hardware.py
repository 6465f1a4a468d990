from __future__ import annotations

import pytest
import torch

from bilex.similarity import hardware, kernel, topk
from bilex.similarity.products import Int8Product
from bilex.values import Compute, unit_rows

CPU = torch.device("cpu")


def test_bfloat16_is_used_only_where_it_is_fast_and_summed_in_float32(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cuda, matmul = torch.device("cuda"), torch.backends.cuda.matmul
    before = matmul.allow_bf16_reduced_precision_reduction
    try:
        matmul.allow_bf16_reduced_precision_reduction = True
        assert not hardware.fast_bfloat16(cuda)
        matmul.allow_bf16_reduced_precision_reduction = False
        assert hardware.fast_bfloat16(cuda)
    finally:
        matmul.allow_bf16_reduced_precision_reduction = before
    assert not hardware.fast_bfloat16(torch.device("mps"))
    monkeypatch.setattr("torch.cpu._is_amx_tile_supported", lambda: True)
    assert hardware.fast_bfloat16(torch.device("cpu"))
    monkeypatch.delattr("torch.cpu._is_amx_tile_supported")
    assert not hardware.fast_bfloat16(torch.device("cpu"))


def test_products_of_bytes_are_used_only_where_they_are_fast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not hardware.fast_int8(torch.device("cuda"))
    monkeypatch.setattr(hardware, "exact_int8", lambda _: True)
    monkeypatch.setattr(hardware, "_time_of_int8", lambda: 0.35)
    assert hardware.fast_int8(CPU)
    monkeypatch.setattr(hardware, "_time_of_int8", lambda: 1.6)
    assert not hardware.fast_int8(CPU)


def test_products_of_bytes_that_overflow_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without instructions for it, a sum of two products may be cut to 16 bits."""
    real = torch._int_mm
    monkeypatch.setattr(torch, "_int_mm", lambda x, y: real(x, y).clamp(max=2**15 - 1))
    hardware.exact_int8.cache_clear()
    try:
        assert not hardware.exact_int8(CPU)
        assert not hardware.fast_int8(CPU)
    finally:
        hardware.exact_int8.cache_clear()


@pytest.mark.parametrize("exact", [True, False])
def test_who_asks_for_bytes_gets_them_only_if_they_are_right(
    exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = unit_rows(torch.randn(400, 8, generator=torch.Generator().manual_seed(0)))
    used = []

    class Watched(Int8Product):
        def keys(self, queries: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            used.append(len(queries))
            return super().keys(queries, out)

    monkeypatch.setattr(kernel, "Int8Product", Watched)
    monkeypatch.setattr(kernel, "exact_int8", lambda _: exact)
    found = topk(rows, rows, 1, compute=Compute(precision="int8"))
    assert found.ids[:, 0].tolist() == list(range(400))
    assert bool(used) == exact


def test_the_choice_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    hardware._time_of_int8.cache_clear()
    with caplog.at_level("INFO", logger="bilex"):
        first, second = hardware._time_of_int8(), hardware._time_of_int8()
    assert first == second > 0
    assert len([r for r in caplog.records if "8-bit integers take" in r.message]) == 1
