"""Vector ops written as the steps a vector unit takes, by the op's base name: (steps, values) -> results.

The values are a call's, floats already in the unit's format. Ops without a row here have no inner steps.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Sequence

import torch
from torch import Tensor

from diagnosis.steps import Steps

Values = Dict[str, Any]
Formula = Callable[[Steps, Values], List[Tensor]]


def _scaled(s: Steps, x: Any, alpha: Any) -> Any:
    return x if alpha in (1, None) else s.mul(x, float(alpha)) if isinstance(x, Tensor) else x * alpha


def _add(s: Steps, v: Values) -> List[Tensor]:
    return [s.add(v["self"], _scaled(s, v["other"], v.get("alpha")))]


def _sub(s: Steps, v: Values) -> List[Tensor]:
    return [s.sub(v["self"], _scaled(s, v["other"], v.get("alpha")))]


def _rsub(s: Steps, v: Values) -> List[Tensor]:
    return [s.sub(v["other"], _scaled(s, v["self"], v.get("alpha")))]


def _pow(s: Steps, v: Values) -> List[Tensor]:
    x, n = v["self"], v["exponent"]
    if n in (2, 3):
        y = s.mul(x, x)
        return [y if n == 2 else s.mul(y, x)]
    return [s.format.round(torch.pow(x, n))]


def _sigmoid(s: Steps, x: Tensor) -> Tensor:
    return s.div(torch.ones_like(x), s.add(s.apply("exp", -x), 1.0))


def _silu(s: Steps, v: Values) -> List[Tensor]:
    return [s.mul(v["self"], _sigmoid(s, v["self"]))]


def _silu_backward(s: Steps, v: Values) -> List[Tensor]:
    x, y = v["self"], _sigmoid(s, v["self"])
    inner = s.add(s.mul(x, s.sub(1.0, y)), 1.0)
    return [s.mul(s.mul(v["grad_output"], y), inner)]


def _gelu_inner(s: Steps, x: Tensor) -> Tensor:
    cube = s.mul(s.mul(x, x), x)
    return s.mul(s.add(x, s.mul(cube, 0.044715)), math.sqrt(2 / math.pi))


def _gelu(s: Steps, v: Values) -> List[Tensor]:
    x = v["self"]
    if v.get("approximate") == "tanh":
        return [s.mul(s.mul(x, 0.5), s.add(s.apply("tanh", _gelu_inner(s, x)), 1.0))]
    return [s.mul(s.mul(x, 0.5), s.add(s.apply("erf", s.mul(x, math.sqrt(0.5))), 1.0))]


def _gelu_backward(s: Steps, v: Values) -> List[Tensor]:
    x, g = v["self"], v["grad_output"]
    if v.get("approximate") == "tanh":
        t = s.apply("tanh", _gelu_inner(s, x))
        slope = s.mul(s.add(s.mul(s.mul(x, x), 3 * 0.044715), 1.0), math.sqrt(2 / math.pi))
        inner = s.mul(s.mul(s.mul(x, 0.5), s.sub(1.0, s.mul(t, t))), slope)
        return [s.mul(g, s.add(s.mul(s.add(t, 1.0), 0.5), inner))]
    cdf = s.mul(s.add(s.apply("erf", s.mul(x, math.sqrt(0.5))), 1.0), 0.5)
    density = s.mul(s.apply("exp", s.mul(s.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return [s.mul(g, s.add(cdf, s.mul(x, density)))]


def _tanh_backward(s: Steps, v: Values) -> List[Tensor]:
    y = v["output"]
    return [s.mul(v["grad_output"], s.sub(1.0, s.mul(y, y)))]


def _sigmoid_backward(s: Steps, v: Values) -> List[Tensor]:
    y = v["output"]
    return [s.mul(s.mul(v["grad_output"], y), s.sub(1.0, y))]


def _softmax(s: Steps, v: Values) -> List[Tensor]:
    x, dim = v["self"], v["dim"]
    e = s.apply("exp", s.sub(x, x.amax(dim, keepdim=True)))
    return [s.div(e, s.sum(e, [dim]))]


def _softmax_backward(s: Steps, v: Values) -> List[Tensor]:
    g, y, dim = v["grad_output"], v["output"], v["dim"]
    total = s.sum(s.mul(g, y), [dim])
    return [s.mul(y, s.sub(g, total))]


def _log_softmax(s: Steps, v: Values) -> List[Tensor]:
    x, dim = v["self"], v["dim"]
    centred = s.sub(x, x.amax(dim, keepdim=True))
    total = s.sum(s.apply("exp", centred), [dim])
    return [s.sub(centred, s.apply("log", total))]


def _log_softmax_backward(s: Steps, v: Values) -> List[Tensor]:
    g, dim = v["grad_output"], v["dim"]
    return [s.sub(g, s.mul(s.apply("exp", v["output"]), s.sum(g, [dim])))]


def _dims(v: Values) -> Sequence[int]:
    x, dims = v["self"], v.get("dim")
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(x.ndim))
    return [dims] if isinstance(dims, int) else list(dims)


def _squeezed(total: Tensor, v: Values) -> List[Tensor]:
    if v.get("keepdim"):
        return [total]
    gone = {d % max(v["self"].ndim, 1) for d in _dims(v)}
    return [total.reshape([n for d, n in enumerate(v["self"].shape) if d not in gone])]


def _sum(s: Steps, v: Values) -> List[Tensor]:
    return _squeezed(s.sum(v["self"], _dims(v)), v)


def _mean(s: Steps, v: Values) -> List[Tensor]:
    return _squeezed(s.mean(v["self"], _dims(v)), v)


def _normalised(s: Steps, x: Tensor, dims: Sequence[int], eps: float) -> Sequence[Tensor]:
    mean = s.mean(x, dims)
    spread = s.apply("rsqrt", s.add(s.variance(x, mean, dims), eps))
    return mean, spread, s.scaled(x, mean, spread)


def _layer_norm(s: Steps, v: Values) -> List[Tensor]:
    x = v["input"]
    dims = list(range(x.ndim - len(v["normalized_shape"]), x.ndim))
    mean, spread, y = _normalised(s, x, dims, v["eps"])
    if v["weight"] is not None:
        y = s.mul(y, v["weight"])
    if v["bias"] is not None:
        y = s.add(y, v["bias"])
    return [y, mean, spread]


def _input_gradient(s: Steps, g: Tensor, y: Tensor, spread: Tensor, dims: Sequence[int]) -> Tensor:
    first = s.mean(g, dims)
    second = s.mul(y, s.mean(s.mul(g, y), dims))
    return s.mul(s.sub(s.sub(g, first), second), spread)


def _layer_norm_backward(s: Steps, v: Values) -> List[Tensor]:
    x, g = v["input"], v["grad_out"]
    inner = list(range(x.ndim - len(v["normalized_shape"]), x.ndim))
    outer = list(range(inner[0]))
    y = s.scaled(x, v["mean"], v["rstd"])
    weighted = g if v["weight"] is None else s.mul(g, v["weight"])
    shape = v["normalized_shape"]
    return [
        _input_gradient(s, weighted, y, v["rstd"], inner),
        s.sum(s.mul(g, y), outer).reshape(shape),
        s.sum(g, outer).reshape(shape),
    ]


def _channels(x: Tensor, row: Tensor) -> Tensor:
    return row.reshape([1, -1] + [1] * (x.ndim - 2))


def _others(x: Tensor) -> List[int]:
    return [d for d in range(x.ndim) if d != 1]


def _batch_norm(s: Steps, v: Values) -> List[Tensor]:
    x = v["input"]
    if v["training"]:
        mean, spread, y = _normalised(s, x, _others(x), v["eps"])
    else:
        spread = s.apply("rsqrt", s.add(_channels(x, v["running_var"]), v["eps"]))
        y = s.scaled(x, _channels(x, v["running_mean"]), spread)
    if v["weight"] is not None:
        y = s.mul(y, _channels(x, v["weight"]))
    if v["bias"] is not None:
        y = s.add(y, _channels(x, v["bias"]))
    if not v["training"]:
        return [y, x.new_zeros(0), x.new_zeros(0)]
    return [y, mean.flatten(), spread.flatten()]


def _batch_norm_backward(s: Steps, v: Values) -> List[Tensor]:
    x, g = v["input"], v["grad_out"]
    if v["train"]:
        mean, spread = _channels(x, v["save_mean"]), _channels(x, v["save_invstd"])
    else:
        mean = _channels(x, v["running_mean"])
        spread = s.apply("rsqrt", s.add(_channels(x, v["running_var"]), v["eps"]))
    y = s.scaled(x, mean, spread)
    weighted = g if v["weight"] is None else s.mul(g, _channels(x, v["weight"]))
    to_input = (
        _input_gradient(s, weighted, y, spread, _others(x)) if v["train"] else s.mul(weighted, spread)
    )
    return [
        to_input,
        s.sum(s.mul(g, y), _others(x)).flatten(),
        s.sum(g, _others(x)).flatten(),
    ]


def _group_norm(s: Steps, v: Values) -> List[Tensor]:
    x = v["input"]
    rows = x.reshape(v["N"], v["group"], -1)
    mean, spread, y = _normalised(s, rows, [2], v["eps"])
    y = y.reshape(x.shape)
    if v["weight"] is not None:
        y = s.mul(y, _channels(x, v["weight"]))
    if v["bias"] is not None:
        y = s.add(y, _channels(x, v["bias"]))
    return [y, mean.flatten(1), spread.flatten(1)]


def _group_norm_backward(s: Steps, v: Values) -> List[Tensor]:
    x, g = v["input"], v["grad_out"]
    rows = (v["N"], v["group"], -1)
    spread = v["rstd"].unsqueeze(2)
    y = s.scaled(x.reshape(rows), v["mean"].unsqueeze(2), spread)
    weighted = g if v["weight"] is None else s.mul(g, _channels(x, v["weight"]))
    return [
        _input_gradient(s, weighted.reshape(rows), y, spread, [2]).reshape(x.shape),
        s.sum(s.mul(g, y.reshape(x.shape)), _others(x)).flatten(),
        s.sum(g, _others(x)).flatten(),
    ]


def _mse_loss(s: Steps, v: Values) -> List[Tensor]:
    d = s.sub(v["self"], v["target"])
    square = s.mul(d, d)
    every = list(range(square.ndim))
    return [s.mean(square, every).reshape(()) if v["reduction"] == 1 else s.sum(square, every).reshape(())]


def _mse_loss_backward(s: Steps, v: Values) -> List[Tensor]:
    x = v["self"]
    factor = 2.0 / x.numel() if v["reduction"] == 1 else 2.0
    return [s.mul(s.mul(s.sub(x, v["target"]), factor), v["grad_output"])]


def _addcmul(s: Steps, v: Values) -> List[Tensor]:
    return [s.add(v["self"], _scaled(s, s.mul(v["tensor1"], v["tensor2"]), v["value"]))]


def _addcdiv(s: Steps, v: Values) -> List[Tensor]:
    return [s.add(v["self"], _scaled(s, s.div(v["tensor1"], v["tensor2"]), v["value"]))]


FORMULAS: Dict[str, Formula] = {
    "add": _add,
    "sub": _sub,
    "rsub": _rsub,
    "mul": lambda s, v: [s.mul(v["self"], v["other"])],
    "div": lambda s, v: [s.div(v["self"], v["other"])],
    "pow": _pow,
    "sqrt": lambda s, v: [s.apply("sqrt", v["self"])],
    "rsqrt": lambda s, v: [s.apply("rsqrt", v["self"])],
    "exp": lambda s, v: [s.apply("exp", v["self"])],
    "log": lambda s, v: [s.apply("log", v["self"])],
    "tanh": lambda s, v: [s.apply("tanh", v["self"])],
    "sigmoid": lambda s, v: [_sigmoid(s, v["self"])],
    "silu": _silu,
    "silu_backward": _silu_backward,
    "gelu": _gelu,
    "gelu_backward": _gelu_backward,
    "tanh_backward": _tanh_backward,
    "sigmoid_backward": _sigmoid_backward,
    "_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax": _log_softmax,
    "_log_softmax_backward_data": _log_softmax_backward,
    "sum": _sum,
    "mean": _mean,
    "native_layer_norm": _layer_norm,
    "native_layer_norm_backward": _layer_norm_backward,
    "native_batch_norm": _batch_norm,
    "native_batch_norm_backward": _batch_norm_backward,
    "native_group_norm": _group_norm,
    "native_group_norm_backward": _group_norm_backward,
    "mse_loss": _mse_loss,
    "mse_loss_backward": _mse_loss_backward,
    "addcmul": _addcmul,
    "addcdiv": _addcdiv,
}
