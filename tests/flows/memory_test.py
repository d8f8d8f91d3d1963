"""A comparison's memory does not grow with the tensors."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
LIMIT_MB = 200

# In a process of its own: a child's peak memory begins with its parent's.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024)
"""


def write_dump(path: Path, device: int, elements: int, count: int) -> None:
    """Datasets that take no disk: holes of a sparse file, which read as zeros."""
    with h5py.File(path, "w") as file:
        for k in range(count):
            group = file.create_group(f"relu/{k + 1}/output")
            layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            layout.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            layout.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            space = h5py.h5s.create_simple((elements,))
            dataset = h5py.Dataset(
                h5py.h5d.create(group.id, b"out", h5py.h5t.IEEE_F32LE, space, dcpl=layout)
            )
            dataset[:3] = [1, 2, 3]
            for name, value in (("DeviceType", device), ("DataType", 1), ("FormatType", 0), ("Type", 0)):
                dataset.attrs.create(name, value, dtype="i4")
            dataset.attrs.create("Stride", np.array([1]), dtype="i8")


class Memory(unittest.TestCase):
    def peak(self, folder: Path, program: str, elements: int, count: int) -> int:
        sides = folder / "my.h5", folder / "golden.h5"
        for side, device in zip(sides, (10, 1)):
            write_dump(side, device, elements, count)
        command = [BIN / program, "compare", "-m", sides[0], "-g", sides[1]]
        command += ["-out", folder / "out"] if program == "msaccucmp" else []
        printed = subprocess.check_output([sys.executable, "-c", MEASURE, *map(str, command)], text=True)
        code, megabytes = map(int, printed.split())
        self.assertEqual(code, 0)
        return megabytes

    def test_stays_small_for_a_tensor_of_600_megabytes(self) -> None:
        for program in ("npuscope", "msaccucmp"):
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                self.assertLess(self.peak(Path(folder), program, 150_000_000, 1), LIMIT_MB)

    def test_stays_small_for_many_tensors(self) -> None:
        for program in ("npuscope", "msaccucmp"):
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                self.assertLess(self.peak(Path(folder), program, 1_000_000, 100), LIMIT_MB)


if __name__ == "__main__":
    unittest.main()
