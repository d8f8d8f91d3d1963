"""msaccucmp on random pairs of dumps against recorded outcomes of the reference tool.

The dumps are made from their seeds; tests/golden/msaccucmp_random holds what the reference wrote.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import numpy as np

from msaccucmp_differential import BIN, REFERENCE, run, saved_tensor_difference
from random_options import make_options
from random_pairs import NPU, contiguous, make_pair
from results import Outcome, difference, log_difference, parse_table, renamed, table_difference

GOLDEN = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "tests/golden/msaccucmp_random"
EPSILON = 2.220446049250313e-16
LARGE = 8191


def recorded():
    return json.loads((GOLDEN / "index.json").read_text())


def recorded_table(name):
    return parse_table((GOLDEN / name).read_bytes().decode())


class RecordedOutcome(unittest.TestCase):
    def check(self, entry):
        seed = entry["seed"]
        self.assertEqual(make_options(seed), entry["options"], "the generator of options has changed")
        pair = make_pair(seed)
        expected = Outcome(entry["code"])
        expected.tables = {name: recorded_table(file) for name, file in entry["tables"].items()}
        expected.advice = entry["advice"]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            pair.write(folder)
            ours = run(BIN / "msaccucmp", entry["options"], folder, folder / "ours")
            self.assertIsNone(saved_tensor_difference(folder / "ours", folder))
        self.assertNotIn("HDF5-DIAG", ours.stderr)
        for name, mode in ours.modes.items():
            self.assertEqual(mode, 0o600 if "." in name else 0o700, name)
        if pair.oddity and entry["kind"].endswith(pair.oddity):
            ours = renamed(ours, *pair.rename)
        ours.modes = {}
        ours.advice = ours.advice and ours.advice[:2]
        expected.advice = expected.advice and [*expected.advice, "Expert Advice: "]
        ours.advice = ours.advice and [*ours.advice, "Expert Advice: "]
        self.assertIsNone(difference(ours, expected), ours.stderr[-600:])

    def test_is_reproduced(self):
        entries = recorded()
        self.assertGreater(len(entries), 50)
        for entry in entries:
            with self.subTest(seed=entry["seed"]):
                self.check(entry)


def sum_in_numpy_order(values):
    """Chunks of 8192, each pairwise in float32, added one after the other."""

    def pairwise(part):
        count = len(part)
        if count < 8:
            total = np.float32(0)
            for value in part:
                total += value
            return total
        if count <= 128:
            sums = part[:8].copy()
            whole = count - count % 8
            for at in range(8, whole, 8):
                sums += part[at : at + 8]
            total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
            for value in part[whole:]:
                total += value
            return total
        half = count // 2
        half -= half % 8
        return pairwise(part[:half]) + pairwise(part[half:])

    total = pairwise(values[:8192])
    for at in range(8192, len(values), 8192):
        total += pairwise(values[at : at + 8192])
    return total


def sum_from_left(values):
    """What a plain loop computes."""
    return np.add.accumulate(values, dtype=np.float32)[-1]


def relative_errors(mine, golden):
    x = mine.ravel().astype("f4")
    y = golden.ravel().astype("f4")
    large_enough = np.abs(y) > EPSILON
    return np.where(large_enough, np.abs(x / np.where(large_enough, y, 1) - 1), 0).astype("f4")


class SumOrder(unittest.TestCase):
    """The recorded digits show NumPy's order of summation, so a test of them can tell orders apart."""

    @staticmethod
    @cache
    def large_rows():
        return list(SumOrder.find_large_rows())

    @staticmethod
    def find_large_rows():
        """(table, row, column, relative errors) of large tensors, as far as they lie in plain order."""
        for entry in recorded():
            name = entry["tables"].get("result.csv")
            if entry["seed"] % 5 != 4 or name is None:
                continue
            table = recorded_table(name)
            if "AccumulatedRelativeError" not in table[0]:
                continue
            column = table[0].index("AccumulatedRelativeError")
            pair = make_pair(entry["seed"])
            sides = [{each.path: each for each in side} for side in (pair.mine, pair.golden)]
            for number, row in enumerate(table[1:], 1):
                if row[2] not in sides[0] or row[3] not in sides[1] or row[column] in ("NaN", "nan", "inf"):
                    continue
                mine, golden = sides[0][row[2]], sides[1][row[3]]
                in_order = golden.attributes["DeviceType"] == NPU or list(
                    golden.attributes.get("Stride", [])
                ) == contiguous(golden.array.shape)
                if mine.array.size >= LARGE and in_order:
                    yield table, number, column, relative_errors(mine.array, golden.array)

    def test_recorded_sums_are_in_numpy_order(self):
        rows = 0
        with np.errstate(all="ignore"):
            for table, number, column, errors in self.large_rows():
                self.assertEqual(table[number][column], "%.6f" % sum_in_numpy_order(errors), table[number])
                rows += 1
        self.assertGreater(rows, 15)

    def test_rejects_another_order(self):
        rejected = 0
        with np.errstate(all="ignore"):
            for table, number, column, errors in self.large_rows():
                wrong = [list(row) for row in table]
                wrong[number][column] = "%.6f" % sum_from_left(errors)
                if table_difference(wrong, table) is not None:
                    self.assertNotEqual(wrong[number][column], table[number][column])
                    rejected += 1
        self.assertGreater(rejected, 5)


class Program(unittest.TestCase):
    def test_asks_for_the_reference(self):
        environment = {name: value for name, value in os.environ.items() if name != REFERENCE}
        program = Path(__file__).parent / "msaccucmp_differential.py"
        done = subprocess.run(
            [sys.executable, "-B", str(program), "--pairs", "1"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn(REFERENCE, done.stderr)


class Comparison(unittest.TestCase):
    HEADER = ["Index", "NPUDump", "NPUDumpPath", "GroundTruthPath", "CosineSimilarity"]
    HEADER += ["KullbackLeiblerDivergence", "CompareFailReason"]
    ROWS = [
        ["1", "A", "/A/1/output/o", "/A/1/output/o", "1.000000", "0.000010", ""],
        ["2", "B", "/B/2/output/o", "NaN", "NaN", "NaN", "reason"],
    ]

    def changed(self, row, column, text):
        rows = [list(each) for each in self.ROWS]
        rows[row][column] = text
        return table_difference([self.HEADER, *rows], [self.HEADER, *self.ROWS])

    def test_accepts_own_words_and_the_last_digit_of_kl(self):
        self.assertIsNone(self.changed(1, 6, "other words"))
        self.assertIsNone(self.changed(0, 5, "0.000011"))
        self.assertIsNone(self.changed(0, 5, "0.000009"))

    def test_rejects_any_other_digit_or_text(self):
        self.assertIsNotNone(self.changed(0, 4, "0.999999"))
        self.assertIsNotNone(self.changed(0, 5, "0.000012"))
        self.assertIsNotNone(self.changed(0, 5, "nan"))
        self.assertIsNotNone(self.changed(1, 4, "nan"))
        self.assertIsNotNone(self.changed(0, 3, "/B/1/output/o"))

    def test_rejects_a_reason_on_one_side_only(self):
        self.assertIsNotNone(self.changed(0, 6, "words"))
        self.assertIsNotNone(self.changed(1, 6, ""))

    def test_rejects_lost_and_reordered_rows_and_another_header(self):
        whole = [self.HEADER, *self.ROWS]
        self.assertIsNotNone(table_difference(whole[:2], whole))
        self.assertIsNotNone(table_difference(whole, whole[:2]))
        self.assertIsNotNone(table_difference([whole[0], whole[2], whole[1]], whole))
        self.assertIsNotNone(table_difference([self.HEADER[:-1] + ["x"], *self.ROWS], whole))

    def test_rejects_log_lines_of_another_form_and_silent_failures(self):
        line = "2026-01-31 12:00:00 (7) - [{}] words\n"
        end = "2026-01-31 12:00:00 (7) - [INFO] The command was completed and took 0 seconds.\n"
        good = Outcome(6, stderr=line.format("ERROR") + end)
        self.assertIsNone(log_difference(good, good))
        for bad in ("words\n" + end, line.format("ERROR"), end, line.format("NOTE") + good.stderr):
            self.assertIsNotNone(log_difference(Outcome(6, stderr=bad), good), bad)

    def test_rejects_other_exit_codes_and_files(self):
        self.assertIsNotNone(difference(Outcome(0), Outcome(6)))
        self.assertIsNotNone(difference(Outcome(0, {"result.csv": []}), Outcome(0)))


if __name__ == "__main__":
    unittest.main(warnings="ignore")
