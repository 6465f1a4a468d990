"""Whether this machine computes bfloat16 and int8 products faster than float32, and correctly."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import cache

import torch

_QUERIES, _CANDIDATES, _DIM = 256, 2_048, 320  # a product that takes a few milliseconds
_ROUNDS = 5
_PAYS_BELOW = 0.7  # of the time of float32; with the right instructions, it is about a third

_log = logging.getLogger(__name__)


def fast_bfloat16(device: torch.device) -> bool:
    """Return whether this device multiplies bfloat16 much faster than float32, and sums in float32.

    With the default settings of torch, a GPU may sum in bfloat16; the error bounds of products do
    not cover that.
    """
    if device.type == "cpu":
        has_tiles = getattr(torch.cpu, "_is_amx_tile_supported", None)  # not in every release
        return bool(has_tiles is not None and has_tiles())
    if device.type == "cuda":
        return not torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction
    return False


def fast_int8(device: torch.device) -> bool:
    """Return whether products of 8-bit integers are correct and much faster than float32.

    They are on processors with the instructions for them (VNNI). On others they may be wrong,
    because sums of two products do not fit into 16 bits. Speed and correctness are tested once.
    """
    return device.type == "cpu" and exact_int8(device) and _time_of_int8() < _PAYS_BELOW


@cache
def exact_int8(device: torch.device) -> bool:
    """Return whether this device sums products of 8-bit integers without overflow."""
    if device.type != "cpu":
        return False  # only used and tested on processors
    left = torch.full((_QUERIES, _DIM), -127, dtype=torch.int8)
    left[:, ::2] = 127
    right = left[:1].expand(_CANDIDATES, _DIM).contiguous().T
    try:
        product = torch._int_mm(left, right)
    except (AttributeError, RuntimeError):
        return False
    return bool((product == 127 * 127 * _DIM).all())


@cache
def _time_of_int8() -> float:
    """Return the time of a product of 8-bit integers over that of the same one in float32."""
    rng = torch.Generator().manual_seed(0)
    left = torch.randint(-127, 128, (_QUERIES, _DIM), dtype=torch.int8, generator=rng)
    right = torch.randint(-127, 128, (_CANDIDATES, _DIM), dtype=torch.int8, generator=rng)
    floats = left.float(), right.float().T
    bytes_time = float_time = float("inf")
    for _ in range(_ROUNDS):  # alternating, so that other load affects both
        bytes_time = min(bytes_time, _seconds(lambda: torch._int_mm(left, right.T)))
        float_time = min(float_time, _seconds(lambda: torch.mm(*floats)))
    _log.info(
        "products of 8-bit integers take %.2f of the time of float32%s",
        bytes_time / float_time,
        "" if bytes_time < _PAYS_BELOW * float_time else ": not used",
    )
    return bytes_time / float_time


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
