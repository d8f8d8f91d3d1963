"""Number formats: a float32 tensor's values rounded to those that a narrower format holds.

Every function takes and gives float32 tensors (float64 for `exact`), keeps the shape, NaN and infinities, and
rounds to nearest even unless it says otherwise. Values beyond a format's range become infinite.
"""

from __future__ import annotations

from typing import Callable, Dict, NamedTuple

import torch
from torch import Tensor

_SIGN = -(2**31)


def keep_bits(x: Tensor, fraction: int, truncate: bool = False) -> Tensor:
    """float32 values with `fraction` bits behind the leading one; the exponent's range stays."""
    drop = 23 - fraction
    bits = x.float().contiguous().view(torch.int32)
    if not truncate:
        odd = (bits >> drop) & 1
        bits = bits + (odd + ((1 << (drop - 1)) - 1))
    rounded = (bits & -(1 << drop)).view(torch.float32)
    return torch.where(torch.isfinite(x), rounded, x.float())


def to_float16(x: Tensor) -> Tensor:
    return x.half().float()


def to_float16_flushed(x: Tensor) -> Tensor:
    """As float16 hardware without subnormals has it: they are zero."""
    y = x.half().float()
    return torch.where(y.abs() < 2.0**-14, torch.zeros_like(y), y)


def to_bfloat16(x: Tensor) -> Tensor:
    return x.bfloat16().float()


def to_int8(x: Tensor) -> Tensor:
    """One scale for the whole tensor: its largest magnitude is 127 steps."""
    largest = x.abs().max() if x.numel() else x.new_zeros(())
    if not torch.isfinite(largest) or largest == 0:
        return x.float()
    step = (largest / 127).float()
    return torch.round(x.float() / step) * step


class Format(NamedTuple):
    """`unit` is half a step at 1, the largest relative error of a rounding; 0 where nothing is rounded."""

    name: str
    round: Callable[[Tensor], Tensor]
    unit: float


FORMATS: Dict[str, Format] = {
    row.name: row
    for row in (
        Format("float32", lambda x: x.float(), 2.0**-24),
        Format("tf32", lambda x: keep_bits(x, 10), 2.0**-11),
        Format("tf32 truncated", lambda x: keep_bits(x, 10, truncate=True), 2.0**-10),
        Format("hf32", lambda x: keep_bits(x, 11), 2.0**-12),
        Format("hf32 truncated", lambda x: keep_bits(x, 11, truncate=True), 2.0**-11),
        Format("float16", to_float16, 2.0**-11),
        Format("float16 flushed", to_float16_flushed, 2.0**-11),
        Format("bfloat16", to_bfloat16, 2.0**-8),
        Format("int8", to_int8, 2.0**-7),
    )
}

OF_DTYPE: Dict[torch.dtype, Format] = {
    torch.float32: FORMATS["float32"],
    torch.float16: FORMATS["float16"],
    torch.bfloat16: FORMATS["bfloat16"],
}
