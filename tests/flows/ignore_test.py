"""`compare --ignore` and the regions and tolerances of a file: NumPy's slices tell what is left."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
ATTRIBUTES = ("DataType", "DeviceType", "Format", "Type")


def dump(path, ops):
    """`ops`: name, inputs and outputs by name, with seqids from 1 on."""
    with h5py.File(path, "w") as file:
        for number, (name, inputs, outputs) in enumerate(ops, 1):
            for place, tensors in (("input", inputs), ("output", outputs)):
                for argument, value in tensors.items():
                    dataset = file.create_dataset(f"/{name}/{number}/{place}/{argument}", data=value)
                    for key in ATTRIBUTES:
                        dataset.attrs[key] = np.int64(0)
                    dataset.attrs["Stride"] = np.array([s // value.itemsize for s in value.strides], dtype="i8")
    return path


class Ignore(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ask(self, *words):
        return subprocess.run([NPUSCOPE, "compare", *map(str, words)], capture_output=True, text=True, check=False)

    def report(self, *words):
        done = self.ask("--json", *words)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_slices_are_numpys(self):
        random = np.random.default_rng(5)
        golden, target, options, expected = {}, {}, [], {}
        for index in range(60):
            shape = tuple(int(size) for size in random.integers(1, 7, random.integers(1, 4)))
            g = random.standard_normal(shape).astype("f4")
            t = (g + random.standard_normal(shape) * 1e-3).astype("f4")
            parts, texts = [], []
            for size in shape[: random.integers(0, len(shape) + 1)]:
                start, stop = (int(n) for n in random.integers(-size - 2, size + 3, 2))
                step = int(random.choice([-3, -1, 1, 2]))
                if random.random() < 0.3:
                    start = int(random.integers(-size, size))
                    parts.append(start)
                    texts.append(str(start))
                else:
                    parts.append(slice(start, stop, step))
                    texts.append(f"{start}:{stop}:{step}")
            ellipsis = random.random() < 0.5
            if ellipsis:
                place = int(random.integers(0, len(parts) + 1))
                parts.insert(place, Ellipsis)
                texts.insert(place, "...")
            if not parts:
                parts, texts = [Ellipsis], ["..."]
            kept = np.ones(shape, bool)
            kept[tuple(parts)] = False
            name = f"t{index}x"
            golden[name], target[name] = g, t
            options += ["--ignore", f"^{name}$[{', '.join(texts)}]"]
            expected[name] = (kept, np.abs(t.astype("f8") - g))
        np.savez(self.folder / "g.npz", **golden)
        np.savez(self.folder / "t.npz", **target)
        _, report = self.report("-q", "-m", self.folder / "t.npz", "-g", self.folder / "g.npz", "--no-kl", *options)
        tensors = {tensor["target"]: tensor for op in report["ops"] for tensor in op["tensors"]}
        self.assertEqual(len(tensors), 60)
        total = 0
        for name, (kept, apart) in expected.items():
            total += int((~kept).sum())
            self.assertEqual(tensors[name].get("ignored", 0), int((~kept).sum()), options)
            if kept.any():
                largest = tensors[name]["metrics"]["max_absolute_error"]
                self.assertAlmostEqual(largest, apart[kept].max(), delta=1e-9)
            else:
                self.assertEqual(tensors[name]["verdict"], "undefined")
        self.assertEqual(report["counts"]["ignored_elements"], total)

    def padded(self, name, fault=None, elsewhere=0.0):
        """exp and a product, whose last two columns hold what nobody computed."""
        x = np.random.default_rng(1).standard_normal((8, 16)).astype("f4")
        w = np.random.default_rng(2).standard_normal((16, 6)).astype("f4")
        y = np.exp(x)
        z = (y.astype("f8") @ w).astype("f4")
        if fault is not None:
            z[:, 4:] = fault
        z[3, 1] += elsewhere
        ops = [("exp", {"self": x}, {"result": y}), ("mm", {"self": y, "mat2": w}, {"result": z})]
        ops.append(("neg", {"self": z}, {"result": -z}))
        return dump(self.folder / name, ops)

    def test_the_exact_judge_does_not_see_the_region(self):
        golden = self.padded("g.h5")
        region = "^/(mm/2/output|neg)[:, -2:]"
        for fault in (1e30, np.inf, np.nan, 7.0):
            target = self.padded("t.h5", fault=fault)
            code, _ = self.report("-q", "-m", target, "-g", golden)
            self.assertEqual(code, 1, fault)
            code, report = self.report("-q", "-m", target, "-g", golden, "--ignore", region)
            self.assertEqual((code, report["verdict"], report["culprits"]), (0, "pass", []), fault)
            self.assertEqual((report["counts"]["ignored_tensors"], report["counts"]["ignored_elements"]), (3, 48))
            code, report = self.report("-q", "-m", target, "-g", golden, "--judge", "quick", "--ignore", region)
            self.assertEqual((code, report["culprits"]), (0, []), fault)
            for standard in ("torch", "polygraphy", "cann-community"):
                _, report = self.report("-q", "-m", target, "-g", golden, "--ignore", region, "--standard", standard)
                self.assertEqual(report["standard"]["level"], "pass", (fault, standard))
            # A fault beside the region stays one, and is told where it is.
            wrong = self.padded("w.h5", fault=fault, elsewhere=9.0)
            code, report = self.report("-q", "-m", wrong, "-g", golden, "--ignore", region)
            self.assertEqual((code, report["first_culprit"]["path"]), (1, "/mm/2"), fault)
            worst = report["first_culprit"]["elements"]
            self.assertEqual((worst["over"], worst["of"]), (1, 32), worst)

    def test_bitwise_does_not_see_it_either(self):
        golden = self.padded("g.h5")
        target = self.padded("t.h5", fault=7.0)
        self.assertEqual(self.ask("-q", "--bitwise", golden, target).returncode, 1)
        done = self.ask("-q", "--bitwise", golden, target, "--ignore", "^/(mm/2/output|neg)[:, 4:]")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("ignored: 48 elements of 3 tensors", done.stdout)

    def test_a_region_that_is_of_nothing_is_a_line(self):
        golden = self.padded("g.h5")
        done = self.ask("-m", golden, "-g", golden, "--ignore", "/conv[...]", "--ignore", "^/mm/[9, 0]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the region '/conv[...]' to ignore is of no tensor here\n", done.stderr)
        self.assertIn("the region '^/mm/[9, 0]' to ignore lies outside", done.stderr)
        for wrong in ("/mm/", "/mm/[a]", "([0]", "/mm/[1:2:3:4]"):
            done = self.ask("-q", "-m", golden, "-g", golden, "--ignore", wrong)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def test_a_tolerance_given_counts_beside_the_judge(self):
        golden = self.padded("g.h5")
        target = self.padded("t.h5", elsewhere=9.0)
        path = self.folder / "tolerances.json"
        path.write_text(json.dumps({"tolerances": [{"tensor": "^/(mm/2/output|neg)", "tolerance": 5}]}))
        code, report = self.report("-q", "-m", target, "-g", golden, "--tolerances", path)
        self.assertEqual((code, report["options"]["judge"]), (0, "exact"))
        rules = {op["path"]: op["tensors"][-1]["rule"] for op in report["ops"]}
        self.assertIn("within the tolerance given", rules["/mm/2"])
        self.assertNotIn("tolerance", rules["/exp/1"])
        # Beyond it, and of tensors that no row names, the judge decides as without.
        path.write_text(json.dumps({"tolerances": [{"tensor": "^/mm/2/output", "tolerance": 1e-6}]}))
        code, report = self.report("-q", "-m", target, "-g", golden, "--tolerances", path)
        self.assertEqual((code, report["first_culprit"]["path"]), (1, "/mm/2"))
        self.assertIn("beyond what", report["first_culprit"]["why"])
        # Regions of the file are ignored, too.
        padded = self.padded("p.h5", fault=7.0)
        path.write_text(json.dumps({"ignore": [{"tensor": "^/(mm/2/output|neg)", "slice": "..., 4:"}]}))
        self.assertEqual(self.ask("-q", "-m", padded, "-g", golden, "--tolerances", path).returncode, 0)


if __name__ == "__main__":
    unittest.main()
