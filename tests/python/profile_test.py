"""npuscope.Profile, and the command's option."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import npuscope

MODEL = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "data" / "models" / "digits_resnet.onnx"
NPUSCOPE = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"


class Profiles(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.trace = Path(holder.name) / "trace.json"

    def spans(self) -> list:
        events = json.loads(self.trace.read_text())["traceEvents"]
        return [event for event in events if event["ph"] == "X"]

    def test_counts_ops_and_kernels_of_an_executor(self) -> None:
        executor = npuscope.Executor("910A")
        with npuscope.Profile(executor) as profile:
            for _ in range(3):
                executor.call("exp", np.zeros(4, np.float32))
        rows = {row.name: row for row in profile.rows}
        self.assertEqual((rows["exp"].calls, rows["exp"].is_kernel), (3, False))
        self.assertEqual((rows["Exp"].calls, rows["Exp"].is_kernel), (3, True))
        self.assertGreaterEqual(rows["exp"].seconds, rows["Exp"].seconds)
        self.assertIn("exp", profile.table)
        profile.export_chrome_trace(self.trace)
        for span in self.spans():
            self.assertGreaterEqual(span["dur"], 0)

    def test_the_current_chip_is_the_default(self) -> None:
        with npuscope.chip("910B"), npuscope.Profile() as profile:
            npuscope.ops.relu(np.zeros(1, np.float32))
        self.assertEqual(profile.rows[0].name, "relu")

    def test_the_command_writes_a_trace_and_prints_a_table(self) -> None:
        done = subprocess.run(
            [NPUSCOPE, "run", MODEL, "--profile", self.trace, "-q"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertRegex(done.stdout, r"\d+\.\d+ +\d+\.\d% +\d+  convolution\n")
        names = [span["name"] for span in self.spans()]
        self.assertEqual(names.count("convolution"), 9)
        self.assertIn("Conv2D", names)

    def test_the_command_rejects_a_folder_that_is_not_there(self) -> None:
        done = subprocess.run(
            [NPUSCOPE, "run", MODEL, "--profile", self.trace / "no" / "t.json", "-q"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("t.json", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
