"""report.html in a real browser: it opens offline, sorts, filters, and fits the window.

usage: report_test.py PROGRAM MODEL INPUTS
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODEL, INPUTS = sys.argv[1:4]
BROWSER = shutil.which("chromium")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=3000",
         "--window-size=1280,900"]

# Runs in the page after its own script; what it finds is left in an attribute of <html>.
PROBE = """<script>
window.onerror = function (message) { document.documentElement.dataset.error = message; };
window.addEventListener('load', function () {
  var table = document.getElementById('ops'), rows = function () { return Array.from(table.tBodies[0].rows); };
  var visible = function () { return rows().filter(function (r) { return r.offsetParent !== null; }).length; };
  var found = { rows: rows().length, visible: visible(), verdict: document.getElementById('verdict').textContent,
                overflow_x: document.documentElement.scrollWidth - window.innerWidth,
                bars: document.querySelectorAll('#chart rect').length };
  var header = table.tHead.rows[0].cells[4];
  header.click();
  found.ascending = rows().map(function (r) { return parseFloat(r.cells[4].dataset.v); });
  header.click();
  found.descending = rows().map(function (r) { return parseFloat(r.cells[4].dataset.v); });
  document.getElementById('only').click();
  found.visible_not_passing = visible();
  document.getElementById('only').click();
  var find = document.getElementById('find');
  find.value = 'addmm';
  find.dispatchEvent(new Event('input'));
  found.visible_addmm = visible();
  found.shown = document.getElementById('shown').textContent;
  document.documentElement.dataset.found = JSON.stringify(found);
});
</script>"""


class ReportInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="npuscope-browser-"))
        out = cls.folder / "out"
        subprocess.run([PROGRAM, "check", MODEL, "--input", INPUTS, "-o", str(out), "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.verdicts = json.loads((out / "verdicts.json").read_text())
        page = (out / "report.html").read_text()
        probed = cls.folder / "probed.html"
        probed.write_text(page.replace("</body>", PROBE + "</body>"))
        done = subprocess.run(
            [BROWSER, *FLAGS, f"--user-data-dir={cls.folder / 'profile'}", "--dump-dom", probed.as_uri()],
            check=True, capture_output=True, text=True, timeout=120)
        cls.dom = done.stdout
        match = re.search(r'data-found="([^"]*)"', cls.dom)
        assert match, "the page's script did not run to its end: " + cls.dom[:2000]
        cls.found = json.loads(match.group(1).replace("&quot;", '"').replace("&amp;", "&"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def test_has_no_script_error(self):
        self.assertNotIn("data-error", self.dom)

    def test_shows_one_row_an_op_and_the_verdict(self):
        self.assertEqual(self.found["rows"], len(self.verdicts["ops"]))
        self.assertEqual(self.found["visible"], self.found["rows"])
        self.assertIn(self.verdicts["verdict"].upper(), self.found["verdict"])
        self.assertGreater(self.found["bars"], 0)

    def test_sorts_by_a_click_on_a_header(self):
        self.assertEqual(self.found["ascending"], sorted(self.found["ascending"]))
        self.assertEqual(self.found["descending"], sorted(self.found["descending"], reverse=True))

    def test_filters_what_passes(self):
        expected = sum(1 for op in self.verdicts["ops"] if op["verdict"] != "pass" or op["overflow"])
        self.assertEqual(self.found["visible_not_passing"], expected)

    def test_finds_by_text(self):
        self.assertGreaterEqual(self.found["visible_addmm"], 1)
        self.assertTrue(self.found["shown"].startswith(f"{self.found['visible_addmm']} of "))

    def test_fits_the_window(self):
        self.assertLessEqual(self.found["overflow_x"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
