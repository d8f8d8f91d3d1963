#!/usr/bin/python3
"""Writes data/onnx_cases/bad_*.onnx: models that must be refused, each with one thing wrong.

Run: /usr/bin/python3 data/generate_refused_onnx.py [folder]
"""
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "onnx_cases"
BAD = {}


def bad_models():
    """One x: float32[2,3] -> y graph each, with one thing wrong."""
    vector = numpy_helper.from_array(np.array([1, 2, 3], np.float32), "w")

    def bad(name, nodes, initializers=(), change=None):
        made = [helper.make_node(n[0], n[1].split(), n[2].split(), **(n[3] if len(n) > 3 else {})) for n in nodes]
        value = [helper.make_tensor_value_info(key, TensorProto.FLOAT, [2, 3]) for key in "xy"]
        graph = helper.make_graph(made, name, value[:1], value[1:], list(initializers))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="npuscope")
        model.ir_version = 8
        if change:
            change(model)
        BAD["bad_" + name] = model

    def clear(field):
        return lambda model: model.ClearField(field)

    def edit_tensor(**fields):
        tensor = TensorProto()
        tensor.CopyFrom(vector)
        for key, value in fields.items():
            if key == "dims":
                tensor.ClearField("dims")
                tensor.dims.extend(value)
            else:
                setattr(tensor, key, value)
        return tensor

    relu, add = [("Relu", "x", "y")], [("Add", "x w", "y")]
    bad("missing_operators", [("Relu", "x", "a"), ("StringNormalizer", "a", "b", {"name": "/first"}), ("StringNormalizer", "b", "c"),
                              ("Fused", "c", "d", {"domain": "com.example"}), ("Relu", "d", "y")])
    bad("cycle", [("Add", "x b", "a"), ("Relu", "a", "b"), ("Relu", "b", "y")])
    bad("dangling_input", [("Add", "x nothing", "y")])
    bad("dangling_output", [("Relu", "x", "z")])
    bad("value_made_twice", [("Relu", "x", "y"), ("Neg", "x", "y")])
    bad("opset_0", relu, change=lambda m: setattr(m.opset_import[0], "version", 0))
    bad("opset_99", relu, change=lambda m: setattr(m.opset_import[0], "version", 99))
    bad("without_opset", relu, change=clear("opset_import"))
    bad("without_graph", relu, change=clear("graph"))
    bad("without_outputs", relu, change=lambda m: m.graph.ClearField("output"))
    bad("raw_size", add, [edit_tensor(raw_data=b"123456789")])
    bad("raw_elements", add, [edit_tensor(dims=[2])])
    bad("field_elements", add, [TensorProto(name="w", data_type=1, dims=[3], float_data=[1, 2])])
    bad("huge_dims", add, [edit_tensor(dims=[1 << 40, 1 << 40])])
    bad("large_dims", add, [edit_tensor(dims=[1 << 33])])
    bad("negative_dim", add, [edit_tensor(dims=[-3])])
    bad("external_data", add, [edit_tensor(data_location=TensorProto.EXTERNAL)])
    bad("text_tensor", add, [TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"a"])])
    bad("sparse_initializer", relu, change=lambda m: m.graph.sparse_initializer.add())
    bad("unknown_attribute", [("Relu", "x", "y", {"slope": 1.0})])
    bad("graph_attribute", [("Constant", "", "c", {"value": helper.make_graph([], "g", [], [])}), ("Add", "x c", "y")])
    bad("too_few_inputs", [("Conv", "x", "y")])
    bad("too_many_inputs", [("Relu", "x x", "y")])
    bad("too_many_outputs", [("Relu", "x", "y z")])
    bad("map_input", relu, change=lambda m: setattr(m.graph.input[0].type.map_type, "key_type", TensorProto.INT64))
    bad("input_without_shape", relu, change=lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"))
    bad("negative_input_dim", relu,
        change=lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", -2))
    for code in (17, 20, 22):
        bad(f"float8_{code}", relu, change=lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", code))
    bad("text_constant", [("Constant", "", "c", {"value_string": "a"}), ("Equal", "c c", "y")])
    for op in ("ImageDecoder", "RegexFullMatch", "StringConcat", "StringSplit"):
        bad("operator_" + op, [(op, "x", "y")], change=lambda m: setattr(m.opset_import[0], "version", 20))
    bad("text_input", relu, change=lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 8))

    def ints(name, *values):
        return numpy_helper.from_array(np.array(values, np.int64), name)

    # These load, and fail when their node runs.
    bad("run_zero_point", [("QuantizeLinear", "x s z", "q"), ("Cast", "q", "y", {"to": 1})],
        [numpy_helper.from_array(np.float32(0.5), "s"), numpy_helper.from_array(np.int32(3), "z")])
    bad("run_float8", [("Cast", "x", "y", {"to": 19})])
    bad("run_dropout", [("Dropout", "x r t", "y")], [numpy_helper.from_array(np.float32(0.5), "r"), numpy_helper.from_array(np.array(True), "t")])
    big = 1 << 62
    bad("run_big_tile", [("Tile", "x n", "y")], [ints("n", big, big)])
    bad("run_big_expand", [("Expand", "x n", "y")], [ints("n", big, 1, 1, 1)])
    bad("run_big_reshape", [("Reshape", "x n", "y")], [ints("n", big, 8)])
    bad("run_big_pad", [("Pad", "x n", "y")], [ints("n", big, big, big, big)])
    bad("run_big_slice", [("Slice", "x s e a t", "y")], [ints("s", -big * 2), ints("e", big), ints("a", 5), ints("t", -big * 2)])
    bad("run_big_axis", [("Softmax", "x", "y", {"axis": big})])
    bad("run_big_kernel", [("Reshape", "x n", "r"), ("MaxPool", "r", "y", {"kernel_shape": [big]})], [ints("n", 1, 2, 3)])
    bad("run_big_range", [("Range", "a b c", "r"), ("Add", "x r", "y")], [numpy_helper.from_array(np.int64(n), k) for k, n in (("a", 0), ("b", big), ("c", 1))])
    newer = lambda m: setattr(m.opset_import[0], "version", 18)
    bad("run_center_sizes", [("CenterCropPad", "x n", "y")], [ints("n", 2)], newer)
    bad("run_center_negative", [("CenterCropPad", "x n", "y")], [ints("n", 2, -1)], newer)
    bad("run_col2im_blocks", [("Reshape", "x n", "r"), ("Col2Im", "r i k", "y")], [ints("n", 1, 3, 2), ints("i", 4, 4), ints("k", 2, 2)], newer)
    bad("run_col2im_image", [("Reshape", "x n", "r"), ("Col2Im", "r i k", "y")], [ints("n", 1, 3, 2), ints("i", 4, 4), ints("k", 5, 1)], newer)
    bad("run_sequence", [("SequenceConstruct", "x", "s"), ("Relu", "s", "y")])
    bad("run_no_sequence", [("SequenceLength", "x", "n"), ("Add", "x n", "y")])
    bad("run_sequence_place", [("SequenceConstruct", "x x", "s"), ("SequenceAt", "s p", "y")], [ints("p", 2)])
    bad("run_sequence_dtype", [("SequenceConstruct", "x i", "s"), ("SequenceAt", "s p", "y")], [ints("i", 1), ints("p", 0)])
    bad("run_sequence_join", [("Transpose", "x", "t"), ("SequenceConstruct", "x t", "s"), ("ConcatFromSequence", "s", "y", {"axis": 0})])
    bad("run_sequence_split", [("SplitToSequence", "x n", "s"), ("SequenceAt", "s p", "y")], [ints("n", 1, 3), ints("p", 0)])
    bad("run_sequence_empty", [("SequenceEmpty", "", "s"), ("SequenceErase", "s", "t"), ("SequenceAt", "t p", "y")], [ints("p", 0)])
    absent = helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3])
    bad("run_absent", [("Optional", "", "o", {"type": absent}), ("OptionalGetElement", "o", "y")])
    bad("run_absent_tensor", [("Optional", "", "o", {"type": absent}), ("Relu", "o", "y")])
    bad("run_reshape", [("Reshape", "x s", "y")], [ints("s", 4, 2)])
    bad("run_matmul", [("MatMul", "x x", "y")])
    bad("run_gather", [("Gather", "x s", "y")], [ints("s", 2)])
    bad("run_step", [("Slice", "x s e a t", "y")], [ints("s", 0), ints("e", 2), ints("a", 0), ints("t", 0)])
    bad("run_axis", [("Softmax", "x", "y", {"axis": 2})])
    bad("run_axis_type", [("Softmax", "x", "y", {"axis": 1.0})])
    bad("run_perm", [("Transpose", "x", "y", {"perm": [0, 0]})])
    bad("run_split", [("Split", "x s", "y z")], [ints("s", 1, 3)])
    bad("run_concat", [("Concat", "x w", "y", {"axis": 0})], [vector])
    bad("run_broadcast", [("Expand", "x s", "y")], [ints("s", 4, 3)])
    bad("run_squeeze", [("Squeeze", "x s", "y")], [ints("s", 0)])
    bad("run_dtype", [("Add", "x s", "y")], [ints("s", 1)])
    bad("run_division", [("Div", "a s", "n"), ("ConstantOfShape", "n", "y")], [ints("a", 6), ints("s", 0)])
    bad("run_size", [("ConstantOfShape", "s", "c"), ("Add", "x c", "y")], [ints("s", 1 << 40)])
    bad("run_cast", [("Cast", "x", "y", {"to": TensorProto.STRING})])
    bad("run_few", [("TopK", "x s", "y i")], [ints("s")])
    bad("run_empty", [("Pad", "x p v", "y")], [ints("p", 0, 0, 0, 0), numpy_helper.from_array(np.zeros(0, np.float32), "v")])
    bad("run_window", [("Reshape", "x s", "r"), ("MaxPool", "r", "y", {"kernel_shape": [4]})], [ints("s", 1, 2, 3)])
    bad("run_stride", [("Reshape", "x s", "r"), ("MaxPool", "r", "y", {"kernel_shape": [2], "strides": [0]})],
        [ints("s", 1, 2, 3)])


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    bad_models()
    for name, model in BAD.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
