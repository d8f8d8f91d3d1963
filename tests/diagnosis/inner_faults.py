"""Faults inside one op: it computes something else than its name says. Same functions as in op_faults."""

from __future__ import annotations

from typing import Dict, Optional

import torch
from torch import Tensor

from diagnosis.arithmetic import Arithmetic
from diagnosis.call import Call
from diagnosis.op_faults import Accident, Fault, Results
from diagnosis.products import PRODUCTS
from diagnosis.rounding import FORMATS

_FACTORS = {
    "mm": ("self", "mat2"), "bmm": ("self", "mat2"), "addmm": ("mat1", "mat2"), "baddbmm": ("batch1", "batch2"),
    "convolution": ("input", "weight"), "convolution_backward": ("grad_output", "weight"),
}


def _again(a: Accident, call: Call) -> Results:
    """The op with other inputs, as the device computes it; None when shapes no longer fit."""
    try:
        rows = a.arithmetic.compute(call)
    except (RuntimeError, IndexError):
        return None
    for old, new in zip(a.results, rows):
        if isinstance(old, Tensor) != isinstance(new, Tensor) or isinstance(old, Tensor) and old.shape != new.shape:
            return None
    return rows


def _float16_sums(a: Accident) -> Results:
    if a.call.base not in PRODUCTS:
        return None
    recipe = a.arithmetic.product._replace(accumulator="float16", order="blocks", convolution="matrix")
    return Arithmetic("float16 sums", recipe, outputs=a.arithmetic.outputs).compute(a.call)


def _k_dropped(a: Accident) -> Results:
    """The last slices of the contraction are left out."""
    if a.call.base not in _FACTORS:
        return None
    first = _FACTORS[a.call.base][0]
    x = a.call.values[first].clone()
    dim = 1 if x.ndim == 4 else x.ndim - 1
    n = x.shape[dim]
    drop = min(n - 1, a.pick([1, max(1, n // 8), max(1, n // 4)]))
    if drop < 1:
        return None
    x.narrow(dim, n - drop, drop).zero_()
    return _again(a, a.call.with_values(**{first: x}))


def _transposed_operand(a: Accident) -> Results:
    if a.call.base not in _FACTORS or a.call.base.startswith("convolution"):
        return None
    name = a.pick(_FACTORS[a.call.base])
    x = a.call.values[name]
    if x.shape[-1] != x.shape[-2]:
        return None
    return _again(a, a.call.with_values(**{name: x.transpose(-1, -2).contiguous()}))


def _flipped_kernel(a: Accident) -> Results:
    """Convolution for correlation: the filter turned by half a turn."""
    if not a.call.base.startswith("convolution"):
        return None
    return _again(a, a.call.with_values(weight=a.call.values["weight"].flip(2, 3)))


def _stale_operand(a: Accident) -> Results:
    """One input is read from where an earlier tensor of its shape lies."""
    rows = []
    for name, x in a.call.floats():
        if name not in a.call.values:
            continue
        for old in a.earlier[-12:]:
            if old.shape == x.shape and old.dtype == x.dtype and not torch.equal(old, x):
                rows.append((name, old))
    if not rows:
        return None
    name, old = a.pick(rows)
    return _again(a, a.call.with_values(**{name: old}))


def _bias_left_out(a: Accident) -> Results:
    name = {"addmm": "self", "convolution": "bias", "native_layer_norm": "bias", "native_batch_norm": "bias"}.get(a.call.base)
    if name is None or a.call.values[name] is None:
        return None
    return _again(a, a.call.with_values(**{name: torch.zeros_like(a.call.values[name])}))


def _bias_of_another(a: Accident) -> Results:
    """The bias is read one place off."""
    name = {"addmm": "self", "convolution": "bias", "native_layer_norm": "bias"}.get(a.call.base)
    if name is None or a.call.values[name] is None or a.call.values[name].ndim != 1:
        return None
    return _again(a, a.call.with_values(**{name: torch.roll(a.call.values[name], 1)}))


def _term_missing(a: Accident) -> Results:
    if a.call.base not in ("add", "sub", "addcmul", "addcdiv") or not isinstance(a.call.values["self"], Tensor):
        return None
    y = a.call.values["self"]
    return [y.clone()] if y.shape == a.results[0].shape and y.dtype == a.results[0].dtype else None


def _border(a: Accident) -> Results:
    """Padding repeats the border instead of zeros."""
    if a.call.base != "convolution" or list(a.call.values["padding"]) != [1, 1]:
        return None
    x = torch.nn.functional.pad(a.call.values["input"].float(), (1, 1, 1, 1), mode="replicate")
    return _again(a, a.call.with_values(input=x.to(a.call.values["input"].dtype), padding=[0, 0]))


def _window_shifted(a: Accident) -> Results:
    if a.call.base not in ("convolution", "avg_pool2d", "max_pool2d_with_indices"):
        return None
    name = "input" if a.call.base == "convolution" else "self"
    return _again(a, a.call.with_values(**{name: torch.roll(a.call.values[name], 1, 3)}))


def _other_number(name: str, *factors: float) -> Fault:
    """The op uses another number than the recorded argument; half of the time by little."""

    def fault(a: Accident) -> Results:
        value = a.call.values.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        factor = a.pick(factors) if a.rng.random() < 0.5 else 1 + a.some(-5, 1)
        return _again(a, a.call.with_values(**{name: value * factor}))

    return fault


def _gelu_form(a: Accident) -> Results:
    form = a.call.values.get("approximate")
    if form is None:
        return None
    return _again(a, a.call.with_values(approximate="none" if form == "tanh" else "tanh"))


def _sample_variance(a: Accident) -> Results:
    """Divides by n - 1."""
    v = a.call.values
    if a.call.base == "native_layer_norm":
        n = int(torch.tensor(v["normalized_shape"]).prod())
        spread = a.results[2].float()
    elif a.call.base == "native_batch_norm" and v["training"]:
        n = v["input"].numel() // v["input"].shape[1]
        spread = a.results[2].float().reshape([1, -1] + [1] * (v["input"].ndim - 2))
    else:
        return None
    if n < 2:
        return None
    variance = spread**-2 - v["eps"]
    other = (variance * n / (n - 1) + v["eps"]).rsqrt()
    bias, x = v["bias"], a.results[0].float()
    if bias is None:
        bias = torch.zeros(())
    elif a.call.base == "native_batch_norm":
        bias = bias.reshape([1, -1] + [1] * (v["input"].ndim - 2))
    y = (x - bias) * (other / spread) + bias
    return [y.to(a.results[0].dtype), a.results[1], other.reshape(a.results[2].shape).to(a.results[2].dtype)]


def _softmax_without_maximum(a: Accident) -> Results:
    if a.call.base != "_softmax":
        return None
    x = a.call.values["self"].float()
    narrow = FORMATS["float16"].round if a.rng.random() < 0.7 else FORMATS["float32"].round
    e = narrow(torch.exp(x))
    y = e / narrow(e.sum(a.call.values["dim"], keepdim=True))
    return [y.to(a.results[0].dtype)]


def _other_axis(a: Accident) -> Results:
    v = a.call.values
    dim = v.get("dim")
    if a.call.base not in ("_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data", "sum", "mean"):
        return None
    lead = v.get("self", v.get("grad_output"))
    if lead is None or lead.ndim < 2 or dim is None:
        return None
    one = dim[0] if isinstance(dim, (list, tuple)) and len(dim) == 1 else dim
    if not isinstance(one, int):
        return None
    other = (one - 1) % lead.ndim if one % lead.ndim else 1
    rows = _again(a, a.call.with_values(dim=[other] if isinstance(dim, (list, tuple)) else other))
    return rows


def _mask_ignored(a: Accident) -> Results:
    v = a.call.values
    if a.call.base == "masked_fill":
        return [v["self"].clone()]
    if a.call.base == "threshold_backward":
        return [v["grad_output"].clone()]
    if a.call.base == "where" and a.results[0].shape == v["self"].shape:
        return [v["self"].clone()]
    return None


def _sum_for_mean(a: Accident) -> Results:
    v = a.call.values
    if a.call.base == "mean":
        factor = v["self"].numel() / max(a.results[0].numel(), 1)
    elif a.call.base == "sum":
        factor = max(a.results[0].numel(), 1) / v["self"].numel()
    elif "reduction" in v and v["reduction"] in (1, 2):
        return _again(a, a.call.with_values(reduction=3 - v["reduction"]))
    else:
        return None
    return [(a.results[0].float() * factor).to(a.results[0].dtype)]


def _operands_swapped(a: Accident) -> Results:
    v = a.call.values
    if a.call.base not in ("sub", "div") or not isinstance(v["other"], Tensor) or v["other"].shape != v["self"].shape:
        return None
    return _again(a, a.call.with_values(self=v["other"], other=v["self"]))


def _wrong_route(a: Accident) -> Results:
    """Max pooling sends a gradient back to the window's neighbour."""
    if a.call.base != "max_pool2d_with_indices_backward":
        return None
    indices = a.call.values["indices"]
    moved = (indices + 1).clamp(max=a.call.values["self"].shape[2] * a.call.values["self"].shape[3] - 1)
    return _again(a, a.call.with_values(indices=moved))


def _saved_of_another(a: Accident) -> Results:
    """A backward op reads the saved statistics of the neighbouring channel or row."""
    name = {"native_layer_norm_backward": "rstd", "native_batch_norm_backward": "save_invstd"}.get(a.call.base)
    if name is None or a.call.values[name] is None or a.call.values[name].numel() < 2:
        return None
    x: Optional[Tensor] = a.call.values[name]
    assert x is not None
    return _again(a, a.call.with_values(**{name: torch.roll(x.flatten(), 1).reshape(x.shape)}))


INSIDE: Dict[str, Fault] = {
    "sums in float16": _float16_sums,
    "end of K dropped": _k_dropped,
    "operand transposed": _transposed_operand,
    "kernel flipped": _flipped_kernel,
    "operand stale": _stale_operand,
    "bias left out": _bias_left_out,
    "bias one off": _bias_of_another,
    "term missing": _term_missing,
    "border repeated": _border,
    "window shifted": _window_shifted,
    "other eps inside": _other_number("eps", 1e3, 1e-4, 10),
    "other alpha inside": _other_number("alpha", 2, -1, 0.9),
    "other form of gelu": _gelu_form,
    "sample variance": _sample_variance,
    "softmax without maximum": _softmax_without_maximum,
    "other axis inside": _other_axis,
    "mask ignored": _mask_ignored,
    "sum for mean": _sum_for_mean,
    "operands swapped": _operands_swapped,
    "pooling sends back elsewhere": _wrong_route,
    "statistics one off": _saved_of_another,
}
