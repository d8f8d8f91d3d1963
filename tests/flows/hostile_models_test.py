"""Small models that would run for ever, or take all memory, end in one clear line."""

import os
import resource
import subprocess
import tempfile
import time
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


def small(nodes, constants, opset=15):
    """x of 4 elements and constants go through `nodes` to y."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [value("x")],
        [value("y", None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def node(kind, inputs, **attributes):
    return helper.make_node(kind, inputs, ["y"], name="huge", **attributes)


FLOAT = np.ones(1, np.float32)
LONG = np.array([1 << 13, 1 << 13], np.int64)
IMAGE = np.ones((1, 1, 2, 2), np.float32)

# Each of a few hundred bytes; the shape (or what else) that the line must tell.
HUGE_RESULTS = {
    "Resize": (small([node("Resize", ["i", "", "", "s"], mode="cubic")],
                     {"i": IMAGE, "s": np.array([1, 1, 20000, 20000], np.int64)}), "[1,1,20000,20000]"),
    "Upsample": (small([node("Upsample", ["i", "s"])],
                       {"i": IMAGE, "s": np.array([1, 1, 1e4, 1e4], np.float32)}, 9), "[1,1,20000,20000]"),
    "Expand": (small([node("Expand", ["x", "s"])], {"s": np.array([1 << 20, 4], np.int64) * 8}), "[8388608,32]"),
    "Tile": (small([node("Tile", ["x", "s"])], {"s": np.array([1 << 28], np.int64)}), "[1073741824]"),
    "Pad": (small([node("Pad", ["x", "s"])], {"s": np.array([1 << 28, 0], np.int64)}), "[268435460]"),
    "ConstantOfShape": (small([node("ConstantOfShape", ["s"])], {"s": LONG}), "[8192,8192]"),
    "Range": (small([node("Range", ["a", "b", "c"])],
                    {"a": np.float32(0), "b": np.float32(1e9), "c": np.float32(1)}), "1000000000"),
    "OneHot": (small([node("OneHot", ["i", "d", "v"])],
                     {"i": np.zeros(100, np.int64), "d": np.array(1 << 22), "v": np.array([0.0, 1.0], np.float32)}),
               "[100,4194304]"),
    "Gather": (small([helper.make_node("Expand", ["zero", "s"], ["many"]), node("Gather", ["row", "many"])],
                     {"zero": np.zeros(1, np.int64), "s": np.array([1 << 20], np.int64),
                      "row": np.ones((1, 1000), np.float32)}), "[1048576,1000]"),
    "RandomUniform": (small([node("RandomUniform", [], shape=[8192, 8192])], {}), "[8192,8192]"),
    "EyeLike": (small([helper.make_node("Expand", ["f", "s"], ["e"]), node("MatMul", ["e", "g"])],
                      {"f": FLOAT, "s": np.array([1 << 14, 1], np.int64), "g": np.ones((1, 1 << 14), np.float32)}),
                "[16384,16384]"),
}


def expanded(name, shape):
    return helper.make_node("Expand", ["f", name + "_s"], [name]), {name + "_s": np.array(shape, np.int64)}


def between(kind, shapes, more=None, **attributes):
    """`kind` on constants of these shapes, which Expand makes of one number, and on `more`."""
    nodes, constants = [], {"f": FLOAT, **(more or {})}
    for at, shape in enumerate(shapes):
        made, sizes = expanded(f"e{at}", shape)
        nodes.append(made)
        constants.update(sizes)
    inputs = [f"e{at}" for at in range(len(shapes))] + list(more or {})
    return small([*nodes, node(kind, inputs, **attributes)], constants)


LONG_WORK = {
    "MatMul": between("MatMul", [(4096, 4096), (4096, 4096)]),
    "Conv": between("Conv", [(1, 1, 4000, 4000), (1, 1, 1000, 1000)]),
    "ConvTranspose": between("ConvTranspose", [(1, 1, 3000, 3000), (1, 1, 1000, 1000)]),
    "AveragePool": between("AveragePool", [(1, 1, 4000, 4000)], kernel_shape=[2000, 2000]),
    "MaxPool": between("MaxPool", [(1, 1, 4000, 4000)], kernel_shape=[2000, 2000]),
    # Boxes without area do not overlap: each one is held against all before it.
    "NonMaxSuppression": between(
        "NonMaxSuppression", [(1, 1 << 18, 4), (1, 1, 1 << 18)], {"most": np.array(1 << 18, np.int64)}),
    "LSTM": between("LSTM", [(1 << 20, 1, 1), (1, 4, 1), (1, 4, 1)], hidden_size=1),
}
# They take long to reach the limit of small models.
FEWER = {"NonMaxSuppression", "LSTM"}


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
            "a tensor of shape [33554432]",
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

    def test_a_result_of_any_size_is_refused(self):
        for kind, (made, shape) in HUGE_RESULTS.items():
            with self.subTest(kind):
                self.assertLess(len(made.SerializeToString()), 70000)
                start = time.monotonic()
                self.expect_refused(made, "'huge'")
                self.assertLess(time.monotonic() - start, 10)

    def test_a_result_may_be_larger_where_that_is_allowed(self):
        made = small([node("ConstantOfShape", ["s"])], {"s": np.array([5000, 4000], np.int64)})
        self.expect_refused(made, "a tensor of shape [5000,4000] has 20000000 elements")
        self.assertEqual(self.run_model(made, "--max-elements", "20000000").returncode, 0)
        self.expect_refused(made, "one op may make 1000", "--max-elements", "1000")

    def test_one_op_does_not_compute_for_ever(self):
        for kind, made in LONG_WORK.items():
            with self.subTest(kind):
                start = time.monotonic()
                few = ("--max-elements", str(1 << 20)) if kind in FEWER else ()
                self.expect_refused(made, "the limit of one op", *few)
                self.assertLess(time.monotonic() - start, 10)

    def test_an_input_of_any_size_is_not_made_up(self):
        made = small([node("Relu", ["x"])], {})
        made.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1 << 32
        self.expect_refused(made, "[4294967296]")


if __name__ == "__main__":
    unittest.main()
