"""`compare --repeat`, `--noise-out` and `--noise`: what repetitions of the golden's run differ by is no finding."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")


class Noise(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def dump(self, name, noise=0.0, fault=0.0, seed=0):
        """exp, whose result is off at random by `noise`, and neg, the last element of which is off by `fault`."""
        x = np.random.default_rng(1).standard_normal(64).astype("f4")
        y = (np.exp(x) * (1 + noise * np.random.default_rng(seed).uniform(-1, 1, 64))).astype("f4")
        z = -y
        z[-1] += fault
        path = self.folder / name
        with h5py.File(path, "w") as file:
            for op, seqid, taken, made in (("exp", 1, x, y), ("neg", 2, y, z)):
                for place, value in (("input/self", taken), ("output/result", made)):
                    dataset = file.create_dataset(f"/{op}/{seqid}/{place}", data=value)
                    for key in ("DataType", "DeviceType", "Format", "Type"):
                        dataset.attrs[key] = np.int64(0)
                    dataset.attrs["Stride"] = np.array([1], dtype="i8")
        return path

    def ask(self, *words):
        return subprocess.run([NPUSCOPE, "compare", "-q", *map(str, words)], capture_output=True, text=True, check=False)

    def test_differences_like_those_of_repetitions_are_no_finding(self):
        golden = self.dump("g.h5")
        target = self.dump("t.h5", noise=0.3, seed=9)
        repeats = [self.dump(f"g{i}.h5", noise=0.3, seed=i) for i in (1, 2, 3)]
        self.assertEqual(self.ask("-m", target, "-g", golden).returncode, 1)
        noise = self.folder / "n.json"
        for more in (["--repeat", *repeats, "--noise-out", noise], ["--noise", noise], ["--noise", noise, "--repeat", repeats[0]]):
            done = self.ask("-m", target, "-g", golden, "--json", *more)
            report = json.loads(done.stdout)
            self.assertEqual((done.returncode, report["verdict"], report["culprits"]), (0, "pass", []), done.stdout)
            rules = [t["rule"] for op in report["ops"] for t in op["tensors"] if t["direction"] == "output"]
            self.assertTrue(all("is within the noise of" in rule for rule in rules), rules)
        # What was written is the largest difference.
        read = [h5py.File(p, "r")["/exp/1/output/result"][()].astype("f8") for p in (golden, *repeats)]
        written = json.loads(noise.read_text())
        self.assertEqual(written["runs"], 3)
        largest = max(np.abs(other - read[0]).max() for other in read[1:])
        self.assertAlmostEqual(written["noise"]["/exp/1/output/result"], largest, delta=1e-12)
        # A fault beyond the noise stays one.
        wrong = self.dump("w.h5", noise=0.3, fault=100.0, seed=9)
        report = json.loads(self.ask("-m", wrong, "-g", golden, "--json", "--noise", noise).stdout)
        self.assertEqual(report["first_culprit"]["path"], "/neg/2")

    def test_rejects_or_tells_files_that_do_not_fit(self):
        golden, target = self.dump("g.h5"), self.dump("t.h5", noise=0.3)
        other = self.folder / "other.json"
        other.write_text('{"version": 1, "runs": 1, "noise": {"/mm/9/output/out": 1}}')
        done = self.ask("-m", target, "-g", golden, "--noise", other)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("the noise is of no tensor here", done.stderr)
        bad = self.folder / "bad.json"
        for text in ("", "{}", '{"version": 1, "runs": 1, "noise": {"a": -1}}', "[" * 1000):
            bad.write_text(text)
            done = self.ask("-m", target, "-g", golden, "--noise", bad)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("is no file of noise", done.stderr)
        for words in (("--noise-out", bad), ("--repeat", self.folder / "none.h5"), ("--noise", self.folder / "none.json")):
            done = self.ask("-m", target, "-g", golden, *words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
