#!/usr/bin/python3
"""Writes data/onnx_opsets/: one small model per operator that operator sets 18, 19 or 20 added or changed.

Debian's onnx package knows operator sets up to 17, so the nodes are written by hand and no checker runs. Expected
outputs are computed here by plain NumPy loops over the operator's definition (torch where it has the function), in
float64, rounded once; nothing uses npuscope. Run: /usr/bin/python3 data/generate_onnx_opsets.py [folder]
"""
import itertools
import math
import pathlib
import sys
import zlib

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "onnx_opsets"
CASES = {}


def case(name, opset, nodes, inputs, expected, initializers=None):
    """`nodes` are (type, inputs, outputs, attributes); "-" stands for an input that is left out."""
    made = [helper.make_node(n[0], ["" if i == "-" else i for i in n[1].split()], n[2].split(), **(n[3] if len(n) > 3 else {}))
            for n in nodes]
    inputs = {k: np.array(v, order="C") for k, v in inputs.items()}
    expected = {k: np.array(v, order="C") for k, v in expected.items()}
    info = lambda k, v: helper.make_tensor_value_info(k, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[v.dtype], v.shape)
    graph = helper.make_graph(made, name, [info(k, v) for k, v in inputs.items()], [info(k, v) for k, v in expected.items()],
                              [numpy_helper.from_array(np.asarray(v), k) for k, v in (initializers or {}).items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="npuscope")
    model.ir_version = 8 if opset < 19 else 9
    assert name not in CASES, name
    CASES[name] = (model, {**{"in_" + k: v for k, v in inputs.items()}, **{"out_" + k: v for k, v in expected.items()}})


def rand(seed, *shape, low=-2.0, high=2.0):
    return np.random.default_rng(zlib.crc32(seed.encode())).uniform(low, high, shape).astype(np.float32)


def f32(array):
    return np.asarray(array, np.float64).astype(np.float32)


def by_torch(function, *arrays):
    return f32(function(*[torch.from_numpy(a.astype(np.float64)) for a in arrays]).numpy())


i64 = lambda *n: np.array(n, np.int64)


def reductions():
    """18: axes are an input of every Reduce operator. 20: ReduceMax and ReduceMin take truth values."""
    x = rand("reduce", 2, 3, 4)
    w = x.astype(np.float64)
    formulas = {"ReduceL1": np.abs(w).sum(1), "ReduceL2": np.sqrt((w * w).sum(1)), "ReduceMax": w.max(1), "ReduceMin": w.min(1),
                "ReduceMean": w.mean(1), "ReduceProd": w.prod(1), "ReduceSumSquare": (w * w).sum(1), "ReduceLogSumExp": np.log(np.exp(w).sum(1))}
    for name, value in formulas.items():
        case(name.lower() + "_18", 18, [(name, "x a", "y", {"keepdims": 0})], {"x": x}, {"y": f32(value)}, {"a": i64(-2)})
    positive = rand("positive", 2, 3, low=0.1)
    case("reducelogsum_18", 18, [("ReduceLogSum", "x a", "y")], {"x": positive},
         {"y": f32(np.log(positive.astype(np.float64).sum((0, 1), keepdims=True)))}, {"a": i64(0, 1)})
    case("reducemean_18_noop", 18, [("ReduceMean", "x a", "y", {"noop_with_empty_axes": 1})], {"x": x}, {"y": x}, {"a": i64()})
    case("reducemax_18_all", 18, [("ReduceMax", "x", "y", {"keepdims": 0})], {"x": x}, {"y": x.max()})
    truth = np.array([[True, False], [False, False], [True, True]])
    case("reducemax_20_bool", 20, [("ReduceMax", "x a", "y", {"keepdims": 0})], {"x": truth}, {"y": truth.any(1)}, {"a": i64(1)})
    case("reducemin_20_bool", 20, [("ReduceMin", "x a", "y", {"keepdims": 1})], {"x": truth}, {"y": truth.all(1, keepdims=True)},
         {"a": i64(1)})


def bits():
    a, b = np.array([[12, -1, 100]], np.int32), np.array([[10], [7]], np.int32)
    for name, function in (("And", np.bitwise_and), ("Or", np.bitwise_or), ("Xor", np.bitwise_xor)):
        case(f"bitwise{name.lower()}_18", 18, [("Bitwise" + name, "a b", "y")], {"a": a, "b": b}, {"y": function(a, b)})
    u = np.array([0, 1, 200], np.uint8)
    case("bitwisenot_18", 18, [("BitwiseNot", "x", "y")], {"x": u}, {"y": 255 - u})


def center_crop_pad():
    x = rand("center", 5, 4, 3)
    cut = np.zeros((2, 4, 6), np.float32)  # rows 1 and 2 of 5; columns moved by 1
    cut[:, :, 1:4] = x[1:3]
    case("centercroppad_18", 18, [("CenterCropPad", "x s", "y")], {"x": x}, {"y": cut}, {"s": i64(2, 4, 6)})
    grown = np.zeros((5, 7, 3), np.float32)
    grown[:, 1:5] = x
    case("centercroppad_18_axes", 18, [("CenterCropPad", "x s", "y", {"axes": [-2]})], {"x": x}, {"y": grown}, {"s": i64(7)})


def col2im():
    x = rand("blocks", 2, 3 * 6, 8)  # 3 channels, blocks of 2 by 3, 2 by 4 of them
    image, kernel, stride, dilation, pads = (5, 6), (2, 3), (2, 1), (2, 1), (0, 0, 0, 0)
    y = np.zeros((2, 3, *image))
    for n, c, k0, k1, b0, b1 in itertools.product(range(2), range(3), range(2), range(3), range(2), range(4)):
        y[n, c, b0 * stride[0] + k0 * dilation[0], b1 * stride[1] + k1 * dilation[1]] += x[n, c * 6 + k0 * 3 + k1, b0 * 4 + b1]
    case("col2im_18", 18, [("Col2Im", "x i k", "y", {"strides": stride, "dilations": dilation, "pads": pads})], {"x": x}, {"y": f32(y)},
         {"i": i64(*image), "k": i64(*kernel)})
    z = rand("padded", 1, 2 * 4, 9)
    case("col2im_18_pads", 18, [("Col2Im", "x i k", "y", {"strides": [2, 2], "pads": [1, 1, 1, 1]})], {"x": z},
         {"y": by_torch(lambda t: F.fold(t, (4, 4), (2, 2), padding=1, stride=2), z)}, {"i": i64(4, 4), "k": i64(2, 2)})


def normalizations():
    x = rand("groups", 2, 4, 3, 2)
    scale, bias = rand("scale", 2), rand("bias", 2)
    w = x.astype(np.float64).reshape(2, 2, -1)
    normal = (w - w.mean(2, keepdims=True)) / np.sqrt(w.var(2, keepdims=True) + 1e-3)
    case("groupnormalization_18", 18, [("GroupNormalization", "x s b", "y", {"num_groups": 2, "epsilon": 1e-3})], {"x": x},
         {"y": f32(normal * scale[:, None] + bias[:, None]).reshape(x.shape)}, {"s": scale, "b": bias})
    c = rand("mish", 3, 4)
    d = c.astype(np.float64)
    case("mish_18", 18, [("Mish", "x", "y")], {"x": c}, {"y": f32(d * np.tanh(np.log1p(np.exp(d))))})
    erf = np.vectorize(math.erf)
    case("gelu_20", 20, [("Gelu", "x", "y")], {"x": c}, {"y": f32(0.5 * d * (1 + erf(d / math.sqrt(2))))})
    case("gelu_20_tanh", 20, [("Gelu", "x", "y", {"approximate": "tanh"})], {"x": c},
         {"y": f32(0.5 * d * (1 + np.tanh(math.sqrt(2 / math.pi) * (d + 0.044715 * d ** 3))))})


def splits_and_pads():
    x = rand("split", 7, 2)
    case("split_18_num_outputs", 18, [("Split", "x", "a b c", {"num_outputs": 3})], {"x": x}, {"a": x[:3], "b": x[3:6], "c": x[6:]})
    v = rand("pad", 2, 3, 4)
    case("pad_18_axes", 18, [("Pad", "x p v a", "y")], {"x": v}, {"y": np.pad(v, ((0, 0), (1, 0), (0, 2)), constant_values=1.5)},
         {"p": i64(0, 1, 2, 0), "v": np.float32(1.5), "a": i64(2, -2)})
    case("pad_19_wrap", 19, [("Pad", "x p", "y", {"mode": "wrap"})], {"x": v}, {"y": np.pad(v, ((0, 0), (2, 1), (5, 0)), "wrap")},
         {"p": i64(0, 2, 5, 0, 1, 0)})


def scatters():
    x, u = rand("data", 4, 3), rand("updates", 2, 3)
    rows = np.array([[2], [2]])
    for how, function in (("max", np.maximum), ("min", np.minimum)):
        y = x.copy()
        for i, row in enumerate(rows[:, 0]):
            y[row] = function(y[row], u[i])
        case(f"scatternd_18_{how}", 18, [("ScatterND", "x i u", "y", {"reduction": how})], {"x": x, "u": u}, {"y": y}, {"i": rows})
        index = np.array([[1, 0, 3], [1, 2, 3]])
        z = x.copy()
        for i, j in np.ndindex(2, 3):
            z[index[i, j], j] = function(z[index[i, j], j], u[i, j])
        case(f"scatterelements_18_{how}", 18, [("ScatterElements", "x i u", "y", {"reduction": how, "axis": 0})], {"x": x, "u": u},
             {"y": z}, {"i": index})


def sequences():
    """18: OptionalHasElement and OptionalGetElement take what is no optional."""
    x = rand("sequence", 4, 3)
    case("splittosequence_18", 18, [("SplitToSequence", "x n", "s", {"axis": 0}), ("SequenceLength", "s", "l"), ("SequenceAt", "s p", "y")],
         {"x": x}, {"l": np.int64(2), "y": x[3:]}, {"n": np.int64(3), "p": np.int64(-1)})
    case("optional_18", 18, [("OptionalHasElement", "x", "h"), ("OptionalHasElement", "", "n"), ("OptionalGetElement", "x", "y")],
         {"x": x}, {"h": np.array(True), "n": np.array(False), "y": x})


def resize_places(to, scale, from_, coordinates):
    at = np.arange(to)
    if coordinates == "half_pixel_symmetric":  # 19
        adjustment = to / (scale * from_)
        return from_ / 2 * (1 - adjustment) + (at + 0.5) / scale - 0.5
    return (at + 0.5) / scale - 0.5


def resize_axis(x, axis, to, scale, kind, antialias=False, coordinates="half_pixel"):
    """A matrix of weights along one axis; what is outside is the border's value."""
    size = x.shape[axis]
    matrix = np.zeros((to, size))
    stretch = min(scale, 1.0) if antialias else 1.0
    reach = (1 if kind == "linear" else 2) / stretch
    for i, place in enumerate(resize_places(to, scale, size, coordinates)):
        weights = {}
        for j in range(math.floor(place - reach) - 1, math.ceil(place + reach) + 2):
            d = abs(j - place) * stretch
            a = -0.75
            if kind == "linear":
                w = max(0.0, 1 - d)
            else:
                w = ((a + 2) * d - (a + 3)) * d * d + 1 if d <= 1 else ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0
            weights[j] = w
        for j, w in weights.items():
            matrix[i, min(max(j, 0), size - 1)] += w / sum(weights.values())
    return np.moveaxis(np.tensordot(matrix, x.astype(np.float64), (1, axis)), 0, axis)


def resizes():
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
    for kind in ("linear", "cubic"):
        y = resize_axis(resize_axis(x, 2, 2, 0.6, kind, True), 3, 2, 0.6, kind, True)
        if kind == "linear":  # published with the operator's tests
            assert np.allclose(y[0, 0], [[2.875, 4.5], [9.375, 11]]), y
        else:
            assert np.allclose(y[0, 0], [[2.5180721, 4.2858863], [9.589329, 11.357142]]), y
        case(f"resize_18_antialias_{kind}", 18, [("Resize", "x - s", "y", {"mode": kind, "antialias": 1})], {"x": x}, {"y": f32(y)},
             {"s": np.array([1, 1, 0.6, 0.6], np.float32)})
    v = rand("resize", 1, 2, 5, 6)
    y = resize_axis(resize_axis(v, 2, 3, 0.6, "linear", True), 3, 4, 4 / 6, "linear", True)
    case("resize_18_antialias_sizes", 18, [("Resize", "x - - n", "y", {"mode": "linear", "antialias": 1, "axes": [3, 2]})], {"x": v},
         {"y": f32(y)}, {"n": i64(4, 3)})
    # Both axes grow by 1.4, the smaller factor: 7 of 5, round(8.4) of 6.
    y = resize_axis(resize_axis(v, 2, 7, 1.4, "linear"), 3, 8, 1.4, "linear")
    case("resize_18_not_larger", 18, [("Resize", "x - - n", "y", {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"})],
         {"x": v}, {"y": f32(y)}, {"n": i64(7, 12)})
    y = resize_axis(resize_axis(v, 2, 10, 2.0, "linear"), 3, 12, 2.0, "linear")
    case("resize_18_not_smaller", 18, [("Resize", "x - - n", "y", {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_smaller"})],
         {"x": v}, {"y": f32(y)}, {"n": i64(7, 12)})
    y = resize_axis(v, 3, 3, 0.6, "linear", coordinates="half_pixel_symmetric")
    case("resize_19_symmetric", 19, [("Resize", "x - s", "y", {"mode": "linear", "axes": [3], "coordinate_transformation_mode": "half_pixel_symmetric"})],
         {"x": v}, {"y": f32(y)}, {"s": np.array([0.6], np.float32)})


def average_pools():
    """19: dilations."""
    def pooled(x, kernel, stride, dilation, begin, end, ceil=False, counts_pads=False):
        sizes = x.shape[2:]
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
        out = []
        for i, size in enumerate(sizes):
            steps = (size + begin[i] + end[i] - reach[i]) / stride[i]
            out.append((math.ceil(steps) if ceil else math.floor(steps)) + 1)
            if (out[i] - 1) * stride[i] >= size + begin[i]:
                out[i] -= 1
        y = np.zeros(x.shape[:2] + tuple(out))
        for place in np.ndindex(*out):
            total, count = np.zeros(x.shape[:2]), 0
            for k in np.ndindex(*kernel):
                at = [p * s + j * d - b for p, s, j, d, b in zip(place, stride, k, dilation, begin)]
                if all(0 <= a < size for a, size in zip(at, sizes)):
                    total += x[(slice(None), slice(None), *at)]
                    count += 1
                elif counts_pads and all(-b <= a < size + e for a, size, b, e in zip(at, sizes, begin, end)):
                    count += 1
            y[(slice(None), slice(None), *place)] = total / count
        return f32(y)

    x, line = rand("pool", 1, 2, 7, 6), rand("line", 2, 2, 9)
    case("averagepool_19_dilations", 19, [("AveragePool", "x", "y", {"kernel_shape": [2, 3], "dilations": [2, 1], "strides": [1, 2], "pads": [1, 0, 0, 1]})],
         {"x": x}, {"y": pooled(x, (2, 3), (1, 2), (2, 1), (1, 0), (0, 1))})
    case("averagepool_19_ceil", 19, [("AveragePool", "x", "y", {"kernel_shape": [2, 2], "dilations": [2, 2], "strides": [3, 3], "ceil_mode": 1})],
         {"x": x}, {"y": pooled(x, (2, 2), (3, 3), (2, 2), (0, 0), (0, 0), ceil=True)})
    case("averagepool_19_counts_pads", 19, [("AveragePool", "x", "y", {"kernel_shape": [3], "dilations": [3], "pads": [2, 2], "count_include_pad": 1})],
         {"x": line}, {"y": pooled(line, (3,), (1,), (3,), (2,), (2,), counts_pads=True)})


def deform_conv():
    def convolved(x, w, offset, bias, mask, stride, dilation, begin, group, groups):
        (n, c, h, width), (m, _, kh, kw) = x.shape, w.shape
        oh, ow = offset.shape[2:]
        sampled = np.zeros((n, c, kh, kw, oh, ow))

        def at(image, y, z):
            return image[y, z] if 0 <= y < h and 0 <= z < width else 0.0

        for b, ch, i, j, p, q in np.ndindex(*sampled.shape):
            k = (ch // (c // groups)) * kh * kw + i * kw + j
            y = p * stride[0] - begin[0] + i * dilation[0] + float(offset[b, 2 * k, p, q])
            z = q * stride[1] - begin[1] + j * dilation[1] + float(offset[b, 2 * k + 1, p, q])
            y0, z0 = math.floor(y), math.floor(z)
            fy, fz, image = y - y0, z - z0, x[b, ch].astype(np.float64)
            value = (1 - fy) * ((1 - fz) * at(image, y0, z0) + fz * at(image, y0, z0 + 1)) \
                + fy * ((1 - fz) * at(image, y0 + 1, z0) + fz * at(image, y0 + 1, z0 + 1))
            sampled[b, ch, i, j, p, q] = value * (mask[b, k, p, q] if mask is not None else 1.0)
        y = np.zeros((n, m, oh, ow))
        for o in range(m):
            g = o // (m // group)
            part = sampled[:, g * c // group:(g + 1) * c // group]
            y[:, o] = np.einsum("ncijpq,cij->npq", part, w[o].astype(np.float64)) + (bias[o] if bias is not None else 0)
        return f32(y)

    x, w = rand("deform", 1, 2, 4, 5), rand("weight", 3, 2, 2, 2)
    offset = rand("offset", 1, 8, 3, 4)
    case("deformconv_19", 19, [("DeformConv", "x w o", "y")], {"x": x, "o": offset},
         {"y": convolved(x, w, offset, None, None, (1, 1), (1, 1), (0, 0), 1, 1)}, {"w": w})
    x, w = rand("deform groups", 2, 4, 5, 4), rand("weight groups", 4, 2, 3, 2)
    offset, mask, bias = rand("offset groups", 2, 24, 2, 4), rand("mask", 2, 12, 2, 4, low=0), rand("bias", 4)
    case("deformconv_19_groups", 19,
         [("DeformConv", "x w o b m", "y", {"group": 2, "offset_group": 2, "strides": [2, 1], "dilations": [1, 2], "pads": [0, 1, 1, 1]})],
         {"x": x, "o": offset, "m": mask}, {"y": convolved(x, w, offset, bias, mask, (2, 1), (1, 2), (0, 1), 2, 2)}, {"w": w, "b": bias})


def grids():
    theta = rand("theta", 2, 2, 3)
    for align in (0, 1):
        case(f"affinegrid_20_{align}", 20, [("AffineGrid", "t s", "y", {"align_corners": align})], {"t": theta},
             {"y": by_torch(lambda t: F.affine_grid(t, (2, 3, 4, 5), align_corners=bool(align)), theta)}, {"s": i64(2, 3, 4, 5)})
    solid = rand("solid", 1, 3, 4)
    case("affinegrid_20_volume", 20, [("AffineGrid", "t s", "y")], {"t": solid},
         {"y": by_torch(lambda t: F.affine_grid(t, (1, 2, 3, 2, 4), align_corners=False), solid)}, {"s": i64(1, 2, 3, 2, 4)})
    x, places = rand("volume", 2, 2, 3, 4, 5), rand("places", 2, 2, 3, 2, 3, low=-1.4, high=1.4)
    for mode, torch_mode, padding, align in (("linear", "bilinear", "zeros", 0), ("linear", "bilinear", "border", 1),
                                             ("linear", "bilinear", "reflection", 0), ("linear", "bilinear", "reflection", 1),
                                             ("nearest", "nearest", "zeros", 0)):
        case(f"gridsample_20_{mode}_{padding}_{align}", 20, [("GridSample", "x g", "y", {"mode": mode, "padding_mode": padding, "align_corners": align})],
             {"x": x, "g": places}, {"y": by_torch(lambda a, b: F.grid_sample(a, b, torch_mode, padding, bool(align)), x, places)})
    image, flat = rand("image", 1, 2, 4, 5), rand("flat", 1, 3, 2, 2)
    case("gridsample_20_cubic", 20, [("GridSample", "x g", "y", {"mode": "cubic"})], {"x": image, "g": flat},
         {"y": by_torch(lambda a, b: F.grid_sample(a, b, "bicubic", "zeros", False), image, flat)})


def spectra_and_tests():
    """20: the axis of DFT is an input; IsInf and IsNaN take halves."""
    x = rand("signal", 2, 6, 3, 1)
    y = np.fft.fft(x[..., 0].astype(np.float64), axis=1)
    case("dft_20_axis", 20, [("DFT", "x - a", "y")], {"x": x}, {"y": f32(np.stack([y.real, y.imag], -1))}, {"a": np.int64(1)})
    y = np.fft.rfft(x[..., 0].astype(np.float64), 4, axis=2)
    case("dft_20_onesided", 20, [("DFT", "x n a", "y", {"onesided": 1})], {"x": x}, {"y": f32(np.stack([y.real, y.imag], -1))},
         {"n": np.int64(4), "a": np.int64(-2)})
    odd = np.array([1, np.inf, -np.inf, np.nan], np.float16)
    case("isinf_20", 20, [("IsInf", "x", "y", {"detect_negative": 0})], {"x": odd}, {"y": np.array([False, True, False, False])})
    case("isnan_20", 20, [("IsNaN", "x", "y")], {"x": odd}, {"y": np.isnan(odd)})


def types():
    """19: element types and shapes of what only moves data; a half may be the scale of quantization."""
    x = rand("types", 2, 3)
    case("cast_19", 19, [("Cast", "x", "y", {"to": TensorProto.FLOAT16}), ("CastLike", "y x", "z")], {"x": x},
         {"y": x.astype(np.float16), "z": x.astype(np.float16).astype(np.float32)})
    u = np.array([[1, 2, 3]], np.uint16)
    case("moves_19", 19, [("Identity", "x", "a"), ("Reshape", "a s", "y"), ("Shape", "x", "n", {"start": 1}), ("Size", "x", "c")], {"x": u},
         {"y": u.reshape(3, 1), "n": i64(3), "c": np.int64(3)}, {"s": i64(3, 1)})
    case("constantofshape_20", 20, [("ConstantOfShape", "s", "y", {"value": numpy_helper.from_array(np.array([7], np.int16))})],
         {"s": i64(2, 2)}, {"y": np.full((2, 2), 7, np.int16)})
    case("equal_19", 19, [("Equal", "a b", "y")], {"a": i64(1, 2, 3), "b": i64(1, 0, 3)}, {"y": np.array([True, False, True])})
    h = x.astype(np.float16)
    scale = np.float16(0.25)
    q = np.clip(np.rint(h.astype(np.float64) / 0.25) + 100, 0, 255).astype(np.uint8)
    case("quantize_19_half", 19, [("QuantizeLinear", "x s z", "q"), ("DequantizeLinear", "q s z", "y")], {"x": h},
         {"q": q, "y": ((q.astype(np.float64) - 100) * 0.25).astype(np.float16)}, {"s": scale, "z": np.uint8(100)})


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for write in (reductions, bits, center_crop_pad, col2im, normalizations, splits_and_pads, scatters, sequences, resizes, average_pools,
                  deform_conv, grids, spectra_and_tests, types):
        write()
    for name, (model, arrays) in CASES.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        np.savez(folder / f"{name}.io.npz", **arrays)


if __name__ == "__main__":
    main()
