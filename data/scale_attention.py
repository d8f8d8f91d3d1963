#!/usr/bin/python3
"""Makes a vision transformer overflow float16 at one known place.

    data/scale_attention.py MODEL.onnx --input MODEL.io.npz --seed N -o OUT.onnx [--float16]

The seed picks one of the attention blocks and one of its weights (q, k, v, or the output projection
o). That weight, with its bias, is scaled until something exceeds 65504, the largest float16:

- in a float32 model, an input of a matrix product, as a chip sees it that takes float16 there: q, k
  or v themselves, or the weight o;
- with --float16, in a model whose weights, inputs, outputs and constants are all float16: the result
  of the product with that weight.

Writes OUT.onnx and OUT.io.npz (the inputs) and prints as JSON what exceeds 65504 first in graph
order, with the names of all later places.
"""

import argparse
import json
import random
from pathlib import Path
from typing import List, Optional

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import graph_values

LARGEST_FLOAT16 = 65504.0
# From here on a value rounds to something larger than LARGEST_FLOAT16.
OVERFLOW = 65520.0
# How far beyond the limit the chosen place is driven.
MARGIN = 4.0
PLACES = ("q", "k", "v", "o")
MATRIX_PRODUCTS = ("MatMul", "Gemm", "Conv")


def find_node(model: onnx.ModelProto, suffix: str) -> onnx.NodeProto:
    for node in model.graph.node:
        if node.name.endswith(suffix):
            return node
    raise SystemExit(f"the model has no node named …{suffix}")


def initializer(model: onnx.ModelProto, names: List[str]) -> onnx.TensorProto:
    for tensor in model.graph.initializer:
        if tensor.name in names:
            return tensor
    raise SystemExit(f"the model has no weight among {names}")


def scale(tensor: onnx.TensorProto, factor: float, part: slice) -> None:
    values = numpy_helper.to_array(tensor).copy()
    values[..., part] *= np.float32(factor)
    tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))


def largest(values: np.ndarray) -> float:
    return float(np.abs(values).max()) if values.size else 0.0


def scale_place(model: onnx.ModelProto, inputs: dict, block: int, place: str, half: bool) -> float:
    """Scales the weight and bias of one place; returns the factor."""
    layer = "o" if place == "o" else "qkv"
    product = find_node(model, f".{block}/{layer}/MatMul")
    addition = find_node(model, f".{block}/{layer}/Add")
    weight = initializer(model, list(product.input))
    bias = initializer(model, list(addition.input))
    width = numpy_helper.to_array(bias).shape[0]
    part = slice(None)
    if place != "o":
        start = PLACES.index(place) * width // 3
        part = slice(start, start + width // 3)
    if place == "o" and not half:
        magnitude = largest(numpy_helper.to_array(weight))
    else:
        watched = product if half else addition
        magnitude = next(
            largest(results[0][..., part])
            for node, _, results in graph_values.node_values(model, inputs)
            if node.name == watched.name
        )
    factor = MARGIN * LARGEST_FLOAT16 / magnitude
    scale(weight, factor, part)
    scale(bias, factor, part)
    return factor


def to_float16(model: onnx.ModelProto) -> None:
    """Casts weights, float constants, inputs and outputs; intermediate declarations are dropped."""

    def cast(tensor: onnx.TensorProto) -> None:
        if tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor)
            if largest(values) >= OVERFLOW:
                raise SystemExit(f"weight {tensor.name} does not fit float16")
            tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), tensor.name))

    for tensor in model.graph.initializer:
        cast(tensor)
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                cast(attribute.t)
    for value in list(model.graph.input) + list(model.graph.output):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.FLOAT16
    del model.graph.value_info[:]


def exceeding(model: onnx.ModelProto, inputs: dict, half: bool) -> List[dict]:
    """Every place beyond the limit in graph order: results in a float16 model, else the inputs of
    matrix products (the third input of Gemm is added, not multiplied)."""
    found = []
    for node, operands, results in graph_values.node_values(model, inputs):
        names, values = (node.output, results) if half else (node.input[:2], operands[:2])
        if not half and node.op_type not in MATRIX_PRODUCTS:
            continue
        for position, (name, value) in enumerate(zip(names, values)):
            if value.dtype.kind == "f" and largest(value) >= OVERFLOW:
                found.append(
                    {
                        "node": node.name,
                        "op_type": node.op_type,
                        "output" if half else "operand": position,
                        "tensor": name,
                        "max_abs": largest(value),
                        "elements": int((np.abs(value) >= OVERFLOW).sum()),
                    }
                )
    return found


def main(arguments: Optional[List[str]] = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--input", type=Path, required=True, help="npz with in_<name> arrays")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--float16", action="store_true")
    options = parser.parse_args(arguments)

    model = onnx.load(str(options.model))
    with np.load(options.input) as arrays:
        inputs = {k[len("in_") :]: arrays[k] for k in arrays.files if k.startswith("in_")}

    blocks = sum(node.name.endswith("/qkv/MatMul") for node in model.graph.node)
    if blocks == 0:
        raise SystemExit(f"{options.model}: no attention block (a node named …/qkv/MatMul)")
    chooser = random.Random(options.seed)
    block, place = chooser.randrange(blocks), chooser.choice(PLACES)
    factor = scale_place(model, inputs, block, place, options.float16)
    if options.float16:
        to_float16(model)
        inputs = {name: value.astype(np.float16) for name, value in inputs.items()}

    places = exceeding(model, inputs, options.float16)
    if not places:
        raise SystemExit("nothing exceeds 65504 after scaling")
    onnx.checker.check_model(model)
    onnx.save(model, str(options.output))
    np.savez_compressed(
        options.output.with_suffix(".io.npz"), **{f"in_{k}": v for k, v in inputs.items()}
    )
    report = {
        "seed": options.seed,
        "block": block,
        "place": place,
        "scale": factor,
        "dtype": "float16" if options.float16 else "float32",
        "limit": LARGEST_FLOAT16,
        "first": places[0],
        "later": [item["node"] for item in places[1:]],
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
