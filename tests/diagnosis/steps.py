"""Elementwise steps and sums as a vector unit of some format makes them: each result is rounded."""

from __future__ import annotations

import math
from typing import Sequence, Union

import torch
from torch import Tensor

from diagnosis.rounding import Format

Number = Union[Tensor, float]


class Steps:
    """All methods take and give float32 tensors whose values the format holds.

    `sums` is the order of additions: "tree" (halves of the row), "blocks" (rows of 8, then the blocks),
    "sequential" (one after the other), "wide" (in float32 by PyTorch, rounded once). `habits` of real units: "reciprocal"
    (division multiplies by the reciprocal), "exp2" (exp(x) is 2 to x log2 e), "one pass" (the variance is the mean square less
    the squared mean), "folded" (a norm is the input by one factor and one number added), "loose" (functions are a last
    place off the nearest number, to either side; CUDA's C++ Programming Guide, Mathematical Functions, allows one or two).
    """

    def __init__(self, number_format: Format, sums: str = "tree", habits: Sequence[str] = ()) -> None:
        self.format = number_format
        self.sums = sums
        self.habits = habits

    def take(self, x: Number) -> Number:
        return self.format.round(x.float()) if isinstance(x, Tensor) else x

    def add(self, a: Number, b: Number) -> Tensor:
        return self.format.round(a + b)

    def sub(self, a: Number, b: Number) -> Tensor:
        return self.format.round(a - b)

    def mul(self, a: Number, b: Number) -> Tensor:
        return self.format.round(a * b)

    def div(self, a: Number, b: Number) -> Tensor:
        if "reciprocal" in self.habits and isinstance(b, Tensor):
            return self.mul(a, self.format.round(1.0 / b))
        return self.format.round(a / b)

    def variance(self, x: Tensor, mean: Tensor, dims: Sequence[int]) -> Tensor:
        if "one pass" in self.habits:
            return self.sub(self.mean(self.mul(x, x), dims), self.mul(mean, mean)).clamp(min=0)
        centred = self.sub(x, mean)
        return self.mean(self.mul(centred, centred), dims)

    def scaled(self, x: Tensor, mean: Tensor, spread: Tensor) -> Tensor:
        """(x - mean) spread"""
        if "folded" in self.habits:
            return self.sub(self.mul(x, spread), self.mul(mean, spread))
        return self.mul(self.sub(x, mean), spread)

    def apply(self, function: str, x: Tensor) -> Tensor:
        if function == "rsqrt" and "reciprocal" in self.habits:
            return self.div(torch.ones_like(x), self.apply("sqrt", x))
        if function == "exp" and "exp2" in self.habits:
            return self.format.round(torch.exp2(self.mul(x, math.log2(math.e))))
        y = self.format.round(getattr(torch, function)(x))
        return _moved(y) if "loose" in self.habits and function != "sqrt" else y

    def sum(self, x: Tensor, dims: Sequence[int]) -> Tensor:
        """Over the dims, which stay with size 1."""
        dims = sorted(d % x.ndim for d in dims) if x.ndim else []
        if not dims:
            return x
        if self.sums == "wide":
            return self.format.round(x.sum(dims, keepdim=True))
        rest = [d for d in range(x.ndim) if d not in dims]
        rows = x.permute(*rest, *dims).reshape([x.shape[d] for d in rest] + [-1])
        total = self._row_sum(rows)
        return total.reshape([1 if d in dims else x.shape[d] for d in range(x.ndim)])

    def _row_sum(self, rows: Tensor) -> Tensor:
        if rows.shape[-1] == 0:
            return rows.new_zeros(rows.shape[:-1])
        if self.sums == "blocks" and rows.shape[-1] > 8:
            fill = -rows.shape[-1] % 8
            rows = torch.nn.functional.pad(rows, (0, fill)).unflatten(-1, (-1, 8))
            return self._sequential(self._sequential(rows))
        if self.sums == "sequential":
            return self._sequential(rows)
        while rows.shape[-1] > 1:
            half = rows.shape[-1] // 2
            pairs = self.add(rows[..., :half], rows[..., half : 2 * half])
            rows = torch.cat([pairs, rows[..., 2 * half :]], -1)
        return rows[..., 0]

    def _sequential(self, rows: Tensor) -> Tensor:
        total = rows[..., 0]
        for i in range(1, rows.shape[-1]):
            total = self.add(total, rows[..., i])
        return total

    def mean(self, x: Tensor, dims: Sequence[int]) -> Tensor:
        count = 1
        for d in dims:
            count *= x.shape[d]
        return self.div(self.sum(x, dims), float(max(count, 1)))


def _moved(y: Tensor) -> Tensor:
    """By a last place to either side; 0 and 1, which devices meet, stay."""
    signs = torch.randint(0, 2, y.shape, generator=torch.Generator().manual_seed(y.numel())) * 2.0 - 1
    moved = torch.nextafter(y, signs * math.inf)
    return torch.where((y == 0) | (y.abs() == 1), y, moved)
