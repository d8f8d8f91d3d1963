#!/usr/bin/env python3
"""Compares two msprobe steps with npuscope and with msprobe itself, in one run.

    bench/msprobe_compare.py FOLDER --msprobe PATH [--bin build/release/bin] [--ops 100000] [--elements 0] [--runs 3]

PATH is msprobe's `python` folder; it is imported from there. What its import needs beside numpy, pandas, torch and
openpyxl is replaced by empty modules, and the import's time is not counted. The steps are made in FOLDER by
msprobe_tree.py unless they are there. Prints wall and processor seconds of both, and their ratio.

Goal: 50 times as quick as msprobe at 100 000 ops, and at 2 x 5 GB of tensors.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import List, Tuple

PEER = """
import os, sys, time
from unittest.mock import MagicMock
sys.path.insert(0, sys.argv[1])
for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches", "einops"):
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = MagicMock()
command = ["msprobe", "compare", "-tp", sys.argv[2], "-gp", sys.argv[3], "-o", sys.argv[4]]
sys.argv = command
from msprobe.msprobe import main
import msprobe.pytorch.compare.pt_compare
wall, cpu = time.perf_counter(), os.times()
try:
    main()
finally:
    now = os.times()
    spent = sum(now[:4]) - sum(cpu[:4])
    print(f"MEASURED {time.perf_counter() - wall} {spent}")
"""


def run(command: List[str]) -> Tuple[float, float]:
    """Wall and processor seconds of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def run_peer(msprobe: Path, target: Path, golden: Path, output: Path) -> Tuple[float, float]:
    output.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", PEER, str(msprobe), str(target), str(golden), str(output)],
        capture_output=True, text=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("MEASURED ")]
    if done.returncode or not lines:
        sys.exit(f"msprobe failed: {done.stderr[-2000:]}")
    wall, cpu = lines[-1].split()[1:]
    return float(wall), float(cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--msprobe", type=Path, required=True)
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"))
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--elements", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--judge", default="exact")
    parser.add_argument("--no-kl", action="store_true", help="leave out a measure that msprobe does not have")
    arguments = parser.parse_args()
    sides = {"target": 1e-6, "golden": 0.0}
    for side, noise in sides.items():
        if not (arguments.folder / side / "dump.json").exists():
            subprocess.run(
                [sys.executable, str(Path(__file__).with_name("msprobe_tree.py")), str(arguments.folder / side),
                 "--ops", str(arguments.ops), "--elements", str(arguments.elements), "--noise", str(noise)],
                check=True,
            )
    target, golden = (arguments.folder / side / "dump.json" for side in sides)
    command = [str(arguments.bin / "npuscope"), "compare", "-q", "--judge", arguments.judge, "-m", str(target), "-g",
               str(golden), *(["--no-kl"] if arguments.no_kl else [])]
    own = [run(command) for _ in range(arguments.runs)]
    peer = run_peer(arguments.msprobe, target, golden, arguments.folder / "msprobe_output")
    own.append(run(command))
    wall, cpu = (statistics.median(times) for times in zip(*own))
    print(f"npuscope: {wall:.2f} s wall, {cpu:.2f} s of processor (median of {len(own)})")
    print(f"msprobe:  {peer[0]:.2f} s wall, {peer[1]:.2f} s of processor (without its import)")
    print(f"ratio:    {peer[0] / wall:.0f} wall, {peer[1] / cpu:.0f} processor")


if __name__ == "__main__":
    main()
