"""`npuscope recompute` of recordings whose device drew numbers, or computes what the asked one does not take."""

import json
import subprocess
import unittest

import h5py
import numpy as np
from compared import NPUSCOPE, InFolder


def bf16(array):
    """Rounded to bfloat16, as float32."""
    bits = np.ascontiguousarray(array, "f4").view("u4").astype("u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("u4").view("f4")


class RecomputeAlone(InFolder):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "target.h5"
        self.count = 0
        self.chance = np.random.default_rng(3)

    def record(self, op, inputs, **results):
        self.count += 1
        with h5py.File(self.path, "a") as file:
            for name, value in inputs.items():
                file[f"{op}/{self.count}/input/{name}"] = value
            for name, value in results.items():
                file[f"{op}/{self.count}/output/{name}"] = value

    def recomputed(self, chip="910A"):
        asked = [NPUSCOPE, "recompute", self.path, "--chip", chip, "--json"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def dropped(self, scale):
        x = self.chance.standard_normal((40, 50)).astype("f4")
        kept = self.chance.random(x.shape) >= 0.25
        self.record("native_dropout", {"input": x, "p": 0.25, "train": True}, result0=x * kept * np.float32(scale), result1=kept)
        self.record("tanh", {"self": x}, result=np.tanh(x.astype("f8")).astype("f4"))

    def test_what_was_drawn_is_no_fault(self):
        self.dropped(scale=4 / 3)
        code, report = self.recomputed()
        self.assertEqual((code, report["passed"], report["failed"], report["skipped"]), (0, 1, 0, 1))
        self.assertIn("random", report["ops"][0]["skipped"])

    def test_another_scale_is_one(self):
        self.dropped(scale=1.4)
        code, report = self.recomputed()
        self.assertEqual((code, report["failed"]), (1, 1))
        self.assertEqual(report["culprits"][0]["path"], "/native_dropout/1")
        self.assertIn("scale", json.dumps(report["culprits"][0]))

    def test_numbers_that_nothing_was_drawn_from_are_random_too(self):
        self.record("rand", {"size": np.array([3, 4])}, result=self.chance.random((3, 4), "f4"))
        self.record("randn_like", {"self": np.zeros((5, 2), "f4")}, result=self.chance.standard_normal((5, 2), "f4"))
        self.record("tanh", {"self": np.zeros(3, "f4")}, result=np.zeros(3, "f4"))
        code, report = self.recomputed()
        self.assertEqual((code, report["failed"], report["passed"], report["skipped"]), (0, 0, 1, 2))

    def test_a_cast_gives_the_dtype_of_its_result(self):
        for result, wrong in (("i8", 7), (bool, False)):
            with self.subTest(result):
                for is_wrong in (False, True):
                    self.path = self.folder / f"{np.dtype(result).name}{is_wrong}.h5"
                    self.count = 0
                    x = np.array([-2.75, 0, 2.75, np.finfo("f4").min if result is bool else 1e6], "f4")
                    y = x.astype(result)
                    if is_wrong:
                        y[2] = wrong
                    self.record("_to_copy", {"self": x}, result=y)
                    code, report = self.recomputed()
                    self.assertEqual((code, report["failed"]), (1, 1) if is_wrong else (0, 0), report)

    def products(self, wrong=False, says=False):
        for number in range(6):
            a, b = (bf16(self.chance.standard_normal((24, 24))) for _ in range(2))
            y = bf16((a.astype("f8") @ b.astype("f8")).astype("f4"))
            if wrong and number == 3:
                y[2, 5] += 1
            self.record("mm", {"self": a, "mat2": b}, result=y)
        if says:
            with h5py.File(self.path, "a") as file:
                file.visititems(lambda _, item: item.attrs.__setitem__("StoredFrom", "bfloat16") if hasattr(item, "shape") else None)

    def test_numbers_of_bfloat16_are_judged_as_such(self):
        self.products()
        code, report = self.recomputed()
        self.assertEqual((code, report["passed"], report["failed"]), (0, 6, 0))
        self.assertIn("bfloat16", report["arithmetic"][0])

    def test_a_wrong_element_among_them_is_told(self):
        self.products(wrong=True)
        code, report = self.recomputed()
        self.assertEqual((code, [culprit["path"] for culprit in report["culprits"]]), (1, ["/mm/4"]))

    def test_ops_that_the_device_does_not_take_are_judged_by_what_was_recorded(self):
        self.products(wrong=True, says=True)
        code, report = self.recomputed()
        self.assertEqual((code, [culprit["path"] for culprit in report["culprits"]]), (1, ["/mm/4"]))
        self.assertEqual((report["passed"], report["skipped"]), (5, 0))
        self.assertIn("the device does not take", " ".join(report["notes"]))


if __name__ == "__main__":
    unittest.main()
