"""npuscope check and run --load on models where the answer is known: what they say, and exit with."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


def layer_norm(source, target, name):
    """As exporters write it before opset 17."""
    return [
        helper.make_node("ReduceMean", [source], [target + "_m"], axes=[-1], name=name + "/mean"),
        helper.make_node("Sub", [source, target + "_m"], [target + "_c"]),
        helper.make_node("Mul", [target + "_c", target + "_c"], [target + "_q"]),
        helper.make_node("ReduceMean", [target + "_q"], [target + "_v"], axes=[-1]),
        helper.make_node("Add", [target + "_v", "eps"], [target + "_e"]),
        helper.make_node("Sqrt", [target + "_e"], [target + "_s"]),
        helper.make_node("Div", [target + "_c", target + "_s"], [target]),
    ]


class Answers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        rng = np.random.default_rng(11)
        self.w = rng.standard_normal((96, 96)).astype("f4")
        self.v = rng.standard_normal((96, 96)).astype("f4")

    def model(self, name, nodes, shape, weights, result=(4, 96)):
        graph = helper.make_graph(
            nodes, name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
            [numpy_helper.from_array(value, key) for key, value in weights.items()])
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        made.ir_version = 8
        path = self.folder / f"{name}.onnx"
        onnx.save(made, path)
        return path

    def mlp(self, name, v, first="MatMul"):
        nodes = [helper.make_node(first, ["x", "W"], ["h"], name="/fc1"),
                 helper.make_node("Relu", ["h"], ["r"], name="/relu"),
                 helper.make_node("MatMul", ["r", "V"], ["y"], name="/fc2")]
        return self.model(name, nodes, [4, 96], {"W": self.w, "V": v})

    def run_program(self, *words):
        return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True,
                              check=False, timeout=300, cwd=self.folder)

    def check(self, *words):
        done = self.run_program("check", *words, "--json")
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def golden_of(self, model):
        path = self.folder / "golden.h5"
        done = self.run_program("run", model, "--device", "cpu", "--dump", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    # -- sums that cancel ---------------------------------------------------------------------

    def test_the_mean_of_a_normalised_row_is_no_failure(self):
        model = self.model(
            "norms",
            layer_norm("x", "a", "/n1") + layer_norm("a", "b", "/n2")
            + [helper.make_node("MatMul", ["b", "W"], ["y"])],
            [4, 96], {"eps": np.float32(1e-5), "W": self.w})
        for chip in ("910A", "910B", "950"):
            code, report, _ = self.check(model, "--chip", chip)
            self.assertEqual((code, report["verdict"]), (0, "pass"), report["headline"])
        mean = next(op for op in report["ops"] if op["node"] == "/n2/mean")
        self.assertRegex(mean["rule"], r"of what fp32 may be off$")

    # -- other weights ------------------------------------------------------------------------

    def test_a_transposed_weight_is_named(self):
        golden = self.golden_of(self.mlp("mlp", self.v))
        other = self.mlp("other", np.ascontiguousarray(self.v.T))
        code, report, _ = self.check(other, "--golden", golden, "--chip", "910B")
        self.assertEqual((code, report["verdict"]), (1, "fail"))
        self.assertEqual(report["headline"],
                         "/mm/3/input/mat2 (/fc2) is not the golden's: it is its transpose")
        self.assertGreater(report["outputs"][0]["relative"], 0.5)

    def test_the_same_weights_pass_with_a_golden_file_and_the_output_is_judged(self):
        model = self.mlp("mlp", self.v)
        code, report, _ = self.check(model, "--golden", self.golden_of(model), "--chip", "910A")
        self.assertEqual((code, report["verdict"]), (0, "pass"), report["headline"])
        self.assertEqual(report["outputs"][0]["name"], "y")
        self.assertEqual(report["outputs"][0]["incomparable"], "")
        self.assertGreater(report["outputs"][0]["relative"], 0)

    def test_loading_another_weight_is_a_finding(self):
        golden = self.golden_of(self.mlp("mlp", self.v))
        other = self.mlp("other", self.v * np.float32(1.01))
        done = self.run_program("run", other, "--load", golden, "--dump", "out.h5", "--chip", "910B")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/mm/3/input/mat2 (/fc2) is not the golden's: off by 0.01", done.stdout)
        same = self.run_program("run", "mlp.onnx", "--load", golden, "--dump", "same.h5", "--chip", "910A")
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertNotIn("not the golden's", same.stdout)

    def test_another_input_is_named(self):
        model = self.mlp("mlp", self.v)
        code, report, _ = self.check(model, "--golden", self.golden_of(model), "--seed", 5)
        self.assertEqual(code, 1)
        self.assertIn("/mm/1/input/self (/fc1) is not the golden's", report["headline"])

    # -- too little to judge ------------------------------------------------------------------

    def test_a_golden_without_any_counterpart_is_an_error(self):
        golden = self.golden_of(self.mlp("mlp", self.v))
        sines = self.model("sines", [helper.make_node("Sin", ["x"], ["y"])], [4, 96], {})
        for words in (("check", sines, "--golden", golden),
                      ("run", sines, "--load", golden, "--dump", "out.h5")):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("no op of this run has a counterpart in the golden file", done.stderr)
            self.assertIn("/sin/1", done.stderr)

    def test_a_golden_of_a_part_of_the_model_leaves_it_undecided(self):
        golden = self.golden_of(self.mlp("mlp", self.v))
        nodes = [helper.make_node("MatMul", ["x", "W"], ["h"], name="/fc1")]
        for i, op in enumerate(("Sin", "Cos", "Sigmoid", "Tanh", "Erf")):
            nodes.append(helper.make_node(op, [f"h{i}" if i else "h"], [f"h{i + 1}" if i < 4 else "y"]))
        model = self.model("long", nodes, [4, 96], {"W": self.w})
        code, report, _ = self.check(model, "--golden", golden, "--chip", "910B")
        self.assertEqual((code, report["verdict"]), (2, "undecided"), report["headline"])
        self.assertIn("ops could be judged", report["headline"])
        text = self.run_program("check", model, "--golden", golden, "--chip", "910B").stdout
        self.assertTrue(text.startswith("UNDECIDED"), text)

    # -- what the model was given -------------------------------------------------------------

    def test_nan_in_the_input_is_said_first(self):
        x = np.ones((4, 96), "f4")
        x[1, 2] = x[3, 0] = np.nan
        np.savez(self.folder / "nan.npz", x=x)
        done = self.run_program("check", self.mlp("mlp", self.v), "--input", "nan.npz")
        self.assertEqual(done.returncode, 1)
        first = done.stdout.splitlines()[0]
        self.assertEqual(
            first, "FAIL  the input x holds NaN: 2 of 384 elements, first at [98]")
        self.assertNotIn("cube-demotion", done.stdout)

    def test_sizes_that_the_model_leaves_open_are_said_and_can_be_given(self):
        kernel = np.ones((4, 3, 3, 3), "f4")
        model = self.model(
            "conv", [helper.make_node("Conv", ["x", "K"], ["y"], pads=[1, 1, 1, 1])],
            ["b", 3, "h", "w"], {"K": kernel}, ["b", 4, "h", "w"])
        plain = self.run_program("check", model)
        self.assertIn("x float32[1,3,1,1]", plain.stdout)
        self.assertIn("the model leaves sizes open and 1 was taken: x float32[b,3,h,w]", plain.stdout)
        given = self.run_program("check", model, "--input-shape", "x:2,3,8,9")
        self.assertEqual(given.returncode, 0, given.stderr)
        self.assertIn("x float32[2,3,8,9]", given.stdout)
        self.assertNotIn("leaves sizes open", given.stdout)
        run = self.run_program("run", model, "--input-shape", "x:2x3x8x9")
        self.assertIn("output    y float32[2,4,8,9]", run.stdout)

    def test_an_error_says_what_the_inputs_were(self):
        model = self.model(
            "pool", [helper.make_node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2])],
            ["b", 3, "h", "w"], {}, ["b", 3, "h", "w"])
        for command in ("check", "run"):
            done = self.run_program(command, model)
            self.assertEqual(done.returncode, 2)
            self.assertIn("x float32[1,3,1,1], declared as x float32[b,3,h,w]", done.stderr)

    def test_rejects_input_shapes_that_do_not_fit(self):
        model = self.mlp("mlp", self.v)
        np.savez(self.folder / "x.npz", x=np.ones((4, 96), "f4"))
        for words, said in (
                (["--input-shape", "x:4,95"], "fits no input of the model"),
                (["--input-shape", "z:4,96"], "fits no input of the model"),
                (["--input-shape", "4,96"], "is no input shape"),
                (["--input-shape", "x:4,,96"], "is no input shape"),
                (["--input-shape", "x:4,96", "--input-shape", "x:4,96"], "is given twice"),
                (["--input-shape", "x:4,96", "--input", "x.npz"], "have their own")):
            done = self.run_program("check", model, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
