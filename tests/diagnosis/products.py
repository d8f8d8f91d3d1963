"""Matrix products and convolutions: inputs rounded, sums in a chosen order and accumulator.

`Recipe.products(call)` gives the results of mm, bmm, addmm, baddbmm, convolution and convolution_backward in float32 (before
they are rounded to a result's dtype).
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor
from torch.nn import functional

from diagnosis.call import Call
from diagnosis.rounding import FORMATS, Format, to_float16
from diagnosis.winograd import winograd_3x3

PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "convolution", "convolution_backward"}


class Recipe(NamedTuple):
    """inputs      format that both factors are rounded to
    order       "kernel" (PyTorch's in float32), "exact" (one rounding), "split" (K in parts), "blocks" (16 products exactly,
                then into the accumulator), "truncated blocks" (that sum cut instead of rounded), "sequential"; transposed
                convolutions are always of PyTorch's order
    parts       of "split"
    accumulator "float32" or "float16" (of "blocks" and "sequential")
    bias        "kept" in float32, "rounded" as the inputs are, "first" (the sum begins with it)
    convolution "matrix" or "winograd", where that applies
    bias_sum    "vector": a bias gradient adds unrounded gradients; "rounded": the inputs of the product
    result      format the results are rounded to
    """

    inputs: Format = FORMATS["float32"]
    order: str = "kernel"
    parts: int = 2
    accumulator: str = "float32"
    bias: str = "kept"
    convolution: str = "matrix"
    bias_sum: str = "vector"
    result: Format = FORMATS["float32"]

    def multiply(self, a: Tensor, b: Tensor, start: Optional[Tensor] = None) -> Tensor:
        """[n, m, k] times [n, k, p] (plus `start`, which broadcasts) of rounded inputs."""
        k = a.shape[-1]
        if self.accumulator == "float16" or self.order in ("blocks", "truncated blocks", "sequential"):
            return self._chained(a, b, start)
        if self.order == "exact":
            y = (a.double() @ b.double())
            return (y if start is None else y + start).float()
        if self.order == "split" and k > 1:
            y = None
            for part in torch.arange(k).chunk(min(self.parts, k)):
                piece = a[..., part] @ b[..., part, :]
                y = piece if y is None else y + piece
        else:
            y = a @ b
        return y if start is None else y + start

    def _chained(self, a: Tensor, b: Tensor, start: Optional[Tensor]) -> Tensor:
        size = 1 if self.order == "sequential" else 16
        total = torch.zeros(a.shape[:-1] + b.shape[-1:]).double()
        if start is not None:
            total = total + start.double()
        a, b = a.double(), b.double()
        for k in range(0, a.shape[-1], size):
            total = self._accumulated(total + a[..., k : k + size] @ b[..., k : k + size, :])
        return total.float()

    def _accumulated(self, total: Tensor) -> Tensor:
        if self.accumulator == "float16":
            return to_float16(total.float()).double()
        if self.order == "truncated blocks":
            near = total.float().double()
            over = near.abs() > total.abs()
            inward = torch.nextafter(near.float(), torch.zeros_like(near, dtype=torch.float32)).double()
            return torch.where(over, inward, near)
        return total.float().double()

    def products(self, call: Call) -> List[Any]:
        base, v = call.base, call.values
        if base == "convolution":
            return [self.result.round(self._convolution(v))]
        if base == "convolution_backward":
            return [None if y is None else self.result.round(y) for y in self._convolution_backward(v)]
        return [self.result.round(self._matrices(base, v))]

    def _bias(self, bias: Tensor) -> Tensor:
        return self.inputs.round(bias.float()) if self.bias == "rounded" else bias.float()

    def _matrices(self, base: str, v: Dict[str, Any]) -> Tensor:
        a_name, b_name = {
            "mm": ("self", "mat2"), "bmm": ("self", "mat2"),
            "addmm": ("mat1", "mat2"), "baddbmm": ("batch1", "batch2"),
        }[base]
        a, b = self.inputs.round(v[a_name].float()), self.inputs.round(v[b_name].float())
        flat = a.ndim == 2
        if flat:
            a, b = a[None], b[None]
        bias = None
        if base in ("addmm", "baddbmm"):
            bias = self._bias(v["self"]) * float(v["beta"])
        plain = float(v.get("alpha", 1)) == 1
        start = bias if self.bias == "first" and plain else None
        y = self.multiply(a, b, start)
        y = y[0] if flat else y
        if not plain:
            y = y * float(v["alpha"])
        return y if bias is None or start is not None else y + bias

    # -- convolutions of images ------------------------------------------------------------------

    def _convolution(self, v: Dict[str, Any]) -> Tensor:
        x, w = self.inputs.round(v["input"].float()), self.inputs.round(v["weight"].float())
        bias = None if v["bias"] is None else self._bias(v["bias"])
        if v["transposed"] or self.order == "kernel" and self.convolution == "matrix":
            return torch.ops.aten.convolution(
                x, w, bias, v["stride"], v["padding"], v["dilation"], v["transposed"], v["output_padding"], v["groups"])
        if self.convolution == "winograd" and _suits_winograd(v):
            y = winograd_3x3(x, w, v["padding"])
        else:
            y = self._by_columns(x, w, v)
        return y if bias is None else y + bias.reshape(1, -1, 1, 1)

    def _by_columns(self, x: Tensor, w: Tensor, v: Dict[str, Any]) -> Tensor:
        groups, count = v["groups"], x.shape[0]
        columns = _columns(x, w, v)  # [n, groups, k, places]
        rows = w.reshape(groups, w.shape[0] // groups, -1).repeat(count, 1, 1)
        y = self.multiply(rows, columns.flatten(0, 1))
        height, width = _places(x, w, v)
        return y.reshape(count, w.shape[0], height, width)

    def _convolution_backward(self, v: Dict[str, Any]) -> List[Optional[Tensor]]:
        plain = v["grad_output"].float()
        g, x, w = (self.inputs.round(t.float()) for t in (plain, v["input"], v["weight"]))
        mask = v["output_mask"]
        bias = None
        if mask[2]:
            bias = (g if self.bias_sum == "rounded" else plain).sum((0, 2, 3))
        if v["transposed"] or self.order == "kernel" and self.accumulator == "float32":
            given = torch.ops.aten.convolution_backward(
                g, x, w, None, v["stride"], v["padding"], v["dilation"], v["transposed"], v["output_padding"], v["groups"],
                [mask[0], mask[1], False])
            return [given[0] if mask[0] else None, given[1] if mask[1] else None, bias]
        groups, count = v["groups"], x.shape[0]
        rows = w.reshape(groups, w.shape[0] // groups, -1)
        gradients = g.reshape(count, groups, w.shape[0] // groups, -1)
        to_input = to_weight = None
        if mask[0]:
            columns = self.multiply(rows.transpose(1, 2).repeat(count, 1, 1), gradients.flatten(0, 1))
            to_input = functional.fold(
                columns.reshape(count, -1, columns.shape[-1]), x.shape[2:], w.shape[2:],
                dilation=v["dilation"], padding=v["padding"], stride=v["stride"])
        if mask[1]:
            columns = _columns(x, w, v)
            left = gradients.permute(1, 2, 0, 3).flatten(2)
            right = columns.permute(1, 0, 3, 2).flatten(1, 2)
            to_weight = self.multiply(left, right).reshape(w.shape)
        return [to_input, to_weight, bias]


def _suits_winograd(v: Dict[str, Any]) -> bool:
    return (
        tuple(v["weight"].shape[2:]) == (3, 3)
        and list(v["stride"]) == [1, 1]
        and list(v["dilation"]) == [1, 1]
        and v["groups"] == 1
    )


def _columns(x: Tensor, w: Tensor, v: Dict[str, Any]) -> Tensor:
    columns = functional.unfold(
        x, w.shape[2:], dilation=v["dilation"], padding=v["padding"], stride=v["stride"])
    return columns.reshape(x.shape[0], v["groups"], -1, columns.shape[-1])


def _places(x: Tensor, w: Tensor, v: Dict[str, Any]) -> Tuple[int, int]:
    out = []
    for d in (0, 1):
        reach = v["dilation"][d] * (w.shape[2 + d] - 1) + 1
        out.append((x.shape[2 + d] + 2 * v["padding"][d] - reach) // v["stride"][d] + 1)
    return out[0], out[1]
