"""Recordings of which one recorder was asked for a part: a sample of the runs, or ops of some kinds."""

import os
import subprocess
import unittest
from pathlib import Path

import h5py
from compared import InFolder, compared

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
BINARY = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"
MODEL = SOURCE / "data/models/digits_vit.onnx"


class PartialRecordings(InFolder):
    def setUp(self):
        super().setUp()
        self.whole, self.part = self.recorded("whole.h5"), self.recorded("part.h5", "--sample", "3")

    def recorded(self, name, *words):
        path = self.folder / name
        subprocess.run([BINARY, "run", MODEL, "--device", "cpu", "--dump", path, *words], check=True, capture_output=True)
        return path

    def test_what_a_sample_leaves_out_is_not_missing(self):
        for target, golden, words in ((self.part, self.whole, "the target holds"), (self.whole, self.part, "the golden holds")):
            with self.subTest(words):
                code, path, report = compared(target, golden)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
                self.assertTrue(any(words + " the first run and one in 3" in note for note in report["notes"]), report["notes"])
                self.assertGreater(report["counts"]["pass"], 20)

    def test_what_a_sample_holds_is_judged(self):
        with h5py.File(self.part, "r+") as file:
            run = sorted(file["mm"], key=int)[1]
            result = next(iter(file["mm"][run]["output"].values()))
            result[...] = 1.5 * result[()]
        code, path, _ = compared(self.part, self.whole)
        self.assertEqual((code, path), (1, f"/mm/{run}"))

    def test_what_a_recorder_of_one_kind_leaves_out_is_not_missing(self):
        with h5py.File(self.whole, "r") as file, h5py.File(self.folder / "few.h5", "w") as few:
            file.copy("mm", few)
            for name, value in file.attrs.items():
                few.attrs[name] = value
        self.assertEqual(compared(self.folder / "few.h5", self.whole)[:2], (0, None))
        code, path, report = compared(self.whole, self.folder / "few.h5")
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertTrue(any("the golden holds ops of one kind alone (mm)" in note for note in report["notes"]), report["notes"])



if __name__ == "__main__":
    unittest.main()
