"""How answers are judged and counted, and the simpler rules beside them."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("NPUSCOPE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "bench" / "diagnosis"))

import h5py
import numpy as np

import baselines
import tables
from diagnosis.answers import is_accused, is_right, names_argument
from diagnosis.digits import gpu_paths
from diagnosis.truth import Truth


def truth(**given):
    plain = dict(seed=0, variant="as is", kind="scaled", group="op", model="mlp", arithmetic="fp32", gross=True, ratio=20.0,
                 where="fc0", paths=["/mm/10", "/add_Tensor/11"], golden_paths=["/addmm/8"], argument="", tensors=[], discarded=0)
    return Truth(**{**plain, **given})


class Answers(unittest.TestCase):
    def test_any_member_of_the_planted_op_is_right(self):
        self.assertTrue(is_right(truth(), {"kind": "op", "path": "/add_Tensor/11", "golden": "/addmm/8"}))
        self.assertTrue(is_right(truth(), {"path": "/mm/10"}))

    def test_a_tensor_of_the_op_is_right(self):
        self.assertTrue(is_right(truth(), {"kind": "tensor", "path": "/mm/10", "tensor": "/mm/10/input/mat2"}))

    def test_a_golden_path_is_no_answer_for_an_op(self):
        self.assertFalse(is_right(truth(), {"kind": "op", "path": "/addmm/8", "golden": "/addmm/3"}))

    def test_for_programs_the_goldens_op_is_right(self):
        alone = {"kind": "program", "path": "/addmm/8", "golden": "/addmm/8", "verdict": "missing_target"}
        self.assertTrue(is_right(truth(group="program"), alone))
        other = {**alone, "path": "/mm/10", "golden": "/mm/10"}
        self.assertFalse(is_right(truth(group="program"), other))

    def test_nothing_is_wrong(self):
        self.assertFalse(is_right(truth(), None))

    def test_an_exit_code_or_a_culprit_accuses(self):
        self.assertTrue(is_accused(1, {}))
        self.assertTrue(is_accused(0, {"first_culprit": {"path": "/mm/1"}}))
        self.assertFalse(is_accused(2, {"first_culprit": None}))

    def test_an_argument_is_named_by_its_name(self):
        self.assertTrue(names_argument(truth(argument="eps"), {"argument": "eps"}))
        self.assertFalse(names_argument(truth(argument="eps"), {"argument": "dim"}))
        self.assertFalse(names_argument(truth(), {"argument": ""}))

    def test_ops_of_the_gpus_recording_are_found_by_their_turn(self):
        paths = gpu_paths()
        self.assertEqual(paths["/native_batch_norm/3"], ["/cudnn_batch_norm/3"])
        self.assertEqual(paths["/mm/46"], ["/mm/47"])


class Shares(unittest.TestCase):
    def test_wilsons_interval_has_its_published_values(self):
        for hits, count, low, high in ((0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)):
            found = tables.wilson(hits, count)
            self.assertAlmostEqual(found[0], low, 4)
            self.assertAlmostEqual(found[1], high, 4)

    def test_of_nothing_nothing_is_known(self):
        self.assertEqual(tables.wilson(0, 0), (0.0, 1.0))
        self.assertEqual(tables.share(0, 0), "-")


class Baselines(unittest.TestCase):
    def first(self, golden, target):
        with tempfile.TemporaryDirectory() as name:
            for file, rows in (("golden.h5", golden), ("target.h5", target)):
                with h5py.File(Path(name) / file, "w") as h5:
                    for i, row in enumerate(rows, 1):
                        h5[f"mm/{i}/output/result"] = np.asarray(row, "f4")
            return baselines.first_failures(Path(name))

    def test_equal_runs_break_no_rule(self):
        self.assertEqual(set(self.first([[1, 2]], [[1, 2]]).values()), {None})

    def test_each_rule_names_the_first_op_that_breaks_it(self):
        golden = [[1.0, 2, 3, 4], [1.0, 2, 3, 4], [1.0, 2, 3, 4]]
        target = [[1.0001, 2, 3, 4], [1.01, 2, 3, 4], [-1.0, 2, -3, 4]]
        found = self.first(golden, target)
        self.assertEqual(found["Polygraphy"], "/mm/1")
        self.assertEqual(found["msprobe"], "/mm/2")
        self.assertEqual(found["cosine < 0.99"], "/mm/3")

    def test_nan_breaks_every_rule(self):
        self.assertEqual(set(self.first([[1, 2]], [[1, float("nan")]]).values()), {"/mm/1"})


if __name__ == "__main__":
    unittest.main()
