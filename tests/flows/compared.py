"""What `npuscope compare` says of two files that a test writes."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")


def compared(target, golden, *words):
    """The exit code, the path of the first culprit, and the report; its "stderr" is what was noted beside it."""
    asked = [NPUSCOPE, "compare", "-q", "--json", "-m", target, "-g", golden, *words]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    report["stderr"] = done.stderr
    return done.returncode, (report["first_culprit"] or {}).get("path"), report


class InFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
