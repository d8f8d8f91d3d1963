"""Training steps that PyTorch computed on an NVIDIA H100 and H200 beside a CPU: what honest kernels do there is no fault, what was
planted in an op is found there. Recorded by bench/diagnosis/torch_programs/record.py."""

import json
import os
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import h5py
from compared import NPUSCOPE, compared

ROOT = Path(os.environ.get("NPUSCOPE_SOURCE_DIR", Path(__file__).resolve().parents[2]))
NAMES = ("cnn_fp16", "cnn_fp16_nan", "dropout_tf32", "mlp_bf16", "optimizer_bf16", "unet_tf32")


class DeviceSteps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        with tarfile.open(ROOT / "data" / "recordings" / "device_steps.tar.xz") as archive:
            archive.extractall(cls.folder)

    def of(self, name):
        """Exit code and culprit of the clean target, and of the one with a fault, with the truth."""
        found = {}
        for truth in json.loads((self.folder / name / "truths.json").read_text()):
            path = self.folder / name
            code, culprit, report = compared(path / truth["target"], path / "g.h5")
            found[truth["target"]] = (code, culprit, truth, report)
        return found

    def test_honest_steps_pass_and_faults_are_found_first(self):
        self.assertEqual(sorted(each.name for each in self.folder.iterdir()), sorted(NAMES))
        for name in NAMES:
            for target, (code, culprit, truth, report) in self.of(name).items():
                with self.subTest(name=name, target=target):
                    if truth["size"] == "clean":
                        self.assertEqual((code, culprit), (0, None), report["first_culprit"])
                    else:
                        self.assertEqual((code, culprit), (1, truth["path"]))

    def test_a_library_rounds_to_tf32_in_several_ways(self):
        _, _, _, report = self.of("unet_tf32")["t.h5"]
        ways = [each for each in report["arithmetic"] if each.startswith("target, convolutions")]
        self.assertIn("fp32, or TF32 inputs, fp32 sums (8 of 8 sampled)", ways[0])

    def test_a_dropout_in_one_op_is_no_parting(self):
        _, _, _, report = self.of("dropout_tf32")["t.h5"]
        self.assertEqual(report["culprits"], [])
        self.assertTrue(any("dropout" in op["path"] for op in report["ops"]))

    def test_updates_of_all_parameters_at_once_are_compared_one_by_one(self):
        _, _, _, report = self.of("optimizer_bf16")["t.h5"]
        own = [op for op in report["ops"] if op["path"].startswith("/_foreach_add__List/") and op["golden"]]
        self.assertEqual({op["golden"].split("/")[1] for op in own}, {"add__Tensor"})
        self.assertGreater(len(own), 4)
        for op in own:
            with h5py.File(self.folder / "optimizer_bf16" / "t.h5") as file:
                self.assertIsInstance(file[op["path"]], h5py.Dataset)

    def test_what_is_said_of_one_update_can_be_looked_at(self):
        path = self.folder / "optimizer_bf16" / "t.h5"
        _, _, _, report = self.of("optimizer_bf16")["t.h5"]
        own = next(op["path"] for op in report["ops"] if op["path"].startswith("/_foreach_add__List/"))
        done = subprocess.run([NPUSCOPE, "inspect", path, own], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_list_whose_elements_are_not_all_there_stays_whole(self):
        for number in (1, 4_000_000_000_000):
            target = self.folder.parent / f"{self.folder.name}_{number}.h5"
            self.addCleanup(target.unlink)
            with h5py.File(self.folder / "optimizer_bf16" / "t.h5") as file, h5py.File(target, "w") as other:
                for name in file:
                    file.copy(name, other)
                (run,) = other["_foreach_add__List"].values()
                whole = run.name
                run["output/self"].move("self_0", f"self_{number + 100}")
            code, _, report = compared(target, self.folder / "optimizer_bf16" / "g.h5")
            self.assertIn(code, (0, 1), report["stderr"])
            self.assertIn(whole, {op["path"] for op in report["ops"]})

    def test_a_scale_of_a_vanishing_gradient_is_told_by_no_update(self):
        _, _, _, report = self.of("cnn_fp16")["t.h5"]
        self.assertIn("multiplies its loss by 1024", report["stderr"])


if __name__ == "__main__":
    unittest.main()
