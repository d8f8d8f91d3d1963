"""Runs docs/examples/<folder>/run.sh and compares what it prints with expected.txt.

    run_example.py FOLDER [--update]     --update writes what was printed, to be edited by hand
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from transcript import first_difference


def main() -> int:
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [str(folder / "run.sh")],
            env={**os.environ, "EXAMPLE_DIR": scratch},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if "--update" in sys.argv:
        (folder / "expected.txt").write_text(done.stdout)
        return done.returncode
    difference = first_difference((folder / "expected.txt").read_text(), done.stdout)
    if done.returncode == 0 and difference is None:
        return 0
    print(f"{folder.name}: exit code {done.returncode}\n{difference}")
    print(f"--- stdout\n{done.stdout}\n--- stderr\n{done.stderr}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
