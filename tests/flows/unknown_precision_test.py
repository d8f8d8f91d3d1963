"""An op that nobody can compute, on equal inputs, among others whose arithmetic is narrower than their dtype."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from recording import in_bfloat16


def record(path, rounded, error=0.0):
    """Ten products of numbers, and an op of a chip's own; `error` is that of its result."""
    chance = np.random.default_rng(3)
    step = in_bfloat16 if rounded else np.float32
    with h5py.File(path, "w") as file:
        for place in range(1, 11):
            a = chance.standard_normal((16, 8)).astype("f4")
            b = chance.standard_normal((16, 8)).astype("f4")
            group = file.create_group(f"mul_Tensor/{place}")
            group["input/self"], group["input/other"] = a, b
            group["output/result"] = step(a * b)
        x = chance.standard_normal((16, 8)).astype("f4")
        group = file.create_group("its_own_op/11")
        group["input/self"] = x
        group["output/result"] = np.float32(np.cos(x) * (1 + error))


class UnknownPrecision(InFolder):
    def verdict(self, rounded, error):
        record(self.folder / "t.h5", rounded, error)
        record(self.folder / "g.h5", False)
        return compared(self.folder / "t.h5", self.folder / "g.h5")[:2]

    def test_it_may_be_as_far_off_as_its_like(self):
        self.assertEqual(self.verdict(True, 1e-3), (0, None))

    def test_it_is_at_fault_beyond_that(self):
        self.assertEqual(self.verdict(True, 0.1), (1, "/its_own_op/11"))

    def test_beside_float32_arithmetic_it_is_held_to_its_dtype(self):
        self.assertEqual(self.verdict(False, 1e-3), (1, "/its_own_op/11"))


if __name__ == "__main__":
    unittest.main()
