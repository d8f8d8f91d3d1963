"""Two runs of a million tensors each, kept as hashes, held against each other.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/bitwise_hashes.py [--tensors 1000000] [--folder DIR]

Goal: at most 30 s and 2 GB. Writes both dumps (a chain of additions; the second run has one other number near its
end), runs `npuscope compare --bitwise` and prints its wall time, processor time and largest memory. NPUSCOPE_BIN_DIR names
the programs.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import npuscope
import numpy as np
from npuscope import ops

NPUSCOPE = str(Path(os.environ.get("NPUSCOPE_BIN_DIR", "build/release/bin")) / "npuscope")


def write(path: Path, count: int, changed: int) -> None:
    one = npuscope.Tensor(np.ones(16, "f4"))
    two = npuscope.Tensor(np.full(16, 2, "f4"))
    value = npuscope.Tensor(np.arange(16, dtype="f4"))
    with npuscope.dumper(use_dump=True, dump_path=str(path), hashes=True):
        for number in range(count):
            value = ops.add_Tensor(value, two if number == changed else one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensors", type=int, default=1_000_000)
    parser.add_argument("--folder", default=None)
    given = parser.parse_args()
    count = given.tensors // 3
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        paths = [Path(folder) / name for name in ("a.h5", "b.h5")]
        for path, changed in zip(paths, (-1, count - 10)):
            start = time.monotonic()
            write(path, count, changed)
            print(f"wrote {3 * count} hashes in {time.monotonic() - start:.1f} s, {path.stat().st_size / 1e6:.0f} MB")
        start = time.monotonic()
        done = subprocess.run(
            [NPUSCOPE, "compare", "-q", "--json", "--bitwise", *map(str, paths)], capture_output=True, text=True
        )
        wall = time.monotonic() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = json.loads(done.stdout)["runs"][0]
        assert done.returncode == 1 and run["parting"]["op"] == f"/add_Tensor/{count - 9}", run
        print(
            f"compared {run['tensors']} tensors a side in {wall:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of "
            f"processor), {used.ru_maxrss / 1e6:.2f} GB"
        )


if __name__ == "__main__":
    main()
