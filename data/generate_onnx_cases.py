#!/usr/bin/python3
"""Writes data/onnx_cases/: one tiny model per operator and variant, with inputs and expected outputs.

Expected outputs come from torch or numpy in float64, rounded once to the declared dtype; nothing here uses
npuscope. Run: /usr/bin/python3 data/generate_onnx_cases.py [folder]
"""
import pathlib
import sys
import zlib

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, helper, numpy_helper

import onnx_breadth

FOLDER = pathlib.Path(__file__).parent / "onnx_cases"
CASES = {}


def case(name, nodes, inputs, expected, initializers=(), opset=17, symbols=None):
    """`nodes` are helper.make_node arguments (type, inputs, outputs, attributes)."""
    made = [helper.make_node(n[0], n[1].split(), n[2].split(), **(n[3] if len(n) > 3 else {})) for n in nodes]
    for node in made:  # "-" stands for an input that is left out
        for i, used in enumerate(node.input):
            if used == "-":
                node.input[i] = ""

    def info(key, array):
        code = helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype") \
            else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype]
        return helper.make_tensor_value_info(key, code, (symbols or {}).get(key, array.shape))

    tensors = [t if isinstance(t, TensorProto) else numpy_helper.from_array(np.asarray(t[1]), t[0])
               for t in (initializers.items() if isinstance(initializers, dict) else initializers)]
    expected = {k: np.array(v, order="C") for k, v in expected.items()}
    graph = helper.make_graph(made, name, [info(k, v) for k, v in inputs.items()],
                              [info(k, v) for k, v in expected.items()], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="npuscope")
    model.ir_version = 8
    if opset <= 17:
        onnx.checker.check_model(model)
    assert name not in CASES, name
    CASES[name] = (model, {**{"in_" + k: v for k, v in inputs.items()},
                           **{"out_" + k: v for k, v in expected.items()}})


def rand(seed, *shape, low=-2.0, high=2.0):
    return np.random.default_rng(zlib.crc32(seed.encode())).uniform(low, high, shape).astype(np.float32)


def f64(function, *arrays):
    result = function(*[torch.from_numpy(np.asarray(a, np.float64)) for a in arrays])
    return result.numpy().astype(np.float32)


def arithmetic():
    a, b = rand("a", 2, 3, 4), rand("b", 3, 1, low=0.5)
    for name, function in [("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.divide)]:
        case(name.lower(), [(name, "a b", "y")], {"a": a, "b": b},
             {"y": function(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)})
    case("add_larger_constant", [("Add", "c a", "y")], {"a": a[0]},
         {"y": (a.astype(np.float64) + a[0]).astype(np.float32)}, {"c": a})
    case("add_symbols", [("Add", "a b", "y")], {"a": a[0], "b": a[1]},
         {"y": (a[0].astype(np.float64) + a[1]).astype(np.float32)},
         symbols={"a": ["N", 4], "b": ["N", 4], "y": ["N", 4]})
    base = rand("base", 2, 5, low=0.1)
    power = rand("power", 5, low=-1.5, high=2.5)
    case("pow_by_tensor", [("Pow", "a b", "y")], {"a": base, "b": power},
         {"y": (base.astype(np.float64) ** power).astype(np.float32)})
    case("pow_by_scalar", [("Constant", "", "e", {"value_float": 1.5}), ("Pow", "a e", "y")], {"a": base},
         {"y": (base.astype(np.float64) ** 1.5).astype(np.float32)})
    case("pow_by_integer", [("Pow", "a e", "y")], {"a": a}, {"y": (a.astype(np.float64) ** 3).astype(np.float32)},
         {"e": np.int64(3)})
    # sqrt(16) * 2 - 3 is 5 on the host; only the last Mul is an op.
    case("scalar_arithmetic", [
        ("Pow", "sixteen half", "root"), ("Mul", "root two", "double"), ("Sub", "double three", "five"),
        ("Sqrt", "sixteen", "four"), ("Neg", "four", "minus"), ("Add", "minus four", "zero"),
        ("Add", "five zero", "factor"), ("Mul", "x factor", "y")], {"x": a}, {"y": a * np.float32(5)},
        {"sixteen": np.float32(16), "half": np.float32(0.5), "two": np.float32(2), "three": np.float32(3)})


def constants():
    x = rand("constants", 2, 3)
    case("constant_kinds", [
        ("Constant", "", "f", {"value_float": 0.5}), ("Constant", "", "fs", {"value_floats": [1.0, 2.0, 4.0]}),
        ("Constant", "", "t", {"value": numpy_helper.from_array(x)}),
        ("Constant", "", "i", {"value_int": 1}), ("Constant", "", "is", {"value_ints": [3, 2]}),
        ("Mul", "x f", "a"), ("Add", "a fs", "b"), ("Sub", "b t", "c"), ("Reshape", "c is", "d"),
        ("Gather", "d i", "y")], {"x": x},
        {"y": (x.astype(np.float64) * 0.5 + [1, 2, 4] - x).reshape(3, 2)[1].astype(np.float32)})
    case("constant_of_shape", [("Shape", "x", "s"), ("ConstantOfShape", "s", "c", {
        "value": helper.make_tensor("v", TensorProto.FLOAT, [1], [1.5])}), ("Add", "x c", "y")],
        {"x": x}, {"y": (x + np.float32(1.5))})
    case("identity", [("Identity", "w", "v"), ("Identity", "x", "u"), ("Add", "u v", "y")], {"x": x},
         {"y": x + x}, {"w": x})
    case("shape_part", [("Shape", "x", "y", {"start": -3, "end": -1})], {"x": rand("s", 2, 3, 4, 5)},
         {"y": np.array([3, 4], np.int64)})
    # Every element type, as raw bytes and in its typed field.
    fields = {"int32_data": "int8 uint8 int16 uint16 int32 bool", "int64_data": "int64",
              "uint64_data": "uint32 uint64", "double_data": "float64"}
    tensors, nodes, values = [], [], []
    for field, dtypes in fields.items():
        for dtype in dtypes.split():
            array = np.array([1, 0, 1 if dtype == "bool" else 100], dtype)
            raw = numpy_helper.from_array(array, dtype)
            if dtype == "bool":
                raw.raw_data = b"\x02\x00\x80"  # any byte but 0 is true
            typed = TensorProto(name=dtype + "_field", data_type=raw.data_type, dims=[3], **{field: array.tolist()})
            for tensor in (raw, typed):
                tensors.append(tensor)
                nodes.append(("Cast", tensor.name, tensor.name + "_f", {"to": TensorProto.FLOAT}))
                values.append(array.astype(np.float32))
    case("element_types", [*nodes, ("Concat", " ".join(t.name + "_f" for t in tensors), "c", {"axis": 0}),
                           ("Add", "x c", "y")],
         {"x": np.zeros(1, np.float32)}, {"y": np.concatenate(values)}, tensors)
    # As a channel split is exported: the channels, counted at run time, halved and used as bounds.
    c = rand("channels", 2, 7, 3)
    case("shape_arithmetic", [
        ("Shape", "x", "s"), ("Gather", "s one", "n", {"axis": 0}), ("Add", "n one", "m"), ("Div", "m two", "h"),
        ("Mul", "h one", "e"), ("Slice", "x zero e one", "l"), ("Mul", "h two", "e2"),
        ("Slice", "x e e2 one", "r"), ("Relu", "l", "y"), ("Relu", "r", "z")], {"x": c},
        {"y": np.maximum(c[:, :4], 0), "z": np.maximum(c[:, 4:], 0)},
        {"zero": np.array([0]), "one": np.array([1]), "two": np.array([2])})
    # As a flatten with unknown batch is exported; also Unsqueeze, Concat, Cast, Squeeze and Expand of shapes.
    case("shape_of_symbols", [
        ("Shape", "x", "s"), ("Gather", "s zero", "n"), ("Unsqueeze", "n axis", "n1"),
        ("Cast", "n1", "nf", {"to": TensorProto.FLOAT}), ("Cast", "nf", "ni", {"to": TensorProto.INT64}),
        ("Concat", "ni rest", "to", {"axis": 0}), ("Reshape", "x to", "y"),
        ("Slice", "s zero1 one1 zero1", "first"), ("Squeeze", "first", "f0"), ("Unsqueeze", "f0 axis", "f1"),
        ("Expand", "f1 three", "f3"), ("Transpose", "f3", "z")], {"x": rand("n", 2, 3, 4)},
        {"y": rand("n", 2, 3, 4).reshape(2, 12), "z": np.array([2, 2, 2], np.int64)},
        {"zero": np.int64(0), "axis": np.array([0]), "rest": np.array([-1]), "zero1": np.array([0]),
         "one1": np.array([1]), "three": np.array([3])}, symbols={"x": ["N", 3, "C"], "y": ["N", None]})


def convolution():
    def conv(name, x, w, b=None, pads=None, attributes=(), **torch_options):
        attributes = dict(attributes)
        padded = torch.from_numpy(x.astype(np.float64))
        if pads:
            half = len(pads) // 2
            flat = [p for axis in reversed(range(half)) for p in (pads[axis], pads[axis + half])]
            padded = F.pad(padded, flat)
            if "auto_pad" not in attributes:
                attributes["pads"] = pads
        function = F.conv1d if x.ndim == 3 else F.conv2d
        y = function(padded, torch.from_numpy(w.astype(np.float64)),
                     None if b is None else torch.from_numpy(b.astype(np.float64)), **torch_options)
        weights = {"w": w} if b is None else {"w": w, "b": b}
        case(name, [("Conv", "x " + " ".join(weights), "y", attributes)], {"x": x},
             {"y": y.numpy().astype(np.float32)}, weights)

    x, w, b = rand("cx", 2, 4, 6, 5), rand("cw", 6, 4, 3, 3), rand("cb", 6)
    conv("conv", x, w, b, [1, 1, 1, 1], {"kernel_shape": [3, 3]})
    conv("conv_without_bias", x, w)
    conv("conv_strided_dilated", x, w, b, [2, 2, 2, 2], {"strides": [2, 1], "dilations": [2, 2]},
         stride=(2, 1), dilation=2)
    conv("conv_groups", x, rand("cg", 6, 2, 3, 3), b, None, {"group": 2}, groups=2)
    conv("conv_depthwise", x, rand("cd", 4, 1, 3, 3), None, [1, 1, 1, 1], {"group": 4}, groups=4)
    conv("conv_unequal_pads", x, w, b, [0, 1, 2, 0])
    conv("conv_same_upper", x, w, b, [0, 1, 1, 1], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, stride=2)
    conv("conv_same_lower", x, w, b, [1, 1, 0, 1], {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, stride=2)
    conv("conv_1d", rand("c1", 2, 3, 7), rand("cw1", 4, 3, 3), rand("cb1", 4), [1, 1])


def elementwise():
    x = rand("elementwise", 3, 5, low=-4, high=4)
    for name, function in [("Relu", torch.relu), ("Exp", torch.exp), ("Tanh", torch.tanh),
                           ("Sigmoid", torch.sigmoid), ("Neg", torch.neg), ("Erf", torch.erf)]:
        case(name.lower(), [(name, "x", "y")], {"x": x}, {"y": f64(function, x)})
    positive = np.abs(x)
    case("sqrt", [("Sqrt", "x", "y")], {"x": positive}, {"y": f64(torch.sqrt, positive)})
    case("gelu", [("Gelu", "x", "y")], {"x": x}, {"y": f64(F.gelu, x)}, opset=20)
    case("gelu_tanh", [("Gelu", "x", "y", {"approximate": "tanh"})], {"x": x},
         {"y": f64(lambda t: F.gelu(t, approximate="tanh"), x)}, opset=20)
    case("clip", [("Clip", "x lo hi", "y")], {"x": x}, {"y": np.clip(x, -1, 2.5)},
         {"lo": np.float32(-1), "hi": np.float32(2.5)})
    case("clip_above", [("Clip", "x - hi", "y")], {"x": x}, {"y": np.minimum(x, 1)}, {"hi": np.float32(1)})
    case("clip_opset_9", [("Clip", "x", "y", {"min": 0.0, "max": 6.0})], {"x": 3 * x}, {"y": np.clip(3 * x, 0, 6)},
         opset=9)
    case("cast_to_float16", [("Cast", "x", "y", {"to": TensorProto.FLOAT16})], {"x": x},
         {"y": x.astype(np.float16)})
    case("cast_to_int64", [("Cast", "x", "y", {"to": TensorProto.INT64})], {"x": x}, {"y": x.astype(np.int64)})
    half = x.astype(np.float16)
    bfloat = (x.view(np.uint32) >> 16).astype(np.uint16)
    widened = (bfloat.astype(np.uint32) << 16).view(np.float32)
    case("half_initializers", [
        ("Cast", "raw", "a", {"to": 1}), ("Cast", "ints", "b", {"to": 1}), ("Cast", "braw", "c", {"to": 1}),
        ("Cast", "bints", "d", {"to": 1}), ("Add", "x a", "p"), ("Add", "p b", "q"), ("Add", "q c", "r"),
        ("Add", "r d", "y")], {"x": x},
        {"y": (x.astype(np.float64) + 2.0 * half + 2.0 * widened).astype(np.float32)}, [
            numpy_helper.from_array(half, "raw"),
            TensorProto(name="ints", data_type=TensorProto.FLOAT16, dims=x.shape,
                        int32_data=half.view(np.uint16).ravel().tolist()),
            TensorProto(name="braw", data_type=TensorProto.BFLOAT16, dims=x.shape, raw_data=bfloat.tobytes()),
            TensorProto(name="bints", data_type=TensorProto.BFLOAT16, dims=x.shape,
                        int32_data=bfloat.ravel().tolist())])


def matmul():
    def product(name, *shapes):
        a, b = rand(name + "a", *shapes[0]), rand(name + "b", *shapes[1])
        y = np.asarray((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32))
        case(name, [("MatMul", "a b", "y")], {"a": a, "b": b}, {"y": y})

    product("matmul", (3, 4), (4, 5))
    product("matmul_stack_by_matrix", (2, 3, 4), (4, 5))
    product("matmul_matrix_by_stack", (3, 4), (2, 4, 5))
    product("matmul_stacks", (2, 3, 3, 4), (2, 3, 4, 5))
    product("matmul_broadcast_stacks", (2, 1, 3, 4), (3, 4, 5))
    product("matmul_vector_by_matrix", (4,), (4, 5))
    product("matmul_stack_by_vector", (2, 3, 4), (4,))
    product("matmul_vectors", (4,), (4,))
    x, w = rand("gx", 3, 4), rand("gw", 5, 4)
    g = x.astype(np.float64) @ w.T.astype(np.float64)
    for name, c in [("gemm", rand("gc", 5)), ("gemm_column", rand("gc", 3, 1)), ("gemm_scalar", rand("gc")),
                    ("gemm_matrix", rand("gc", 3, 5))]:
        case(name, [("Gemm", "x w c", "y", {"transB": 1})], {"x": x}, {"y": (g + c).astype(np.float32)},
             {"w": w, "c": c})
    case("gemm_scaled", [("Gemm", "x w c", "y", {"alpha": 0.5, "beta": 2.0, "transA": 1})],
         {"x": np.ascontiguousarray(x.T)},
         {"y": (0.5 * g + 2 * rand("gc", 5).astype(np.float64)).astype(np.float32)},
         {"w": np.ascontiguousarray(w.T), "c": rand("gc", 5)})
    case("gemm_without_addend", [("Gemm", "x w", "y", {"alpha": 0.25, "transB": 1})], {"x": x},
         {"y": (0.25 * g).astype(np.float32)}, {"w": w})


def normalization():
    x = rand("lx", 2, 3, 5)
    w, b = rand("lw", 5), rand("lb", 5)
    case("layer_norm", [("LayerNormalization", "x w b", "y", {"epsilon": 1e-3})], {"x": x},
         {"y": f64(lambda t, u, v: F.layer_norm(t, (5,), u, v, float(np.float32(1e-3))), x, w, b)}, {"w": w, "b": b})
    w2 = rand("lw2", 3, 5)
    wide = x.astype(np.float64)
    mean = wide.mean((1, 2), keepdims=True)
    inverse = 1 / np.sqrt(wide.var((1, 2), keepdims=True) + 1e-5)
    case("layer_norm_two_axes", [("LayerNormalization", "x w", "y mean inverse", {"axis": 1})], {"x": x},
         {"y": ((wide - mean) * inverse * w2).astype(np.float32), "mean": mean.astype(np.float32),
          "inverse": inverse.astype(np.float32)}, {"w": w2})
    image = rand("bx", 2, 3, 4, 4)
    weights = {"w": rand("bw", 3), "b": rand("bb", 3), "m": rand("bm", 3), "v": rand("bv", 3, low=0.2)}
    case("batch_norm", [("BatchNormalization", "x w b m v", "y", {"epsilon": 1e-3})], {"x": image},
         {"y": f64(lambda t, u, s, m, v: F.batch_norm(t, m, v, u, s, False, 0.1, float(np.float32(1e-3))),
                   image, *weights.values())}, weights)


def pooling():
    x = rand("px", 2, 3, 7, 6)

    def pooled(name, operator, function, attributes, array=x):
        case(name, [(operator, "x", "y", attributes)], {"x": array}, {"y": f64(function, array)})

    pooled("max_pool", "MaxPool", lambda t: F.max_pool2d(t, 3, 2, 1),
           {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]})
    pooled("max_pool_ceil", "MaxPool", lambda t: F.max_pool2d(t, 2, 2, ceil_mode=True),
           {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1})
    pooled("max_pool_dilated", "MaxPool", lambda t: F.max_pool2d(t, 2, 1, dilation=2),
           {"kernel_shape": [2, 2], "dilations": [2, 2]})
    pooled("max_pool_unequal_pads", "MaxPool",
           lambda t: F.max_pool2d(F.pad(t, (0, 1, 1, 0), value=-float("inf")), 3, 2),
           {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 0, 1]})
    pooled("max_pool_1d", "MaxPool", lambda t: F.max_pool1d(t, 3, 2, 1),
           {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}, rand("p1", 2, 3, 9))
    pooled("average_pool", "AveragePool", lambda t: F.avg_pool2d(t, 3, 2, 1, count_include_pad=False),
           {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]})
    pooled("average_pool_with_pads", "AveragePool", lambda t: F.avg_pool2d(t, (3, 2), (2, 1), (1, 0)),
           {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 0], "count_include_pad": 1})
    pooled("average_pool_unequal_pads", "AveragePool", lambda t: F.avg_pool2d(F.pad(t, (0, 1, 1, 0)), 3, 2),
           {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 0, 0, 1], "count_include_pad": 1})
    pooled("global_average_pool", "GlobalAveragePool", lambda t: t.mean((2, 3), keepdim=True), {})


def reduction():
    x = rand("rx", 2, 3, 4)
    wide = x.astype(np.float64)
    for op, function in [("ReduceMean", np.mean), ("ReduceSum", np.sum)]:
        old = {"axes": [-1, 0], "keepdims": 0}
        snake = "reduce_" + op[6:].lower()
        case(snake + "_opset_11", [(op, "x", "y", old)], {"x": x}, {"y": function(wide, (0, 2)).astype(np.float32)},
             opset=11)
        case(snake + "_axes_input", [(op, "x axes", "y")], {"x": x},
             {"y": function(wide, 1, keepdims=True).astype(np.float32)}, {"axes": np.array([1])}, opset=18)
        case(snake + "_all", [(op, "x", "y")], {"x": x},
             {"y": function(wide, (0, 1, 2), keepdims=True).astype(np.float32)}, opset=18)


def slicing():
    x = rand("sx", 4, 5, 6)
    case("concat", [("Concat", "a b c", "y", {"axis": -2})], {"a": x, "b": x[:, :2].copy(), "c": x[:, 3:].copy()},
         {"y": np.concatenate([x, x[:, :2], x[:, 3:]], 1)})
    case("gather_scalar", [("Gather", "x i", "y", {"axis": 1})], {"x": x}, {"y": x[:, 3]}, {"i": np.int64(-2)})
    case("gather_table", [("Gather", "w i", "y")], {"i": np.array([[0, 3, -1], [2, 2, 1]], np.int64)},
         {"y": x[:, 0][[[0, 3, -1], [2, 2, 1]]]}, {"w": x[:, 0].copy()})
    case("gather_int32", [("Gather", "x i", "y", {"axis": 2})], {"x": x}, {"y": x[:, :, [5, 0]]},
         {"i": np.array([5, 0], np.int32)})
    case("slice", [("Slice", "x s e a t", "y")], {"x": x}, {"y": x[1:3, :, -100:-1:2]},
         {"s": np.array([1, -100]), "e": np.array([3, -1]), "a": np.array([0, -1]), "t": np.array([1, 2])})
    case("slice_backward", [("Slice", "x s e a t", "y")], {"x": x}, {"y": x[::-1, 4:0:-2]},
         {"s": np.array([-1, 4]), "e": np.array([np.iinfo(np.int64).min, 0]), "a": np.array([0, 1]),
          "t": np.array([-1, -2])})
    case("slice_to_the_end", [("Slice", "x s e", "y")], {"x": x}, {"y": x[2:, 1:]},
         {"s": np.array([2, 1]), "e": np.array([np.iinfo(np.int64).max] * 2)})
    case("slice_opset_9", [("Slice", "x", "y", {"starts": [1], "ends": [-1], "axes": [1]})], {"x": x},
         {"y": x[:, 1:-1]}, opset=9)
    parts = {"p": x[:, :, :1], "q": x[:, :, 1:4], "r": x[:, :, 4:]}
    case("split", [("Split", "x s", "p q r", {"axis": -1})], {"x": x}, parts, {"s": np.array([1, 3, 2])})
    case("split_opset_11", [("Split", "x", "p q r", {"axis": 2, "split": [1, 3, 2]})], {"x": x}, parts, opset=11)
    case("split_equally", [("Split", "x", "p q")], {"x": x}, {"p": x[:2], "q": x[2:]})
    case("split_num_outputs", [("Split", "x", "p q r", {"axis": 1, "num_outputs": 3})], {"x": x},
         {"p": x[:, :2], "q": x[:, 2:4], "r": x[:, 4:]}, opset=18)


def softmax():
    x = rand("softmax", 2, 3, 4)

    def flattened(function):
        return lambda t: function(t.reshape(2, 12), 1).reshape(2, 3, 4)

    for op, function in [("Softmax", torch.softmax), ("LogSoftmax", torch.log_softmax)]:
        snake = "softmax" if op == "Softmax" else "log_softmax"
        case(snake, [(op, "x", "y")], {"x": x}, {"y": f64(lambda t: function(t, -1), x)})
        case(snake + "_axis", [(op, "x", "y", {"axis": 1})], {"x": x}, {"y": f64(lambda t: function(t, 1), x)})
        case(snake + "_opset_11", [(op, "x", "y")], {"x": x}, {"y": f64(flattened(function), x)}, opset=11)


def views():
    x = rand("vx", 2, 1, 3, 4)
    case("expand", [("Expand", "x s", "y")], {"x": x}, {"y": np.broadcast_to(x, (2, 5, 3, 4)).copy()},
         {"s": np.array([5, 1, 4])})
    case("flatten", [("Flatten", "x", "y")], {"x": x}, {"y": x.reshape(2, 12)})
    case("flatten_axis", [("Flatten", "x", "y", {"axis": -1})], {"x": x}, {"y": x.reshape(6, 4)})
    case("flatten_all", [("Flatten", "x", "y", {"axis": 0})], {"x": x}, {"y": x.reshape(1, 24)})
    case("reshape", [("Reshape", "x s", "y")], {"x": x}, {"y": x.reshape(2, 6, 2)}, {"s": np.array([0, -1, 2])})
    empty = np.zeros((0, 3), np.float32)
    case("reshape_allowzero", [("Reshape", "x s", "y", {"allowzero": 1})], {"x": empty},
         {"y": empty.reshape(3, 0)}, {"s": np.array([3, 0])})
    case("squeeze", [("Squeeze", "x a", "y")], {"x": x}, {"y": x[:, 0]}, {"a": np.array([-3])})
    case("squeeze_all", [("Squeeze", "x", "y")], {"x": x[:1].copy()}, {"y": x[0, 0]})
    case("squeeze_opset_11", [("Squeeze", "x", "y", {"axes": [1]})], {"x": x}, {"y": x[:, 0]}, opset=11)
    case("transpose", [("Transpose", "x", "y", {"perm": [2, 0, 3, 1]})], {"x": x}, {"y": x.transpose(2, 0, 3, 1)})
    case("transpose_reversed", [("Transpose", "x", "y")], {"x": x}, {"y": x.T})
    case("unsqueeze", [("Unsqueeze", "x a", "y")], {"x": x[:, 0].copy()}, {"y": x[:, 0][:, None, :, :, None]},
         {"a": np.array([-1, 1])})
    case("unsqueeze_opset_11", [("Unsqueeze", "x", "y", {"axes": [0]})], {"x": x}, {"y": x[None]}, opset=11)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for family in (arithmetic, constants, convolution, elementwise, matmul, normalization, pooling, reduction,
                   slicing, softmax, views):
        family()
    onnx_breadth.breadth(case, rand, f64)
    for name, (model, arrays) in CASES.items():
        onnx.save(model, str(folder / f"{name}.onnx"))
        np.savez_compressed(folder / f"{name}.io.npz", **arrays)


if __name__ == "__main__":
    main()
