"""What `compare` writes for build servers: JUnit's XML and SARIF 2.1.0 held to what their schemas ask of the parts that are
written, exit codes with waivers and a baseline, and the sample job of docs/ci.md."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import msprobe_tree

ROOT = Path(__file__).resolve().parents[2]
NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")

# JUnit as Ant's schema has it: attributes that an element needs, and those that it may have.
SUITE = {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id"}
COUNTS = {"tests", "failures", "errors", "skipped"}

# SARIF 2.1.0, sections 3.13 to 3.58: by object, what it must and may have of what is written here.
SARIF = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "invocations", "automationDetails", "properties"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription"}),
    "result": (
        {"message"},
        {"ruleId", "ruleIndex", "level", "locations", "partialFingerprints", "baselineState", "suppressions", "properties"},
    ),
    "location": (set(), {"physicalLocation", "logicalLocations"}),
    "physical": (set(), {"artifactLocation", "region"}),
    "artifact": (set(), {"uri"}),
    "region": (set(), {"startLine"}),
    "logical": (set(), {"fullyQualifiedName", "kind"}),
    "suppression": ({"kind"}, {"status", "justification"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "notification": ({"message"}, {"level"}),
    "message": (set(), {"text"}),
    "details": (set(), {"id"}),
}
URI = re.compile(r"(%[0-9A-F]{2}|[-A-Za-z0-9._~/!$&'()*+,;=@])+")


def junit_problems(text):
    """What Ant's schema would refuse."""
    found = []
    root = ElementTree.fromstring(text)
    if root.tag != "testsuites":
        found.append(root.tag)
    for number, suite in enumerate(root):
        if suite.tag != "testsuite" or not SUITE <= set(suite.attrib) <= SUITE | {"skipped"}:
            found.append(f"{suite.tag} {sorted(suite.attrib)}")
        if suite.get("id") != str(number) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", "")):
            found.append("id or timestamp")
        order = [child.tag for child in suite]
        cases = [child for child in suite if child.tag == "testcase"]
        if order != ["properties"] + ["testcase"] * len(cases) + ["system-out", "system-err"]:
            found.append(f"order {order[:3]}")
        said = {name: int(suite.get(name, "0")) for name in COUNTS}
        told = {"tests": len(cases)}
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            told[name] = sum(case.find(tag) is not None for case in cases)
        if said != told:
            found.append(f"counts {said} {told}")
        for case in cases:
            if set(case.attrib) != {"name", "classname", "time"} or len(case) > 1:
                found.append(f"case {case.attrib}")
            for child in case:
                wanted = {"message"} if child.tag == "skipped" else {"type", "message"}
                if child.tag not in ("failure", "error", "skipped") or set(child.attrib) != wanted:
                    found.append(child.tag)
    return found


class SarifChecker:
    def __init__(self):
        self.problems = []

    def keys(self, kind, value):
        must, may = SARIF[kind]
        if not isinstance(value, dict) or not must <= set(value) <= must | may:
            self.problems.append(f"{kind}: {value}")
            return {}
        return value

    def one_of(self, kind, value, words):
        if value not in words:
            self.problems.append(f"{kind}: {value}")

    def message(self, value):
        if not isinstance(self.keys("message", value).get("text"), str):
            self.problems.append(f"message {value}")

    def location(self, value):
        physical = self.keys("physical", self.keys("location", value).get("physicalLocation", {}))
        uri = self.keys("artifact", physical.get("artifactLocation", {})).get("uri")
        if not isinstance(uri, str) or not URI.fullmatch(uri):
            self.problems.append(f"uri {uri}")
        if "region" in physical and self.keys("region", physical["region"]).get("startLine", 0) < 1:
            self.problems.append("startLine")
        for logical in value.get("logicalLocations", []):
            self.keys("logical", logical)

    def result(self, value, rules):
        self.keys("result", value)
        self.message(value.get("message"))
        self.one_of("level", value.get("level"), ("none", "note", "warning", "error"))
        if rules[value["ruleIndex"]] != value["ruleId"]:
            self.problems.append("ruleIndex")
        for location in value.get("locations", []):
            self.location(location)
        if "baselineState" in value:
            self.one_of("baselineState", value["baselineState"], ("new", "unchanged", "updated", "absent"))
        for suppression in value.get("suppressions", []):
            self.keys("suppression", suppression)
            self.one_of("kind", suppression.get("kind"), ("inSource", "external"))
            self.one_of("status", suppression.get("status"), ("accepted", "underReview", "rejected"))

    def check(self, text):
        log = self.keys("log", json.loads(text))
        self.one_of("version", log.get("version"), ("2.1.0",))
        for run in log.get("runs", []):
            self.keys("run", run)
            self.keys("details", run.get("automationDetails", {}))
            driver = self.keys("driver", run["tool"].get("driver"))
            rules = [self.keys("rule", rule).get("id") for rule in driver.get("rules", [])]
            if len(set(rules)) != len(rules):
                self.problems.append("rules")
            for result in run.get("results", []):
                self.result(result, rules)
            if len({"baselineState" in result for result in run.get("results", [])}) > 1:
                self.problems.append("baselineState of some results only")
            for invocation in run.get("invocations", []):
                for notification in self.keys("invocation", invocation).get("toolExecutionNotifications", []):
                    self.keys("notification", notification)
                    self.message(notification.get("message"))
        return self.problems


class BuildServers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def arrays(self, name, **changes):
        random = np.random.default_rng(3)
        rows = {f"layer{i}": random.standard_normal(8).astype("f4") for i in range(6)}
        for layer, factor in changes.items():
            rows[layer] = rows[layer] * np.float32(factor)
        rows["<odd> & \"name\" ü]]>"] = rows["layer1"]
        np.savez(self.folder / name, **rows)
        return self.folder / name

    def waivers(self, *rows):
        path = self.folder / "waivers.json"
        path.write_text(json.dumps({"waivers": list(rows)}))
        return path

    def ask(self, *words):
        return subprocess.run([NPUSCOPE, "compare", "-q", *map(str, words)], capture_output=True, text=True, check=False)

    def written(self, *words):
        files = {name: self.folder / f"out.{name}" for name in ("junit", "sarif", "markdown")}
        done = self.ask(*words, *(part for name, file in files.items() for part in (f"--{name}", file)))
        texts = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
        self.assertEqual(junit_problems(texts["junit"]), [])
        self.assertEqual(SarifChecker().check(texts["sarif"]), [])
        return done.returncode, texts

    def test_reports_are_as_their_schemas_want_them(self):
        golden, target = self.arrays("g.npz"), self.arrays("t #1.npz", layer2=1.1, layer4=3)
        code, texts = self.written("-m", target, "-g", golden)
        self.assertEqual(code, 1)
        self.assertEqual(texts["junit"].count("<failure "), 2)
        results = json.loads(texts["sarif"])["runs"][0]["results"]
        self.assertEqual([r["message"]["text"].split(":")[0] for r in results], ["layer2", "layer4"])
        self.assertIn("| counts | op layer2 |", texts["markdown"])
        code, texts = self.written("-m", golden, "-g", golden)
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(texts["sarif"])["runs"][0]["results"], [])

    def test_waivers_and_a_baseline_decide_what_counts(self):
        golden, target = self.arrays("g.npz"), self.arrays("t.npz", layer2=1.1, layer4=3)
        sides = ("-m", target, "-g", golden)
        old = self.folder / "old.json"
        old.write_text(self.ask("-m", self.arrays("before.npz", layer2=1.1), "-g", golden, "--json").stdout)
        both = {"op": "^layer[24]$", "reason": "r", "owner": "o", "expires": "9999-12-31"}
        late = {**both, "expires": "2000-01-01"}
        self.assertEqual(self.written(*sides, "--waivers", self.waivers(both))[0], 0)
        self.assertEqual(self.written(*sides, "--waivers", self.waivers({**both, "op": "layer2"}))[0], 1)
        code, texts = self.written(*sides, "--waivers", self.waivers(both, late))
        self.assertEqual(code, 1)
        self.assertIn("has expired", texts["markdown"])
        self.assertEqual(self.written(*sides, "--baseline", old)[0], 1)
        code, texts = self.written(*sides, "--baseline", old, "--waivers", self.waivers({**both, "op": "layer4"}))
        self.assertEqual(code, 0)
        states = [r["baselineState"] for r in json.loads(texts["sarif"])["runs"][0]["results"]]
        self.assertEqual(states, ["unchanged", "new"])
        report = json.loads(self.ask(*sides, "--baseline", old, "--json").stdout)
        self.assertEqual([f["status"] for f in report["gate"]["findings"]], ["known", "counts"])
        self.assertEqual(report["verdict"], "fail")

    def test_trees_have_a_suite_a_run(self):
        for side, factor in (("npu", 2), ("gpu", 1)):
            for step in (0, 1):
                for rank in (0, 1):
                    if (side, step, rank) == ("gpu", 1, 1):
                        continue
                    torch.manual_seed(7)
                    tree = msprobe_tree.Tree(self.folder / side / f"step{step}" / f"rank{rank}")
                    x = msprobe_tree.leaf(6)
                    tree.call("Torch.exp", x, function=lambda v: v.exp() * (factor if (step, rank) == (1, 0) else 1))
                    tree.write()
        sides = ("-m", self.folder / "npu", "-g", self.folder / "gpu")
        code, texts = self.written(*sides)
        self.assertEqual(code, 1)
        suites = ElementTree.fromstring(texts["junit"])
        self.assertEqual(
            [(s.get("name"), s.get("failures"), s.get("errors")) for s in suites],
            [("step 0, rank0", "0", "0"), ("step 0, rank1", "0", "0"), ("step 1, rank0", "1", "0"), ("step 1, rank1", "0", "1")],
        )
        # Of a tree a baseline is one of each run.
        old = self.folder / "old.json"
        old.write_text(self.ask(*sides, "--json").stdout)
        code, texts = self.written(*sides, "--baseline", old)
        self.assertEqual([s.get("failures") for s in ElementTree.fromstring(texts["junit"])], ["0", "0", "0", "0"])
        back = ("-m", self.folder / "gpu", "-g", self.folder / "npu")
        done = self.ask(*back, "--third", self.folder / "gpu", "--standard", "cann-L1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("lacks a run that the others have: step 1, rank1", done.stderr)

    def test_the_sample_job_runs(self):
        page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
        job = re.search(r"```yaml\n(.*?)```", page, re.S)[1]
        step = re.search(r"- name: compare\n +run: \|\n((?: {10}.*\n)+)", job)[1]
        waivers = re.search(r"```json\n(.*?)```", page, re.S)[1]
        recorded = ROOT / "tests/golden/msaccucmp/dump_mode"
        for name, source in (("npu.h5", "my.h5"), ("golden.h5", "golden.h5")):
            shutil.copy(recorded / source, self.folder / name)
        (self.folder / "accuracy").mkdir()
        rows = [{**row, "expires": "9999-12-31"} for row in json.loads(waivers)["waivers"]]
        (self.folder / "accuracy/waivers.json").write_text(json.dumps({"waivers": rows}))
        environment = {
            **os.environ,
            "PATH": f"{Path(NPUSCOPE).resolve().parent}:{os.environ['PATH']}",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }

        def run(script):
            return subprocess.run(
                ["bash", "-e", "-c", script], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
            )

        # The command that the page names makes the baseline; then nothing is new.
        first = re.search(r"`(npuscope compare [^`]* > accuracy/last_release.json)`", page)[1]
        self.assertEqual(run(first).returncode, 1)
        done = run(step)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(junit_problems((self.folder / "accuracy.xml").read_text()), [])
        self.assertEqual(SarifChecker().check((self.folder / "accuracy.sarif").read_text()), [])
        self.assertIn("**pass**", (self.folder / "summary.md").read_text())
        (self.folder / "accuracy/last_release.json").write_text('{"version": 2, "culprits": []}')
        self.assertEqual(run(step).returncode, 1)

    def test_one_report_may_take_stdout(self):
        golden = self.arrays("g.npz")
        done = self.ask("-m", golden, "-g", golden, "--junit", "-")
        self.assertEqual(junit_problems(done.stdout), [])
        for words in (("--json", "--sarif", "-"), ("--junit", "-", "--sarif", "-")):
            done = self.ask("-m", golden, "-g", golden, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("one text only goes to stdout", done.stderr)

    def test_rejects_bad_files_in_one_line(self):
        golden = self.arrays("g.npz")
        bad = self.folder / "bad.json"
        bad.write_text("[" * 100000)
        for words in (
            ("--waivers", bad),
            ("--waivers", self.folder / "none.json"),
            ("--waivers", self.waivers({"op": "(a+)+(", "reason": "r", "owner": "o", "expires": "2030-01-01"})),
            ("--baseline", bad),
            ("--baseline", self.folder),
            ("--junit", self.folder / "no" / "folder.xml"),
        ):
            done = self.ask("-m", golden, "-g", golden, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertEqual(done.stderr.count("npuscope: error: "), 1, done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 2, done.stderr)

    def test_the_checkers_find_what_is_wrong(self):
        code, texts = self.written("-m", self.arrays("t.npz", layer2=2), "-g", self.arrays("g.npz"))
        self.assertEqual(code, 1)
        for before, after in (('failures="1"', 'failures="0"'), (' hostname="localhost"', ""), ("<properties/>", "")):
            self.assertNotEqual(junit_problems(texts["junit"].replace(before, after)), [], before)
        for before, after in (('"2.1.0"', '"2.0.0"'), ('"error"', '"bad"'), ('"ruleIndex": 0', '"ruleIndex": 1'), ("t.npz", "t .npz")):
            self.assertNotEqual(SarifChecker().check(texts["sarif"].replace(before, after)), [], before)


if __name__ == "__main__":
    unittest.main()
