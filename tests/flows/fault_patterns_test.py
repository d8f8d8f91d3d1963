"""A fault of an op that has a name is told by it: what its elements are instead."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "alignment"))

from plain_networks import mlp, write  # noqa: E402

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
FAULTY = 10  # addmm of the sixth layer


def spoiled(change):
    """The network whose sixth product gives out what `change` makes of it, and goes on with that."""
    ops = mlp()
    name, inputs, y = ops[FAULTY]
    y = change(y.copy())
    ops[FAULTY] = (name, inputs, y)
    for i in range(FAULTY + 1, len(ops)):
        name, inputs, _ = ops[i]
        argument = "self" if name == "relu" else "mat1"
        values = {key: y if key == argument else each for key, each in inputs}
        y = np.maximum(y, 0) if name == "relu" else values["mat1"] @ values["mat2"] + values["self"]
        ops[i] = (name, list(values.items()), y)
    return ops


def exchanged(y):
    y[:, [4, 5]] = y[:, [5, 4]]
    return y


def repeated(y):
    y[3] = y[2]
    return y


def negated(y):
    y[:, 7] = -y[:, 7]
    return y


def unwritten(y):
    y[6:] = 7
    return y


class FaultPatterns(unittest.TestCase):
    def compared(self, change, *words):
        with tempfile.TemporaryDirectory() as folder:
            sides = ["-m", write(Path(folder, "t.h5"), spoiled(change)), "-g", write(Path(folder, "g.h5"), mlp())]
            done = subprocess.run([NPUSCOPE, "compare", "-q", *words, *map(str, sides)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stdout

    def test_each_is_told_by_its_name(self):
        for change, told in (
            (exchanged, "out: [:, 4] and [:, 5] are exchanged"),
            (lambda y: np.roll(y, 1, 1), "out: all elements stand one place further along axis 1"),
            (lambda y: np.roll(y, -1, 0), "out: all elements stand one place back along axis 0"),
            (repeated, "out: [3, ...] holds what belongs in [2, ...]"),
            (negated, "out: [:, 7] has the other sign"),
            (lambda y: np.clip(y, -0.5, 0.5), "out: the largest elements are cut off at 0.5"),
            (unwritten, "out: 32 elements are 7, whatever they should be"),
        ):
            with self.subTest(told):
                culprit = json.loads(self.compared(change, "--json"))["first_culprit"]
                self.assertEqual((culprit["path"], culprit["why"]), ("/addmm/11", told))

    def test_the_elements_are_shown_below_it(self):
        text = self.compared(exchanged)
        self.assertIn("[:, 4] and [:, 5] are exchanged", text)
        self.assertIn("16 of 128 over what is allowed, all in [:, 4..5]", text)

    def test_what_has_none_is_told_in_numbers(self):
        culprit = json.loads(self.compared(lambda y: y * np.float32(1.01), "--json"))["first_culprit"]
        self.assertIn("beyond what", culprit["why"])


if __name__ == "__main__":
    unittest.main()
