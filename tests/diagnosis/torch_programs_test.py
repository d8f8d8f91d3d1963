"""The programs of PyTorch that bench/diagnosis/torch_programs scores: what their recorder writes is read and judged, and what
their faults are off by."""

import math
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("NPUSCOPE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "bench" / "diagnosis" / "torch_programs"))

import torch  # noqa: E402
from faults import KINDS, OF_PARAMETER, effect_of, fault_of  # noqa: E402
from recorder import Run, to_significand  # noqa: E402
from score import judged  # noqa: E402


class TorchPrograms(unittest.TestCase):
    def test_no_clean_step_is_accused_and_planted_faults_are_told(self):
        torch.set_num_threads(1)
        made = 0
        for seed in range(12):
            with tempfile.TemporaryDirectory() as folder:
                row = judged(seed, Path(folder), seed % 2 == 1)
            if row["size"] in ("clean", "gross"):
                self.assertTrue(row["right"], row)
                made += 1
        self.assertGreater(made, 8)

    def test_an_effect_is_the_largest_difference_over_the_largest_element(self):
        y = torch.tensor([4.0, -8.0, 0.0])
        self.assertEqual(effect_of(y, y.clone()), 0)
        self.assertEqual(effect_of(y, y + torch.tensor([0, 2.0, 0])), 0.25)
        self.assertEqual(effect_of((y, y), (y, y * 2)), 1)
        self.assertTrue(math.isinf(effect_of(y, y * float("nan"))))

    def test_each_fault_of_a_result_or_operand_changes_it(self):
        schema = torch.ops.aten.add.Tensor._schema
        x, y = torch.randn(6, 8), torch.randn(6, 8)
        run = Run(schema, (x, y), lambda args: torch.add(*args) * 1.001)
        for kind in KINDS:
            fault = fault_of(kind, random.Random(3))
            self.assertEqual(fault is None, kind in OF_PARAMETER, kind)
            if fault is not None and kind != "other argument":
                self.assertGreater(effect_of(run.compute(run.args), fault(run)), 0, kind)
        for kind, change in OF_PARAMETER.items():
            self.assertGreater(effect_of(x, change(x.clone())), 0, kind)

    def test_a_significand_of_eleven_bits_is_that_of_tf32(self):
        self.assertEqual(to_significand(torch.tensor([1 + 2.0**-11, 1 + 2.0**-10 + 2.0**-12]), 11).tolist(), [1, 1 + 2.0**-10])


if __name__ == "__main__":
    unittest.main()
