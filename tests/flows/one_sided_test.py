"""What one side is given and the other has nowhere is a finding where tensors are paired by what they hold; forms that
compute the same are none."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "alignment"))

from plain_networks import mlp, normalised, product, query_key_value, write  # noqa: E402

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
ALL = range(12)


class OneSided(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def report(self, target, golden, *words):
        sides = ["-m", write(self.folder / "t.h5", target), "-g", write(self.folder / "g.h5", golden)]
        asked = [NPUSCOPE, "compare", "-q", "--json", *words, *map(str, sides)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def told(self, target, golden, *words):
        """Kind, path and sentence of the culprits, by their paths."""
        code, report = self.report(target, golden, *(words or ("--align",)))
        self.assertEqual(code, 1 if report["culprits"] else 0)
        return sorted((c["kind"], c["path"], c["why"]) for c in report["culprits"])

    def test_biases_that_the_target_lacks_are_told_one_by_one(self):
        found = self.told(mlp(without=ALL), mlp())
        self.assertEqual(len(found), 12)
        first = ("program", "/mm/1", "the golden's /addmm/1 is given a bias `self` ([16]) that the target has nowhere")
        self.assertIn(first, found)
        self.assertEqual({path for _, path, _ in found}, {f"/mm/{2 * i + 1}" for i in ALL})

    def test_one_bias_is_told_where_it_is_missing(self):
        for layer in (0, 5, 11):
            found = self.told(mlp(without=[layer]), mlp())
            self.assertEqual([(kind, path) for kind, path, _ in found], [("program", f"/mm/{2 * layer + 1}")])
        found = self.told(mlp(apart=set(ALL) - {4}, without=[4]), mlp())
        self.assertEqual([path for _, path, _ in found], ["/mm/13"])

    def test_what_the_target_alone_is_given_is_told_as_well(self):
        found = self.told(mlp(), mlp(without=[7]))
        sentence = "the target's /addmm/15 is given a bias `self` ([16]) that the golden has nowhere"
        self.assertEqual(found, [("program", "/addmm/15", sentence)])
        _, report = self.report(mlp(), mlp(without=[7]), "--align")
        verdicts = {t["target"]: t["verdict"] for op in report["ops"] for t in op["tensors"]}
        self.assertEqual(verdicts["/addmm/15/input/self"], "missing_golden")

    def test_other_forms_of_the_same_are_no_finding(self):
        self.assertEqual(self.told(mlp(apart=ALL), mlp()), [])
        self.assertEqual(self.told(mlp(), mlp(apart=ALL)), [])
        self.assertEqual(self.told(mlp(without=[3, 4], zero=[3, 4]), mlp(zero=[3, 4])), [])
        self.assertEqual(self.told(query_key_value(True), query_key_value(False)), [])
        self.assertEqual(self.told(query_key_value(False), query_key_value(True)), [])

    def test_a_folded_batch_norm_is_a_span_and_no_finding(self):
        for folded in (True, False):
            code, report = self.report(normalised(folded), normalised(not folded), "--align")
            self.assertEqual((code, report["culprits"], len(report["spans"])), (0, [], 3))
        self.assertEqual(self.told(normalised(True, without=1), normalised(False))[0][1], "/convolution/3")

    def test_a_bias_is_told_behind_a_fault(self):
        found = self.told(mlp(other=[2], without=[9]), mlp())
        self.assertEqual({path for _, path, _ in found}, {"/addmm/5", "/mm/19"})

    def test_a_wrong_weight_inside_a_fused_one_is_told(self):
        found = self.told(query_key_value(True, wrong_weight=True), query_key_value(False))
        self.assertEqual([(kind, path) for kind, path, _ in found], [("tensor", "/addmm/1")])
        self.assertIn("16:32 along axis 1 of [16,48]): one element of 256 differs, [3,4]", found[0][2])

    def test_ops_that_compute_something_else_are_told_though_each_is_honest(self):
        def side(name, function):
            x = mlp()[0][1][1][1]
            ops = product(x, mlp()[0][1][2][1])
            made = function(ops[-1][2])
            return [*ops, (name, [("self", ops[-1][2])], made), ("neg", [("self", made)], -made)]

        target = side("tanh", np.tanh)
        golden = side("sigmoid", lambda y: 1 / (1 + np.exp(-y)))
        mapping = self.folder / "m.json"
        entries = [{"target": "/tanh/2/output/out", "golden": "/sigmoid/2/output/out"}]
        mapping.write_text(json.dumps({"version": 1, "tensors": entries}))
        found = self.told(target, golden, "--mapping", str(mapping))
        self.assertEqual([(kind, path) for kind, path, _ in found], [("program", "/tanh/2")])
        self.assertIn("the programs compute something else here", found[0][2])

    def test_an_op_in_the_place_of_another_is_told(self):
        def side(name, function):
            ops = mlp(layers=6)
            y = ops[-1][2]
            made = function(y, np.linspace(0.5, 1.5, 16, dtype="f4"))
            taken = [("self", y)] if name == "tanh" else [("self", y), ("other", np.linspace(0.5, 1.5, 16))]
            return [*ops, (name, taken, made), *product(made, np.eye(16)[::-1] + 0.1), ("tanh", [("self", made)], np.tanh(made))]

        golden = side("add_Tensor", np.add)
        for name, function in (("mul_Tensor", np.multiply), ("sub_Tensor", np.subtract), ("tanh", lambda y, _: np.tanh(y))):
            for words in (("--no-align",), ("--align",)):
                found = self.told(side(name, function), golden, *words)
                sentence = f"the programs part here: target has {name} where golden has add_Tensor"
                self.assertEqual(found, [("program", f"/{name}/13", sentence)], words)

    def test_many_ops_without_partner_are_paired_by_what_they_hold(self):
        for words, pairs in ((("--judge", "exact"), 24), (("--no-align",), 12), (("--align",), 24)):
            _, report = self.report(mlp(without=ALL), mlp(), *words)
            self.assertEqual(report["counts"]["ops"], pairs, words)
        done = subprocess.run(
            [NPUSCOPE, "compare", "-m", self.folder / "t.h5", "-g", self.folder / "g.h5"], capture_output=True, text=True, check=False
        )
        self.assertIn("24 ops found no partner by their names and order, so tensors were paired by what they hold", done.stderr)


if __name__ == "__main__":
    unittest.main()
