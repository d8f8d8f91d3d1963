"""compare blames the op that check blames: the one whose float status says overflow, however small its error."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import quiet_overflow  # noqa: E402

PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


def npuscope(*arguments):
    done = subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=300)
    return done.returncode, done.stdout, done.stderr


class CompareOverflow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        quiet_overflow.write_model(cls.folder / "m.onnx")
        quiet_overflow.write_inputs(cls.folder / "x.npz")
        code, text, errors = npuscope("check", cls.folder / "m.onnx", "--input", cls.folder / "x.npz", "--chip", "910A",
                                      "-o", cls.folder / "out", "--json")
        assert code == 1, errors
        cls.checked = json.loads(text)

    def compare(self, target, golden, *more, told=""):
        code, text, errors = npuscope("compare", "-m", self.folder / "out" / target, "-g", self.folder / "out" / golden,
                                      *more)
        (self.assertIn if told else self.assertEqual)(told, errors)
        return code, text

    def test_blames_the_op_that_check_blames(self):
        self.assertEqual(self.checked["first_culprit"]["node"], quiet_overflow.NODE)
        for target in ("npu.h5", "isolated.h5"):
            with self.subTest(target=target):
                code, text = self.compare(target, "golden.h5", "--json")
                found = json.loads(text)
                self.assertEqual((code, found["verdict"]), (1, "fail"))
                self.assertEqual(found["first_culprit"]["path"], self.checked["first_culprit"]["path"])
                self.assertEqual([(op["path"], op["kind"]) for op in found["overflow"]],
                                 [(op["path"], op["kind"]) for op in self.checked["overflow"]
                                  if op["kind"] == "introduced"])
                fc = found["ops"][0]
                self.assertEqual((fc["verdict"], fc["overflow"]), ("pass", "introduced"))

    def test_says_so_in_the_terminal(self):
        _, text = self.compare("npu.h5", "golden.h5")
        self.assertIn("first culprit: " + self.checked["first_culprit"]["path"] + f" ({quiet_overflow.NODE})", text)

    def test_finds_nothing_between_a_dump_that_overflowed_and_itself(self):
        code, text = self.compare("npu.h5", "npu.h5", "--json", told="both files hold the same elements")
        self.assertEqual((code, json.loads(text)["overflow"]), (0, []))

    def test_accuses_no_receiver_where_inputs_saturate(self):
        models = Path(__file__).resolve().parents[2] / "data" / "models"
        (self.folder / "out").mkdir(exist_ok=True)
        for name, device in (("plain.h5", ("--device", "cpu")), ("saturated.h5", ("--chip", "910A"))):
            npuscope("run", models / "digits_resnet.onnx", "--input", models / "digits_16bit.npz", *device,
                     "--dump", self.folder / "out" / name, "-q")
        code, text = self.compare("saturated.h5", "plain.h5", "--json", "-q")
        found = json.loads(text)
        self.assertEqual((code, [culprit["path"] for culprit in found["culprits"]]), (1, ["/convolution/1"]))
        self.assertIn("target, convolutions (float32): fp16 inputs that saturate, fp32 sums (10 of 10 sampled)",
                      found["arithmetic"])


if __name__ == "__main__":
    unittest.main()
