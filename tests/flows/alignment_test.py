"""`compare --align` on programs that do not match: what pairs, what is said of it, and what is told to be at fault."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "alignment"))

from pairs import make_pair, misplaced_shards, paths_of, score  # noqa: E402
from recorder import Record, Side, Style  # noqa: E402

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
NONE = frozenset()


class Alignment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.chance = np.random.default_rng(1)

    def ask(self, *words):
        return subprocess.run([NPUSCOPE, "compare", "-q", *map(str, words)], capture_output=True, text=True, check=False)

    def report(self, *words):
        done = self.ask("--json", *words)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def dump(self, name, *ops):
        """Of (name, inputs, output)."""
        side = Side(Style())
        for op, inputs, output in ops:
            taken = [(argument, np.ascontiguousarray(each, "f4"), NONE) for argument, each in inputs]
            side.records.append(Record(op, taken, [("out", np.ascontiguousarray(output, "f4"), NONE)]))
        path = self.folder / name
        side.write(path)
        return path

    def scored(self, pair):
        """What the pairs of a mapping file are worth."""
        mapping = self.folder / "m.json"
        self.ask("--align", "--judge", "off", "--mapping-out", mapping, "-m", pair.target_file, "-g", pair.golden_file)
        entries = json.loads(mapping.read_text())["tensors"]
        found = [each for entry in entries for each in paths_of(entry)]
        return score(pair, found, misplaced_shards(pair, entries))

    def relations(self, report):
        return {t["target"]: (t["golden"], t.get("relation")) for op in report["ops"] for t in op["tensors"] if t["target"]}

    def test_most_tensors_of_networks_that_compute_otherwise_pair_right(self):
        partners = right = wrong = said = 0
        for seed in (1, 3, 6, 10, 15, 20, 30):
            pair = make_pair(seed, self.folder)
            result = self.scored(pair)
            partners += result.partners
            right += result.right
            wrong += result.wrong
            said += result.said
        self.assertGreater(partners, 700)
        self.assertGreaterEqual(right, 0.96 * partners)
        self.assertLessEqual(wrong, 0.01 * said)

    def test_most_shards_of_a_network_pair_with_their_places(self):
        pair = make_pair(34, self.folder, faulty=False)
        self.assertEqual((pair.kind, len(list(pair.target_file.iterdir()))), ("gpt", 2))
        result = self.scored(pair)
        self.assertGreater(result.partners, 200)
        self.assertGreaterEqual(result.right, 0.9 * result.partners, result.missed)
        self.assertLessEqual(result.wrong, 0.02 * result.said, result.wrong_pairs)

    def test_a_fused_product_is_compared_with_its_parts_and_a_wrong_one_is_told(self):
        x = self.chance.standard_normal((6, 16)).astype("f4")
        weights = [self.chance.standard_normal((16, 8)).astype("f4") for _ in range(3)]
        golden = self.dump("g.h5", *(("mm", [("self", x), ("mat2", w)], x @ w) for w in weights))
        fused = np.concatenate(weights, 1)
        made = x @ fused
        target = self.dump("t.h5", ("mm", [("self", x), ("mat2", fused)], made))
        code, report = self.report("--align", "-m", target, "-g", golden)
        self.assertEqual((code, report["verdict"]), (0, "pass"), report["culprits"])
        outputs = [t for t in report["ops"][0]["tensors"] if t["direction"] == "output"]
        self.assertEqual([t["relation"] for t in outputs], [f"part: {8 * i}:{8 * i + 8} along axis 1 of [6,24]" for i in range(3)])
        made[2, 11] += 0.5
        wrong = self.dump("w.h5", ("mm", [("self", x), ("mat2", fused)], made))
        code, report = self.report("--align", "-m", wrong, "-g", golden)
        self.assertEqual((code, report["first_culprit"]["path"]), (1, "/mm/1"))

    def test_a_mapping_is_written_edited_and_taken(self):
        a, b = (self.chance.standard_normal((4, 6)).astype("f4") for _ in range(2))
        golden = self.dump("g.h5", ("exp", [], a), ("neg", [], b))
        target = self.dump("t.h5", ("log", [], b.T), ("abs", [], a))
        mapping = self.folder / "m.json"
        code, report = self.report("--align", "--mapping-out", mapping, "-m", target, "-g", golden)
        expected = {
            "/log/1/output/out": ("/neg/2/output/out", "permuted: its transpose"),
            "/abs/2/output/out": ("/exp/1/output/out", None),
        }
        self.assertEqual(self.relations(report), expected)
        code, report = self.report("--mapping", mapping, "-m", target, "-g", golden)
        self.assertEqual(self.relations(report), expected)
        entries = json.loads(mapping.read_text())
        entries["tensors"] = [each for each in entries["tensors"] if each["target"].startswith("/log")]
        mapping.write_text(json.dumps(entries))
        code, report = self.report("--mapping", mapping, "--judge", "off", "-m", target, "-g", golden)
        self.assertEqual(report["counts"]["only_target"], 1)
        for text in ("{}", "nothing", '{"version": 1, "tensors": [{"target": "/x", "golden": "/y"}]}'):
            mapping.write_text(text)
            done = self.ask("--mapping", mapping, "-m", target, "-g", golden)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("mapping", done.stderr)
        self.assertEqual(self.ask("--mapping-out", mapping, "-m", target, "-g", golden).returncode, 2)

    def test_sharded_ranks_are_joined_and_the_wrong_one_is_named(self):
        x = self.chance.standard_normal((6, 16)).astype("f4")
        w = self.chance.standard_normal((16, 32)).astype("f4")
        back = self.chance.standard_normal((32, 16)).astype("f4")
        hidden = x @ w
        golden = self.dump("g.h5", ("mm", [("self", x), ("mat2", w)], hidden), ("mm", [("self", hidden), ("mat2", back)], hidden @ back))
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for wrong in (False, True):
            for rank in range(4):
                part = slice(8 * rank, 8 * rank + 8)
                made = x @ w[:, part]
                if wrong and rank == 2:
                    made = made * 1.01
                self.dump(
                    f"ranks/rank{rank}.h5",
                    ("mm", [("self", x), ("mat2", w[:, part])], made),
                    ("mm", [("self", hidden[:, part]), ("mat2", back[part])], hidden[:, part] @ back[part]),
                )
            code, report = self.report("--align", "-m", ranks, "-g", golden)
            found = self.relations(report)
            for rank in range(4):
                self.assertEqual(found[f"rank{rank}:/mm/1/output/out"][0], "/mm/1/output/out")
            self.assertEqual(found["rank0:/mm/2/output/out"][1], "sum: the sum of 4 ranks")
            if wrong:
                self.assertEqual((code, report["first_culprit"]["path"]), (1, "rank2:/mm/1"))
            else:
                self.assertEqual(report["culprits"], [])

    def test_what_is_fused_is_a_span_and_its_fault_is_told(self):
        x = abs(self.chance.standard_normal((4, 6))).astype("f4")
        sigmoid = (1 / (1 + np.exp(-x))).astype("f4")
        silu = x * sigmoid
        golden = self.dump(
            "g.h5", ("abs", [("self", x)], x), ("sigmoid", [("self", x)], sigmoid),
            ("mul_Tensor", [("self", x), ("other", sigmoid)], silu), ("neg", [("self", silu)], -silu),
        )  # fmt: skip
        for factor, expected in ((1, None), (1.2, "/silu/2")):
            made = silu * np.float32(factor)
            target = self.dump("t.h5", ("abs", [("self", x)], x), ("silu", [("self", x)], made), ("neg", [("self", made)], -made))
            code, report = self.report("-m", target, "-g", golden)
            self.assertEqual([span["only_target"] for span in report["spans"]], [["/silu/2"]])
            first = report["first_culprit"]
            self.assertEqual((code, first and first["path"]), (0 if expected is None else 1, expected))
        # Another function is no span.
        tanh = np.tanh(x)
        target = self.dump("t.h5", ("abs", [("self", x)], x), ("tanh", [("self", x)], tanh), ("neg", [("self", tanh)], -tanh))
        code, report = self.report("-m", target, "-g", golden)
        self.assertEqual((code, report["first_culprit"]["kind"], report["first_culprit"]["path"]), (1, "program", "/tanh/2"))

    def test_one_run_of_several_in_another_form_is_told_beside_a_golden_that_takes_it_apart(self):
        erf = np.vectorize(math.erf)
        inputs = [self.chance.standard_normal((8, 12)).astype("f4") for _ in range(4)]

        def exact(x):
            return (x * (0.5 * (1 + erf(x / math.sqrt(2))))).astype("f4")

        def by_tanh(x):
            return (0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x.astype("f8") ** 3)))).astype("f4")

        def side(name, form_of_third, whole):
            ops = []
            for place, x in enumerate(inputs):
                made = (form_of_third if place == 2 else exact)(x)
                if whole:
                    ops.append(("gelu", [("self", x)], made))
                else:
                    share = (0.5 * (1 + erf(x / math.sqrt(2)))).astype("f4")
                    ops.append(("special_ndtr", [("self", x)], share))
                    ops.append(("mul_Tensor", [("self", x), ("other", share)], made))
                ops.append(("neg", [("self", made)], -made))
            return self.dump(name, *ops)

        golden = side("g.h5", exact, False)
        self.assertEqual(self.report("-m", side("t.h5", exact, True), "-g", golden)[0], 0)
        code, report = self.report("-m", side("t.h5", by_tanh, True), "-g", golden)
        self.assertEqual((code, report["first_culprit"] and report["first_culprit"]["path"]), (1, "/gelu/5"))

    def test_an_addition_that_one_side_leaves_out_is_no_sum_of_the_other(self):
        x, w = (self.chance.standard_normal((16, 16)).astype("f4") for _ in range(2))
        residual = x @ w
        hidden = np.tanh(residual)

        def branch():
            return ("mm", [("self", x), ("mat2", w)], residual), ("tanh", [("self", residual)], hidden)

        def product(taken):
            return "mm", [("self", taken), ("mat2", w)], taken @ w

        added = hidden + residual
        golden = self.dump("g.h5", *branch(), ("add_Tensor", [("self", residual), ("other", hidden)], added), product(added))
        for missing in (hidden, residual):
            target = self.dump("t.h5", *branch(), product(missing))
            code, report = self.report("--align", "-m", target, "-g", golden)
            self.assertEqual((code, report["first_culprit"]["kind"], report.get("spans")), (1, "program", None))
            self.assertEqual(report["partings"][0]["text"], "the programs part here: golden has add_Tensor more")
            self.assertEqual(report["partings"][0]["after"], "/tanh/2")
            code, report = self.report("--align", "-m", golden, "-g", target)
            self.assertEqual((code, report["first_culprit"]["path"]), (1, "/add_Tensor/3"))
            # A file may say so all the same: then it is told where the sum is taken in.
            mapping = self.folder / "m.json"
            result, other = (f"{op}/output/out" for op in ("/mm/1", "/tanh/2"))
            entries = [{"target": each, "golden": each} for each in (result, other)]
            entries.append({"target": result, "more_target": [other], "golden": "/add_Tensor/3/output/out", "relation": "sum"})
            mapping.write_text(json.dumps({"version": 1, "tensors": entries}))
            code, report = self.report("--mapping", mapping, "-m", target, "-g", golden)
            self.assertEqual((code, report["first_culprit"]["path"]), (1, "/mm/3"))
            self.assertIn("its input `self` is off by", report["first_culprit"]["why"])
        # Added up inside of the op that takes it in.
        terms = [("self", residual), ("other", hidden)]
        relu = np.maximum(added, 0)
        golden = self.dump("g.h5", *branch(), ("add_Tensor", terms, added), ("relu", [("self", added)], relu))
        target = self.dump("t.h5", *branch(), ("add_relu", terms, relu))
        code, report = self.report("--align", "-m", target, "-g", golden)
        self.assertEqual((code, report["partings"]), (0, []), report["culprits"])

    def test_checkpoints_of_other_naming_are_matched(self):
        tensors = {f"layers.{i}.{n}.weight": self.chance.standard_normal(s) for i in range(2) for n, s in (("q", (8, 8)), ("up", (24, 8)))}
        np.savez(self.folder / "g.npz", **{k: v.astype("f4") for k, v in tensors.items()})
        other = {k.replace("layers", "h").replace(".q.", ".attn."): v.T.astype("f2") for k, v in tensors.items()}
        np.savez(self.folder / "t.npz", **other)
        code, report = self.report("--align", "--tolerance", "1e-3", "-m", self.folder / "t.npz", "-g", self.folder / "g.npz")
        self.assertEqual(code, 0)
        self.assertEqual({golden for golden, _ in self.relations(report).values()}, set(tensors))


if __name__ == "__main__":
    unittest.main()
