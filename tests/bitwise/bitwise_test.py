"""compare --bitwise: the first op that does not repeat, and how its results differ."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from planted import CAUSES, pair, write

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
EACH = 250 if os.environ.get("NPUSCOPE_LONG_TESTS") == "1" else 15


class Bitwise(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_on(self, *words):
        return subprocess.run(
            [NPUSCOPE, "compare", "-q", "--bitwise", *map(str, words)], capture_output=True, text=True, check=False
        )

    def report(self, *paths, code=1):
        done = self.run_on(*paths, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_planted_causes_are_named(self):
        for cause in CAUSES:
            right = 0
            wrong = []
            for seed in range(EACH):
                a, b, op = pair(self.folder, cause, seed)
                run = self.report(a, b)["runs"][0]
                self.assertEqual((run["parting"]["op"], run["parting"]["by"]), (op, "op"), (cause, seed))
                self.assertEqual((run["origins"], run["inherited"], run["equal_ops"]), (1, 2, 1 + seed % 4))
                if run["parting"]["manner"] == cause:
                    right += 1
                else:
                    wrong.append((seed, run["parting"]))
            self.assertGreaterEqual(right, 0.95 * EACH, (cause, wrong))

    def test_equal_runs_are_equal(self):
        a, b, _ = pair(self.folder, "whole_tile", 3)
        shutil.copy(a, b)
        done = self.run_on(a, b, a)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("verdict: equal"), 2)
        self.assertEqual(self.report(a, b, code=0)["verdict"], "equal")

    def test_of_several_runs_each_is_held_against_the_first(self):
        a, b, op = pair(self.folder, "random_op", 5)
        shutil.copy(a, self.folder / "c.h5")
        runs = self.report(a, self.folder / "c.h5", b)["runs"]
        self.assertEqual([run["verdict"] for run in runs], ["equal", "different"])
        self.assertEqual(runs[1]["parting"]["op"], op)

    def chain(self, name, changed, second=None):
        x = np.arange(64, dtype="f4")
        y = x * 2
        ops = [("mul", {"self": x}, {"result": y}), ("relu", {"self": changed}, {"result": changed})]
        write(self.folder / name, [*ops, *(second or [])])
        return self.folder / name

    def test_inputs_that_differ_already_are_told_with_their_maker(self):
        y = np.arange(64, dtype="f4") * 2
        run = self.report(self.chain("a.h5", y), self.chain("b.h5", y + np.float32(1)))["runs"][0]
        self.assertEqual((run["parting"]["op"], run["parting"]["by"]), ("/relu/2", "inputs"))
        self.assertEqual(run["parting"]["tensors"][0]["made_by"], "/mul/1")
        given = self.report(self.chain("a.h5", y - 1), self.chain("b.h5", y + np.float32(1)))["runs"][0]
        self.assertIsNone(given["parting"]["tensors"][0]["made_by"])

    def test_nan_and_zeros_are_compared_by_their_bits(self):
        for one, other in ((np.nan, np.nan), (0.0, -0.0)):
            a = self.chain("a.h5", np.full(4, one, "f4"))
            b = self.chain("b.h5", np.full(4, other, "f4"))
            self.assertEqual(self.run_on(a, b).returncode, 0 if np.isnan(one) else 1)

    def test_runs_of_one_process_are_numbered_on(self):
        x = np.arange(4, dtype="f4")
        for name, first, result in (("a.h5", 1, -x), ("b.h5", 8, -x), ("c.h5", 15, x)):
            write(self.folder / name, [("abs", {"self": x}, {"result": x}), ("neg", {"self": x}, {"result": result})], first)
        runs = self.report(*(self.folder / name for name in ("a.h5", "b.h5", "c.h5")))["runs"]
        self.assertEqual([run["verdict"] for run in runs], ["equal", "different"])
        self.assertEqual(runs[1]["parting"]["op"], "/neg/2")

    def test_programs_that_differ_are_no_equal_runs(self):
        y = np.arange(4, dtype="f4")
        a = self.chain("a.h5", y)
        b = self.chain("b.h5", y, [("neg", {"self": y}, {"result": -y})])
        run = self.report(a, b)["runs"][0]
        self.assertEqual((run["only_here"], run["first_unpaired"]), (1, "/neg/3 is in the other run only"))
        self.assertEqual(self.report(b, a)["runs"][0]["first_unpaired"], "/neg/3 is in the first run only")

    def test_other_shapes_are_told(self):
        run = self.report(self.chain("a.h5", np.ones(4, "f4")), self.chain("b.h5", np.ones((2, 2), "f4")))["runs"][0]
        self.assertEqual(run["parting"]["tensors"][0]["other"], "float32[2,2]")

    def test_bad_use_is_one_clear_line(self):
        a = self.chain("a.h5", np.ones(4, "f4"))
        write(self.folder / "b.h5", [("neg", {}, {"result": np.ones(4, "f4")})])
        for words, text in (
            ([a], "--bitwise"),
            ([a, self.folder / "b.h5"], "no op of one name and number in common"),
            ([a, self.folder / "none.h5"], "none.h5"),
            ([a, a, "-m", a], "--bitwise"),
        ):
            done = self.run_on(*words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn(text, done.stderr)
        done = subprocess.run([NPUSCOPE, "compare", "-m", str(a)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--golden is required", done.stderr)


if __name__ == "__main__":
    unittest.main()
