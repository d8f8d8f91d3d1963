"""data/scale_attention.py puts one known place beyond float16, and graph_values.py computes as
others do."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "data"))

import graph_values  # noqa: E402
import scale_attention  # noqa: E402

MODEL = SOURCE / "data" / "models" / "digits_vit.onnx"
INPUT = SOURCE / "data" / "models" / "digits_vit.io.npz"


def scaled(seed: int, *more: str):
    """The JSON report, the model and its inputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/scaled.onnx"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            scale_attention.main(
                [str(MODEL), "--input", str(INPUT), "--seed", str(seed), "-o", path, *more]
            )
        with np.load(f"{folder}/scaled.io.npz") as arrays:
            inputs = dict(arrays)
        return json.loads(printed.getvalue()), onnx.load(path), inputs


class GraphValues(unittest.TestCase):
    def test_agrees_with_outputs_recorded_by_another_runtime(self) -> None:
        with np.load(INPUT) as arrays:
            ours = graph_values.outputs(onnx.load(str(MODEL)), {"input": arrays["in_input"]})
            np.testing.assert_allclose(ours["logits"], arrays["out_logits"], rtol=0, atol=2e-5)

    def test_rejects_an_operator_it_does_not_know(self) -> None:
        node = onnx.helper.make_node("Tan", ["x"], ["y"], name="t")
        graph = onnx.helper.make_graph([node], "g", [], [])
        with self.assertRaisesRegex(ValueError, "node t: operator Tan"):
            list(graph_values.node_values(onnx.helper.make_model(graph), {"x": np.zeros(1)}))


class ScaleAttention(unittest.TestCase):
    def test_reaches_every_kind_of_place(self) -> None:
        operands = {}
        for seed in (0, 1, 3, 4):
            report, _, _ = scaled(seed)
            operands[report["place"]] = (report["first"]["node"], report["first"]["operand"])
            self.assertGreater(report["first"]["max_abs"], 65520)
        self.assertEqual(
            operands,
            {
                "o": ("/b/b.1/o/MatMul", 1),
                "q": ("/b/b.0/MatMul", 0),
                "k": ("/b/b.0/MatMul", 1),
                "v": ("/b/b.0/MatMul_1", 1),
            },
        )

    def test_reports_the_largest_value_that_plain_numpy_finds_for_q_of_block_0(self) -> None:
        report, model, arrays = scaled(1)
        self.assertEqual((report["block"], report["place"]), (0, "q"))
        weights = {t.name: numpy_helper.to_array(t).astype(float) for t in model.graph.initializer}
        x = arrays["in_input"].astype(float)[:, 0] @ weights["onnx::MatMul_259"]
        x += weights["p.bias"] + weights["pos"]
        x -= x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        x = x * weights["b.0.n1.weight"] + weights["b.0.n1.bias"]
        q = (x @ weights["onnx::MatMul_260"] + weights["b.0.qkv.bias"])[..., :64]
        self.assertAlmostEqual(np.abs(q).max() / report["first"]["max_abs"], 1, delta=1e-5)
        self.assertLess(np.abs(weights["onnx::MatMul_260"]).max(), 65504)

    def test_the_same_seed_gives_the_same_model(self) -> None:
        first, second = scaled(7), scaled(7)
        self.assertEqual(first[0], second[0])
        self.assertEqual(first[1].SerializeToString(), second[1].SerializeToString())

    def test_a_float16_model_holds_finite_float16_only_and_overflows_in_the_chosen_layer(self) -> None:
        for seed, layer in ((0, "/b/b.1/o/MatMul"), (5, "/b/b.2/qkv/MatMul")):
            report, model, arrays = scaled(seed, "--float16")
            self.assertEqual((report["first"]["node"], report["first"]["output"]), (layer, 0))
            tensors = list(model.graph.initializer)
            for node in model.graph.node:
                tensors += [a.t for a in node.attribute if a.type == onnx.AttributeProto.TENSOR]
            kinds = {t.data_type for t in tensors}
            self.assertEqual(kinds, {TensorProto.FLOAT16, TensorProto.INT64})
            for tensor in tensors:
                self.assertTrue(np.isfinite(numpy_helper.to_array(tensor)).all(), tensor.name)
            declared = list(model.graph.input) + list(model.graph.output)
            self.assertEqual(
                {v.type.tensor_type.elem_type for v in declared}, {TensorProto.FLOAT16}
            )
            self.assertEqual(arrays["in_input"].dtype, np.float16)

    def test_rejects_a_model_without_attention(self) -> None:
        resnet = str(MODEL).replace("vit", "resnet")
        with self.assertRaisesRegex(SystemExit, "no attention block"):
            scale_attention.main([resnet, "--input", str(INPUT), "--seed", "1", "-o", "unused.onnx"])


if __name__ == "__main__":
    unittest.main()
