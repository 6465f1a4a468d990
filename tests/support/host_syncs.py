"""Finds what would make a program wait for a GPU, on a machine without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

_WAITING = {  # their result, or its shape, must be known to the host before it can go on
    torch.ops.aten._local_scalar_dense.default,
    torch.ops.aten.equal.default,
    torch.ops.aten.is_nonzero.default,
    torch.ops.aten.masked_select.default,
    torch.ops.aten.nonzero.default,
    torch.ops.aten._unique2.default,
}


class HostSyncs(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Records, in `found`, every operation that a GPU could not run in the background."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found: list[str] = []
        self._patch = pytest.MonkeyPatch()

    def __enter__(self) -> HostSyncs:
        """Also record `tolist`, which is no operation on a CPU."""
        tolist = torch.Tensor.tolist

        def recorded(tensor: torch.Tensor) -> object:
            self.found.append("tolist")
            return tolist(tensor)

        self._patch.setattr(torch.Tensor, "tolist", recorded)
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: object) -> None:
        """Record no more."""
        self._patch.undo()
        super().__exit__(*error)  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> object:
        if func in _WAITING or _indexes_by_mask(func, args):
            self.found.append(str(func))
        return func(*args, **(kwargs or {}))


def _indexes_by_mask(func: object, args: tuple[Any, ...]) -> bool:
    if func not in (torch.ops.aten.index.Tensor, torch.ops.aten.index_put_.default):
        return False
    return any(index is not None and index.dtype == torch.bool for index in args[1])
