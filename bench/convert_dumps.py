#!/usr/bin/env python3
"""Time and memory of `msaccucmp convert`, beside the reference tool.

    bench/convert_dumps.py FOLDER [--bin build/release/bin] [--runs 5] [--count 1000] [--gigabytes 4]

Makes COUNT dumps of two inputs and an output (NC1HWC0 float16 and float32, 38 KB a dump) and one dump of
GIGABYTES in FOLDER unless they are there. Prints medians of wall time and the peak memory of: all small dumps to
.npy, all to NCHW, the large one to .npy, to NCHW and to .pt. The reference tool takes part in the small ones when
NPUSCOPE_REFERENCE_MSACCUCMP names its launcher; it runs once each (it is slow).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def shape(field, dims):
    return block(field, block(1, b"".join(varint(dim) for dim in dims)))


def tensor(is_input, code, layout, stored, size, original):
    """One OpInput or OpOutput of the header."""
    numbers = (5, 6) if is_input else (6, 7)
    body = number(1, code) + number(2, layout) + shape(3, stored) + number(numbers[0], size)
    return block(4 if is_input else 3, body + shape(numbers[1], original))


def write_small(folder, count):
    import numpy as np

    values = np.random.default_rng(7)
    stored, original = (1, 2, 12, 12, 16), (1, 20, 12, 12)
    for k in range(count):
        half = values.standard_normal(stored).astype("<f2").tobytes()
        single = values.standard_normal(stored).astype("<f4").tobytes()
        head = block(6, f"scope/op{k}".encode())
        head += tensor(False, 2, 3, stored, len(half), original)
        head += tensor(True, 2, 3, stored, len(half), original)
        head += tensor(True, 1, 3, stored, len(single), original)
        data = len(head).to_bytes(8, "little") + head + half + single + half
        (folder / f"Conv2D.scope_op{k}.{k}.3.{1700000000000000 + k}").write_bytes(data)


def write_large(path, nbytes):
    """One output NC1HWC0 of float16."""
    import numpy as np

    rows = nbytes // (4 * 16 * 1024 * 2)
    stored = (1, 4, rows, 1024, 16)
    head = tensor(False, 2, 3, stored, rows * 4 * 16 * 1024 * 2, (1, 63, rows, 1024))
    piece = np.random.default_rng(8).standard_normal(1 << 23).astype("<f2").tobytes()
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        left = rows * 4 * 16 * 1024 * 2
        while left > 0:
            left -= file.write(piece[:left])


def in_child(function, *arguments):
    """A child counts its parent's memory as its own peak: this process must stay without numpy."""
    child = os.fork()
    if child == 0:
        function(*arguments)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise SystemExit(f"{function.__name__} failed")


def run(command):
    """Wall seconds, peak resident MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return seconds, usage.ru_maxrss / 1024


def measure(title, command, out, runs):
    # Folders of their own, removed by the end: ext4 is slow to make files where some were just deleted.
    seconds, memory = [], []
    for _ in range(runs):
        took, peak = run([*command, "-out", tempfile.mkdtemp(dir=out)])
        seconds.append(took)
        memory.append(peak)
    median = statistics.median(seconds)
    print(f"{title:40} {median:8.3f} s  {max(memory):6.0f} MB", flush=True)
    return median


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--gigabytes", type=float, default=4)
    options = parser.parse_args()
    small, large = options.folder / f"small{options.count}", options.folder / f"Conv2D.large.1.3.{1700000000000000}"
    if not small.exists():
        small.mkdir(parents=True)
        in_child(write_small, small, options.count)
    if not large.exists():
        in_child(write_large, large, int(options.gigabytes * 2**30))
    ours, out = str(options.bin / "msaccucmp"), options.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    reference = os.environ.get("NPUSCOPE_REFERENCE_MSACCUCMP")
    for title, extra in (("to npy", []), ("to NCHW", ["-f", "NCHW"])):
        command = ["convert", "-d", str(small), *extra]
        mine = measure(f"{options.count} dumps {title}", [ours, *command], out, options.runs)
        if reference:
            theirs = measure("  the reference tool", [reference, *command], out, 1)
            print(f"  {theirs / mine:.0f} times as long")
    for title, extra in (("to npy", []), ("to NCHW", ["-f", "NCHW"]), ("to NCHW, .pt", ["-f", "NCHW", "-t", "pt"])):
        shutil.rmtree(out)
        out.mkdir()
        measure(f"one dump of {options.gigabytes:g} GB {title}", [ours, "convert", "-d", str(large), *extra], out, 1)
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
