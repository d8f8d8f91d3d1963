#!/usr/bin/python3
"""npuscope extract beside h5copy and cp, in turn in one run; medians of five.

    bench/extract_peers.py FOLDER [PATH OF npuscope]

50 000 tensors of 4 KB with five attributes, 20 op groups, all copied: goal five times as fast as
h5copy. One tensor of 512 MB: goal at most 1.05 times cp's time. The sources are made by libhdf5.
"""

import pathlib
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

ROUNDS = 5
OPS = 20
RUNS = 250
TENSORS = 10


def write_tensor(file: h5py.File, path: str, values: np.ndarray) -> None:
    tensor = file.create_dataset(path, data=values)
    for name in ("DeviceType", "DataType", "FormatType", "Type"):
        tensor.attrs.create(name, 1, dtype=np.int32)
    tensor.attrs.create("Stride", np.ones(1, np.int64))


def make_small(path: pathlib.Path) -> None:
    values = np.random.default_rng(1).random(1024, np.float32)
    with h5py.File(path, "w") as file:
        for op in range(OPS):
            for run in range(RUNS):
                for i in range(TENSORS):
                    values[0] = op + run / RUNS + i
                    write_tensor(file, f"/op{op}/{run}/output/y{i}", values)


def make_large(path: pathlib.Path) -> None:
    with h5py.File(path, "w") as file:
        write_tensor(file, "/op0/1/output/y0", np.random.default_rng(1).random(1 << 27, np.float32))


def h5copy(source: pathlib.Path, target: pathlib.Path, groups: list) -> None:
    for group in groups:
        command = ["h5copy", "-i", source, "-o", target, "-s", group, "-d", group]
        subprocess.run(command, check=True)


def measure(title: str, groups: list, source: pathlib.Path, npuscope: str) -> None:
    target = source.with_name("copied.h5")
    sources = [word for group in groups for word in ("-s", group)]
    extract = [npuscope, "extract", "-q", "-i", source, "-o", target, *sources]
    contestants = {
        "npuscope extract": lambda: subprocess.run(extract, check=True),
        "h5copy": lambda: h5copy(source, target, groups),
        "cp": lambda: subprocess.run(["cp", "--reflink=never", source, target], check=True),
    }
    seconds = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            target.unlink(missing_ok=True)
            start = time.monotonic()
            run()
            seconds[name].append(time.monotonic() - start)
            if name == "npuscope extract" and not seconds["h5copy"]:
                for group in groups:
                    subprocess.run(["h5diff", "-q", source, target, group], check=True)
    ours = statistics.median(seconds["npuscope extract"])
    print(title)
    for name, values in seconds.items():
        median = statistics.median(values)
        print(f"  {name:18} {median:7.3f} s   {median / ours:6.2f} times ours")
    target.unlink(missing_ok=True)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    root = pathlib.Path(__file__).resolve().parents[1]
    npuscope = sys.argv[2] if len(sys.argv) > 2 else str(root / "build/release/bin/npuscope")
    small = folder / "small.h5"
    make_small(small)
    measure("50 000 tensors of 4 KB", [f"/op{op}" for op in range(OPS)], small, npuscope)
    small.unlink()
    large = folder / "large.h5"
    make_large(large)
    measure("one tensor of 512 MB", ["/op0"], large, npuscope)
    large.unlink()


if __name__ == "__main__":
    main()
