"""msaccucmp against recorded comparisons of dump folders (tests/golden/msaccucmp_folders/README.md)."""

import os
import tempfile
import unittest
from pathlib import Path

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


if __name__ == "__main__":
    unittest.main()
