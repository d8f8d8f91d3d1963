"""40 pairs through the built program: faulty ones get the planted culprit first, clean ones none.

`bench/diagnosis/score.py` runs many more and tells shares. `score.py --only SEED --variant … --keep DIR` shows one.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch

from diagnosis import pairs
from diagnosis.answers import is_accused, is_right

PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"
FIRST = 100000  # far from the seeds that tuning and reports use
FAULTY, CLEAN = 24, 16
MOST_MISSED, MOST_ACCUSED = 1, 0


def cases():
    """(seed, variant) in turn over kinds and variants."""
    faulty, clean, seed = [], [], FIRST
    while len(faulty) < FAULTY or len(clean) < CLEAN:
        rows = faulty if pairs.is_faulty(seed) else clean
        rows.append((seed, pairs.VARIANTS[len(rows) % len(pairs.VARIANTS)]))
        seed += 7
    return faulty[:FAULTY] + clean[:CLEAN]


def answer(*words):
    """The program's exit code and JSON."""
    done = subprocess.run([str(PROGRAM), *words, "-q", "--json"], capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def asked(case):
    """The case with its truth, what is said of the pair and, where it is clean and holds inputs, of the target alone."""
    torch.set_num_threads(1)
    seed, variant = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth = pairs.make(seed, folder, variant) or pairs.make(seed, folder)
        target = str(folder / "target.h5")
        code, report = answer("compare", "-m", target, "-g", str(folder / "golden.h5"))
        return case, truth, code, report, answer("recompute", target) if not truth.kind and variant not in ("outputs", "load") else None


class Diagnosis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with multiprocessing.Pool(2) as pool:
            cls.answers = pool.map(asked, cases())
        if all(report.get("version") == 1 for _, _, _, report, _ in cls.answers):
            raise unittest.SkipTest("this program compares without judging")

    def test_the_program_answers_every_pair(self):
        for case, _, code, report, _ in self.answers:
            self.assertIn(code, (0, 1, 2), case)
            self.assertIn("first_culprit", report, f"{case}: {report}")

    def test_the_planted_fault_is_named_first(self):
        missed = []
        for case, truth, _, report, _ in self.answers:
            if not truth.kind:
                continue
            first = report.get("first_culprit")
            if not is_right(truth, first):
                missed.append(f"{case} {truth.kind} at {truth.paths[:2]}: {first or 'nothing'}")
        self.assertLessEqual(len(missed), MOST_MISSED, "\n".join(missed))

    def test_no_clean_pair_is_accused(self):
        accused = [f"{case} {truth.arithmetic}: {report.get('first_culprit')}"
                   for case, truth, code, report, _ in self.answers
                   if not truth.kind and is_accused(code, report)]
        self.assertLessEqual(len(accused), MOST_ACCUSED, "\n".join(accused))

    def test_no_clean_target_is_accused_when_it_is_computed_again_alone(self):
        accused = [f"{case} {truth.arithmetic}: {alone[1].get('culprits') or alone[1]}"
                   for case, truth, _, _, alone in self.answers
                   if alone and (alone[0] != 0 or alone[1].get("failed") != 0)]
        self.assertLessEqual(len(accused), MOST_ACCUSED, "\n".join(accused))


if __name__ == "__main__":
    unittest.main()
