"""Small models that would run for ever, or take all memory, end in one clear line."""

import os
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
MEMORY = 1 << 30
NO_END = np.iinfo(np.int64).max


def value(name, shape=(4,), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def loop(nodes, trips, outputs=("carried",), carried_shape=(4,)):
    """x goes round through `nodes` (from "in" to "out"); the condition never becomes false."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), *nodes],
        "body",
        [value("i", (), TensorProto.INT64), value("go", (), TensorProto.BOOL), value("in", carried_shape)],
        [value("on", (), TensorProto.BOOL), value("out", carried_shape), *(value(o) for o in outputs[1:])],
    )
    return helper.make_graph(
        [helper.make_node("Loop", ["trips", "", "x"], list(outputs), body=body)],
        "graph",
        [value("x")],
        [value(name, None) for name in outputs],
        [numpy_helper.from_array(np.array(trips, np.int64), "trips")],
    )


def model(graph, **more):
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid("own", 1)], **more)
    made.ir_version = 8
    return made


HALF = helper.make_node("Relu", ["in"], ["out"])


class HostileModels(unittest.TestCase):
    def run_model(self, made, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            path.write_bytes(made.SerializeToString())
            return subprocess.run(
                [NPUSCOPE, "run", str(path), "--device", "cpu", "-q", *options],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
            )

    def expect_refused(self, made, because, *options):
        done = self.run_model(made, *options)
        self.assertEqual(done.returncode, 2, done.stderr[-500:])
        self.assertIn(because, done.stderr)
        self.assertIn("m.onnx", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertLess(len(done.stderr), 4000)

    def test_a_loop_ends_by_its_trips(self):
        self.assertEqual(self.run_model(model(loop([HALF], 1000))).returncode, 0)
        self.assertEqual(self.run_model(model(loop([HALF], 1000)), "--max-trips", "1000").returncode, 0)
        self.expect_refused(model(loop([HALF], 1000)), "have run 999 times", "--max-trips", "999")

    def test_a_loop_without_end_is_refused(self):
        self.expect_refused(model(loop([HALF], NO_END)), "have run 1000000 times, the limit of a run")

    def test_gathering_without_end_is_refused(self):
        grow = [HALF, helper.make_node("Expand", ["in", "size"], ["row"])]
        graph = loop(grow, NO_END, ("carried", "row"))
        graph.initializer.append(numpy_helper.from_array(np.array([1 << 16, 4], np.int64), "size"))
        done = self.run_model(model(graph))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_doubling_is_refused(self):
        self.expect_refused(
            model(loop([helper.make_node("Concat", ["in", "in"], ["out"], axis=0)], NO_END, carried_shape=None)),
            "memory",
        )

    def test_long_names_that_functions_repeat_are_refused(self):
        function = helper.make_function(
            "own", "F", ["a"], ["b"],
            [helper.make_node("Relu", ["a" if i == 0 else f"t{i}"], [f"t{i + 1}" if i < 999 else "b"]) for i in range(1000)],
            [helper.make_opsetid("", 15)],
        )
        call = helper.make_node("F", ["x"], ["y"], name="n" * (1 << 20), domain="own")
        graph = helper.make_graph([call], "graph", [value("x")], [value("y")])
        self.expect_refused(model(graph, functions=[function]), "the names of the model are longer than 256 MiB")


if __name__ == "__main__":
    unittest.main()
