"""msaccucmp convert takes little memory whatever the size of a dump."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "msaccucmp")
LIMIT_MB = 110
SHAPE = (1, 4, 1024, 1024, 16)  # NC1HWC0 of float16: 128 MB
ORIGINAL = (1, 63, 1024, 1024)

# In a process of its own: a child's peak memory begins with its parent's.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss // 1024)
"""


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def block(field: int, data: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(data)) + data


def write_dump(path: Path) -> None:
    """One output whose elements take no disk: a hole, which reads as zeros."""
    size = 2
    for dim in SHAPE:
        size *= dim
    shapes = [block(field, block(1, b"".join(map(varint, dims)))) for field, dims in ((3, SHAPE), (7, ORIGINAL))]
    header = block(3, b"\x08\x02\x10\x03" + shapes[0] + b"\x30" + varint(size) + shapes[1])
    with open(path, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + size)


class Memory(unittest.TestCase):
    def test_does_not_grow_with_the_tensor(self) -> None:
        for options in ([], ["-t", "bin"], ["-t", "pt"], ["-f", "NCHW"], ["-f", "NHWC", "-t", "pt"]):
            with tempfile.TemporaryDirectory() as folder:
                dump = Path(folder) / "Add.op.1.2.1700000000000001"
                write_dump(dump)
                command = [PROGRAM, "convert", "-d", str(dump), "-out", f"{folder}/out", *options]
                printed = subprocess.check_output([sys.executable, "-c", MEASURE, *command], text=True)
                code, peak = map(int, printed.split())
                self.assertEqual(code, 0)
                self.assertEqual(len(os.listdir(f"{folder}/out")), 1)
                self.assertLess(peak, LIMIT_MB, options)


if __name__ == "__main__":
    unittest.main()
