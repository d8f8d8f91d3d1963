#!/usr/bin/env python3
"""Whole-process comparison of two dumps: msaccucmp and npuscope beside the reference tool and h5diff.

    bench/compare_peers.py FOLDER [--bin build/release/bin] [--runs 5] [--small-only|--large-only]

Makes two pairs of dumps in FOLDER unless they are there (2.6 GB): 80 tensors of 12.8 MB a side, and
50 000 of 4 KB. Then runs all programs in turn, RUNS times, and prints medians of wall time, ratios to
npuscope's programs and peak memory. The files lie in the page cache. The reference tool takes part when
NPUSCOPE_REFERENCE_MSACCUCMP names its launcher; it runs once a pair (it is slow).
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import h5py
import numpy as np

Command = Callable[[Path, Path, Path], List[str]]


def write_dump(path: Path, device: int, ops: int, tensors: int, size: int, noise: bool) -> None:
    values = np.random.default_rng(5)
    errors = np.random.default_rng(6)
    with h5py.File(path, "w") as file:
        for k in range(ops):
            group = file.create_group(f"Op{k % 20}/{k + 1}/output")
            for j in range(tensors):
                data = values.standard_normal(size, dtype=np.float32)
                if noise:
                    data += np.float32(1e-3) * errors.standard_normal(size, dtype=np.float32)
                dataset = group.create_dataset(f"out{j}", data=data)
                for name, value in (("DeviceType", device), ("DataType", 1), ("FormatType", 0), ("Type", 0)):
                    dataset.attrs.create(name, value, dtype="i4")
                dataset.attrs.create("Stride", np.array([1]), dtype="i8")


def make_pair(folder: Path, name: str, ops: int, tensors: int, size: int) -> Tuple[Path, Path]:
    paths = folder / f"{name}_my.h5", folder / f"{name}_golden.h5"
    for path, device, noise in zip(paths, (10, 1), (True, False)):
        if not path.exists():
            print(f"making {path}", file=sys.stderr)
            unfinished = path.with_suffix(".part")
            write_dump(unfinished, device, ops, tensors, size, noise)
            unfinished.rename(path)
        with open(path, "rb") as file:
            while file.read(1 << 24):
                pass
    return paths


def run(command: List[str]) -> Tuple[float, float, int]:
    """Wall seconds, peak resident MB, exit code."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - start, usage.ru_maxrss / 1024, process.returncode


def programs(binaries: Path) -> Dict[str, Tuple[Command, int]]:
    """Name -> command line, most runs."""
    found: Dict[str, Tuple[Command, int]] = {
        "msaccucmp": (
            lambda m, g, out: [str(binaries / "msaccucmp"), "compare", "-m", str(m), "-g", str(g), "-out", str(out)],
            1000,
        ),
        # Without a report that shows it, the divergence is left out as well.
        "npuscope compare --json": (
            lambda m, g, out: [str(binaries / "npuscope"), "compare", "--json", "-m", str(m), "-g", str(g)],
            1000,
        ),
        "npuscope compare --no-kl": (
            lambda m, g, out: [str(binaries / "npuscope"), "compare", "-m", str(m), "-g", str(g), "--no-kl"],
            1000,
        ),
    }
    if shutil.which("h5diff"):
        found["h5diff"] = (lambda m, g, out: ["h5diff", str(m), str(g)], 3)
    reference: Optional[str] = os.environ.get("NPUSCOPE_REFERENCE_MSACCUCMP")
    if reference:
        found["reference msaccucmp"] = (
            lambda m, g, out: [reference, "compare", "-m", str(m), "-g", str(g), "-out", str(out)],
            1,
        )
    return found


READ = """
import sys, time
import numpy as np
total, start = 0, time.perf_counter()
for path in sys.argv[1:]:
    data = np.memmap(path, dtype=np.uint8, mode="r")
    words = data[: len(data) // 8 * 8].view(np.uint64)
    for first in range(0, len(words), 1 << 20):
        words[first : first + (1 << 20)].max()
    total += len(data)
print(total / (time.perf_counter() - start) / 1e9)
"""


def read_rate(paths: Tuple[Path, Path]) -> float:
    """GB/s of one thread that reads the mapped files once; in a process of its own, since a child's
    peak memory begins with its parent's."""
    return float(subprocess.check_output([sys.executable, "-c", READ, *map(str, paths)]))


def compare(title: str, paths: Tuple[Path, Path], out: Path, binaries: Path, runs: int) -> None:
    times: Dict[str, List[float]] = {}
    memory: Dict[str, float] = {}
    rates = []
    for turn in range(runs):
        rates.append(read_rate(paths))
        for name, (command, most) in programs(binaries).items():
            if turn >= most:
                continue
            seconds, megabytes, code = run(command(*paths, out))
            if code not in (0, 1):
                sys.exit(f"{name} ended with exit code {code}")
            times.setdefault(name, []).append(seconds)
            memory[name] = max(memory.get(name, 0), megabytes)
    size = sum(path.stat().st_size for path in paths) / 1e9
    print(f"\n{title} ({size:.2f} GB, {os.cpu_count()} cores, median of {runs}; NumPy reads it at "
          f"{statistics.median(rates):.1f} GB/s with one thread)")
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{'program':28}{'seconds':>9}{'GB/s':>7}{'x msaccucmp':>13}{'x npuscope':>12}{'peak MB':>9}")
    for name, seconds in medians.items():
        print(
            f"{name:28}{seconds:9.3f}{size / seconds:7.2f}{seconds / medians['msaccucmp']:13.1f}"
            f"{seconds / medians['npuscope compare']:12.1f}{memory[name]:9.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--small-only", action="store_true")
    parser.add_argument("--large-only", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    out = options.folder / "results"
    out.mkdir(exist_ok=True)
    if not options.small_only:
        pair = make_pair(options.folder, "large", 40, 2, 3_200_000)
        compare("80 tensors of 12.8 MB a side", pair, out, options.bin, options.runs)
    if not options.large_only:
        pair = make_pair(options.folder, "small", 25_000, 2, 1024)
        compare("50 000 tensors of 4 KB a side", pair, out, options.bin, options.runs)


if __name__ == "__main__":
    main()
