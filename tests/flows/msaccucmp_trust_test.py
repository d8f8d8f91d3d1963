"""msaccucmp reads a file that links to other folders only where it is told to trust it, and says nothing else then."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

MSACCUCMP = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "msaccucmp")


def put(group, name, data, device):
    dataset = group.create_dataset(name, data=data)
    for key, number in (("DeviceType", device), ("DataType", 1), ("FormatType", 0), ("Type", 0)):
        dataset.attrs[key] = np.int32(number)
    dataset.attrs["Stride"] = np.array([1], "i8")


class TrustFiles(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "here").mkdir()
        with h5py.File(self.folder / "elsewhere.h5", "w") as file:
            put(file, "relu/1/output/result", np.arange(4, dtype="f4"), 0)
        with h5py.File(self.folder / "here/golden.h5", "w") as file:
            file["relu"] = h5py.ExternalLink("../elsewhere.h5", "/relu")
        with h5py.File(self.folder / "here/mine.h5", "w") as file:
            put(file, "relu/1/output/result", np.arange(4, dtype="f4"), 10)

    def compare(self, *words):
        out = self.folder / ("out" + "".join(words))
        out.mkdir()
        done = subprocess.run(
            [MSACCUCMP, *words, "compare", "-m", "here/mine.h5", "-g", "here/golden.h5", "-out", str(out)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return done, "".join(path.read_text() for path in out.glob("*.csv"))

    def test_links_to_other_folders_are_followed_only_where_files_are_trusted(self):
        done, table = self.compare()
        self.assertNotIn("1.000000", table)
        self.assertEqual(done.stdout, "")
        done, table = self.compare("--trust-files")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("1.000000", table)

    def test_the_help_is_that_of_the_reference_tool(self):
        done = subprocess.run([MSACCUCMP, "compare", "--help"], capture_output=True, text=True, check=True)
        self.assertNotIn("trust", done.stdout)
        trusting = subprocess.run(
            [MSACCUCMP, "compare", "--help", "--trust-files"], capture_output=True, text=True, check=True
        )
        self.assertEqual(trusting.stdout, done.stdout)


if __name__ == "__main__":
    unittest.main()
