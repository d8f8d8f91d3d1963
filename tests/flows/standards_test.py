"""`compare --standard` against formulas written down here: NumPy's, and torch.testing where it stands for itself."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import msprobe_tree

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
LIMITS = {"cann-L0": (10, 2, 2), "cann-L1": (5, 1.5, 1.5), "cann-L2": (2, 1.2, 1.2)}


def compared(target, golden, standard, *more):
    done = subprocess.run(
        [NPUSCOPE, "compare", "-q", "-m", str(target), "-g", str(golden), "--standard", standard, "--json", *map(str, more)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def words(report):
    return {op["path"].strip("/"): op["standard"] for op in report["ops"]}


def relative(actual, exact):
    return np.abs(actual - exact) / (np.abs(exact) + 1e-7)


def over(own, third):
    return own / third if third > 0 else np.inf if own > 0 else 1.0


def triples(count, seed):
    """Exact results in float64, and what two chips made of them, in float16, float32 or float64."""
    random = np.random.default_rng(seed)
    print("seed", seed)
    for index in range(count):
        size = int(random.integers(1, 400))
        dtype, unit = [(np.float16, 2.0**-11), (np.float32, 2.0**-21), (np.float64, 2.0**-40)][index % 3]
        exact = random.standard_normal(size) * np.exp(random.normal(0, 3, size))
        if index % 4 == 0:
            exact[random.random(size) < 0.1] *= 1e-6
        chips = [exact * (1 + unit * share * random.standard_normal(size)) for share in (random.choice([0.2, 1, 1.3, 3]), 1)]
        yield f"x{index:03}", exact, *(chip.astype(dtype) for chip in chips)


class Standards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def save(self, name, arrays):
        np.savez(self.folder / f"{name}.npz", **arrays)
        return self.folder / f"{name}.npz"

    def test_cann_ratios_are_those_of_the_formulas(self):
        rows = {name: rest for name, *rest in triples(90, 31)}
        golden = self.save("golden", {n: r[0] for n, r in rows.items()})
        target = self.save("target", {n: r[1] for n, r in rows.items()})
        third = self.save("third", {n: r[2] for n, r in rows.items()})
        seen = set()
        for standard, limits in LIMITS.items():
            said = words(compared(target, golden, standard, "--third", third))
            for name, (exact, own, other) in rows.items():
                errors = [
                    (relative(a, exact).max(), relative(a, exact).mean(), np.sqrt(np.mean((a - exact) ** 2)))
                    for a in (own, other)
                ]
                ratios = [over(*pair) for pair in zip(*errors)]
                small, wrong = {"float16": (2.0**-11, 2.0**-16)}.get(str(own.dtype), (2.0**-14, 2.0**-30))
                counts = [((np.abs(exact) < small) & (np.abs(a - exact) > wrong)).sum() for a in (own, other)]
                passes = all(r <= limit for r, limit in zip(ratios, limits))
                if (np.abs(exact) < small).mean() >= 0.01:
                    passes = passes and counts[0] <= 2 * max(counts[1], 1)
                figures = said[name]["figures"]
                for key, number in zip(("mare", "mere", "rmse"), errors[0]):
                    self.assertAlmostEqual(figures[key], number, delta=1e-12 * number, msg=name)
                for key, number in zip(("mare_ratio", "mere_ratio", "rmse_ratio"), ratios):
                    self.assertAlmostEqual(figures[key], number, delta=1e-11 * number, msg=name)
                self.assertEqual(said[name]["word"], "pass" if passes else "fail", (standard, name, said[name]))
                seen.add((standard, passes))
        self.assertEqual(len(seen), 6)

    def test_cann_community_is_that_of_the_formulas(self):
        rows = {name: rest for name, *rest in triples(60, 32)}
        golden = self.save("golden", {n: r[0] for n, r in rows.items()})
        target = self.save("target", {n: (r[1] * 1.0002 if i % 5 == 1 else r[1]) for i, (n, r) in enumerate(rows.items())})
        saved = np.load(target)
        said = words(compared(target, golden, "cann-community"))
        seen = set()
        for name, (exact, _, _) in rows.items():
            errors = relative(saved[name], exact)
            limit = 2.0**-10 if saved[name].dtype == np.float16 else 2.0**-13
            passes = errors.mean() < limit and errors.max() < 10 * limit
            self.assertEqual(said[name]["word"], "pass" if passes else "fail", name)
            seen.add(passes)
        self.assertEqual(seen, {True, False})

    def test_torch_is_assert_close(self):
        random = np.random.default_rng(33)
        target, golden = {}, {}
        for index in range(80):
            dtype, unit = [(np.float16, 1e-3), (np.float32, 1.3e-6), (np.float64, 1e-7), (np.int32, 0)][index % 4]
            exact = random.standard_normal(50) * np.exp(random.normal(0, 3, 50)) * 10
            off = exact * (1 + unit * random.choice([0.2, 0.4, 1]) * random.standard_normal(50))
            exact, off = np.clip(exact, -6e4, 6e4), np.clip(off, -6e4, 6e4)
            golden[f"x{index:02}"], target[f"x{index:02}"] = exact.astype(dtype), off.astype(dtype)
            if index % 16 == 3:
                target[f"x{index:02}"][3] += 1
        said = words(compared(self.save("t", target), self.save("g", golden), "torch"))
        seen = set()
        for name, own in target.items():
            try:
                torch.testing.assert_close(torch.tensor(own), torch.tensor(golden[name]))
                close = True
            except AssertionError:
                close = False
            self.assertEqual(said[name]["word"], "close" if close else "not close", name)
            seen.add(close)
        self.assertEqual(seen, {True, False})

    def test_polygraphy_is_its_elementwise_rule(self):
        random = np.random.default_rng(35)
        target, golden = {}, {}
        for index in range(60):
            dtype = [np.float16, np.float32, np.float64, np.int32][index % 4]
            exact = random.standard_normal(50) * np.exp(random.normal(0, 4, 50))
            exact[random.random(50) < 0.1] = 0
            off = exact + random.choice([1e-7, 2e-6, 1e-4]) * random.standard_normal(50) * np.maximum(np.abs(exact), 1)
            off, exact = (np.clip(v * (1e5 if dtype == np.int32 else 1), -6e4, 6e4) for v in (off, exact))
            target[f"x{index:02}"], golden[f"x{index:02}"] = off.astype(dtype), exact.astype(dtype)
        target["x01"][0] = np.nan
        said = words(compared(self.save("t", target), self.save("g", golden), "polygraphy"))
        seen = set()
        for name, own in target.items():
            wide = {"float16": np.float32}.get(str(own.dtype), own.dtype)
            a, b = own.astype(wide), golden[name].astype(wide)
            with np.errstate(all="ignore"):
                apart = np.abs(a - b)
                floor = np.array(2.220446049250313e-16, dtype=wide)
                share = apart / np.abs(np.where(b == 0, floor, b) if b.dtype.kind == "f" else b)
            beyond = ((apart > 1e-5) | np.isnan(apart)) & ((share > 1e-5) | np.isnan(share))
            self.assertEqual(said[name]["word"], "FAILED" if beyond.any() else "PASSED", name)
            seen.add(bool(beyond.any()))
        self.assertEqual(seen, {True, False})

    def test_ops_are_held_to_fp64_of_their_own_inputs(self):
        """A free run: the second op got other inputs, and is honest all the same."""
        random = np.random.default_rng(34)

        def write(path, start, factor=1.0):
            with h5py.File(path, "w") as file:
                x = start
                for seqid in (1, 2):
                    y = (np.exp(x.astype("f8")) * (factor if seqid == 2 else 1)).astype("f4")
                    for kind, name, value in (("input", "self", x), ("output", "result", y)):
                        dataset = file.create_dataset(f"/exp/{seqid}/{kind}/{name}", data=value)
                        for key, number in {"DataType": 0, "DeviceType": 1, "Format": 0, "Type": 0}.items():
                            dataset.attrs[key] = np.int64(number)
                        dataset.attrs["Stride"] = np.array([1], dtype="i8")
                    x = (y / 4).astype("f4")
            return path

        start = (random.standard_normal(4096) * 0.3).astype("f4")
        golden = write(self.folder / "golden.h5", start)
        target = write(self.folder / "target.h5", (start * 1.01).astype("f4"))
        wrong = write(self.folder / "wrong.h5", start, 1.001)
        for more in ([], ["--third", "emulated"], ["--third", golden]):
            honest = words(compared(target, golden, "cann-L0", *more))
            self.assertEqual({k: v["word"] for k, v in honest.items()}, {"exp/1": "pass", "exp/2": "pass"}, honest)
            self.assertIn("fp64 of its own inputs", honest["exp/2"]["why"])
            self.assertEqual(words(compared(wrong, golden, "cann-L0", *more))["exp/2"]["word"], "fail")
        # Where nothing may be computed the golden's results are the reference.
        far = words(compared(target, golden, "cann-community", "--judge", "off"))
        self.assertEqual(far["exp/1"]["word"], "fail")
        self.assertIn("against the golden", far["exp/1"]["why"])
        self.assertEqual(words(compared(target, golden, "cann-community"))["exp/1"]["word"], "pass")

    def test_msprobe_marks_what_its_own_compare_marked(self):
        """Facts recorded once from msprobe's compare (commit 8ff00da3) on these trees."""

        def tree(name, change=None, **options):
            torch.manual_seed(5)
            made = msprobe_tree.Tree(self.folder / name)
            x, w = msprobe_tree.leaf(8, 6), msprobe_tree.leaf(4, 6)
            y = made.call("Functional.linear", x, w)
            if change is not None:
                y.data = change(y.data)
                for record in (made.data["Functional.linear.0.forward"]["output"][0],):
                    record.update(msprobe_tree.statistics(y))
                torch.save(y.detach().clone(), made.tensors / record["data_name"])
            made.call("Functional.softmax", y, options.get("dim", -1))
            made.write()
            return self.folder / name

        golden = tree("golden")
        facts = {
            "same": (None, {}, {}),
            "scaled": (lambda y: y * 2, {}, {"Functional.linear.0.forward.output.0": "error"}),
            "negated": (
                lambda y: -y,
                {},
                {"Functional.linear.0.forward.output.0": "error"},
            ),
            "one_inf": (
                lambda y: torch.where(y == y.max(), torch.tensor(float("inf")), y),
                {},
                {
                    "Functional.linear.0.forward.output.0": "error",
                    "Functional.softmax.0.forward.input.0": "error",
                    "Functional.softmax.0.forward.output.0": "error",
                },
            ),
            "half_wrong": (
                lambda y: torch.cat([y[:4], -y[4:]]),
                {},
                {"Functional.linear.0.forward.output.0": "warning"},
            ),
            "other_axis": (None, {"dim": 0}, {"Functional.softmax.0.forward.output.0": "error"}),
        }
        for name, (change, options, marked) in facts.items():
            report = compared(tree(name, change, **options), golden, "msprobe")
            said = {t["target"]: t["standard"]["word"] for op in report["ops"] for t in op["tensors"]}
            self.assertEqual({k: w for k, w in said.items() if w != "pass"}, marked, name)

    def test_rejects_options_that_do_not_fit(self):
        path = self.save("a", {"x": np.zeros(2, "f4")})
        for words_, told in (
            (["--standard", "cann-L3"], "the standards are cann-L0"),
            (["--standard", "torch", "--third", "b.npz"], "cann-L0"),
            (["--third", "b.npz"], "cann-L0"),
            (["--standard", "cann-L1", "--third", str(self.folder / "none.npz")], "none.npz"),
        ):
            done = subprocess.run(
                [NPUSCOPE, "compare", "-m", str(path), "-g", str(path), *words_], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 2, words_)
            self.assertIn(told, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_numbers_that_do_not_fit_a_hidden_result_end_no_comparison(self):
        """msprobe does not record a layer norm's mean: the gradient computes it, with the wrong shape here."""
        torch.manual_seed(6)
        made = msprobe_tree.Tree(self.folder / "norm")
        y = made.call("Functional.layer_norm", msprobe_tree.leaf(4, 7), (7,))
        msprobe_tree.backward([y])
        made.data["Functional.layer_norm.0.forward"]["input_args"][1][0]["value"] = 8
        made.write()
        report = compared(self.folder / "norm", self.folder / "norm", "msprobe")
        self.assertEqual(report["standard"]["word"], "pass")


if __name__ == "__main__":
    unittest.main()
