"""Honest arithmetic of a whole device: one way for products, one for vector ops, for every op of a run."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

from diagnosis.call import MOVES, Call
from diagnosis.formulas import FORMULAS
from diagnosis.products import PRODUCTS, Recipe
from diagnosis.rounding import FORMATS, OF_DTYPE, Format
from diagnosis.steps import Steps


HABITS = ("one pass", "exp2", "reciprocal", "folded", "loose")


class Arithmetic(NamedTuple):
    """name     class that tables show
    product  how matrix products and convolutions are made
    vector   "kernel" (PyTorch's in float32), "exact" (float64, rounded once) or "steps"; format, order of sums and habits of those
    outputs  format that every floating result is stored in, or None
    ties     which of equal elements max pooling takes: "first" or "last"
    """

    name: str
    product: Recipe = Recipe()
    vector: str = "kernel"
    vector_format: Format = FORMATS["float32"]
    sums: str = "tree"
    habits: Tuple[str, ...] = ()
    outputs: Optional[Format] = None
    ties: str = "first"

    def compute(self, call: Call) -> List[Any]:
        """The op's results in their dtypes."""
        if call.base in MOVES:
            return call.run()
        if call.base in PRODUCTS:
            rows = self.product.products(call)
        elif call.base == "max_pool2d_with_indices" and self.ties == "last":
            rows = _last_of_ties(call)
        else:
            rows = self._vector(call)
        return stored(call, rows, self.outputs)

    def _vector(self, call: Call) -> List[Any]:
        if not any(_is_float(tensor) for _, tensor in call.tensors()):
            return call.run()  # whole numbers are computed as such
        formula = FORMULAS.get(call.base)
        takes = self.vector_format.round
        if self.vector != "steps" or formula is None:
            if self.vector_format.name != "float32":
                call = Call(call.schema, {n: _each_float(v, takes) for n, v in call.values.items()})
            rows = call.run(torch.float64 if self.vector == "exact" else torch.float32)
            return [takes(y.float()) if _is_float(y) else y for y in rows]
        steps = Steps(self.vector_format, self.sums, self.habits)
        values = {name: _each_float(value, steps.take) for name, value in call.values.items()}
        rows = formula(steps, values)
        mask = values.get("output_mask")
        return [y if mask is None or mask[i] else None for i, y in enumerate(rows)]

    def relatives(self) -> List["Arithmetic"]:
        """Honest arithmetic of this class, itself first: sums in other orders, the habits of vector units."""
        product = self.product
        rows = [self]
        if product.accumulator == "float32":
            for order in ("kernel", "exact", "split", "blocks", "truncated blocks", "sequential"):
                rows.append(self._replace(product=product._replace(order=order, convolution="matrix")))
            for bias in ("kept", "rounded"):
                rows.append(self._replace(product=product._replace(bias=bias)))
            cut = FORMATS.get(f"{product.inputs.name} truncated")
            if cut is not None:  # GPUs round one product's operands and cut another's
                rows.append(self._replace(product=product._replace(inputs=cut)))
        if self.vector_format.name == "float32":
            rows += [self._replace(vector="exact"), self._replace(vector="kernel")]
            rows.append(self._replace(vector="steps", sums="sequential", habits=HABITS))
        for sums in ("tree", "sequential"):
            rows.append(self._replace(vector="steps", sums=sums, habits=()))
        return rows


def stored(call: Call, rows: List[Any], outputs: Optional[Format] = None) -> List[Any]:
    """The results in the dtypes and, where given, the format that the device stores."""
    dtypes = call.result_dtypes(len(rows))
    out = []
    for y, dtype in zip(rows, dtypes):
        if _is_float(y):
            y = OF_DTYPE[dtype].round(y.float())
            y = (y if outputs is None else outputs.round(y)).to(dtype)
        out.append(y)
    return out


def reference(call: Call) -> List[Any]:
    """The op in float64 on the call's inputs, floating results in float64."""
    return call.run(torch.float64)


def _is_float(y: Any) -> bool:
    return isinstance(y, Tensor) and y.is_floating_point()


def _each_float(value: Any, function: Any) -> Any:
    if _is_float(value):
        return function(value)
    if isinstance(value, (list, tuple)) and any(_is_float(item) for item in value):
        return [_each_float(item, function) for item in value]
    return value


def _last_of_ties(call: Call) -> List[Any]:
    """Max pooling that takes the last of equal elements: ranks with the position behind them."""
    x = call.values["self"].float()
    ranks = torch.unique(x, return_inverse=True)[1]
    keys = ranks.double() * x.numel() + torch.arange(x.numel()).reshape(x.shape)
    indices = call.with_values(self=keys).run()[1]
    flat = x.flatten(2)
    return [flat.gather(2, indices.flatten(2)).reshape(indices.shape), indices]
