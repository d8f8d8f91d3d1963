"""report.html in a real browser: it opens offline, sorts, filters, draws what was measured, and is whole at any width.

usage: report_test.py PROGRAM MODEL INPUTS
"""

import html
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import quiet_overflow  # noqa: E402

PROGRAM, MODEL, INPUTS = sys.argv[1:4]
BROWSER = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000", "--window-size=2000,1000"]
# Also those beside the width where the table becomes a list.
WIDTHS = (480, 800, 920, 921, 1280, 1920)
# What Chromium leaves of a sheet of A4 between its margins.
PAPER_WIDTH = 718

# Runs in the page after its own script; what it finds is left in an attribute of the outer page's <html>.
PROBE = """<script>
window.onerror = function (message) { parent.document.documentElement.dataset.error = message; };
window.addEventListener('load', function () {
  var all = function (selector) { return Array.from(document.querySelectorAll(selector)); };
  var found = (function () { %s })();
  parent.document.documentElement.dataset.found = JSON.stringify(found);
});
</script>"""
# A frame, since no window is narrower than 500.
FRAME = '<!doctype html><iframe style="border:0" width="%d" height="900" srcdoc="%s"></iframe>'

USE = """
  var table = document.getElementById('ops'), ops = function () { return Array.from(table.tBodies); };
  var visible = function () { return ops().filter(function (op) { return op.rows[0].offsetParent !== null; }).length; };
  var keys = function () { return ops().map(function (op) { return parseFloat(op.rows[0].cells[4].dataset.v); }); };
  var found = { rows: ops().length, visible: visible(), verdict: document.getElementById('verdict').textContent,
                bars: all('#chart rect').length };
  var header = table.tHead.rows[0].cells[4];
  found.by = header.textContent;
  header.click();
  found.ascending = keys();
  header.click();
  found.descending = keys();
  document.getElementById('only').click();
  found.visible_not_passing = visible();
  document.getElementById('only').click();
  var find = document.getElementById('find');
  find.value = 'addmm';
  find.dispatchEvent(new Event('input'));
  found.visible_addmm = visible();
  found.shown = document.getElementById('shown').textContent;
  return found;
"""

# Boxes whose content is wider than they are and that do not scroll, and cells of the table of ops beyond the window's
# edge (a kernel table scrolls where it is narrow). For paper the rules of @media print hold for the screen, what opens
# before printing is open, and nothing may scroll.
MEASURE = """
  var paper = %s;
  if (paper) {
    Array.from(document.styleSheets[0].cssRules).forEach(function (rule) {
      if (rule.media && rule.media.mediaText.indexOf('print') >= 0) rule.media.mediaText = 'all';
    });
    window.dispatchEvent(new Event('beforeprint'));
  } else {
    all('details').forEach(function (box) { box.open = true; });
  }
  var scrolls = function (box) { return !paper && /auto|scroll/.test(getComputedStyle(box).overflowX); };
  var cut = all('main, .verdict, .cards, .card, .facts, .scroll, .chart, table, tr, td, th, details').filter(
    function (box) { return box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0 && !scrolls(box); });
  var beyond = all(paper ? '#ops td' : '#ops > * > tr > *').filter(
    function (cell) { return cell.getBoundingClientRect().right > window.innerWidth; });
  var kernels = all('.kernels').filter(function (table) { return table.offsetParent !== null; });
  return { width: window.innerWidth, overflow_x: document.documentElement.scrollWidth - window.innerWidth,
           cut: cut.map(function (box) { return box.tagName + '.' + box.className + ' ' + box.scrollWidth + ' > ' +
                                                box.clientWidth; }),
           beyond: beyond.map(function (cell) { return cell.textContent; }),
           cells: all('#ops td').length, kernels: kernels.length };
"""

CHART = """
  return { limit: parseFloat(document.getElementById('limit').getAttribute('y1')),
           marks: all('#chart .mark').map(function (mark) { return mark.dataset.path; }),
           bars: all('#chart rect').map(function (bar) {
             return { path: bar.dataset.path, y: parseFloat(bar.getAttribute('y')),
                      height: parseFloat(bar.getAttribute('height')) }; }) };
"""


class Report:
    """A checked model: its verdicts, and its page with a script of our own in it."""

    def __init__(self, folder, model, inputs):
        self.folder = pathlib.Path(folder)
        out = self.folder / "out"
        subprocess.run([PROGRAM, "check", str(model), "--input", str(inputs), "-o", str(out), "-q"],
                       check=False, stdout=subprocess.DEVNULL)
        self.verdicts = json.loads((out / "verdicts.json").read_text())
        self.page = (out / "report.html").read_text()

    def probe(self, script, width=1280):
        probed = self.folder / "probed.html"
        page = self.page.replace("</body>", PROBE % script + "</body>")
        probed.write_text(FRAME % (width, html.escape(page)))
        done = subprocess.run(
            [BROWSER, *FLAGS, f"--user-data-dir={self.folder / 'profile'}", "--dump-dom",
             probed.as_uri()], check=True, capture_output=True, text=True, timeout=120)
        match = re.search(r'data-found="([^"]*)"', done.stdout)
        assert match, "the page's script did not run to its end: " + done.stdout[:2000]
        assert "data-error" not in done.stdout, "the page's script failed: " + done.stdout[:2000]
        return json.loads(html.unescape(match.group(1)))


class InBrowser(unittest.TestCase):
    @classmethod
    def report(cls, model, inputs):
        folder = tempfile.mkdtemp(prefix="npuscope-browser-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        return Report(folder, model, inputs)

    @classmethod
    def quiet_overflow(cls):
        folder = tempfile.mkdtemp(prefix="npuscope-model-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        model, inputs = pathlib.Path(folder) / "m.onnx", pathlib.Path(folder) / "x.npz"
        quiet_overflow.write_model(model)
        quiet_overflow.write_inputs(inputs)
        return cls.report(model, inputs)


class UsesThePage(InBrowser):
    @classmethod
    def setUpClass(cls):
        report = cls.report(MODEL, INPUTS)
        cls.verdicts, cls.found = report.verdicts, report.probe(USE)

    def test_shows_one_row_an_op_and_the_verdict(self):
        self.assertEqual(self.found["rows"], len(self.verdicts["ops"]))
        self.assertEqual(self.found["visible"], self.found["rows"])
        self.assertIn(self.verdicts["verdict"].upper(), self.found["verdict"])
        self.assertGreater(self.found["bars"], 0)

    def test_sorts_by_a_click_on_a_header(self):
        self.assertEqual(self.found["by"], "introduced")
        self.assertEqual(self.found["ascending"], sorted(self.found["ascending"]))
        self.assertEqual(self.found["descending"], sorted(self.found["descending"], reverse=True))
        self.assertNotEqual(self.found["ascending"], self.found["descending"])

    def test_filters_what_passes(self):
        expected = sum(1 for op in self.verdicts["ops"] if op["verdict"] != "pass" or op["overflow"])
        self.assertEqual(self.found["visible_not_passing"], expected)

    def test_finds_by_text(self):
        self.assertGreaterEqual(self.found["visible_addmm"], 1)
        self.assertTrue(self.found["shown"].startswith(f"{self.found['visible_addmm']} of "))


class FitsItsBoxes(InBrowser):
    @classmethod
    def setUpClass(cls):
        cls.reports = {"digits": cls.report(MODEL, INPUTS), "with kernels": cls.quiet_overflow()}

    def check_whole(self, found, width):
        self.assertEqual(found["width"], width)
        self.assertGreater(found["cells"], 9)
        self.assertEqual(found["cut"], [])
        self.assertEqual(found["beyond"], [])
        self.assertLessEqual(found["overflow_x"], 0)

    def test_cuts_nothing_off_at_any_width(self):
        for name, report in self.reports.items():
            for width in WIDTHS:
                with self.subTest(report=name, width=width):
                    found = report.probe(MEASURE % "false", width)
                    self.check_whole(found, width)
                    self.assertEqual(found["kernels"], 1 if name == "with kernels" else 0)

    def test_cuts_nothing_off_on_paper(self):
        for name, report in self.reports.items():
            with self.subTest(report=name):
                found = report.probe(MEASURE % "true", PAPER_WIDTH)
                self.check_whole(found, PAPER_WIDTH)
                self.assertEqual(found["kernels"], 1 if name == "with kernels" else 0)


class DrawsTheErrors(InBrowser):
    @classmethod
    def setUpClass(cls):
        report = cls.quiet_overflow()
        cls.ops = {op["path"]: op for op in report.verdicts["ops"]}
        cls.overflowed = [op["path"] for op in report.verdicts["overflow"] if op["kind"] == "introduced"]
        cls.found = report.probe(CHART)

    def test_draws_each_bar_as_high_as_its_error(self):
        self.assertEqual([bar["path"] for bar in self.found["bars"]], list(self.ops))
        for bar in self.found["bars"]:
            op = self.ops[bar["path"]]
            ratio = float(op["ratio"] or 0)
            # The bottom stands for 1e-6, the limit for 1, the top for 1e2.
            share = (min(max(math.log10(ratio), -6), 2) + 6) / 6 if ratio > 0 else 0
            bottom = bar["y"] + bar["height"]
            with self.subTest(op=bar["path"]):
                self.assertAlmostEqual(bar["height"], max(share * (bottom - self.found["limit"]), 1), delta=0.2)

    def test_draws_an_op_that_overflowed_above_the_limit(self):
        self.assertEqual(len(self.overflowed), 1)
        (bar,) = [bar for bar in self.found["bars"] if bar["path"] == self.overflowed[0]]
        self.assertEqual(float(self.ops[bar["path"]]["ratio"]), math.inf)
        self.assertLess(bar["y"], self.found["limit"])

    def test_marks_what_overflowed(self):
        self.assertEqual(self.found["marks"], self.overflowed)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
