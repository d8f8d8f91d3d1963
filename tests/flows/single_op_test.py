"""Recordings of few ops, written by h5py alone: what is wrong in few elements is told, and a bias that is missing."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")


class FewOps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        chance = np.random.default_rng(5)
        self.left = chance.standard_normal((32, 64)).astype("f4")
        self.right = chance.standard_normal((64, 16)).astype("f4")
        self.bias = (0.001 * chance.standard_normal(16)).astype("f4")

    def write(self, name: str, ops: list) -> str:
        path = str(self.folder / name)
        with h5py.File(path, "w") as file:
            for seqid, (op, inputs, result) in enumerate(ops, 1):
                for argument, value in inputs.items():
                    file[f"{op}/{seqid}/input/{argument}"] = value
                file[f"{op}/{seqid}/output/result"] = result
        return path

    def product(self, name: str, result: np.ndarray) -> str:
        return self.write(name, [("mm", {"self": self.left, "mat2": self.right}, result)])

    def compare(self, target: str, golden: str) -> dict:
        done = subprocess.run([NPUSCOPE, "compare", "-q", "--json", "-m", target, "-g", golden], capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def test_few_wrong_elements_of_the_only_product_are_no_class_of_arithmetic(self) -> None:
        exact = self.left @ self.right
        golden = self.product("golden.h5", exact)
        self.assertEqual(self.compare(golden, golden)["verdict"], "pass")
        for error in (0.5, 0.01):
            wrong = exact.copy()
            wrong[3, 5] += error
            found = self.compare(self.product("target.h5", wrong), golden)
            self.assertEqual(found["verdict"], "fail", error)
            self.assertEqual(found["first_culprit"]["path"], "/mm/1")
            self.assertEqual(found["first_culprit"]["elements"]["over"], 1)

    def test_the_only_product_may_be_of_another_class(self) -> None:
        half = self.left.astype("f2").astype("f4") @ self.right.astype("f2").astype("f4")
        found = self.compare(self.product("target.h5", half), self.product("golden.h5", self.left @ self.right))
        self.assertEqual(found["verdict"], "pass")
        # TF32 has as many bits as fp16.
        self.assertIn("TF32 inputs, fp32 sums", " ".join(found["arithmetic"]))

    def test_a_small_bias_that_one_side_lacks_is_no_other_way_to_compute_the_same(self) -> None:
        product = self.left @ self.right

        def program(name: str, first: tuple) -> str:
            result = first[2]
            relu = np.maximum(result, 0)
            return self.write(name, [first, ("relu", {"self": result}, relu), ("abs", {"self": relu}, np.abs(relu))])

        operands = {"mat1": self.left, "mat2": self.right}
        golden = program("golden.h5", ("addmm", {"self": self.bias, **operands}, product + self.bias))
        target = program("target.h5", ("mm", {"self": self.left, "mat2": self.right}, product))
        found = self.compare(target, golden)
        self.assertEqual(found["verdict"], "fail")
        self.assertIn(found["first_culprit"]["path"], ("/mm/1", "/addmm/1"))


if __name__ == "__main__":
    unittest.main()
