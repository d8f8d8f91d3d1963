#!/usr/bin/python3
"""Compares msaccucmp with the reference tool on random pairs of dumps and random options.

    NPUSCOPE_REFERENCE_MSACCUCMP=/path/to/launcher msaccucmp_differential.py --pairs 500 --seed 1

The launcher starts the reference tool with the arguments that it gets. Pairs that differ are kept below
--keep, each with a line that repeats it. --record writes outcomes of the reference as test data.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from random_options import fill_in, make_options
from random_pairs import make_pair
from results import collect, difference, format_table, renamed

REFERENCE = "NPUSCOPE_REFERENCE_MSACCUCMP"
HERE = Path(__file__).resolve()
BIN = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parents[2] / "build/release/bin"))


def run(program, arguments, folder, out):
    done = subprocess.run(
        [str(program), "compare", *fill_in(arguments, folder, out)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=folder,
        timeout=300,
        check=False,
    )
    return collect(done.returncode, out, done.stderr)


def saved_tensor_difference(out: Path, folder: Path):
    """npuscope saves the tensors of filtered rows: they must be what the dumps hold."""
    for side, name in (("my_dump", "my.h5"), ("gold_dump", "golden.h5")):
        for root in out.glob(f"result_*_filtered/{side}"):
            with h5py.File(folder / name, "r") as file:
                for path in root.rglob("*.npy"):
                    dataset = "/" + str(path.relative_to(root))[: -len(".npy")]
                    saved = np.load(path)
                    stored = file[dataset][()]
                    same = saved.dtype.newbyteorder("=") == stored.dtype.newbyteorder("=")
                    if not same or saved.shape != stored.shape or saved.tobytes() != np.asarray(
                        stored, saved.dtype
                    ).tobytes():
                        return f"{path} is not {name}:{dataset}"
    return None


@dataclass
class Verdict:
    kind: str  # "equal", "improved: …", "different"
    text: str = ""


class Judge:
    def __init__(self, ours, reference):
        self.ours = ours
        self.reference = reference
        self.texts = {}

    def judge(self, seed, folder: Path):
        pair = make_pair(seed)
        arguments = make_options(seed)
        pair.write(folder)
        ours = run(self.ours, arguments, folder, folder / "ours")
        if "HDF5-DIAG" in ours.stderr:
            return Verdict("different", "HDF5 prints errors")
        found = saved_tensor_difference(folder / "ours", folder)
        if found:
            return Verdict("different", found)
        theirs = run(self.reference, arguments, folder, folder / "reference")
        if theirs.code == 1 and ours.code == 0 and not pair.oddity:
            return Verdict("different", "the reference crashes: " + theirs.stderr[-300:])
        found = difference(ours, theirs, self.texts)
        if not found:
            return Verdict("equal")
        if not pair.oddity:
            return Verdict("different", found)
        # The reference stops or loses rows here: ours must equal its outcome without the oddity.
        twin = folder / "twin"
        pair.twin.write(twin)
        theirs = run(self.reference, arguments, twin, folder / "reference_twin")
        found = difference(renamed(ours, *pair.rename), theirs, self.texts)
        if found:
            return Verdict("different", f"({pair.oddity}, against the twin) {found}")
        return Verdict("improved: " + pair.oddity)


def record(judge: Judge, seeds, target: Path):
    """Writes the reference's outcomes (of the twin, where there is one) for seeds on which it agrees."""
    target.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            verdict = judge.judge(seed, folder)
            if verdict.kind == "different":
                print(f"seed {seed} differs and is not recorded: {verdict.text}", file=sys.stderr)
                continue
            improved = verdict.kind != "equal"
            out = folder / ("reference_twin" if improved else "reference")
            theirs = collect(0, out)
            code = 0 if improved else run_code(judge.reference, make_options(seed), folder)
            kept = {"seed": seed, "code": code, "options": make_options(seed), "twin": improved}
            kept["advice"] = theirs.advice[:2] if theirs.advice else None
            kept["tables"] = sorted(theirs.tables)
            for name, rows in theirs.tables.items():
                flat = f"{seed}_{name.replace('/', '_')}"
                rows = [rows[0]] + [row[:-1] + ["reason" if row[-1] else ""] for row in rows[1:]]
                (target / flat).write_text(format_table(rows), newline="")
            (target / f"{seed}.json").write_text(json.dumps(kept) + "\n")


def run_code(program, arguments, folder):
    return run(program, arguments, folder, folder / "again").code


def keep(folder: Path, kept: Path, seed, verdict):
    target = kept / f"seed_{seed}"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    (target / "difference.txt").write_text(
        f"{verdict.text}\noptions: {make_options(seed)}\n"
        f"repeat: {REFERENCE}=... {HERE} --pairs 1 --seed {seed}\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first pair; the next has the next")
    parser.add_argument("--keep", type=Path, default=Path("msaccucmp_differences"))
    parser.add_argument("--ours", type=Path, default=BIN / "msaccucmp")
    parser.add_argument("--record", type=Path, help="write test data into this folder")
    arguments = parser.parse_args()
    reference = os.environ.get(REFERENCE)
    if not reference:
        parser.error(f"the environment variable {REFERENCE} must name a launcher of the reference tool")
    judge = Judge(arguments.ours, reference)
    seeds = range(arguments.seed, arguments.seed + arguments.pairs)
    if arguments.record:
        record(judge, seeds, arguments.record)
        return 0
    counts = Counter()
    start = time.monotonic()
    for done, seed in enumerate(seeds, 1):
        with tempfile.TemporaryDirectory(prefix="differential_") as scratch:
            try:
                verdict = judge.judge(seed, Path(scratch))
            except (subprocess.TimeoutExpired, ValueError, OSError, KeyError) as failure:
                verdict = Verdict("different", repr(failure))
            counts[verdict.kind] += 1
            if verdict.kind == "different":
                print(f"seed {seed}: {verdict.text}", file=sys.stderr)
                keep(Path(scratch), arguments.keep, seed, verdict)
        if done % 50 == 0:
            print(f"{done} pairs, {time.monotonic() - start:.0f} s, {dict(counts)}", file=sys.stderr)
    print(f"pairs      {len(seeds)} (seeds {seeds[0]} to {seeds[-1]})")
    for kind in ("equal", *sorted(kind for kind in counts if kind.startswith("improved")), "different"):
        print(f"{kind:45} {counts[kind]}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
