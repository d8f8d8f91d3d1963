"""Files of many arrays are paired in a time that grows as their number does."""

import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])
FEW, MANY = 5000, 20000


def write_arrays(path: Path, count: int) -> None:
    """As safetensors: empty arrays, last names first."""
    header = json.dumps(
        {f"layer.{i}.weight": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in reversed(range(count))}
    ).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header)


def seconds_of(target: Path, golden: Path) -> float:
    """Of the processor."""
    process = subprocess.Popen(
        [BIN / "npuscope", "compare", "-q", "-m", target, "-g", golden],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 2), process.returncode
    return usage.ru_utime + usage.ru_stime


class ManyArrays(unittest.TestCase):
    def test_four_times_as_many_take_no_sixteen_times_as_long(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            seconds = {}
            for count in (FEW, MANY):
                path = Path(folder) / f"{count}.safetensors"
                write_arrays(path, count)
                seconds[count] = seconds_of(path, path)
            self.assertLess(seconds[MANY], 9 * seconds[FEW], seconds)


if __name__ == "__main__":
    unittest.main()
