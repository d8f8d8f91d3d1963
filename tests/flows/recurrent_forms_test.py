"""A recurrent layer in one op against the steps that another framework computes: weights are paired through the order of
their gates, and a fault is told where it is."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "alignment"))

import numpy as np  # noqa: E402
from plain_networks import write  # noqa: E402
from recurrent_networks import recurrent  # noqa: E402

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
ORDERS = {"LSTM": "0,2,3,1", "GRU": "1,0,2"}


def times(factor, op, step):
    """The first result of an op's name in a step, times a factor."""
    done = []

    def spoiled(name, at, made):
        if name != op or at != step or done:
            return made
        done.append(name)
        return made * factor

    return spoiled


class RecurrentForms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, target, golden):
        sides = ["-m", write(self.folder / "t.h5", target), "-g", write(self.folder / "g.h5", golden)]
        asked = [NPUSCOPE, "compare", "-q", "--json", "--align", "--mapping-out", self.folder / "mapping.json", *map(str, sides)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def both(self):
        return [(kind, in_one) for kind in ORDERS for in_one in (True, False)]

    def test_both_forms_are_one_program(self):
        for kind, in_one in self.both():
            report = self.report(recurrent(kind, in_one), recurrent(kind, not in_one))
            self.assertEqual((report["verdict"], report["culprits"]), ("pass", []), (kind, in_one))
            found = json.loads((self.folder / "mapping.json").read_text())["tensors"]
            texts = sorted(each["text"] for each in found if "in the order" in each.get("text", ""))
            self.assertEqual(len(texts), 8, texts)  # W, R and both halves of B, of two layers

    def test_another_weight_is_told_as_the_weight(self):
        for kind, in_one in self.both():
            report = self.report(recurrent(kind, in_one, other_weight=True), recurrent(kind, not in_one))
            first = report["first_culprit"]
            self.assertEqual((report["verdict"], len(report["culprits"]), first["kind"]), ("fail", 1, "tensor"), (kind, in_one))
            self.assertTrue(first["effect"] > 0.01 or not in_one, first)
            self.assertEqual(first["tensor"].rsplit("/", 1)[1], "R" if in_one else "mat2")
            self.assertIn("is not the golden's", first["why"])

    def test_a_fault_inside_is_told_at_the_op_or_inside_of_it(self):
        for kind in ORDERS:
            report = self.report(recurrent(kind, True, spoiled=times(1.1, "mul_Tensor", 2)), recurrent(kind, False))
            self.assertEqual([c["path"] for c in report["culprits"]], [f"/{kind}/2"], kind)
            steps = recurrent(kind, False, spoiled=times(1.1, "mul_Tensor", 2))
            report = self.report(steps, recurrent(kind, True))
            wrong = self.wrong(steps, recurrent(kind, False))
            self.assertEqual(report["first_culprit"]["path"], wrong, kind)

    @staticmethod
    def wrong(ops, right):
        """The path of the first op whose results differ."""
        number = next(i for i, (one, other) in enumerate(zip(ops, right)) if np.not_equal(one[2], other[2]).any())
        return f"/{ops[number][0]}/{number + 1}"


if __name__ == "__main__":
    unittest.main()
