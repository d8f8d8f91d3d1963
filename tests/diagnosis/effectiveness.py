"""Whether a planted fault can be seen at all: what honest arithmetic makes of the same inputs is the yardstick.

The yardstick's class is that of the whole run; of that class the most lenient arithmetic counts: sums in any order, and every
habit of a vector unit. For each element there is a scale: the sum of the magnitudes that a product adds, or what half a unit in
the inputs and in the result means there. The allowance is the scale times the largest error in scales, against float64, that
these arithmetics make in the op's result (all but a hundredth of the elements), but no less than their error in this element and
than half a unit of the result's format.
"""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Tuple

import torch
from torch import Tensor

from diagnosis.arithmetic import Arithmetic, reference
from diagnosis.call import MOVES, Call
from diagnosis.products import PRODUCTS
from diagnosis.rounding import OF_DTYPE

SEEN = 3.0  # times the allowance in some element: the fault counts
GROSS = 10.0
BIASED = 8.0  # z from which a fault counts, too
_WORST = 0.99
# Half of the smallest number; where exponents are float32's the smallest normal one, since processors take smaller ones for 0.
_TINY = {torch.float16: 2.0**-25, torch.bfloat16: 2.0**-126, torch.float32: 2.0**-126}


class Effect(NamedTuple):
    """ratio: largest difference in allowances; infinite where a finite value became none. z: of the mean difference, where
    an element is beyond its allowance and honest runs show no such bias, else 0."""

    ratio: float
    z: float

    @property
    def counts(self) -> bool:
        return self.ratio > SEEN or self.z > BIASED

    @property
    def gross(self) -> bool:
        return self.ratio > GROSS


def effect(call: Call, arithmetic: Arithmetic, faulty: List[Any]) -> Effect:
    """Of results that stand where honest ones should, on these inputs."""
    exact = reference(call)
    honest = [member.compute(call) for member in _distinct(arithmetic, call)]
    ratio, z = 0.0, 0.0
    for k, result in enumerate(faulty):
        if not isinstance(result, Tensor) or result.numel() == 0:
            continue
        if not result.is_floating_point():
            if not any(torch.equal(result, rows[k]) for rows in honest):
                ratio = math.inf
            continue
        allowed = _allowance(call, arithmetic, exact, honest, k)
        rows = [rows[k].double() for rows in honest]
        here = _compared(result.double(), exact[k], rows, allowed)
        ratio, z = max(ratio, here.ratio), max(z, here.z)
    return Effect(ratio, z)


def _distinct(arithmetic: Arithmetic, call: Call) -> List[Arithmetic]:
    """The relatives that differ for this op."""
    rows, seen = [], set()
    for member in arithmetic.relatives():
        if call.base in MOVES:
            key: Any = None
        elif call.base in PRODUCTS:
            key = member.product
        else:
            key = (member.vector, member.vector_format.name, member.sums, member.habits)
        if key not in seen:
            seen.add(key)
            rows.append(member)
    return rows


def _allowance(call: Call, arithmetic: Arithmetic, exact: List[Any], honest: List[List[Any]], k: int) -> Tensor:
    y = exact[k]
    error = torch.stack([(rows[k].double() - y).abs() for rows in honest]).amax(0)
    error = torch.where(torch.isfinite(error), error, torch.zeros_like(error))
    dtype = honest[0][k].dtype
    if call.base == "_to_copy":  # rounded in any way
        return torch.maximum(error, 2 * OF_DTYPE[dtype].unit * y.abs()) + _TINY[dtype]
    if call.base in MOVES:
        return error + _TINY[dtype]
    formats = [OF_DTYPE[dtype].unit]
    if arithmetic.outputs is not None:
        formats.append(arithmetic.outputs.unit)
    if call.base in PRODUCTS:
        formats.append(arithmetic.product.result.unit)
        scale = reference(_absolute(call))[k].abs()
    else:
        formats.append(arithmetic.vector_format.unit)
        scale = _perturbed(call, y, k, max(formats)) + max(formats) * y.abs()
    share = torch.where(scale > 0, error / scale, torch.zeros_like(scale))
    worst = float(torch.quantile(share.flatten()[:100000], _WORST))
    floor = max(formats) * y.abs() + _TINY[dtype]
    if arithmetic.outputs is not None or arithmetic.vector_format.name != "float32":
        floor = floor + _TINY[torch.float16 if "float16" in arithmetic.vector_format.name else torch.bfloat16]
    return torch.maximum(torch.maximum(error, worst * scale), floor)


def _absolute(call: Call) -> Call:
    """All terms of the sums made positive."""
    changed = {name: value.abs() for name, value in call.floats()}
    for name in ("alpha", "beta"):
        if name in call.values:
            changed[name] = abs(call.values[name])
    return call.with_values(**changed)


def _perturbed(call: Call, y: Tensor, k: int, unit: float) -> Tensor:
    """What the inputs' last places mean for the result: root of the mean square over eight draws of signs."""
    generator = torch.Generator().manual_seed(7)
    total = torch.zeros_like(y)
    lists = {name for name, value in call.values.items() if isinstance(value, (list, tuple))}
    names = [name for name, _ in call.floats() if name in call.values and name not in lists]
    for _ in range(8):
        changed = {}
        for name in names:
            x = call.values[name].double()
            signs = torch.randint(0, 2, x.shape, generator=generator).double() * 2 - 1
            changed[name] = x * (1 + unit * signs)
        moved = (reference(call.with_values(**changed))[k] - y).square()
        total += torch.where(torch.isfinite(moved), moved, torch.zeros_like(moved))
    return (total / 8).sqrt()


def _compared(faulty: Tensor, exact: Tensor, honest: List[Tensor], allowed: Tensor) -> Effect:
    finite = torch.isfinite(exact) & torch.isfinite(honest[0])
    if not bool(finite.any()):
        return Effect(0.0, 0.0)
    if not bool(torch.isfinite(faulty[finite]).all()):
        return Effect(math.inf, 0.0)
    difference = torch.minimum((faulty - exact).abs(), (faulty - honest[0]).abs())[finite]
    ratio = float((difference / allowed[finite]).max())
    own = _bias(faulty, exact, allowed, finite)
    usual = max(max(_bias(row, exact, allowed, finite)) for row in honest)
    z = max(own)
    return Effect(ratio, z if z > 3 * usual and ratio > 1 else 0.0)


def _bias(y: Tensor, exact: Tensor, allowed: Tensor, finite: Tensor) -> Tuple[float, float]:
    """|z| of the mean error in allowances, as it is and towards zero."""
    error = ((y - exact) / allowed)[finite]
    error = error[torch.isfinite(error)]
    if error.numel() < 16 or float(error.abs().max()) == 0:
        return 0.0, 0.0
    toward = error * torch.sign(exact[finite])[: error.numel()]
    spread = float(error.square().mean().sqrt())
    root = math.sqrt(error.numel())
    return abs(float(error.mean())) / spread * root, abs(float(toward.mean())) / spread * root
