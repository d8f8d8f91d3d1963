#!/usr/bin/python3
"""Compares msaccucmp with the reference tool on random dump folders and commands.

    NPUSCOPE_REFERENCE_MSACCUCMP=/path/to/launcher msaccucmp_folders_differential.py --runs 200 --seed 1 --kind quant

The launcher starts the reference tool with the arguments that it gets; it must be able to read binary dumps.
Runs that differ are kept below --keep, each with a line that repeats it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from random_run_kinds import KINDS
from recorded_dumps import csv_difference, npy_difference, run, table_of

REFERENCE = "NPUSCOPE_REFERENCE_MSACCUCMP"
SIGNS_OF_AN_EARLY_END = ("Traceback", "Failed to compare", "Shape mismatch after restore",
                         "doesn't match the shape in dump file", "Inconsistent output length")
# One direction of an op is left out, and the run counts as good.
SIGNS_OF_LOST_ROWS = ("The shape does not match", "The number of input does not match",
                      "The number of output does not match")
HERE = Path(__file__).resolve()
BIN = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parents[2] / "build/release/bin"))


def errors_of(text, column):
    """The ranked column of a top-N table, without the elements' places; what is not finite ranks as 0."""
    cells = [line.split(",")[column].strip() for line in text.splitlines()[1:]]
    return ["0.000000" if cell == "-" else cell for cell in cells]


def is_longer_top(name, ours, theirs):
    """The reference lists one element less where -n exceeds their number."""
    return "_topn" in name and len(ours.splitlines()) == len(theirs.splitlines()) + 1 and ours.startswith(theirs)


def file_difference(name, ours, theirs):
    if name.endswith(".npy"):
        return npy_difference(ours, theirs)
    mine, golden = ours.read_bytes().decode(), theirs.read_bytes().decode()
    if mine == golden or is_longer_top(name, mine, golden):
        return None
    if name.endswith("_STAMP.csv"):
        return csv_difference(mine, golden)
    if "_topn" in name:
        column = 4 if "absolute" in name else 5
        if errors_of(mine, column) == errors_of(golden, column):
            return None  # elements with equal errors, of which chance decides
    pairs = zip(mine.splitlines(), golden.splitlines())
    return next((f"{a!r} instead of {b!r}" for a, b in pairs if a != b), "other length")


def difference(ours, theirs):
    if ours.code != theirs.code:
        return f"exit code {ours.code} instead of {theirs.code}"
    if set(ours.files) != set(theirs.files):
        return f"files {sorted(ours.files)} instead of {sorted(theirs.files)}"
    for name, path in ours.files.items():
        problem = file_difference(name, path, theirs.files[name])
        if problem:
            return f"{name}: {problem}"
    return None


def rows_of(outcome):
    for name, path in outcome.files.items():
        if name.startswith("result"):
            return table_of(path.read_bytes().decode())
    return []


def with_overflow_cell(header, row):
    """The reference's rows of ops that cannot be compared lack a cell."""
    if "OverFlow" not in header or len(row) != len(header) - 1:
        return row
    at = header.index("OverFlow")
    return [*row[:at], "NaN", *row[at:]]


def is_improvement(ours, theirs):
    """The reference gave up or lost rows, and what it did write ours has too."""
    mine, golden = rows_of(ours), rows_of(theirs)
    signs = (*SIGNS_OF_AN_EARLY_END, *SIGNS_OF_LOST_ROWS)
    is_worse = theirs.code == 1 or any(text in theirs.stderr for text in signs)
    is_worse = is_worse or any(len(row) != len(golden[0]) for row in golden)
    if not is_worse or mine[:1] != golden[:1] or len(mine) < len(golden):
        return False
    # The index counts rows that the reference lost, and reasons are in own words.
    left = [row[1:-1] for row in mine]
    return all(with_overflow_cell(golden[0], row)[1:-1] in left for row in golden)


def is_batch_improvement(ours, theirs):
    """The reference ends with the first model that fails, and else with the code of whichever it comes to last."""
    if len(ours.files) < 2 or not set(theirs.files) <= set(ours.files):
        return False
    return all(file_difference(name, ours.files[name], path) is None for name, path in theirs.files.items())


def judge(kind, seed, case, program, reference):
    arguments = KINDS[kind].make_run(seed, case)
    ours = run(program, arguments, case, case / "ours")
    theirs = run(reference, arguments, case, case / "theirs")
    if "Traceback" in ours.stderr or ours.code < 0:
        return "different", "ours crashes: " + ours.stderr[-300:]
    problem = difference(ours, theirs)
    if problem is None:
        return "equal", ""
    if is_improvement(ours, theirs):
        return "improved: the reference ends early or loses rows", ""
    if kind == "batch" and is_batch_improvement(ours, theirs):
        return "improved: the reference ends early or loses rows", ""
    if theirs.code == 1 and ours.code == 0 and "-op" in arguments:
        return "improved: the reference ends early or loses rows", ""
    return "different", f"{' '.join(arguments)}: {problem}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next has the next")
    parser.add_argument("--kind", choices=list(KINDS), default="plain", help="of the dumps and commands")
    parser.add_argument("--keep", type=Path, default=Path("msaccucmp_folder_differences"))
    parser.add_argument("--ours", type=Path, default=BIN / "msaccucmp")
    arguments = parser.parse_args()
    reference = os.environ.get(REFERENCE)
    if not reference:
        parser.error(f"the environment variable {REFERENCE} must name a launcher of the reference tool")
    counts = Counter()
    start = time.monotonic()
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    for done, seed in enumerate(seeds, 1):
        with tempfile.TemporaryDirectory(prefix="differential_") as scratch:
            case = Path(scratch)
            try:
                kind, text = judge(arguments.kind, seed, case, arguments.ours, reference)
            except (subprocess.TimeoutExpired, ValueError, OSError, KeyError) as failure:
                kind, text = "different", repr(failure)
            counts[kind] += 1
            if kind == "different":
                print(f"seed {seed}: {text}", file=sys.stderr)
                kept = arguments.keep / f"{arguments.kind}_{seed}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(case, kept)
                (kept / "difference.txt").write_text(
                    f"{text}\nrepeat: {REFERENCE}=... {HERE} --kind {arguments.kind} --runs 1 --seed {seed}\n")
        if done % 20 == 0:
            print(f"{done} runs, {time.monotonic() - start:.0f} s, {dict(counts)}", file=sys.stderr)
    print(f"runs       {arguments.runs} (seeds {arguments.seed} to {arguments.seed + arguments.runs - 1}), "
          f"{time.monotonic() - start:.0f} s")
    others = sorted(kind for kind in counts if kind not in ("equal", "different"))
    for kind in ("equal", *others, "different"):
        print(f"{kind:50} {counts[kind]}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
