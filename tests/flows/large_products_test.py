"""One wrong element in results of which a part is computed, or in the only run that tells an op's arithmetic."""

import os
import unittest

import h5py
import numpy as np
from compared import InFolder, compared

EDGE = 600


def fp16(array):
    return array.astype("f2").astype("f4")


class Program:
    """A product, its logistic function and their sum, in the plain layout; the target rounds the product's operands."""

    def __init__(self, path, rounds=False, wrong="", at=(0, 0)):
        chance = np.random.default_rng(1)
        a, b = (chance.standard_normal((EDGE, EDGE)).astype("f4") for _ in range(2))
        self.file = h5py.File(path, "w")
        self.count = 0
        y = fp16(a) @ fp16(b) if rounds else a @ b
        y = self.op("mm", y, wrong, at, self=a, mat2=b)
        # In float64, as a library's function that errs by less than half a unit.
        z = self.op("sigmoid", (1 / (1 + np.exp(-y.astype("f8")))).astype("f4"), wrong, at, self=y)
        self.op("mul_Tensor", y * z, wrong, at, self=y, other=z)
        self.file.close()

    def op(self, name, result, wrong, at, /, **inputs):
        self.count += 1
        if name == wrong:
            result = result.copy()
            result[at] += 8
        group = self.file.create_group(f"{name}/{self.count}")
        for key, value in inputs.items():
            group[f"input/{key}"] = value
        group["output/result"] = result
        return result


class LargeProducts(InFolder):
    def compare(self, judge, **fault):
        golden, target = self.folder / "golden.h5", self.folder / "target.h5"
        if not golden.exists():
            Program(golden)
        Program(target, rounds=True, **fault)
        code, culprit, report = compared(target, golden, "--judge", judge)
        os.remove(target)
        return code, culprit, report

    def test_pass_without_a_fault(self):
        for judge in ("quick", "exact"):
            code, culprit, _ = self.compare(judge)
            self.assertEqual((code, culprit), (0, None), judge)

    def test_are_told_wherever_one_element_is_wrong(self):
        for number, op in enumerate(("mm", "sigmoid", "mul_Tensor"), 1):
            for at in ((0, 3), (EDGE // 2, EDGE // 2), (EDGE - 1, EDGE - 2)):
                for judge in ("quick", "exact"):
                    code, culprit, _ = self.compare(judge, wrong=op, at=at)
                    self.assertEqual((code, culprit), (1, f"/{op}/{number}"), (op, at, judge))


if __name__ == "__main__":
    unittest.main()
