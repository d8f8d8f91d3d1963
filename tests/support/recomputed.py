"""What `npuscope recompute --json` says of a recording."""

import json
import os
import subprocess
from pathlib import Path

NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")


def recompute(folder, *options):
    done = subprocess.run(
        [NPUSCOPE, "recompute", str(folder), "--json", *options], capture_output=True, text=True, check=False
    )
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr


def words(report):
    """Path and result -> word."""
    return {
        (op["path"], result["name"]): result["errors"]["word"]
        for op in report["ops"]
        for result in op["results"]
        if result["errors"]
    }
