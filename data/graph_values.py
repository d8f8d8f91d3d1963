"""Evaluates a small ONNX graph node by node with NumPy, in float64.

Only the operators of the digits models. Each result is rounded to the dtype that the graph declares
for it, so that what one node hands to the next is what a float32 or float16 machine would see.
"""

import math
from typing import Callable, Dict, Iterator, List, Tuple

import numpy as np
import onnx
from onnx import numpy_helper

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _layer_norm(x, weight, bias, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + epsilon) * weight + bias


def _softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _gemm(a, b, c=0.0, alpha=1.0, beta=1.0, transA=0, transB=0):
    return alpha * ((a.T if transA else a) @ (b.T if transB else b)) + beta * c


def _reshape(x, shape, allowzero=0):
    del allowzero
    return x.reshape([x.shape[i] if n == 0 else int(n) for i, n in enumerate(shape)])


def _split(x, sizes, axis=0):
    return tuple(np.split(x, np.cumsum(sizes)[:-1].astype(int), axis))


def _reduce_mean(x, axes=None, keepdims=1):
    return x.mean(None if axes is None else tuple(axes), keepdims=bool(keepdims))


OPERATORS: Dict[str, Callable] = {
    "Add": np.add,
    "Div": np.divide,
    "Erf": _erf,
    "Gemm": _gemm,
    "LayerNormalization": _layer_norm,
    "MatMul": np.matmul,
    "Mul": np.multiply,
    "Pow": np.power,
    "ReduceMean": _reduce_mean,
    "Reshape": _reshape,
    "Softmax": _softmax,
    "Split": _split,
    "Squeeze": lambda x, axes: x.squeeze(tuple(int(a) for a in axes)),
    "Transpose": lambda x, perm: x.transpose(perm),
}

Values = Dict[str, np.ndarray]


def _wide(value: np.ndarray) -> np.ndarray:
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def node_values(
    model: onnx.ModelProto, inputs: Values
) -> Iterator[Tuple[onnx.NodeProto, List[np.ndarray], List[np.ndarray]]]:
    """Yields each node with its inputs as stored and its results before rounding, in graph order.

    Constant nodes are evaluated but not yielded. Unknown operators raise ValueError.
    """
    stored: Values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    stored.update(inputs)
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            stored[node.output[0]] = numpy_helper.to_array(attributes["value"])
            continue
        if node.op_type not in OPERATORS:
            raise ValueError(f"node {node.name}: operator {node.op_type} is not known here")
        operands = [stored[name] for name in node.input]
        with np.errstate(invalid="ignore"):  # what an infinity leaves behind
            results = OPERATORS[node.op_type](*(_wide(x) for x in operands), **attributes)
        results = list(results) if isinstance(results, tuple) else [np.asarray(results)]
        yield node, operands, results
        # The graphs here hold one float dtype only, which the first operand has.
        with np.errstate(over="ignore"):
            for name, result in zip(node.output, results):
                stored[name] = result.astype(operands[0].dtype)


def outputs(model: onnx.ModelProto, inputs: Values) -> Values:
    """The graph's outputs, in float64."""
    wanted = {value.name for value in model.graph.output}
    found: Values = {}
    for node, _, results in node_values(model, inputs):
        found.update((n, r) for n, r in zip(node.output, results) if n in wanted)
    return found
