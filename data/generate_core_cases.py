#!/usr/bin/python3
"""Writes data/core_cases.json: the rest of the core ATen set and of training steps, in the form and by the rules of
generate_op_cases.py. The in-place forms are derived: each takes the recorded arguments of the op without _, and
PyTorch's own in-place op gives the result. Needs Debian's python3-torch.
"""
import itertools
import json
import math
import pathlib
import re

import torch
import torch.nn.functional as F

import generate_op_cases
from core_recurrent import recurrent_cells, recurrent_layers
from core_shapes import (bags, creations, fills_and_views, indexing, later_rows, loss_scaling, mirror_pads, moves,
                         pooling_gradients, resizes, small, subsets, volume_convolutions, weight_norms)
from generate_op_cases import Mask, case, grid, ints, write

aten = torch.ops.aten
HERE = pathlib.Path(__file__).parent


def positive(*shape):
    return grid(*shape, low=0.25, high=3)


def inside(*shape):
    return grid(*shape, low=1 / 16, high=15 / 16)


def combinations():
    for name in ("addcmul", "addcdiv"):
        case(name, grid(2, 3), grid(2, 3), positive(3))
        case(name, grid(2, 3), small(2, 1), positive(3), value=-0.5)
    case("lerp.Scalar", grid(2, 3), grid(3), 0.25)
    case("lerp.Scalar", grid(2, 3), grid(2, 3), 0.75)
    case("lerp.Tensor", grid(2, 3), grid(2, 3), inside(2, 3))


def functions():
    for name in ("expm1", "exp2", "erfc", "trunc", "frac", "square"):
        case(name, grid(3, 4))
    case("trunc", ints(4))
    case("square", ints(4))
    for name in ("log1p", "log2", "log10"):
        case(name, positive(3, 4))
    case("erfinv", grid(12, low=-0.9, high=0.9))
    case("rsub.Tensor", grid(2, 3), grid(3))
    case("rsub.Tensor", ints(3), ints(3), alpha=2)
    case("rsub.Scalar", grid(4), 1.5)
    case("rsub.Scalar", grid(4), 2, 0.5)
    case("pow.Scalar", 2, grid(5, low=-2, high=2))
    case("pow.Scalar", 1.5, grid(5, low=-2, high=2))
    for name in ("atan2", "hypot", "logaddexp", "fmax", "fmin"):
        case(name, grid(3, 4), grid(4))
    case("sgn", grid(6, step=1))
    case("xlogy.Tensor", grid(2, 4, step=1), positive(4))
    case("logit", inside(6))
    case("logit", grid(6, low=-0.5, high=1.5), 0.125)
    case("logit_backward", grid(6), inside(6))
    case("logit_backward", grid(6), grid(6, low=-0.5, high=1.5), 0.125)
    case("fmod.Scalar", grid(5), 1.5)
    case("fmod.Scalar", ints(5, low=-9, high=9), 4)
    case("remainder.Scalar", grid(5), 1.25)
    case("remainder.Scalar", ints(5, low=-9, high=9), -4)
    case("remainder.Scalar_Tensor", 3, grid(4, low=1, high=2))
    case("floor_divide", grid(6), grid(6, low=1, high=2))
    case("floor_divide", ints(6, low=-9, high=9), ints(6, low=1, high=4))
    case("floor_divide.Scalar", ints(6, low=-9, high=9), 4)
    case("div.Scalar_mode", grid(6), 2, rounding_mode=None)
    case("div.Scalar_mode", ints(6, low=-9, high=9), 4, rounding_mode="floor")
    case("div.Scalar_mode", ints(6, low=-9, high=9), 4, rounding_mode="trunc")
    case("nan_to_num", grid(4), 0.0, 1.0, -1.0)
    case("nan_to_num", ints(3))


def bits():
    truth = lambda *shape: ints(*shape, high=2).bool()
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        case(name + ".Tensor", ints(2, 5, low=-90, high=90), ints(5, low=-90, high=90))
        case(name + ".Tensor", truth(6), truth(6))
        case(name + ".Scalar", ints(6, low=-90, high=90), 37)
    case("bitwise_not", ints(6, low=-90, high=90))
    case("bitwise_not", truth(6))
    case("bitwise_left_shift.Tensor_Scalar", ints(6, high=9), 3)
    case("bitwise_right_shift.Tensor_Scalar", ints(6, low=-99, high=99), 2)
    case("isfinite", grid(4))
    case("isfinite", ints(4))


def bounds():
    case("clamp.Tensor", grid(2, 4), grid(4, low=-2, high=0), grid(4, low=0, high=2))
    case("clamp.Tensor", grid(2, 4), None, grid(4, low=0, high=2))
    case("clamp_min", grid(6), -0.5)
    case("clamp_max", grid(6), 0.5)
    case("clamp_min", ints(6), 2)
    case("clamp_min.Tensor", grid(2, 3), grid(3))
    case("clamp_max.Tensor", grid(2, 3), grid(3))
    mask = grid(2, 4) > 0
    case("masked_fill.Scalar", grid(2, 4), mask, -2.5)
    case("masked_fill.Scalar", grid(3, 2, 4), mask[:, :1], 1)
    case("masked_fill.Scalar", ints(2, 4), mask, 7)
    case("masked_fill.Tensor", grid(2, 4), mask, grid())
    case("where.ScalarSelf", mask, 1.5, grid(2, 4))
    case("where.ScalarOther", mask, grid(4), 2)
    case("where.Scalar", mask, 1, 2)


def statistics():
    x = grid(2, 3, 4)
    for name in ("sum", "mean", "max", "min"):
        case(name, x)
    case("sum", ints(2, 3))
    case("max", ints(2, 3))
    case("prod", grid(5, low=0.5, high=2))
    case("prod", ints(4, low=1))
    for name in ("var", "std"):
        case(name, x)
        case(name, x, False)
        case(name + ".dim", x, [1], True, True)
        case(name + ".dim", x, [0, 2], False)
        case(name + ".correction", x, [-1], correction=0)
        case(name + ".correction", x, [0, 1], correction=2, keepdim=True)
    case("var_mean.dim", x, [1])
    case("var_mean.correction", x, [0, 2], correction=1, keepdim=True)
    case("std_mean.correction", x, [2], correction=0)
    for name in ("max.dim", "min.dim"):
        case(name, x, 1)
        case(name, ints(3, 4, high=99), -1, True)
    case("aminmax", x)
    case("aminmax", x, dim=1, keepdim=True)
    few = grid(2, 3, step=1) * (grid(2, 3) > 0)
    for name in ("any", "all"):
        case(name, few)
        case(name, few > 0)
        case(name + ".dim", few, 1)
        case(name + ".dim", few > 0, 0, True)
    case("any.dims", few, [0, 1], oracle=lambda t, d: t.bool().any())
    case("any.dims", few, [1], True, oracle=lambda t, d, k: t.bool().any(1, k))
    case("count_nonzero", few)
    case("count_nonzero", few, 1)
    for p in (0, 1, 2, 3, math.inf, -math.inf):
        case("linalg_vector_norm", x, p, [1])
    case("linalg_vector_norm", x)
    case("norm.Scalar", x)
    case("norm.Scalar", x, 1)
    case("norm.ScalarOpt_dim", x, None, [0], True)
    case("norm.ScalarOpt_dim", x, 3, [1, 2])
    case("logsumexp", x, [1])
    case("logsumexp", x, [0, 2], True)
    case("cumprod", grid(2, 4, low=0.5, high=2), 1)
    case("cumprod", ints(2, 4), 0)


def pairwise_losses():
    def both(name, x, target, *extra, gradient=True, oracle=None):
        for reduction in (0, 1, 2):
            case(name, x, target, reduction, *extra, oracle=oracle)
            if gradient:
                case(name + "_backward", grid(*x.shape) if reduction == 0 else grid(), x, target, reduction, *extra)
    both("mse_loss", grid(3, 4), grid(3, 4))
    both("l1_loss", grid(3, 4), grid(3, 4), gradient=False)
    both("smooth_l1_loss", grid(3, 4), grid(3, 4), 0.75)
    both("huber_loss", grid(3, 4), grid(3, 4), 0.75)
    signs = grid(3, 4).sign() + (grid(3, 4) == 0)
    both("soft_margin_loss", grid(3, 4), signs)
    for weight, reduction in itertools.product((None, positive(4)), (0, 1, 2)):
        x, target = inside(3, 4), grid(3, 4, low=0, high=1)
        case("binary_cross_entropy", x, target, weight, reduction)
        case("binary_cross_entropy_backward", grid(3, 4) if reduction == 0 else grid(), x, target, weight, reduction)
        case("binary_cross_entropy_with_logits", grid(3, 4), target, weight,
             None if weight is None else positive(4), reduction)
    for reduction in (0, 1, 2):
        case("kl_div", grid(3, 4, low=-3, high=0), inside(3, 4), reduction)
    case("kl_div", grid(3, 4, low=-3, high=0), grid(3, 4, low=-3, high=0), 2, log_target=True)
    target = ints(2, 3, 2, high=4)
    for weight, reduction in itertools.product((None, positive(4)), (0, 1, 2)):
        x, ignored = grid(2, 4, 3, 2), -100 if weight is None else 3
        _, total = aten.nll_loss2d_forward(x, target, weight, reduction, ignored)
        case("nll_loss2d_forward", x, target, weight, reduction, ignored)
        case("nll_loss2d_backward", grid(2, 3, 2) if reduction == 0 else grid(), x, target, weight, reduction, ignored,
             total)


def activation_pairs():
    dy, x = grid(3, 5), grid(3, 5)
    case("gelu_backward", dy, x, approximate="none")
    case("gelu_backward", dy, x, approximate="tanh")
    case("leaky_relu_backward", dy, x, 0.125, False)
    case("leaky_relu_backward", dy, x, 0.125, True)
    case("elu_backward", dy, 1, 1, 1, False, x)
    case("elu_backward", dy, 1.5, 1, 1, True, grid(3, 5, low=-1, high=2))
    case("hardtanh_backward", dy, x, -1, 1)
    for name in ("hardswish_backward", "mish_backward"):
        case(name, dy, grid(3, 5))
    # PyTorch's own multiplies by a float32 sixth.
    case("hardsigmoid_backward", dy, grid(3, 5), oracle=lambda g, t: torch.where(t.abs() < 3, g / 6, torch.zeros_like(g)))
    case("softplus_backward", dy, x, 2, 20)
    case("log_sigmoid_forward", x, oracle=lambda t: (F.logsigmoid(t), torch.empty(0, dtype=t.dtype)))
    case("log_sigmoid_backward", dy, x, torch.empty(0, dtype=torch.float64),
         oracle=lambda g, t, b: g * torch.sigmoid(-t))
    for name in ("mish", "selu", "celu"):
        case(name, x)
    case("celu", x, 0.5)
    for name in ("hardshrink", "softshrink"):
        case(name, x)
        case(name, x, 1.25)
        case(name + "_backward", dy, x, 0.75)
    case("threshold", x, 0.5, -2)
    case("prelu", x, grid(5))
    case("prelu", grid(2, 3, 4), small(1))
    case("prelu_backward", dy, x, grid(5))
    case("prelu_backward", grid(2, 3, 4), grid(2, 3, 4), small(1))
    case("_prelu_kernel", x, grid(1, 5), oracle=lambda t, w: torch.where(t > 0, t, w * t))
    case("_prelu_kernel_backward", dy, x, grid(1, 5),
         oracle=lambda g, t, w: (torch.where(t > 0, g, w * g), torch.where(t > 0, torch.zeros_like(g), g * t)))
    case("glu", grid(3, 4))
    case("glu", grid(4, 3), 0)
    case("glu_backward", grid(3, 2), grid(3, 4), 1)


def group_normalizations():
    for weighted, mask in ((True, (True, True, True)), (False, (True, False, False)), (True, (False, True, True))):
        weight = grid(6) if weighted else None
        case("native_layer_norm_backward", grid(3, 4, 6), small(3, 4, 6), [6], small(3, 4, 1),
             grid(3, 4, 1, low=0.5, high=2), weight, weight, Mask(mask))
        weight = grid(4) if weighted else None
        case("native_group_norm_backward", grid(2, 4, 3, 2), small(2, 4, 3, 2), small(2, 2), grid(2, 2, low=0.5, high=2),
             weight, 2, 4, 6, 2, Mask(mask))
    case("native_layer_norm_backward", grid(2, 3, 4), small(2, 3, 4), [3, 4], small(2, 1, 1),
         grid(2, 1, 1, low=0.5, high=2), grid(3, 4), grid(3, 4), Mask((True, True, True)))
    case("native_group_norm", grid(2, 4, 3, 2), grid(4), grid(4), 2, 4, 6, 2, 1 / 1024)
    case("native_group_norm", grid(2, 6, 3), None, None, 2, 6, 3, 3, 1 / 1024)


def other_names():
    x, w, b = grid(2, 4, 5, 5), small(6, 2, 3, 3), grid(6)
    case("cudnn_convolution", x, w, [1, 1], [2, 1], [1, 1], 2,
         oracle=lambda x, w, p, s, d, g: torch.convolution(x, w, None, s, p, d, False, [0, 0], g))
    case("mkldnn_convolution", x, w, b, [1, 1], [2, 1], [1, 1], 2,
         oracle=lambda x, w, b, p, s, d, g: torch.convolution(x, w, b, s, p, d, False, [0, 0], g))
    case("conv2d", x, w, b, [2, 1], [1, 1], [1, 1], 2)
    full = (x, w, b, [2, 1], [1, 1], [1, 1], False, [0, 0], 2)
    for name in ("_convolution", "convolution_overrideable"):
        case(name, *full, oracle=torch.convolution)
    w = small(6, 4, 3, 3)
    case("_slow_conv2d_forward", x, w, [3, 3], b, [2, 1], [1, 1])
    case("_slow_conv2d_backward.output_mask", grid(2, 6, 3, 5), x, w, [3, 3], [2, 1], [1, 1], Mask((True, True, True)))
    case("_conv_depthwise2d", x, small(8, 1, 3, 3), [3, 3], grid(8), [1, 1], [1, 1], [1, 1],
         oracle=lambda x, w, k, b, s, p, d: torch.convolution(x, w, b, s, p, d, False, [0, 0], 4))
    norm = (grid(3, 4, 5), grid(4), grid(4))
    stats = (grid(4), grid(4, low=0.5, high=2))
    plain = lambda x, w, b, m, v, t, f, e: torch.native_batch_norm(
        x, w, b, None if m is None else m.clone(), None if v is None else v.clone(), t, f, e)
    for training in (True, False):
        case("_native_batch_norm_legit", *norm, *stats, training, 0.125, 1 / 1024, oracle=plain)
        case("cudnn_batch_norm", *norm, *stats, training, 0.125, 1 / 1024,
             oracle=lambda *a: plain(*a) + (torch.empty(0, dtype=torch.uint8),))
    case("_native_batch_norm_legit.no_stats", *norm, True, 0.125, 1 / 1024,
         oracle=lambda x, w, b, t, f, e: plain(x, w, b, None, None, t, f, e))
    case("_native_batch_norm_legit_no_training", *norm, *stats, 0.125, 1 / 1024,
         oracle=lambda x, w, b, m, v, f, e: plain(x, w, b, m, v, False, f, e))
    case("cudnn_batch_norm_backward", norm[0], grid(3, 4, 5), norm[1], *stats, small(4), grid(4, low=0.5, high=2), 1 / 1024,
         oracle=lambda x, g, w, m, v, sm, sv, e: aten.native_batch_norm_backward(
             g, x, w, m, v, sm, sv, True, e, [True, True, True]))
    case("linear", grid(2, 3, 4), small(5, 4), grid(5))
    case("linear", grid(3, 4), small(5, 4))
    case("_safe_softmax", grid(3, 4), 1, oracle=lambda t, d: torch.softmax(t, d))


def vector_products():
    for whole in (False, True):
        values = ints if whole else grid
        case("mv", values(3, 5), values(5))
        case("dot", values(6), values(6))
        case("vdot", values(6), values(6))
        case("mm", values(3, 4), values(4, 2))
        case("bmm", values(2, 3, 4), values(2, 4, 2))
    case("addmm", ints(2), ints(3, 4), ints(4, 2))
    case("addmv", grid(3), grid(3, 5), grid(5), beta=0.5, alpha=2)
    case("addmv", grid(1), grid(3, 5), grid(5))
    case("addr", grid(3, 4), grid(3), grid(4))
    case("addbmm", grid(3, 4), grid(2, 3, 5), grid(2, 5, 4), beta=1, alpha=0.5)


def lists_of_tensors():
    lists = lambda: [positive(2, 3), positive(4)]

    def each(name, one, *arguments):
        """Both forms; `one` computes one tensor."""
        def oracle(*a):
            return [one(*(v[i] if isinstance(v, list) else v for v in a)) for i in range(len(a[0]))]
        base, _, overload = name.partition(".")
        for form in (base, base + "_"):
            case(form + ("." + overload if overload else ""), lists(), *arguments, oracle=oracle)
    each("_foreach_add.Scalar", torch.add, 1.5)
    each("_foreach_add.List", torch.add, lists())
    each("_foreach_sub.Scalar", torch.sub, 1.5)
    each("_foreach_sub.List", torch.sub, lists())
    each("_foreach_mul.Scalar", torch.mul, 1.5)
    each("_foreach_mul.List", torch.mul, lists())
    each("_foreach_mul.Tensor", torch.mul, grid())
    each("_foreach_div.Scalar", torch.div, 1.5)
    each("_foreach_div.List", torch.div, lists())
    each("_foreach_div.ScalarList", torch.div, [1.5, 2.0])
    each("_foreach_addcmul.Scalar", lambda x, a, b, v: torch.addcmul(x, a, b, value=v), lists(), lists(), 0.5)
    each("_foreach_addcdiv.Scalar", lambda x, a, b, v: torch.addcdiv(x, a, b, value=v), lists(), lists(), 0.5)
    each("_foreach_addcdiv.ScalarList", lambda x, a, b, v: torch.addcdiv(x, a, b, value=v), lists(), lists(), [0.5, -1.0])
    each("_foreach_lerp.Scalar", torch.lerp, lists(), 0.25)
    each("_foreach_pow.Scalar", torch.pow, 2)
    each("_foreach_clamp_min.Scalar", torch.clamp_min, 1)
    each("_foreach_clamp_max.Scalar", torch.clamp_max, 1)
    for name in ("sqrt", "neg", "reciprocal", "abs", "exp"):
        each("_foreach_" + name, getattr(torch, name))
    case("_foreach_zero_", lists(), oracle=lambda a: [torch.zeros_like(x) for x in a])
    case("_foreach_norm.Scalar", lists(), 2, oracle=lambda a, p: [x.norm(p) for x in a])


def dropout_gradient():
    case("native_dropout_backward", grid(3, 4), grid(3, 4) > 0, 1.25)


def decoded(node):
    if not isinstance(node, dict):
        return node
    if "tensor" in node:
        kinds = {"float": torch.float64, "bool": torch.bool, "int64": torch.int64}
        return torch.tensor([float(v) if node["tensor"] == "float" else v for v in node["values"]],
                            dtype=kinds[node["tensor"]]).reshape(node["shape"])
    if "tensors" in node:
        return [decoded(item) for item in node["tensors"]]
    if "real" in node:
        return float(node["real"])
    return Mask(node["mask"]) if "mask" in node else next(iter(node.values()))


OTHER_NAMES = {"pow_.Scalar": "pow.Tensor_Scalar", "pow_.Tensor": "pow.Tensor_Tensor",
               "floor_divide_.Tensor": "floor_divide", "_index_put_impl_": "index_put"}


def in_place():
    table = (HERE.parent / "npu_backend" / "ops" / "forms" / "in_place_forms.def").read_text()
    recorded = list(generate_op_cases.cases)
    for file in ("op_cases.json", "training_cases.json"):
        recorded += json.loads((HERE / file).read_text())
    for name in re.findall(r'^IN_PLACE\("([\w.]+)\(', table, re.M):
        base, _, overload = name.partition(".")
        plain = OTHER_NAMES.get(name, base[:-1] + ("." + overload if overload else "")).replace(".", "_")
        run = getattr(getattr(aten, base), overload or "default")
        taken = 0
        for old in recorded:
            if old["op"] != plain or taken == 2:
                continue
            arguments = [decoded(a) for a in old["positional"]]
            named = {k: decoded(v) for k, v in old["named"].items()}
            try:
                case(name, *arguments, oracle=lambda x, *a, **n: run(x.clone(), *a, **n), **named)
                taken += 1
            except RuntimeError:
                pass  # the result does not fit into self
        assert taken, name


if __name__ == "__main__":
    write("core_cases.json",
          (combinations, functions, bits, bounds, statistics, pairwise_losses, activation_pairs, pooling_gradients,
           resizes, mirror_pads, indexing, subsets, moves, creations, fills_and_views, group_normalizations, other_names,
           vector_products, volume_convolutions, recurrent_cells, lists_of_tensors, dropout_gradient, bags, loss_scaling,
           weight_norms, later_rows, recurrent_layers, in_place))
