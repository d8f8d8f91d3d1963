"""Faults of one op's implementation: its inputs and arguments are right, its results are not.

A fault is a function of an `Accident` that gives the op's results, or None where it cannot happen to this op.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np
import torch
from torch import Tensor

from diagnosis.arithmetic import Arithmetic
from diagnosis.call import Call

Results = Optional[List[Any]]


class Accident(NamedTuple):
    """call with its honest results; earlier: float results of ops before, latest last."""

    call: Call
    results: List[Any]
    arithmetic: Arithmetic
    earlier: List[Tensor]
    backward: bool
    rng: np.random.Generator

    def pick(self, rows: Any) -> Any:
        return rows[int(self.rng.integers(len(rows)))]

    def some(self, low: float, high: float) -> float:
        """10 to a power between the two."""
        return float(10.0 ** self.rng.uniform(low, high))


Fault = Callable[[Accident], Results]


def on_result(change: Callable[[Accident, Tensor], Optional[Tensor]]) -> Fault:
    """A fault that spoils one floating result; `change` gets a float32 copy."""

    def fault(a: Accident) -> Results:
        places = [i for i, y in enumerate(a.results)
                  if isinstance(y, Tensor) and y.is_floating_point() and y.numel() > 0]
        if not places:
            return None
        at = places[0] if a.rng.random() < 0.7 else a.pick(places)
        y = a.results[at]
        changed = change(a, y.float().clone())
        if changed is None:
            return None
        rows = list(a.results)
        rows[at] = changed.to(y.dtype).reshape(y.shape)
        return rows

    return fault


def _scale(a: Accident, y: Tensor) -> Tensor:
    return y * (1 + a.pick([-1, 1]) * a.some(-6, -0.3))


def _one_element(a: Accident, y: Tensor) -> Tensor:
    flat = y.flatten()
    at = int(flat.abs().argmax()) if a.rng.random() < 0.3 else int(a.rng.integers(flat.numel()))
    flat[at] = flat[at] * (1 + a.some(-5, 0)) + a.pick([0.0, a.some(-5, 0)]) * flat.square().mean().sqrt()
    return flat


def _tail(a: Accident, y: Tensor) -> Optional[slice]:
    n = y.numel()
    if n < 4:
        return None
    return slice(n - max(1, n // a.pick([2, 4, 8, 16, 32])), n)


def _tail_zero(a: Accident, y: Tensor) -> Optional[Tensor]:
    tail, flat = _tail(a, y), y.flatten()
    if tail is None:
        return None
    flat[tail] = 0
    return flat


def _tail_stale(a: Accident, y: Tensor) -> Optional[Tensor]:
    tail, flat = _tail(a, y), y.flatten()
    rows = [t for t in a.earlier if t.numel() >= y.numel()]
    if tail is None or not rows:
        return None
    flat[tail] = a.pick(rows[-6:]).float().flatten()[tail]
    return flat


def _tail_unwritten(a: Accident, y: Tensor) -> Optional[Tensor]:
    tail, flat = _tail(a, y), y.flatten()
    if tail is None:
        return None
    flat[tail] = a.pick([-431602080.0, 1e-30, 7.0])
    return flat


def _row_shift(a: Accident, y: Tensor) -> Optional[Tensor]:
    dims = [d for d in range(y.ndim) if y.shape[d] > 1]
    return torch.roll(y, 1, a.pick(dims)) if dims else None


def _wrong_row(a: Accident, y: Tensor) -> Optional[Tensor]:
    if y.ndim < 2 or y.shape[-2] < 2:
        return None
    i = int(a.rng.integers(y.shape[-2] - 1))
    y[..., i, :] = y[..., i + 1, :].clone()
    return y


def _clamp(a: Accident, y: Tensor) -> Tensor:
    largest = float(y.abs().max()) * (1 - a.some(-3, -0.3))
    return y.clamp(-largest, largest)


def _saturate(a: Accident, y: Tensor) -> Optional[Tensor]:
    largest = float(y.abs().max())
    if largest == 0 or not np.isfinite(largest):
        return None
    limit = 2.0 ** np.floor(np.log2(largest))
    return y.clamp(-limit, limit)


def _truncated(a: Accident, y: Tensor) -> Tensor:
    drop = 23 - a.pick([7, 10, 12, 16])
    return (y.contiguous().view(torch.int32) & -(1 << drop)).view(torch.float32)


def _sign_of_channel(a: Accident, y: Tensor) -> Optional[Tensor]:
    if y.ndim < 2:
        return None
    i = int(a.rng.integers(y.shape[1]))
    y[:, i] = -y[:, i]
    return y


def _channels_swapped(a: Accident, y: Tensor) -> Optional[Tensor]:
    if y.ndim < 2 or y.shape[1] < 2:
        return None
    i = int(a.rng.integers(y.shape[1] - 1))
    y[:, [i, i + 1]] = y[:, [i + 1, i]]
    return y


def _planted(*values: float) -> Fault:
    def change(a: Accident, y: Tensor) -> Tensor:
        flat = y.flatten()
        flat[int(a.rng.integers(flat.numel()))] = a.pick(values)
        return flat

    return on_result(change)


def _not_cleared(a: Accident, y: Tensor) -> Optional[Tensor]:
    rows = [t for t in a.earlier if t.numel() == y.numel()]
    return y + a.pick(rows[-6:]).float().reshape(y.shape) if rows else None


def _small_flushed(a: Accident, y: Tensor) -> Tensor:
    limit = float(y.abs().max()) * a.pick([2.0**-6, 2.0**-10])
    return torch.where(y.abs() < limit, torch.zeros_like(y), y)


def _tile_repeated(a: Accident, y: Tensor) -> Optional[Tensor]:
    flat, n = y.flatten(), y.numel()
    size = n // a.pick([4, 8])
    if size < 1:
        return None
    at = int(a.rng.integers(1, n // size)) * size
    flat[at : at + size] = flat[at - size : at].clone()
    return flat


def _twice(a: Accident) -> Results:
    """A gradient is added to what it was added to already."""
    if not a.backward:
        return None
    return on_result(lambda _, y: y + y)(a)


def _block_edge(a: Accident, y: Tensor) -> Optional[Tensor]:
    """Last column of a tile computed from one product too few: its elements are a bit small."""
    if y.ndim < 2 or y.shape[-1] < 4:
        return None
    y[..., y.shape[-1] // 2 - 1] *= 1 - a.some(-3.5, -0.5)
    return y


ON_RESULTS: Dict[str, Fault] = {
    "scaled": on_result(_scale),
    "one element": on_result(_one_element),
    "tail zero": on_result(_tail_zero),
    "tail stale": on_result(_tail_stale),
    "tail not written": on_result(_tail_unwritten),
    "row shift": on_result(_row_shift),
    "wrong row": on_result(_wrong_row),
    "clamped": on_result(_clamp),
    "saturated": on_result(_saturate),
    "truncated": on_result(_truncated),
    "rounded to float16": on_result(lambda _, y: y.half().float()),
    "rounded to bfloat16": on_result(lambda _, y: y.bfloat16().float()),
    "sign of a channel": on_result(_sign_of_channel),
    "channels swapped": on_result(_channels_swapped),
    "nan": _planted(float("nan")),
    "inf": _planted(float("inf"), -float("inf")),
    "not cleared": on_result(_not_cleared),
    "small values flushed": on_result(_small_flushed),
    "tile repeated": on_result(_tile_repeated),
    "gradient twice": _twice,
    "edge of a tile": on_result(_block_edge),
}

# Of these a share that is barely seen is drawn as well.
FAINT = {
    "scaled", "one element", "tail stale", "row shift", "wrong row", "clamped", "saturated", "channels swapped", "not cleared",
    "tile repeated", "edge of a tile", "sign of a channel",
}
