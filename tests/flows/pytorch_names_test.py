"""Recorders write PyTorch's ops by the names that it has for them: "aten.mul.Tensor", "aten::mul.Tensor", "mul"; some number the
arguments."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "alignment"))

from plain_networks import write  # noqa: E402

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
SPELLINGS = {
    "text": "aten.{}".format,
    "schema": "aten::{}".format,
    "own name": "{}".format,
    "packet": lambda name: name.split(".")[0],
    "IR": lambda name: name.removesuffix(".default").replace(".", "_"),
}


def network(spelled, factor=1.0):
    """A layer, an activation and a gate, `factor` planted into the gate's result."""
    chance = np.random.default_rng(1)
    x, w = (chance.standard_normal(shape).astype("f4") for shape in ((8, 16), (16, 16)))
    ops = []
    for _ in range(4):
        y = x @ w
        active = np.maximum(y, 0)
        gated = (active * y * np.float32(factor if len(ops) == 4 else 1)).astype("f4")
        ops += [
            (spelled("mm.default"), [("self", x), ("mat2", w)], y),
            (spelled("relu.default"), [("self", y)], active),
            (spelled("mul.Tensor"), [("self", active), ("other", y)], gated),
        ]
        x = gated / np.float32(8)
        ops.append((spelled("div.Tensor"), [("self", gated), ("other", np.float32(8))], x))
    return ops


class PyTorchNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_json(self, *words):
        done = subprocess.run([NPUSCOPE, *map(str, words), "--json"], capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_every_op_is_computed_again(self):
        for name, spelled in SPELLINGS.items():
            with self.subTest(name):
                code, report = self.run_json("recompute", write(self.folder / "d.h5", network(spelled)), "--device", "cpu")
                self.assertEqual((code, report["passed"], report["skipped"]), (0, 16, 0))

    def test_arguments_that_are_numbered_are_those_of_the_schema(self):
        for prefix in ("", "arg", "args_", "input_"):
            numbered = [(name, [(f"{prefix}{i}", value) for i, (_, value) in enumerate(inputs)], y)
                        for name, inputs, y in network(SPELLINGS["text"])]
            with self.subTest(prefix):
                code, report = self.run_json("recompute", write(self.folder / "d.h5", numbered), "--device", "cpu")
                self.assertEqual((code, report["passed"], report["skipped"]), (0, 16, 0))

    def test_numbers_of_others_tell_no_order(self):
        numbered = [(name, [(f"arg{i}", value) for i, (_, value) in enumerate(inputs)], y)
                    for name, inputs, y in network(SPELLINGS["IR"])]
        words = [NPUSCOPE, "recompute", write(self.folder / "d.h5", numbered), "--device", "cpu"]
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("argument 'self' is missing", done.stderr)

    def test_a_side_of_one_spelling_is_held_against_one_of_another(self):
        golden = write(self.folder / "g.h5", network(SPELLINGS["IR"]))
        for name, spelled in SPELLINGS.items():
            with self.subTest(name):
                target = write(self.folder / "t.h5", network(spelled, 1.01))
                code, report = self.run_json("compare", "-q", "-m", target, "-g", golden)
                self.assertEqual((code, report["first_culprit"]["path"]), (1, f"/{spelled('mul.Tensor')}/7"))
                self.assertEqual(len(report["culprits"]), 1)
                clean = write(self.folder / "c.h5", network(spelled))
                code, report = self.run_json("compare", "-q", "-m", clean, "-g", golden)
                self.assertEqual((code, report["culprits"]), (0, []))


if __name__ == "__main__":
    unittest.main()
