#!/usr/bin/python3
"""Writes models/pyramid.onnx and models/pyramid.io.npz: the feature pyramid of a small vision encoder.

Two convolutions, then two transposed convolutions that double the image each and whose results are large,
as those of a pyramid without normalisation are; a GELU between them; at each of three levels a 1x1
convolution that brings the features back to ordinary size. In float32 nothing happens. Where a precision
mode computes the transposed convolutions in float16, their results leave its range.

The weights are drawn with a seed. `out_…` are NumPy's, in float64 and rounded once.
"""

import argparse
import math
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS = 8
SIZE = 16
BATCH = 2


def parameters(seed: int) -> dict:
    random = np.random.default_rng(seed)

    def weight(*shape: int, spread: float) -> np.ndarray:
        return (random.standard_normal(shape) * spread).astype(np.float32)

    return {
        "stem": weight(CHANNELS, 3, 3, 3, spread=0.4),
        "stem_bias": weight(CHANNELS, spread=0.1),
        "trunk": weight(CHANNELS, CHANNELS, 3, 3, spread=0.2),
        "trunk_bias": weight(CHANNELS, spread=0.1),
        # Each of these makes its input about three hundred times larger.
        "up1": weight(CHANNELS, CHANNELS, 2, 2, spread=120.0),
        "up1_bias": weight(CHANNELS, spread=0.1),
        "up2": weight(CHANNELS, CHANNELS, 2, 2, spread=120.0),
        "up2_bias": weight(CHANNELS, spread=0.1),
        "neck0": weight(4, CHANNELS, 1, 1, spread=0.3),
        "neck1": weight(4, CHANNELS, 1, 1, spread=1e-3),
        "neck2": weight(4, CHANNELS, 1, 1, spread=3e-6),
    }


def model(values: dict) -> onnx.ModelProto:
    def conv(kind: str, x: str, weight: str, out: str, **attributes) -> onnx.NodeProto:
        bias = [weight + "_bias"] if weight + "_bias" in values else []
        return helper.make_node(kind, [x, weight, *bias], [out], name="/" + weight, **attributes)

    half = {"strides": [2, 2], "pads": [1, 1, 1, 1]}
    double = {"strides": [2, 2]}
    nodes = [
        conv("Conv", "image", "stem", "s", **half),
        helper.make_node("Relu", ["s"], ["stem_out"], name="/stem/act"),
        conv("Conv", "stem_out", "trunk", "t", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["t"], ["level0"], name="/trunk/act"),
        conv("ConvTranspose", "level0", "up1", "level1", **double),
        # GELU, as exporters write it before opset 20.
        helper.make_node("Div", ["level1", "root2"], ["g1"], name="/gelu/div"),
        helper.make_node("Erf", ["g1"], ["g2"], name="/gelu/erf"),
        helper.make_node("Add", ["g2", "one"], ["g3"], name="/gelu/add"),
        helper.make_node("Mul", ["level1", "g3"], ["g4"], name="/gelu/mul"),
        helper.make_node("Mul", ["g4", "half"], ["gelu"], name="/gelu/half"),
        conv("ConvTranspose", "gelu", "up2", "level2", **double),
        conv("Conv", "level0", "neck0", "p0"),
        conv("Conv", "level1", "neck1", "p1"),
        conv("Conv", "level2", "neck2", "p2"),
    ]
    constants = {
        "root2": np.float32(math.sqrt(2)),
        "one": np.float32(1),
        "half": np.float32(0.5),
    }
    initializers = [
        numpy_helper.from_array(np.asarray(array, np.float32), name)
        for name, array in {**values, **constants}.items()
    ]
    side = SIZE // 2

    def output(name: str, size: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [BATCH, 4, size, size])

    graph = helper.make_graph(
        nodes,
        "pyramid",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [BATCH, 3, SIZE, SIZE])],
        [output("p0", side), output("p1", 2 * side), output("p2", 4 * side)],
        initializers,
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="npuscope"
    )
    made.ir_version = 8
    onnx.checker.check_model(made)
    return made


def convolved(x: np.ndarray, w: np.ndarray, b=None, stride: int = 1, pad: int = 0) -> np.ndarray:
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    kernel = w.shape[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(2, 3))
    y = np.einsum("nchwij,ocij->nohw", windows[:, :, ::stride, ::stride], w)
    return y if b is None else y + b[None, :, None, None]


def doubled(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    n, _, height, width = x.shape
    y = np.einsum("nchw,coij->nohiwj", x, w).reshape(n, w.shape[1], 2 * height, 2 * width)
    return y + b[None, :, None, None]


def outputs(image: np.ndarray, values: dict) -> dict:
    v = {name: array.astype(np.float64) for name, array in values.items()}
    x = np.maximum(convolved(image.astype(np.float64), v["stem"], v["stem_bias"], 2, 1), 0)
    level0 = np.maximum(convolved(x, v["trunk"], v["trunk_bias"], 1, 1), 0)
    level1 = doubled(level0, v["up1"], v["up1_bias"])
    root2 = np.float64(np.float32(math.sqrt(2)))
    gelu = level1 * (np.vectorize(math.erf)(level1 / root2) + 1) * 0.5
    level2 = doubled(gelu, v["up2"], v["up2_bias"])
    return {
        "p0": convolved(level0, v["neck0"]),
        "p1": convolved(level1, v["neck1"]),
        "p2": convolved(level2, v["neck2"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "models")
    arguments = parser.parse_args()
    values = parameters(seed=3)
    image = np.random.default_rng(4).random((BATCH, 3, SIZE, SIZE)).astype(np.float32)
    onnx.save(model(values), arguments.output / "pyramid.onnx")
    results = {f"out_{k}": y.astype(np.float32) for k, y in outputs(image, values).items()}
    np.savez_compressed(arguments.output / "pyramid.io.npz", in_image=image, **results)


if __name__ == "__main__":
    main()
