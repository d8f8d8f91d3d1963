"""Results in an interpreter and a notebook: a few lines, a page, a table."""

import json
import os
import tempfile
import unittest
from pathlib import Path

import npuscope

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
STEP = SOURCE / "data" / "recordings" / "gpu_step_fp32.h5"


class Results(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_check_prints_as_a_few_lines_and_stays_a_dict(self) -> None:
        found = npuscope.check(SOURCE / "data" / "models" / "digits_resnet.onnx", seed=1)
        self.assertLess(len(repr(found)), 1000)
        self.assertTrue(repr(found).startswith(f"npuscope check: {found['verdict']}\n"))
        self.assertEqual(json.loads(json.dumps(found)), dict(found))

    def test_a_result_is_a_page(self) -> None:
        found = npuscope.overflow(STEP)
        found.page(self.folder / "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn('<script id="data"', page)
        shown = found._repr_html_()
        self.assertTrue(shown.startswith("<iframe"))
        self.assertEqual(shown.count("<iframe"), 1)
        self.assertNotIn("<script", shown)
        with self.assertRaises(npuscope.IoError):
            found.page(self.folder / "nowhere" / "page.html")

    def test_a_comparison_is_a_line_and_a_table(self) -> None:
        same = npuscope.compare(STEP, STEP)
        self.assertLess(len(repr(same)), 200)
        self.assertIn("verdict='pass'", repr(same))
        self.assertIn("verdict: pass", same._repr_html_())
        rows = len(same.columns["target"])
        try:
            table = same.to_pandas()
        except ImportError:
            return
        self.assertEqual(len(table), rows)
        self.assertEqual(list(table.columns), list(same.columns))


if __name__ == "__main__":
    unittest.main()
