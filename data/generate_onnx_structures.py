#!/usr/bin/python3
"""Writes models of data/onnx_cases/ that are more than a list of nodes on tensors: sequences and optionals as values,
functions that the model brings along, tensors in files beside the model, dropout with a seed, regions; and such
models that must be refused.

Expected outputs are NumPy's. Run: /usr/bin/python3 data/generate_onnx_structures.py [folder]
"""
import pathlib
import sys
import zlib

import numpy as np
from onnx import AttributeProto, FunctionProto, ModelProto, TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "onnx_cases"
FILES = {}  # name -> bytes, or arrays of a .npz
OWN = "npuscope.test"


def rand(seed, *shape):
    return np.random.default_rng(zlib.crc32(seed.encode())).uniform(-2, 2, shape).astype(np.float32)


def node(op, inputs, outputs, domain="", **attributes):
    return helper.make_node(op, ["" if i == "-" else i for i in inputs.split()], outputs.split(), domain=domain, **attributes)


def ref(made, attribute, argument, kind):
    """The node with `attribute` taken from the argument of the function that it is in."""
    made.attribute.append(AttributeProto(name=attribute, ref_attr_name=argument, type=kind))
    return made


def function(name, inputs, outputs, nodes, attributes=(), opset=17, defaults=()):
    made = FunctionProto(name=name, domain=OWN, input=inputs.split(), output=outputs.split(), node=nodes, attribute=attributes)
    made.opset_import.extend([helper.make_opsetid("", opset), helper.make_opsetid(OWN, 1)])
    data = made.SerializeToString()
    for default in defaults:  # FunctionProto.attribute_proto is field 11, which Debian's onnx does not know yet
        text = default.SerializeToString()
        assert len(text) < 128
        data += bytes([11 << 3 | 2, len(text)]) + text
    return FunctionProto.FromString(data)


def tensor_info(name, shape=(2, 3), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=None, outputs=None, initializers=(), functions=(), opset=17):
    graph = helper.make_graph(nodes, "g", inputs or [tensor_info("x")], outputs or [tensor_info("y")], list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(OWN, 1)],
                             producer_name="npuscope")
    made.functions.extend(functions)
    made.ir_version = 8
    return made


def write(name, made, inputs=None, expected=None):
    FILES[name + ".onnx"] = made.SerializeToString()
    if expected is not None:
        FILES[name + ".io.npz"] = {**{"in_" + k: v for k, v in inputs.items()}, **{"out_" + k: v for k, v in expected.items()}}


def ints(name, *values, scalar=False):
    return numpy_helper.from_array(np.array(values[0] if scalar else values, np.int64), name)


def sequences():
    x = rand("x", 2, 3)
    at = [ints(f"n{i}", i, scalar=True) for i in (-1, 0, 1, 2)]
    write("sequence_changes", model(
        [node("Neg", "x", "m"), node("Abs", "x", "p"), node("SequenceConstruct", "x m", "s2"),
         node("SequenceInsert", "s2 p n-1", "s3"),          # x p m
         node("SequenceErase", "s3 n0", "s"), node("SequenceLength", "s", "n"),
         node("SequenceAt", "s n-1", "last"), node("SequenceErase", "s", "one"), node("SequenceAt", "one n0", "first"),
         node("ConcatFromSequence", "s", "joined", axis=-1), node("ConcatFromSequence", "s", "stacked", axis=1, new_axis=1)],
        outputs=[tensor_info("n", (), TensorProto.INT64), tensor_info("last"), tensor_info("first"), tensor_info("joined", (2, 6)),
                 tensor_info("stacked", (2, 2, 3))], initializers=at[:2]),
        {"x": x}, {"n": np.int64(2), "last": -x, "first": np.abs(x), "joined": np.concatenate([np.abs(x), -x], -1),
                   "stacked": np.stack([np.abs(x), -x], 1)})
    wide = rand("wide", 5, 2)
    info = helper.make_tensor_sequence_value_info
    write("sequence_output", model(
        [node("SplitToSequence", "x sizes", "parts", axis=0), node("SplitToSequence", "x", "rows", axis=0, keepdims=0),
         node("SequenceEmpty", "", "none")],
        inputs=[tensor_info("x", (5, 2))], outputs=[info("parts", TensorProto.FLOAT, None), info("rows", TensorProto.FLOAT, None),
                                                    info("none", TensorProto.FLOAT, None)], initializers=[ints("sizes", 1, 4)]),
        {"x": wide}, {"parts/0": wide[:1], "parts/1": wide[1:], **{f"rows/{i}": wide[i] for i in range(5)}})
    body = helper.make_graph([node("Mul", "e t", "z")], "body", [tensor_info("e", None), tensor_info("t", None)], [tensor_info("z", None)])
    write("sequence_input", model([node("SequenceMap", "s x", "y", body=body)],
                                  inputs=[info("s", TensorProto.FLOAT, ["N"]), tensor_info("x", (1,))],
                                  outputs=[info("y", TensorProto.FLOAT, None)]),
          {"s/0": x[0], "s/1": x[1, :2], "x": np.float32([3])}, {"y/0": x[0] * 3, "y/1": x[1, :2] * np.float32(3)})
    optional = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3]))
    some = helper.make_graph([node("OptionalGetElement", "o", "v")], "some", [], [tensor_info("v")])
    none = helper.make_graph([node("Neg", "x", "w")], "none", [], [tensor_info("w")])
    for name, given in (("optional_given", {"o": -3 * x}), ("optional_absent", {})):
        write(name, model([node("OptionalHasElement", "o", "h"), node("If", "h", "y", then_branch=some, else_branch=none)],
                          inputs=[tensor_info("x"), helper.make_value_info("o", optional)]), {"x": x, **given},
              {"y": given.get("o", -x)})


def functions():
    x = rand("functions", 2, 3)
    scaled = function("Scaled", "a b", "c", [node("LeakyRelu", "a", "t"), node("Add", "t b", "c")], ["slope"])
    ref(scaled.node[0], "alpha", "slope", AttributeProto.FLOAT)
    leaky = lambda v, slope: np.where(v < 0, v * np.float32(slope), v).astype(np.float32)
    write("function_attributes", model(
        [node("Scaled", "x x", "p", OWN, slope=0.5), node("Scaled", "p x", "y", OWN)], functions=[scaled]),
        {"x": x}, {"y": leaky(leaky(x, 0.5) + x, 0.01) + x})
    outer = function("Twice", "a", "first second", [ref(node("Scaled", "a a", "first", OWN), "slope", "s", AttributeProto.FLOAT),
                                                     node("Scaled", "first a", "second", OWN, slope=0.25)], ["s"])
    first = leaky(x, 0.5) + x
    write("function_nested", model([node("Twice", "x", "z y", OWN, s=0.5)], functions=[outer, scaled],
                                   outputs=[tensor_info("y"), tensor_info("z")]), {"x": x}, {"y": leaky(first, 0.25) + x, "z": first})
    sharp = function("Sharp", "a", "c", [ref(node("LeakyRelu", "a", "c"), "alpha", "slope", AttributeProto.FLOAT)],
                     defaults=[helper.make_attribute("slope", 0.75)])
    write("function_default", model([node("Sharp", "x", "p", OWN), node("Sharp", "p", "y", OWN, slope=0.5)], functions=[sharp]),
          {"x": x}, {"y": leaky(leaky(x, 0.75), 0.5)})
    # An input that the call leaves out is left out inside; the function's own operator set has axes as an attribute.
    clip = function("Bounded", "a low high", "c", [node("Clip", "a low high", "t"), node("ReduceMean", "t", "c", axes=[1], keepdims=1)],
                    opset=13)
    write("function_left_out", model([node("Bounded", "x - top", "y", OWN)], outputs=[tensor_info("y", (2, 1))],
                                     initializers=[numpy_helper.from_array(np.float32(0.5), "top")], functions=[clip], opset=18),
          {"x": x}, {"y": np.minimum(x, np.float32(0.5)).mean(1, keepdims=True)})
    branch = lambda name, op: helper.make_graph([node(op, "a", "r")], name, [], [tensor_info("r")])
    inside = function("Chosen", "a c", "r", [node("If", "c", "r", then_branch=branch("t", "Neg"), else_branch=branch("e", "Abs"))])
    write("function_with_body", model(
        [node("Chosen", "x yes", "p", OWN), node("Chosen", "p no", "y", OWN)], functions=[inside],
        initializers=[numpy_helper.from_array(np.array(v), n) for n, v in (("yes", True), ("no", False))]), {"x": x}, {"y": np.abs(x)})


def refused_functions():
    call = [node("A", "x", "y", OWN)]
    write("bad_function_recursive", model(call, functions=[function("A", "a", "b", [node("B", "a", "b", OWN)]),
                                                           function("B", "a", "b", [node("A", "a", "b", OWN)])]))
    # Each function calls the next one twice: 2^40 nodes in all.
    chain = [function("A" * (i + 1), "a", "b", [node("A" * (i + 2), "a", "t", OWN), node("A" * (i + 2), "t", "b", OWN)]) for i in range(40)]
    write("bad_function_growth", model(call, functions=chain + [function("A" * 41, "a", "b", [node("Relu", "a", "b")])]))
    deep = [function("A" * (i + 1), "a", "b", [node("A" * (i + 2), "a", "b", OWN)]) for i in range(100)]
    write("bad_function_depth", model(call, functions=deep + [function("A" * 101, "a", "b", [node("Relu", "a", "b")])]))
    write("bad_function_operator", model(call, functions=[function("A", "a", "b", [node("Unheard", "a", "t"), node("Of", "t", "b", "far")])]))
    write("bad_function_twice", model(call, functions=[function("A", "a", "b", [node("Relu", "a", "b")])] * 2))
    write("bad_function_inputs", model([node("A", "x x", "y", OWN)], functions=[function("A", "a", "b", [node("Relu", "a", "b")])]))
    write("bad_function_attribute", model([node("A", "x", "y", OWN, slope=1.0)], functions=[function("A", "a", "b", [node("Relu", "a", "b")])]))
    write("bad_function_output", model(call, functions=[function("A", "a", "b", [node("Relu", "a", "c")])]))
    write("bad_function_opset", model(call, functions=[function("A", "a", "b", [node("Relu", "a", "b")], opset=99)]))
    write("bad_reference_outside", model([ref(node("LeakyRelu", "x", "y"), "alpha", "slope", AttributeProto.FLOAT)]))


def external(name, dims=(2, 3), kind=TensorProto.FLOAT, **keys):
    tensor = TensorProto(name=name, data_type=kind, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in keys.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def external_data():
    x, w, flags = rand("external", 2, 3), rand("outside", 4, 3), np.array([[True, False, True]])
    FILES["external.data"] = b"\0" * 8 + w.tobytes() + flags.tobytes() + np.float16([1, 2, 3]).tobytes()
    tensors = [external("first", location="external.data", offset=8, length=24, checksum="not verified"),
               external("second", location="external.data", offset=32),
               external("shared", location="external.data", offset=8),
               external("flags", (1, 3), TensorProto.BOOL, location="external.data", offset=56, length=3),
               external("half", (3,), TensorProto.FLOAT16, location="external.data", offset=59),
               external("empty", (0, 3), location="external.data", offset=65)]
    write("external_data", model(
        [node("Add", "x first", "a"), node("Mul", "a second", "b"), node("Sub", "b shared", "c"), node("Where", "flags c x", "d"),
         node("Cast", "half", "h", to=1), node("Add", "d h", "f"), node("Concat", "f empty", "y", axis=0)], initializers=tensors),
        {"x": x}, {"y": np.where(flags, (x + w[:2]) * w[2:] - w[:2], x) + np.float32([1, 2, 3])})

    def bad(name, tensor, other=None):
        write("bad_external_" + name, model([node("Add", "x w", "y")], initializers=[tensor] + ([other] if other else [])))

    place = {"location": "external.data"}
    bad("missing", external("w", location="no.such.data"))
    bad("short", external("w", (4, 1 << 20), **place))
    bad("end", external("w", offset=48, **place))
    bad("offset", external("w", offset=(1 << 64) - 8, **place))
    bad("offset_text", external("w", offset="8 bytes", **place))
    bad("offset_huge", external("w", offset=1 << 64, **place))
    bad("length", external("w", offset=8, length=20, **place))
    bad("size", external("w", (1 << 31, (1 << 31) - 1), **place))
    bad("parent", external("w", location="../onnx_cases/external.data"))
    bad("inner_parent", external("w", location="folder/../../external.data"))
    bad("absolute", external("w", location="/etc/passwd"))
    bad("zero", external("w", location="external.data\0.png"))
    bad("folder", external("w", location="."))
    bad("key", external("w", compression="zip", **place))
    bad("type", external("w", kind=TensorProto.STRING, **place))
    bad("alias", external("w", (16,), **place), external("v", (15,), location=".//external.data"))
    bad("overlap", external("w", (16,), **place), external("v", (16,), offset=1, **place))


def dropout():
    x = rand("dropout", 5, 7)
    state = np.random.RandomState(11)
    kept = state.uniform(0, 1, x.shape) >= 0.25
    write("dropout_training", model(
        [node("Dropout", "x ratio yes", "y mask", seed=11), node("Dropout", "x ratio", "z same")], [tensor_info("x", (5, 7))],
        [tensor_info("y", (5, 7)), tensor_info("mask", (5, 7), TensorProto.BOOL), tensor_info("z", (5, 7)),
         tensor_info("same", (5, 7), TensorProto.BOOL)],
        [numpy_helper.from_array(np.float32(0.25), "ratio"), numpy_helper.from_array(np.array(True), "yes")]),
        {"x": x}, {"y": (np.where(kept, x.astype(np.float64), 0) / 0.75).astype(np.float32), "mask": kept, "z": x, "same": kept | True})


def roi_align():
    """Loops over the operator's definition; in mode max every corner is weighted before the maximum."""
    x, rois = rand("image", 2, 2, 6, 7), np.float32([[0.5, 1, 5, 4.5], [-2, -1, 9, 8], [3, 2, 3.25, 2.5]])
    batch = np.array([1, 0, 1], np.int64)

    def aligned(mode, height, width, ratio, scale, shift):
        y = np.zeros((3, 2, height, width))
        for r, c, p, q in np.ndindex(*y.shape):
            x1, y1, x2, y2 = rois[r].astype(np.float64) * scale - shift
            h, w = y2 - y1, x2 - x1
            if not shift:
                h, w = max(h, 1), max(w, 1)
            rows, columns = (ratio, ratio) if ratio else (int(np.ceil(h / height)), int(np.ceil(w / width)))
            values = []
            for i, j in np.ndindex(rows, columns):
                b, a = y1 + (p + (i + 0.5) / rows) * h / height, x1 + (q + (j + 0.5) / columns) * w / width
                if not (-1 <= b <= 6 and -1 <= a <= 7):
                    values.append([0.0] * 4)
                    continue
                b, a = min(max(b, 0), 5), min(max(a, 0), 6)
                b0, a0 = min(int(b), 5), min(int(a), 6)
                b1, a1 = min(b0 + 1, 5), min(a0 + 1, 6)
                image = x[batch[r], c].astype(np.float64)
                values.append([image[b0, a0] * (b0 + 1 - b) * (a0 + 1 - a), image[b0, a1] * (b0 + 1 - b) * (a - a0),
                               image[b1, a0] * (b - b0) * (a0 + 1 - a), image[b1, a1] * (b - b0) * (a - a0)])
            y[r, c, p, q] = np.max(values) if mode == "max" else np.sum(values) / max(1, rows * columns)
        return y.astype(np.float32)

    constants = [numpy_helper.from_array(rois, "r"), numpy_helper.from_array(batch, "b")]
    for name, opset, mode, settings in (("roi_align", 16, "avg", dict(sampling_ratio=2, spatial_scale=0.75)),
                                        ("roi_align_max", 10, "max", dict(spatial_scale=1.0))):
        write(name, model([node("RoiAlign", "x r b", "y", mode=mode, output_height=3, output_width=2, **settings)],
                          [tensor_info("x", (2, 2, 6, 7))], [tensor_info("y", (3, 2, 3, 2))], constants, opset=opset),
              {"x": x}, {"y": aligned(mode, 3, 2, settings.get("sampling_ratio", 0), settings["spatial_scale"], 0.5 * (opset >= 16))})


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for section in (sequences, functions, refused_functions, external_data, dropout, roi_align):
        section()
    for name, content in FILES.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
            if name.endswith(".onnx"):
                ModelProto.FromString(content)
        else:
            np.savez_compressed(folder / name, **content)


if __name__ == "__main__":
    main()
