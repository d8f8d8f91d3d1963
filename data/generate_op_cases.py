#!/usr/bin/python3
"""Writes data/op_cases.json: IR ops with small inputs and their results computed by PyTorch in float64.

Inputs are multiples of 1/64 below 4, so that float16, float32 and float64 hold them exactly and one oracle
serves every dtype. Needs Debian's python3-torch. Deterministic.
"""
import json
import pathlib

import numpy as np
import torch

rng = np.random.default_rng(20240611)
cases = []


def grid(*shape, low=-3.0, high=3.0, step=64):
    """A float64 tensor of multiples of 1/step."""
    return torch.from_numpy(np.asarray(rng.integers(int(low * step), int(high * step) + 1, shape) / float(step)))


def ints(*shape, low=0, high=5):
    return torch.from_numpy(np.asarray(rng.integers(low, high, shape)))


class Mask(tuple):
    """A bool[N] argument."""


def encode(value):
    if isinstance(value, torch.Tensor):
        kinds = {torch.bool: "bool", torch.uint8: "uint8"}
        kind = "float" if value.is_floating_point() else kinds.get(value.dtype, "int64")
        flat = value.reshape(-1).tolist()
        return {"tensor": kind, "shape": list(value.shape),
                "values": [repr(v) if isinstance(v, float) and not np.isfinite(v) else v for v in flat]}
    if isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value):
        return {"tensors": [encode(v) for v in value]}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, float):
        return {"real": value if np.isfinite(value) else repr(value)}
    if isinstance(value, str):
        return {"text": value}
    if value is None:
        return None
    if isinstance(value, Mask):
        return {"mask": list(value)}
    if any(isinstance(v, float) for v in value):
        return {"reals": list(value)}
    return {"ints": list(value)}


def case(name, *arguments, oracle=None, **named):
    """One case; the oracle is torch.ops.aten's op of that name unless one is given."""
    if oracle is None:
        base, _, overload = name.partition(".")
        oracle = getattr(getattr(torch.ops.aten, base), overload or "default")
    results = oracle(*arguments, **named)
    if not isinstance(results, (tuple,)):
        results = (results,)
    cases.append({"op": name.replace(".", "_"), "positional": [encode(a) for a in arguments],
                  "named": {k: encode(v) for k, v in named.items()}, "results": [encode(r) for r in results]})


def convolutions():
    def conv(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
        return torch.convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups)
    for shape, weight, bias, arguments in (
            ((2, 3, 6, 5), (4, 3, 3, 3), True, ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)),
            ((1, 4, 7, 7), (6, 2, 3, 2), False, ([2, 1], [0, 1], [2, 1], False, [0, 0], 2)),
            ((2, 4, 5, 5), (4, 1, 3, 3), True, ([2, 2], [1, 1], [1, 1], False, [0, 0], 4)),
            ((1, 3, 4, 4), (5, 3, 1, 1), True, ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)),
            ((2, 4, 3, 4), (4, 3, 3, 3), True, ([2, 2], [1, 1], [1, 1], True, [1, 0], 2)),
            ((2, 3, 9), (4, 3, 3), True, ([2], [1], [1], False, [0], 1))):
        outputs = weight[1] * arguments[5] if arguments[3] else weight[0]
        b = grid(outputs) if bias else None
        case("convolution", grid(*shape), grid(*weight, low=-1, high=1), b, *arguments, oracle=conv)


def matrix_products():
    case("mm", grid(5, 7), grid(7, 3))
    case("mm", grid(1, 40), grid(40, 1))
    case("bmm", grid(3, 2, 5), grid(3, 5, 4))
    case("addmm", grid(4), grid(3, 6), grid(6, 4))
    case("addmm", grid(3, 4), grid(3, 6), grid(6, 4), beta=0.5, alpha=2)
    case("baddbmm", grid(2, 3, 4), grid(2, 3, 5), grid(2, 5, 4), beta=1, alpha=1)


def pointwise():
    x = grid(3, 5)
    for name in ("relu", "neg", "abs", "floor", "ceil", "round", "exp", "erf", "sin", "cos"):
        case(name, x)
    positive = grid(3, 5, low=0.25, high=3)
    for name in ("sqrt", "rsqrt", "reciprocal", "log"):
        case(name, positive)
    for name in ("add.Tensor", "sub.Tensor", "mul.Tensor", "maximum", "minimum"):
        case(name, grid(2, 3, 4), grid(3, 1))
        case(name, grid(1, 4), grid(3, 1))
        case(name, ints(2, 3), ints(3))
    case("add.Tensor", grid(4), grid(4), alpha=2)
    case("sub.Tensor", grid(4), grid(4), alpha=0.5)
    case("div.Tensor", grid(2, 3), positive[:2, :3].contiguous())
    case("div.Tensor_mode", grid(6), grid(6, low=1, high=2), rounding_mode="floor")
    case("div.Tensor_mode", ints(6, low=-9, high=9), ints(6, low=1, high=4), rounding_mode="trunc")
    case("div.Tensor_mode", ints(6, low=-9, high=9), ints(6, low=1, high=4), rounding_mode="floor")
    for name in ("add.Scalar", "sub.Scalar", "mul.Scalar", "div.Scalar"):
        case(name, grid(4), 1.5)
        case(name, grid(4), 2)
    case("pow.Tensor_Scalar", grid(6, low=-2, high=2), 3)
    case("pow.Tensor_Scalar", positive, 0.5)
    case("pow.Tensor_Scalar", ints(6), 3)
    case("pow.Tensor_Tensor", positive, grid(5, low=-2, high=2))


def comparisons():
    for name in ("eq", "ne", "gt", "ge", "lt", "le"):
        case(name + ".Tensor", grid(3, 4, step=1), grid(4, step=1))
        case(name + ".Scalar", grid(6, step=1), 1)
    case("where.self", grid(3, 4) > 0, grid(3, 4), grid(4))
    case("clamp", grid(8), -1.0, 1.5)
    case("clamp", grid(8), 0.25)
    case("clamp", ints(8), 1, 3)
    case("hardtanh", grid(8), -1, 1)


def activations():
    x = grid(3, 7)
    for name in ("tanh", "sigmoid", "silu", "hardsigmoid", "hardswish", "leaky_relu", "elu"):
        case(name, x)
    case("gelu", x, approximate="none")
    case("gelu", x, approximate="tanh")
    case("_softmax", grid(2, 3, 5), -1, False)
    case("_softmax", grid(2, 3, 5), 1, False)
    case("_log_softmax", grid(4, 6), 1, False)


def reductions():
    x = grid(2, 3, 4)
    case("mean.dim", x, [-1], True)
    case("mean.dim", x, [0, 2], False)
    case("mean.dim", x, None, False)
    case("sum.dim_IntList", x, [1], False)
    case("sum.dim_IntList", x, [0, 1], True)
    case("sum.dim_IntList", ints(3, 4), [1], False)
    case("amax", x, [2], False)
    case("amin", x, [0, 1], True)
    case("argmax", x, 1, False)
    case("argmin", x, -1, True)
    case("argmax", x)


def normalizations():
    case("native_layer_norm", grid(3, 4, 6), [6], grid(6), grid(6), 1e-5)
    case("native_layer_norm", grid(2, 3, 4), [3, 4], None, None, 1e-3)
    arguments = (grid(3, 4, 5, 2), grid(4), grid(4), grid(4), grid(4, low=0.5, high=2))
    case("native_batch_norm", *arguments, False, 0.1, 1e-5)
    case("native_batch_norm", *[a.clone() for a in arguments], True, 0.1, 1e-5,
         oracle=lambda x, w, b, m, v, t, f, e: torch.native_batch_norm(x, w, b, m.clone(), v.clone(), t, f, e))
    case("native_batch_norm", grid(6, 3), None, None, None, None, True, 0.1, 1e-5)


def poolings():
    x = grid(2, 3, 7, 6)
    case("max_pool2d_with_indices", x, [3, 3], [2, 2], [1, 1], [1, 1], False)
    case("max_pool2d_with_indices", x, [2, 2], [2, 2], [0, 0], [1, 1], True)
    case("max_pool2d_with_indices", grid(3, 5, 5), [2, 3], [1, 1], [0, 1], [2, 1], False)
    case("avg_pool2d", x, [2, 2])
    case("avg_pool2d", x, [3, 3], [2, 2], [1, 1], False, False)
    case("avg_pool2d", x, [3, 3], [2, 2], [1, 1], True, True)
    case("avg_pool2d", x, [3, 2], [1, 1], [1, 0], False, True, 5)


def arrangements():
    case("cat", [grid(2, 3), grid(2, 1), grid(2, 2)], 1)
    case("cat", [grid(2, 3), grid(1, 3)], 0)
    case("index_select", grid(3, 4, 2), 1, torch.tensor([2, 0, 3]))
    case("embedding", grid(5, 3), torch.tensor([[0, 4], [2, 2]]))
    case("gather", grid(3, 4), 1, torch.tensor([[0, 3], [1, 1], [2, 0]]))
    case("clone", grid(3))
    case("_to_copy", grid(3))
    case("constant_pad_nd", grid(2, 3, 2), [1, 2, 0, 1], 0.5)
    case("constant_pad_nd", grid(4, 5), [-1, 1], 0)


def views():
    x = grid(2, 3, 4)
    case("view", x, [4, -1])
    case("_unsafe_view", x, [6, 4])
    case("reshape", x, [24])
    case("alias", x)
    case("detach", x)
    case("permute", x, [2, 0, 1])
    case("t", grid(2, 3))
    case("transpose.int", x, 0, -1)
    case("expand", grid(3, 1), [2, -1, 4])
    case("squeeze", grid(1, 3, 1))
    case("squeeze.dim", grid(1, 3, 1), -1)
    case("squeeze.dims", grid(1, 3, 1, 1), [0, 2], oracle=lambda x, dim: x.squeeze(2).squeeze(0))
    case("unsqueeze", x, -1)
    case("select.int", x, 1, -1)
    case("slice.Tensor", x, 2, 1, 4, 2)
    case("slice.Tensor", x, 1, -2)
    case("split_with_sizes", grid(2, 6), [1, 2, 3], 1)
    case("split.Tensor", grid(2, 5), 2, 1)


def trigonometry():
    x = grid(3, 5, low=-0.9, high=0.9)
    for name in ("tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "atanh"):
        case(name, x)
    case("acosh", grid(3, 5, low=1.25, high=3))
    case("sign", grid(3, 5, step=1))
    case("sign", ints(7, low=-2, high=3))
    case("softplus", grid(3, 7))
    case("softplus", grid(3, 7), 2, 20)


def logic():
    left, right = grid(3, 4) > 0, grid(4) > 0
    for name in ("logical_and", "logical_or", "logical_xor"):
        case(name, left, right)
        case(name, ints(6, high=2), ints(6, high=2))
    case("logical_not", left)
    case("bitwise_left_shift.Tensor", ints(6, high=9), ints(6, high=5))
    case("bitwise_right_shift.Tensor", ints(6, low=-99, high=99), ints(6, high=5))
    for name in ("fmod.Tensor", "remainder.Tensor"):
        case(name, ints(8, low=-9, high=9), ints(8, low=1, high=4) * ints(8, low=0, high=2).mul(2).sub(1))
        case(name, grid(2, 4), grid(4, low=1, high=2))
        case(name, grid(2, 4), grid(4, low=-2, high=-1))
    case("isnan", grid(4))
    case("isinf", grid(4))


def orders():
    x = grid(2, 3, 4, step=4)
    case("cumsum", x, 1)
    case("cumsum", ints(2, 5), -1)
    case("prod.dim_int", grid(3, 4, low=0.5, high=2, step=4), 1)
    case("prod.dim_int", ints(3, 4), 0, True)
    case("sort", grid(3, 6), -1, True)
    case("sort", ints(5, 3, high=3), 0, oracle=lambda t, d: torch.sort(t, dim=d, stable=True))
    case("topk", grid(3, 8), 3, 1)
    case("topk", grid(8, 2), 2, 0, False)
    for name in ("tril", "triu"):
        case(name, x)
        case(name, x, 1)
        case(name, grid(4, 3), -1)
    case("nonzero", grid(3, 4, step=1))
    case("nonzero", ints(2, 3, high=1))


def scatters():
    index = torch.tensor([[0, 2, 1], [3, 0, 2]])
    case("scatter.src", grid(4, 3), 0, index, grid(2, 3))
    case("scatter.src", ints(2, 5), 1, torch.tensor([[4, 0], [1, 3]]), ints(2, 3))
    twice = torch.tensor([[0, 0, 1], [3, 0, 1]])
    case("scatter_add", grid(4, 3), 0, twice, grid(2, 3))
    for reduce in ("sum", "prod", "amax", "amin"):
        case("scatter_reduce.two", grid(4, 3), 0, twice, grid(2, 3), reduce)
        case("scatter_reduce.two", ints(4, 3), 0, twice, ints(2, 3), reduce)


def samples():
    image = grid(2, 3, 5, 4)
    places = grid(2, 3, 2, 2, low=-1.25, high=1.25)
    for mode in (0, 1, 2):
        for padding in (0, 1, 2):
            case("grid_sampler_2d", image, places, mode, padding, padding == 1)
    case("linalg_det", grid(2, 3, 3))
    case("linalg_det", grid(4, 4, step=1))


def write(name, families):
    """All cases of the families as data/NAME."""
    cases.clear()
    for family in families:
        family()
    path = pathlib.Path(__file__).parent / name
    path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
    print(f"{len(cases)} cases in {path}")


if __name__ == "__main__":
    write("op_cases.json", (convolutions, matrix_products, pointwise, comparisons, activations, reductions,
                            normalizations, poolings, arrangements, views, trigonometry, logic, orders, scatters,
                            samples))
