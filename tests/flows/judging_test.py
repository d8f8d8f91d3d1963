"""What `compare`, `check` and `recompute` are asked to judge by: standards, noise, tolerances, regions, and findings that
do not count; of single runs and of trees by steps and ranks."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import msprobe_tree

ROOT = Path(__file__).resolve().parents[2]
NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
MODEL = ROOT / "data/models/digits_resnet.onnx"
WAIVER = {"reason": "known", "owner": "kim", "expires": "9999-12-31"}


def ask(*words):
    return subprocess.run([NPUSCOPE, *map(str, words)], capture_output=True, text=True, check=False)


def asked(*words):
    done = ask(*words, "-q", "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def written(self, name, value):
        path = self.folder / name
        path.write_text(json.dumps(value))
        return path

    def excuses(self, path, tensor, region, floor):
        """Each of these, given to a command, makes its one finding none."""
        return {
            "waivers": ["--waivers", self.written("w.json", {"waivers": [{"op": f"^{path}$", **WAIVER}]})],
            "tolerances": ["--tolerances", self.written("t.json", {"tolerances": [{"tensor": f"^{tensor}$", "tolerance": 50}]})],
            "ignore": ["--ignore", f"^{tensor}${region}"],
            "noise": ["--noise", self.written("n.json", {"version": 1, "runs": 1, "noise": {tensor: floor}})],
        }

    def check_excuses(self, command, path, tensor, region, floor):
        code, report = asked(*command)
        self.assertEqual((code, [c["path"] for c in report["culprits"]]), (1, [path]))
        old = self.folder / "old.json"
        old.write_text(ask(*command, "-q", "--json").stdout)
        junit = self.folder / "j.xml"
        self.assertEqual(ask(*command, "-q", "--junit", junit).returncode, 1)
        (suite,) = ElementTree.parse(junit).getroot()
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("1", "0"))
        for name, excuse in {**self.excuses(path, tensor, region, floor), "baseline": ["--baseline", old]}.items():
            done = ask(*command, "-q", *excuse, "--junit", junit)
            self.assertEqual(done.returncode, 0, (name, done.stdout, done.stderr))
            (suite,) = ElementTree.parse(junit).getroot()
            self.assertEqual((suite.get("failures"), suite.get("errors")), ("0", "0"), name)
            gated = name in ("waivers", "baseline")
            _, report = asked(*command, *excuse)
            if gated:
                self.assertEqual([f["status"] for f in report["gate"]["findings"]], ["waived" if name == "waivers" else "known"])
            else:
                self.assertEqual(report["culprits"], [], name)
        # What is of another op, or too little, excuses nothing.
        others = [word for excuse in self.excuses("/none/1", "/none/1/x", region, floor).values() for word in excuse]
        self.assertEqual(ask(*command, "-q", *others).returncode, 1, others)
        for output in ("junit", "sarif", "markdown"):
            done = ask(*command, "-q", f"--{output}", "/dev/full", "--baseline", old)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertTrue(Path("/dev/full").is_char_device())
            self.assertIn("verdict: pass" if command[0] == "compare" else "findings that count: 0 of 1", done.stdout)
        # One report that cannot be written does not take the others along.
        junit.unlink()
        self.assertEqual(ask(*command, "-q", "--markdown", "/dev/full", "--junit", junit).returncode, 2)
        self.assertTrue(junit.exists())


class Check(Folder):
    def golden(self, fault):
        """The reference's dump, in which one element of the first convolution's result is another."""
        golden = self.folder / "g.h5"
        self.assertEqual(ask("run", MODEL, "--device", "cpu", "--dump", golden).returncode, 0)
        with h5py.File(golden, "r+") as file:
            result = file["/convolution/1/output/result"]
            result[0, 1, 2, 3] += fault
        return golden

    def test_a_fault_is_excused_by_what_is_said_of_it(self):
        command = ("check", MODEL, "--golden", self.golden(3.0))
        self.check_excuses(command, "/convolution/1", "/convolution/1/output/result", "[0, 1, 2, 3]", 4.0)

    def test_ignored_elements_of_results_that_round_operands_are_no_error(self):
        code, report = asked("check", MODEL, "--chip", "910A", "--ignore", "/convolution/.*output[0]")
        self.assertEqual((code, report["counts"]["failed"], report["counts"]["ignored_tensors"]), (0, 0, 9))

    def test_standards_speak_of_the_isolated_run(self):
        code, report = asked("check", MODEL, "--chip", "910A", "--standard", "cann-L1")
        self.assertEqual((code, report["standard"]["level"], report["standard"]["first"]), (0, "fail", "/convolution/1"))
        self.assertIn("float32 arithmetic", report["standard"]["notes"][0])
        worst = report["ops"][0]["tensors"][0]["standard"]
        # The golden is f(inputs): what the chip rounds its operands to is known.
        self.assertGreater(worst["figures"]["mere_ratio"], 100)
        done = ask("check", MODEL, "--standard", "torch", "--third", "emulated")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))

    def test_repetitions_of_the_golden_are_its_noise(self):
        noise = self.folder / "noise.json"
        done = ask("check", MODEL, "-q", "--repeat", self.golden(0.5), "--noise-out", noise)
        self.assertEqual(done.returncode, 0, done.stderr)
        written = json.loads(noise.read_text())["noise"]
        self.assertAlmostEqual(written["/convolution/1/output/result"], 0.5, delta=1e-5)

    def test_the_folder_has_what_is_printed(self):
        out, old = self.folder / "out", self.folder / "old.json"
        command = ("check", MODEL, "-q", "--json", "--golden", self.golden(3.0))
        old.write_text(ask(*command).stdout)
        done = ask(*command, "--baseline", old, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "verdicts.json").read_text(), done.stdout)
        self.assertEqual(json.loads(done.stdout)["verdict"], "pass")
        self.assertIn('<header class="verdict good">', (out / "report.html").read_text())
        # An earlier result that cannot be read is told before a run of minutes.
        old.write_text("{")
        later = self.folder / "later"
        done = ask(*command, "--baseline", old, "-o", later)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertFalse(later.exists())


class Recompute(Folder):
    def dump(self, name, fault=0.0, shift=0.0):
        """Three exps and a neg; one element of the second exp's result is another."""
        path = self.folder / name
        with h5py.File(path, "w") as file:
            for seqid in (1, 2, 3, 4):
                x = np.random.default_rng(seqid).standard_normal((4, 8)).astype("f4")
                y = (-x if seqid == 4 else np.exp(x)).astype("f4")
                y[1, 2] += fault if seqid == 2 else 0
                y += np.float32(shift)
                for place, value in (("input/self", x), ("output/result", y)):
                    dataset = file.create_dataset(f"/{'neg' if seqid == 4 else 'exp'}/{seqid}/{place}", data=value)
                    for key in ("DataType", "DeviceType", "Format", "Type"):
                        dataset.attrs[key] = np.int64(0)
                    dataset.attrs["Stride"] = np.array([8, 1], dtype="i8")
        return path

    def test_a_fault_is_excused_by_what_is_said_of_it(self):
        command = ("recompute", self.dump("a.h5", fault=3.0), "--device", "cpu")
        self.check_excuses(command, "/exp/2", "/exp/2/output/result", "[1, 2]", 4.0)
        compare = ("compare", "-m", self.folder / "a.h5", "-g", self.dump("b.h5"))
        self.check_excuses(compare, "/exp/2", "/exp/2/output/result", "[1, 2]", 4.0)

    def test_standards_hold_results_against_f_of_their_inputs(self):
        path = self.dump("a.h5", fault=3.0)
        exact = np.exp(np.random.default_rng(2).standard_normal((4, 8)).astype("f4").astype("f8"))
        share = 3.0 / (exact[1, 2] + 1e-7)
        for standard in ("cann-L0", "cann-community", "torch", "polygraphy"):
            _, report = asked("recompute", path, "--device", "cpu", "--standard", standard)
            self.assertEqual((report["standard"]["level"], report["standard"]["first"]), ("fail", "/exp/2"), standard)
            words = [op["results"][0]["standard"]["level"] for op in report["ops"]]
            self.assertEqual([words[i] for i in (1, 3)], ["fail", "pass"], standard)
            if standard.startswith("cann"):
                mare = report["ops"][1]["results"][0]["standard"]["figures"]["mare"]
                self.assertAlmostEqual(mare / share, 1, delta=1e-5)
        third = self.dump("c.h5", fault=2.0)
        _, report = asked("recompute", path, "--device", "cpu", "--standard", "cann-L1", "--third", third)
        ratio = report["ops"][1]["results"][0]["standard"]["figures"]["mare_ratio"]
        self.assertAlmostEqual(ratio, 1.5, delta=1e-4)
        self.assertEqual(ask("recompute", path, "--standard", "cann-L1", "--third", "golden").returncode, 2)

    def test_csv_has_the_standards_columns(self):
        a, b = self.dump("a.h5", fault=3.0), self.dump("b.h5")
        ask("compare", "-m", a, "-g", b, "--standard", "torch", "-o", self.folder / "out")
        rows = list(csv.DictReader(io.StringIO((self.folder / "out/result.csv").read_text())))
        words = {row["target"]: (row["torch"], row["torch:level"]) for row in rows}
        self.assertEqual(words["/exp/2/output/result"], ("not close", "fail"))
        self.assertEqual(words["/neg/4/output/result"], ("close", "pass"))
        self.assertIn("1 of 32 elements", [row["torch:why"] for row in rows if row["torch"] == "not close"][0])
        ask("compare", "-m", a, "-g", b, "-o", self.folder / "out")
        self.assertNotIn("torch", (self.folder / "out/result.csv").read_text())

    def test_files_that_do_not_belong_together_are_a_line(self):
        a = self.dump("a.h5")
        np.savez(self.folder / "b.npz", weights=np.ones(3, "f4"))
        for words in (("-m", a, "-g", self.folder / "b.npz", "--standard", "torch"), ("--bitwise", a, self.folder / "b.npz")):
            done = ask("compare", "-q", *words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, words[0] != "-m"), (words, done.stderr))
        for words in (("--baseline", self.folder / "none.json"), ("--waivers", self.folder), ("--noise", a)):
            for command in (("compare", "-m", a, "-g", a), ("check", MODEL), ("recompute", a)):
                done = ask(*command, "-q", *words)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (command, words, done.stderr))

    def test_noise_that_cannot_be_written_is_a_line(self):
        a = self.dump("a.h5")
        for command in (("compare", "-m", a, "-g", a), ("recompute", a)):
            done = ask(*command, "-q", "--repeat", a, "--noise-out", "/dev/full")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)

    def test_two_processes_may_write_one_report(self):
        a, junit = self.dump("a.h5"), self.folder / "j.xml"
        words = [NPUSCOPE, "recompute", str(a), "-q", "--device", "cpu", "--junit", str(junit), "--markdown", str(junit) + ".md"]
        running = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(4)]
        for each in running:
            _, errors = each.communicate()
            self.assertEqual((each.returncode, errors), (0, b""))
        ElementTree.parse(junit)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.h5", "j.xml", "j.xml.md"])


class Trees(Folder):
    def tree(self, name, shift=0.0, without=(), step=1, rank=0):
        """Steps 0 and 1 of two ranks; in one of them a result is off by `shift`."""
        for s in (0, 1):
            for r in (0, 1):
                if (s, r) in without:
                    continue
                torch.manual_seed(7)
                tree = msprobe_tree.Tree(self.folder / name / f"step{s}" / f"rank{r}")
                x = msprobe_tree.leaf(6)
                tree.call("Torch.exp", x, function=lambda v: v.exp() + (shift if (s, r) == (step, rank) else 0))
                tree.write()
        return self.folder / name

    def test_repetitions_give_each_run_its_noise(self):
        golden, target, repeat = self.tree("g"), self.tree("t", 0.5), self.tree("r", 0.4)
        other = self.tree("o", 0.4, step=0)
        sides = ("compare", "-q", "-m", target, "-g", golden)
        self.assertEqual(ask(*sides).returncode, 1)
        noise = self.folder / "n.json"
        self.assertEqual(ask(*sides, "--repeat", repeat, "--noise-out", noise).returncode, 0)
        self.assertEqual(ask(*sides, "--noise", noise).returncode, 0)
        runs = {(run["step"], run["rank"]): max(run["noise"].values()) for run in json.loads(noise.read_text())["tree"]}
        self.assertEqual(len(runs), 4)
        self.assertAlmostEqual(runs[1, "rank0"], 0.4, delta=1e-6)
        self.assertEqual(runs[0, "rank0"], 0)
        # Noise of another run excuses nothing.
        self.assertEqual(ask(*sides, "--repeat", other).returncode, 1)
        # Of recorded results alone: the fault is the recording's own.
        self.assertEqual(ask("recompute", "-q", target, "--device", "cpu").returncode, 1)
        self.assertEqual(ask("recompute", "-q", target, "--device", "cpu", "--noise", noise).returncode, 0)

    def test_a_third_tree_has_a_third_chip_for_each_run(self):
        golden, target, third = self.tree("g"), self.tree("t", 0.5), self.tree("c", 0.25)
        words = ("compare", "-m", target, "-g", golden, "--standard", "cann-L1", "--third")
        _, report = asked(*words, third)
        ratios = {}
        for run in report["runs"]:
            (op,) = run["result"]["ops"]
            ratios[run["step"], run["rank"]] = op["tensors"][-1]["standard"]["figures"]["mare_ratio"]
        self.assertAlmostEqual(ratios.pop((1, "rank0")), 2, delta=1e-4)
        self.assertEqual(set(ratios.values()), {1.0})
        done = ask(*words, self.tree("d", without=[(0, 1)]))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("lacks a run that the others have: step 0, rank1", done.stderr)

    def test_findings_of_recomputed_trees_may_be_known(self):
        target = self.tree("t", 0.5)
        words = ("recompute", target, "--device", "cpu", "-q")
        old, junit = self.folder / "old.json", self.folder / "j.xml"
        old.write_text(ask(*words, "--json").stdout)
        self.assertEqual(ask(*words, "--junit", junit).returncode, 1)
        failures = [(s.get("name"), s.get("failures")) for s in ElementTree.parse(junit).getroot()]
        self.assertEqual(failures, [("step 0, rank0", "0"), ("step 0, rank1", "0"), ("step 1, rank0", "1"), ("step 1, rank1", "0")])
        self.assertEqual(ask(*words, "--baseline", old).returncode, 0)
        worse = self.tree("w", 5.0)
        self.assertEqual(ask("recompute", worse, "--device", "cpu", "-q", "--baseline", old).returncode, 1)

    def test_bitwise_holds_each_run_against_its_like(self):
        golden, same, other = self.tree("g"), self.tree("s"), self.tree("t", 1e-6)
        done = ask("compare", "-q", "--bitwise", golden, same)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "verdict: equal"))
        code, report = asked("compare", "--bitwise", golden, same, other)
        self.assertEqual((code, report["verdict"]), (1, "different"))
        self.assertEqual([run["verdict"] for run in report["runs"]], ["equal", "equal", "different", "equal"])
        (_, parted) = report["runs"][2]["result"]["runs"]
        self.assertEqual(parted["parting"]["by"], "op")
        code, report = asked("compare", "--bitwise", golden, self.tree("d", without=[(0, 1)]))
        self.assertEqual((code, report["verdict"]), (1, "different"))
        self.assertEqual([run["verdict"] for run in report["runs"]], ["equal", "not compared", "equal", "equal"])


if __name__ == "__main__":
    unittest.main()
