"""msaccucmp against recorded comparisons of dump folders (tests/golden/msaccucmp_folders/README.md)."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from random_folders import Maker, Op, Stored
from random_run_kinds import KINDS
from recorded_dumps import cases_in, csv_difference, run, table_of

CASES = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "tests/golden/msaccucmp_folders"
PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "msaccucmp"


def result_of(outcome):
    (path,) = (path for name, path in outcome.files.items() if name.startswith("result_"))
    return table_of(path.read_bytes().decode())


def rows_of(table):
    return [dict(zip(table[0], row)) for row in table[1:]]


def recorded_table(case, name="result_STAMP.csv"):
    return table_of((case.folder / "out" / name).read_bytes().decode())


class Recorded(unittest.TestCase):
    def count(self, check):
        """check(case, scratch folder) for each case; how many of them had something to check."""
        cases = cases_in(CASES)
        self.assertGreater(len(cases), 80)
        counted = 0
        for case in cases:
            with self.subTest(case=case.name), tempfile.TemporaryDirectory() as folder:
                counted += check(case, Path(folder))
        return counted

    def test_equal_where_the_reference_is_right(self):
        def check(case, scratch):
            if not case.must_be_equal:
                return 0
            outcome = run(PROGRAM, case.facts["args"], case.folder, scratch)
            self.assertIsNone(case.difference(outcome, scratch / "new" / "out"))
            self.assertNotIn("Traceback", outcome.stderr)
            for path, mode in outcome.modes.items():
                self.assertEqual(mode, 0o700 if Path(path).is_dir() else 0o600, path)
            return 1

        self.assertGreater(self.count(check), 75)

    def test_exit_codes(self):
        def check(case, scratch):
            commands = case.facts.get("also", [])
            for also in commands:
                outcome = run(PROGRAM, also["args"], case.folder, scratch)
                self.assertEqual(outcome.code, also["exit_code"], also["command"] + outcome.stderr)
            return len(commands)

        self.assertGreater(self.count(check), 75)

    def test_improvements(self):
        def check(case, scratch):
            if case.must_be_equal:
                return 0
            wanted = getattr(self, "improved_" + case.name, None)
            self.assertIsNotNone(wanted, f"nothing here says what is wanted of {case.name}")
            wanted(case, run(PROGRAM, case.facts["args"], case.folder, scratch))
            return 1

        self.assertGreater(self.count(check), 8)

    def test_each_improvement_has_a_case(self):
        wanted = {"improved_" + case.name for case in cases_in(CASES) if not case.must_be_equal}
        self.assertEqual({name for name in dir(self) if name.startswith("improved_")}, wanted)

    # What `wanted` says, case by case.

    def improved_detail_n_over_count(self, case, outcome):
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.assertEqual(set(outcome.files), set(case.facts["outputs"]))
        for kind in ("absolute", "relative"):
            name = f"add_relu_output_0_{kind}_error_topn.csv"
            ours = outcome.files[name].read_text().splitlines()
            theirs = (case.folder / "out" / name).read_text().splitlines()
            self.assertEqual(len(ours), 1 + 80)
            self.assertEqual(ours[: len(theirs)], theirs)
            self.assertEqual(sorted(int(line.split(",")[0]) for line in ours[1:]), list(range(80)))

    def improved_fusion_corrupt_dump(self, case, outcome):
        self.assertIsNone(case.difference(outcome, case.folder))
        (row,) = (row for row in rows_of(result_of(outcome)) if row["NPUDump"] == "conv1")
        self.assertIn("amaged", row["CompareFailReason"])
        self.assertIn("Conv2D.conv1.", row["CompareFailReason"])

    def improved_fusion_corrupt_golden(self, case, outcome):
        self.assertIsNone(case.difference(outcome, case.folder))
        failed = [row for row in rows_of(result_of(outcome)) if row["CosineSimilarity"] == "NaN"]
        named = [row for row in failed if ".npy" in row["CompareFailReason"]]
        unreadable = [row for row in rows_of(recorded_table(case)) if not row["CompareFailReason"]]
        unreadable = [row for row in unreadable if row["CosineSimilarity"] == "NaN"]
        self.assertGreater(len(unreadable), 0)
        ids = [row["TensorIndex"] for row in unreadable]
        self.assertEqual([row["TensorIndex"] for row in named], ids)

    def improved_fusion_golden_complex(self, case, outcome):
        self.assertEqual(outcome.code, 0, outcome.stderr)
        rows = rows_of(result_of(outcome))
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertTrue(row["DataType"].startswith("complex"), row)
            float(row["MaxAbsoluteError"])
            self.assertEqual(row["CompareFailReason"], "")

    def improved_npu_npu_bf16(self, case, outcome):
        self.assertEqual(outcome.code, 0, outcome.stderr)
        ours = result_of(outcome)
        self.assertEqual({row[2] for row in ours[1:]}, {"a", "b"})
        for row in rows_of(ours):
            float(row["CosineSimilarity"])
        wide = [row for row in ours if row[2] != "a"]
        self.assertEqual(wide, recorded_table(case))
        self.assertIn("bfloat16", next(row for row in ours if row[2] == "a"))

    def improved_npu_npu_formats_by_number(self, case, outcome):
        self.assertEqual(outcome.code, 0, outcome.stderr)
        names = {path.name.split(".")[1] for path in (case.folder / "in/npu").iterdir()}
        rows = rows_of(result_of(outcome))
        self.assertEqual({row["NPUDump"] for row in rows}, names)
        for row in rows:
            float(row["CosineSimilarity"])
            self.assertNotEqual(row["CosineSimilarity"], "NaN")

    def improved_npu_npu_mapping_malformed(self, case, outcome):
        self.assertNotIn("Traceback", outcome.stderr)
        self.assertIn("mapping.csv", outcome.stderr)
        # My folder's table has no good row, so that only its readable name is compared.
        rows = rows_of(result_of(outcome))
        (row,) = (row for row in rows if row["GroundTruth"] != "*" and row["NPUDump"] != "*")
        self.assertEqual((row["NPUDump"], row["CompareFailReason"]), ("r", ""))
        self.assertEqual(len(rows), 3)

    def check_mismatch(self, case, outcome):
        self.assertEqual(outcome.code, case.facts["exit_code"], outcome.stderr)
        ours = result_of(outcome)
        self.assertEqual({len(row) for row in ours}, {len(ours[0])})
        rows = rows_of(ours)
        self.assertEqual({row["NPUDump"] for row in rows}, {"count_in", "shape_out", "both"})
        for name, good in (("count_in", "output"), ("shape_out", "input")):
            reasons = [row for row in rows if row["NPUDump"] == name and row["TensorIndex"] == "NaN"]
            self.assertEqual(len(reasons), 1)
            self.assertNotEqual(reasons[0]["CompareFailReason"], "")
            self.assertIn(f"{name}:{good}:0", [row["TensorIndex"] for row in rows])
        return ours

    def improved_npu_npu_mismatch(self, case, outcome):
        ours = self.check_mismatch(case, outcome)
        kept = [row for row in ours if "NaN" not in row[6:7] + row[8:9] or row[2] in ("both", "NPUDump")]
        text = "".join(",".join(f'"{cell}"' for cell in row) + "\r\n" for row in kept)
        recorded = (case.folder / "out/result_STAMP.csv").read_bytes().decode()
        self.assertIsNone(csv_difference(text, recorded))

    def improved_npu_npu_mismatch_overflow(self, case, outcome):
        ours = self.check_mismatch(case, outcome)
        self.assertIn("OverFlow", ours[0])


class Options(unittest.TestCase):
    """-advisor and -c, whose files the recordings leave out."""

    def outcome(self, *more):
        case = CASES / "fusion_advisor"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        args = ["compare", "-m", "in/npu", "-g", "in/cpu", "-f", "in/model.json", "-out", "OUT", *more]
        return run(PROGRAM, args, case, Path(folder.name))

    def test_advisor_names_the_first_overflow(self):
        outcome = self.outcome("-advisor")
        rows = rows_of(result_of(outcome))
        first = next(row["Index"] for row in rows if row["OverFlow"] == "YES")
        lines = outcome.files["advisor_summary.txt"].read_text().splitlines()
        self.assertEqual(lines[:2], ["Detection Type: FP16 Overflow", f"Operator Index: {first}"])

    def test_own_algorithms_stand_in_their_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts = Path(folder) / "algorithm"
            scripts.mkdir()
            (scripts / "alg_Mine.py").write_text(
                "def compare(my, golden, params):\n    return '%.6f' % abs(my - golden).max(), ''\n")
            outcome = self.outcome("-c", folder, "-alg", "0,Mine,1")
        table = result_of(outcome)
        at = table[0].index("CosineSimilarity")
        self.assertEqual(table[0][at : at + 3], ["CosineSimilarity", "Mine", "MaxAbsoluteError"])
        compared = [row for row in table[1:] if row[at] != "NaN"]
        self.assertGreater(len(compared), 3)
        for row in compared:
            self.assertAlmostEqual(float(row[at + 1]), float(row[at + 2]), places=5)


class Random(unittest.TestCase):
    """Runs of the differential program without the reference: whole tables and known exit codes."""

    def check_runs(self, kind, seeds):
        """How many tables had rows."""
        tables = 0
        for seed in seeds:
            with self.subTest(kind=kind, seed=seed), tempfile.TemporaryDirectory() as folder:
                case = Path(folder)
                outcome = run(PROGRAM, KINDS[kind].make_run(seed, case), case, case / "scratch")
                known = (0, 2, 3, 6, 11, 12, 13, 18, 20, 22, 23, 26, 30, 34, 37, 40)
                self.assertIn(outcome.code, known, outcome.stderr[-400:])
                for name, path in outcome.files.items():
                    if name.endswith("_STAMP.csv"):
                        table = table_of(path.read_bytes().decode())
                        self.assertEqual({len(row) for row in table}, {len(table[0])})
                        tables += len(table) > 1
        return tables

    def test_runs_end_well(self):
        self.assertGreater(self.check_runs("plain", range(500, 530)), 10)
        for kind in sorted(set(KINDS) - {"plain"}):
            self.assertGreater(self.check_runs(kind, range(500, 512)), 3, kind)

    def test_are_the_same_with_the_same_seed(self):
        for kind, runs in KINDS.items():
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                one, two = Path(folder) / "one", Path(folder) / "two"
                self.assertEqual(runs.make_run(7, one), runs.make_run(7, two))
                files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
                self.assertGreater(len(files), 2)
                for file in files:
                    self.assertEqual((one / file).read_bytes(), (two / file).read_bytes())

    def test_the_program_asks_for_the_reference(self):
        environment = {name: value for name, value in os.environ.items() if "REFERENCE" not in name}
        program = Path(__file__).parent / "msaccucmp_folders_differential.py"
        done = subprocess.run([sys.executable, "-B", str(program), "--runs", "1"], env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("NPUSCOPE_REFERENCE_MSACCUCMP", done.stderr)


class Comparison(unittest.TestCase):
    """The comparison of tables must be able to fail."""

    TABLE = "Index,KullbackLeiblerDivergence,CosineSimilarity,CompareFailReason\r\n"

    def changed(self, ours, theirs):
        return csv_difference(self.TABLE + ours, self.TABLE + theirs)

    def test_accepts_the_last_digit_of_kl_and_own_words(self):
        self.assertIsNone(self.changed("1,0.000010,1.000000,a\r\n", "1,0.000011,1.000000,b\r\n"))
        self.assertIsNone(self.changed("1,NaN,NaN,why\r\n", "1,NaN,NaN,\r\n"))

    def test_rejects_the_rest(self):
        good = "1,0.000010,1.000000,\r\n"
        for ours in ("1,0.000012,1.000000,\r\n", "1,0.000010,0.999999,\r\n", "1,0.000010,1.000000,why\r\n",
                     "1,nan,1.000000,\r\n", "1,0.000010,1.000000\r\n", "", good + good):
            self.assertIsNotNone(self.changed(ours, good), ours)
        self.assertIsNotNone(self.changed("1,NaN,NaN,\r\n", "1,NaN,NaN,why\r\n"))


class FftsParts(unittest.TestCase):
    """Parts of an FFTS+ op that have no elements."""

    def compared(self, cuts, shapes):
        """(exit code, rows) of an op with automatic threads whose outputs have these shapes, against itself."""
        with tempfile.TemporaryDirectory() as folder:
            case = Path(folder)
            bounds = [[[{"lower": 0, "higher": dim} for dim in shape]] for shape in shapes]
            attributes = {"threadMode": 1, "slice_instance_num": len(shapes), "outputCutList": [cuts],
                          "input_tensor_slice": [], "output_tensor_slice": bounds}
            for side in ("npu", "npu2"):
                (case / side).mkdir()
                for thread, shape in enumerate(shapes):
                    array = np.full(shape, thread + 1, "f2")
                    op = Op("conv", "Add", suffix=f".4.12.{thread}.0", attributes=attributes)
                    op.outputs = [Stored(array.ravel(), shape, "ND")]
                    op.write(case / side)
            args = ["compare", "-m", "npu", "-g", "npu2", "-out", "OUT"]
            outcome = run(PROGRAM, args, case, case / "scratch")
            return outcome.code, rows_of(result_of(outcome))

    def test_are_taken_along_the_last_dim(self):
        code, (row,) = self.compared([1, 3], [(2, 1), (2, 2), (2, 0)])
        self.assertEqual(code, 0)
        self.assertEqual((row["Shape"], row["StandardDeviation"]), ("[2,3]", "(1.667;0.471),(1.667;0.471)"))

    def test_end_the_op_along_another(self):
        code, (row,) = self.compared([3, 1], [(1, 2), (2, 2), (0, 2)])
        self.assertEqual((code, row["CosineSimilarity"]), (40, "NaN"))
        self.assertIn("has 0 elements where", row["CompareFailReason"])


class HostileNames(unittest.TestCase):
    """Names from the command line and from files lead nowhere out of the result's folder."""

    def detail(self, name, *more, mapping=None):
        with tempfile.TemporaryDirectory() as folder:
            case = Path(folder)
            maker = Maker(1)
            for side in ("npu", "npu2"):
                (case / side).mkdir()
                op = Op(name, "Add", outputs=[maker.stored(np.ones((2, 3), "f4"), "ND", False)])
                op.write(case / side)
            out = case / "outer/out"
            out.mkdir(parents=True)
            (case / "outer/victim.csv").write_text("kept")
            if mapping:
                (out / "simple_op_mapping.csv").write_text(mapping)
            done = subprocess.run(
                [PROGRAM, "compare", "-m", "npu", "-g", "npu2", "-out", str(out), "-op", name, *more],
                cwd=case, capture_output=True, text=True, check=False)
            self.assertEqual((case / "outer/victim.csv").read_text(), "kept")
            self.assertEqual({path.name for path in (case / "outer").iterdir()}, {"out", "victim.csv"})
            return done, {path.name: path.read_text(errors="replace") for path in out.iterdir()}

    def test_dots_and_slashes_in_an_op_name(self):
        done, files = self.detail("../a/../../b", "-n", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(".._a_.._.._b_output_0.npy", files)

    def test_a_table_of_long_names_that_points_outside(self):
        prefix = "conv_output_0"
        lines = f"../victim.csv,{prefix}_0.csv\n..,{prefix}_1.csv\nother.npy,other_output_0.npy\n"
        done, files = self.detail("conv", "-n", "2", mapping=lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(files["simple_op_mapping.csv"], "other.npy,other_output_0.npy\n")

    def test_too_long_names_are_listed(self):
        name = "/".join(["block"] * 38)
        done, files = self.detail(name, "-n", "2", "--ignore_single_op_result")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(len(each) < 255 for each in files))
        long = name.replace("/", "_") + "_output_0_absolute_error_topn.csv"
        self.assertGreater(len(long), 254)
        self.assertIn(long, files["simple_op_mapping.csv"])

    def test_characters_that_no_op_name_has(self):
        done, files = self.detail("conv", "-o", "x")
        self.assertEqual((done.returncode, files), (6, {}))


if __name__ == "__main__":
    unittest.main()
