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
from results import Outcome, collect, difference, format_table, log_difference, renamed, with_private_parents

REFERENCE = "NPUSCOPE_REFERENCE_MSACCUCMP"
# NumPy's vector power and logarithm round the last bit as the processor's vector width has it. With them
# switched off the reference uses the C library's functions.
PLAIN_FUNCTIONS = {
    "NPY_DISABLE_CPU_FEATURES": "FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
}
HERE = Path(__file__).resolve()
BIN = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parents[2] / "build/release/bin"))


def run(program, arguments, folder, out, environment=None):
    done = subprocess.run(
        [str(program), "compare", *fill_in(arguments, folder, out)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=folder,
        env={**os.environ, **(environment or {})},
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
    expected: Outcome = None  # the reference's, to which ours was equal


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
        if not difference(ours, theirs, self.texts):
            found = log_difference(ours, theirs)
            return Verdict("different", found) if found else Verdict("equal", expected=theirs)
        if pair.oddity:
            # The reference stops or loses rows here: ours must equal its outcome without the oddity.
            pair.twin.write(folder / "twin")

            def of_twin(out, environment=None):
                return run(self.reference, arguments, folder / "twin", folder / out, environment)

            found = self.verdict(renamed(ours, *pair.rename), of_twin("reference_twin"), of_twin)
            if found.kind == "different":
                return Verdict("different", f"({pair.oddity}, against the twin) {found.text}")
            return Verdict("improved: " + pair.oddity, expected=found.expected)

        def again(out, environment):
            return run(self.reference, arguments, folder, folder / out, environment)

        return self.verdict(ours, theirs, again)

    def verdict(self, ours, theirs, again):
        found = difference(ours, theirs, self.texts)
        if not found:
            return Verdict("equal", expected=theirs)
        private = with_private_parents(theirs, ours)
        if not difference(ours, private, self.texts):
            return Verdict("improved: private parents of a new output folder", expected=private)
        if "RelativeEuclideanDistance" in found or "KullbackLeiblerDivergence" in found:
            plain = again("reference_plain", PLAIN_FUNCTIONS)
            if not difference(ours, plain, self.texts):
                return Verdict("equal without NumPy's vector functions", expected=plain)
        return Verdict("different", found)


def record(judge: Judge, seeds, target: Path):
    """Writes what the reference did (on the twin, where npuscope does better) as test data."""
    target.mkdir(parents=True, exist_ok=True)
    index_file = target / "index.json"
    index = json.loads(index_file.read_text()) if index_file.exists() else []
    index = [entry for entry in index if entry["seed"] not in seeds]
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="differential_") as scratch:
            verdict = judge.judge(seed, Path(scratch))
        if verdict.kind == "different":
            print(f"seed {seed} differs and is not recorded: {verdict.text}", file=sys.stderr)
            continue
        expected = verdict.expected
        files = {}
        for name, rows in expected.tables.items():
            files[name] = f"{seed}_filtered.csv" if "filtered" in name else f"{seed}.csv"
            marked = [row[:-1] + ["reason" if row[-1] else ""] for row in rows[1:]]
            (target / files[name]).write_bytes(format_table(rows[:1] + marked).encode())
        index.append(
            {
                "seed": seed,
                "code": expected.code,
                "options": make_options(seed),
                "kind": verdict.kind,
                "advice": expected.advice and expected.advice[:2],
                "tables": files,
            }
        )
    lines = ",\n".join(json.dumps(entry) for entry in sorted(index, key=lambda entry: entry["seed"]))
    index_file.write_text(f"[\n{lines}\n]\n")


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
    others = sorted(kind for kind in counts if kind not in ("equal", "different"))
    for kind in ("equal", *others, "different"):
        print(f"{kind:45} {counts[kind]}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
