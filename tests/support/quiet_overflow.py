"""A model whose matrix product overflows on the 910A by a small error.

A Cube input of 65700 saturates to 65504: 0.3 % less. The subtraction behind it is off by more,
but that came in through its input.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NODE = "/fc"


def write_model(path):
    weight = numpy_helper.from_array(np.full((4, 3), 0.25, "f4"), "w")
    most = numpy_helper.from_array(np.full((3,), 16425, "f4"), "most")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name=NODE),
             helper.make_node("Sub", ["y", "most"], ["z"], name="/sub")]
    graph = helper.make_graph(nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2, 3])], [weight, most])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def write_inputs(path):
    np.savez(path, x=np.array([[65700, 1, 2, 3], [1, 2, 3, 4]], "f4"))
