#!/usr/bin/env python3
"""What it costs npuscope compare to compute ops again: --judge exact and quick beside off.

    bench/judge_costs.py FOLDER [--blocks 8] [--tokens 2048] [--width 512] [--chip 910A] [--runs 3]

Makes a pair of dumps in FOLDER: a transformer's feed-forward blocks (two products, gelu, an addition, a
normalisation), the golden in float32, the target on the chip. Then, in turn and in one run, computes the ops
once in float32, and compares with each judgement. Ratios are of CPU seconds, which other work on the machine disturbs
less. Goals: exact at most off + 6 x float32; quick at most 1.5 x off;
peak memory at most 4 x the largest op. The files lie in the page cache. Needs build/release/python on PYTHONPATH.
"""

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np

import npuscope


def in_child(chip: str, path: str, size: Tuple[int, int, int]) -> float:
    """The CPU seconds that the ops take on `chip`; recorded to `path` unless it is "". In a process
    of its own: a child's peak of memory is at least its parent's."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(compute, (chip, path, size))


def compute(chip: str, path: str, size: Tuple[int, int, int]) -> float:
    with npuscope.chip(chip):
        if not path:
            return blocks(*size)
        with npuscope.dumper(use_dump=True, dump_path=path):
            return blocks(*size)


def run(command: List[str]) -> Tuple[float, float, float, int]:
    """Wall seconds, CPU seconds, peak resident MB, exit code."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def blocks(count: int, tokens: int, width: int) -> float:
    """Runs the program on the current chip; returns the CPU seconds that its ops took."""
    random = np.random.default_rng(1)
    wide = 4 * width
    x = random.standard_normal((tokens, width), dtype=np.float32)
    one, none = np.ones(width, np.float32), np.zeros(width, np.float32)
    seconds = 0.0
    for _ in range(count):
        first = random.standard_normal((width, wide), dtype=np.float32) / np.float32(width**0.5)
        second = random.standard_normal((wide, width), dtype=np.float32) / np.float32(wide**0.5)
        start = time.process_time()
        h = npuscope.ops.gelu(npuscope.ops.mm(x, first))
        y = npuscope.ops.add_Tensor(x, npuscope.ops.mm(h, second))
        x = npuscope.ops.native_layer_norm(y, [width], one, none, 1e-5)[0]
        seconds += time.process_time() - start
    return seconds


def make_dump(path: Path, chip: str, size: Tuple[int, int, int]) -> None:
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        in_child(chip, str(path), size)
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--chip", default="910A")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    size = (arguments.blocks, arguments.tokens, arguments.width)
    name = "x".join(map(str, size))
    target, golden = arguments.folder / f"{name}_{arguments.chip}.h5", arguments.folder / f"{name}_fp32.h5"
    make_dump(golden, "fp32", size)
    make_dump(target, arguments.chip, size)
    gigabytes = sum(os.path.getsize(path) for path in (target, golden)) / 1e9
    compare = [str(arguments.bin / "npuscope"), "compare", "-m", str(target), "-g", str(golden), "-q", "--judge"]
    computing: List[float] = []
    found: Dict[str, List[Tuple[float, float, float]]] = {}
    for _ in range(arguments.runs):
        computing.append(in_child("fp32", "", size))
        for judge in ("off", "quick", "exact"):
            wall, cpu, memory, code = run([*compare, judge])
            if code == 2:
                raise SystemExit(f"{compare} {judge}: could not do the work")
            found.setdefault(judge, []).append((wall, cpu, memory))
    fp32 = statistics.median(computing)
    largest = 4 * (size[1] * size[2] + 4 * size[2] ** 2 + 4 * size[1] * size[2]) / 1e6
    off = statistics.median(cpu for _, cpu, _ in found["off"])
    print(f"{5 * size[0]} ops a side, {gigabytes:.2f} GB together, the largest op {largest:.0f} MB")
    print(f"the ops once in float32: {fp32:.2f} s of CPU")
    for judge, results in found.items():
        wall = statistics.median(each for each, _, _ in results)
        cpu = statistics.median(each for _, each, _ in results)
        memory = max(each for _, _, each in results)
        print(
            f"--judge {judge:<6} {wall:8.2f} s  {cpu:8.2f} s of CPU  {gigabytes / wall:6.2f} GB/s  {memory:6.0f} MB = "
            f"{memory / largest:4.1f} x the largest op  {cpu / off:6.2f} x off  "
            f"off + {(cpu - off) / fp32:.2f} x float32"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
