#!/usr/bin/python3
"""Writes models/digits_step.onnx and models/digits_step.io.npz: one training step of a small network.

Two matrix products, a softmax and the cross entropy of 64 digit images, then the gradients of all weights,
written out in ONNX operators. The input `loss_scale` multiplies the loss before the gradients, so that
`grad_…` come out multiplied by it, as in mixed precision training. The loss counts 1e-4, as an auxiliary one
beside others: its gradients are so small that float16 loses them without a loss scale.

`out_…` are NumPy's for a loss scale of 1, in float64 and rounded once.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODELS = Path(__file__).parent / "models"
BATCH = 64
HIDDEN = 32
CLASSES = 10
SHARE = 1e-4


def step(x: np.ndarray, y: np.ndarray, w: dict) -> dict:
    h = np.tanh(x @ w["w1"] + w["b1"])
    z = h @ w["w2"] + w["b2"]
    e = np.exp(z - z.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    dz = SHARE * (p - y) / len(x)
    dh = (dz @ w["w2"].T) * (1 - h * h)
    return {
        "loss": -SHARE * np.mean(np.sum(y * np.log(p), axis=1)),
        "grad_w1": x.T @ dh,
        "grad_b1": dh.sum(axis=0),
        "grad_w2": h.T @ dz,
        "grad_b2": dz.sum(axis=0),
    }


def trained(x: np.ndarray, y: np.ndarray) -> dict:
    """Adam on all images; the weights in float32."""
    random = np.random.default_rng(1)
    w = {
        "w1": random.standard_normal((x.shape[1], HIDDEN)) * 0.1,
        "b1": np.zeros(HIDDEN),
        "w2": random.standard_normal((HIDDEN, CLASSES)) * 0.1,
        "b2": np.zeros(CLASSES),
    }
    mean = {name: np.zeros_like(value) for name, value in w.items()}
    square = {name: np.zeros_like(value) for name, value in w.items()}
    for t in range(1, 41):
        gradients = step(x, y, w)
        for name in w:
            g = gradients["grad_" + name]
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.999 * square[name] + 0.001 * g * g
            rate = 0.02 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            w[name] -= rate * mean[name] / (np.sqrt(square[name]) + 1e-12)
    return {name: value.astype(np.float32) for name, value in w.items()}


def model(w: dict) -> onnx.ModelProto:
    rows = [
        ("MatMul", ["x", "w1"], "a1"),
        ("Add", ["a1", "b1"], "a2"),
        ("Tanh", ["a2"], "h"),
        ("MatMul", ["h", "w2"], "z1"),
        ("Add", ["z1", "b2"], "z"),
        ("LogSoftmax", ["z"], "log_p", {"axis": 1}),
        ("Mul", ["y", "log_p"], "chosen"),
        ("ReduceSum", ["chosen"], "total", {"keepdims": 0}),
        ("Mul", ["total", "minus_share"], "loss"),
        # The gradient of the scaled loss.
        ("Mul", ["share", "loss_scale"], "seed"),
        ("Exp", ["log_p"], "p"),
        ("Sub", ["p", "y"], "difference"),
        ("Mul", ["difference", "seed"], "dz"),
        ("Transpose", ["h"], "h_t", {"perm": [1, 0]}),
        ("MatMul", ["h_t", "dz"], "grad_w2"),
        ("ReduceSum", ["dz", "rows"], "grad_b2", {"keepdims": 0}),
        ("Transpose", ["w2"], "w2_t", {"perm": [1, 0]}),
        ("MatMul", ["dz", "w2_t"], "dh1"),
        ("Mul", ["h", "h"], "square"),
        ("Sub", ["one", "square"], "slope"),
        ("Mul", ["dh1", "slope"], "dh"),
        ("Transpose", ["x"], "x_t", {"perm": [1, 0]}),
        ("MatMul", ["x_t", "dh"], "grad_w1"),
        ("ReduceSum", ["dh", "rows"], "grad_b1", {"keepdims": 0}),
    ]
    nodes = [
        helper.make_node(kind, inputs, [out], name="/" + out, **(more[0] if more else {}))
        for kind, inputs, out, *more in rows
    ]
    constants = {
        "share": np.float32(SHARE / BATCH),
        "minus_share": np.float32(-SHARE / BATCH),
        "one": np.float32(1),
        "rows": np.asarray([0], np.int64),
    }
    initializers = [numpy_helper.from_array(np.asarray(v), n) for n, v in {**w, **constants}.items()]

    def value(name: str, *shape: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))

    graph = helper.make_graph(
        nodes,
        "digits_step",
        [value("x", BATCH, 64), value("y", BATCH, CLASSES), value("loss_scale")],
        [value("loss"), *(value("grad_" + name, *array.shape) for name, array in w.items())],
        initializers,
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="npuscope"
    )
    made.ir_version = 8
    onnx.checker.check_model(made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=MODELS)
    arguments = parser.parse_args()
    with np.load(MODELS / "digits_test.npz") as test:
        images = test["in_input"].reshape(-1, 64)
        labels = np.eye(CLASSES, dtype=np.float32)[test["out_label"]]
    w = trained(images.astype(np.float64), labels.astype(np.float64))
    onnx.save(model(w), arguments.output / "digits_step.onnx")
    x, y = images[:BATCH], labels[:BATCH]
    results = step(
        x.astype(np.float64), y.astype(np.float64), {n: v.astype(np.float64) for n, v in w.items()}
    )
    np.savez_compressed(
        arguments.output / "digits_step.io.npz",
        in_x=x,
        in_y=y,
        in_loss_scale=np.float32(1),
        **{f"out_{name}": np.asarray(value, np.float32) for name, value in results.items()},
    )


if __name__ == "__main__":
    main()
