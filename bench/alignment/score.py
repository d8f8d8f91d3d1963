#!/usr/bin/python3
"""Scores `npuscope compare --align` on pairs whose truth is known, and what others pair by, on the same pairs.

bench/alignment/score.py [COUNT [FIRST]]; the build's bin folder in NPUSCOPE_BIN_DIR. Prints a line a pair that is not
right as a whole, and totals: target tensors that have a partner, the share that is paired right, pairs that are wrong.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "alignment"))

from pairs import Pair, make_pair, score, tensors_of  # noqa: E402

NPUSCOPE = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parent.parent / "build/release/bin")) / "npuscope"


def by_relations(folder: Path):
    mapping = folder / "mapping.json"
    mapping.unlink(missing_ok=True)
    if "NPUSCOPE_RELATE" in os.environ:  # the engine alone
        program = [os.environ["NPUSCOPE_RELATE"], folder / "target.h5", folder / "golden.h5", mapping]
        subprocess.run(program, capture_output=True, check=True)
        return [(each["target"], each["golden"], each) for each in json.loads(mapping.read_text())["tensors"]]
    words = ["compare", "-q", "--align", "--judge", "off", "--mapping-out", mapping]
    done = subprocess.run(
        [NPUSCOPE, *words, "-m", folder / "target.h5", "-g", folder / "golden.h5"], capture_output=True, text=True, check=False
    )
    if not mapping.exists():
        print(done.stdout[-500:], done.stderr[-500:])
        return []
    return [(each["target"], each["golden"], each) for each in json.loads(mapping.read_text())["tensors"]]


def by_names(pair: Pair):
    """The k-th run of an op with the k-th of that name, arguments by name."""
    places = {}
    runs = {}
    for path, _, _ in tensors_of(pair.golden_records):
        _, op, number, rest = path.split("/", 3)
        order = runs.setdefault(op, [])
        if number not in order:
            order.append(number)
        places[(op, order.index(number), rest)] = path
    runs = {}
    found = []
    for path, _, _ in tensors_of(pair.target_records):
        _, op, number, rest = path.split("/", 3)
        order = runs.setdefault(op, [])
        if number not in order:
            order.append(number)
        other = places.get((op, order.index(number), rest))
        if other:
            found.append((path, other))
    return found


def by_norm(pair: Pair):
    """Equal shape, nearest L1 norm within a hundredth, each once, in order."""
    golden = [(path, array.shape, float(np.abs(array).sum())) for path, array, _ in tensors_of(pair.golden_records)]
    taken = set()
    found = []
    for path, array, _ in tensors_of(pair.target_records):
        norm = float(np.abs(array).sum())
        near = [(abs(n - norm), p) for p, shape, n in golden if shape == array.shape and p not in taken]
        near = [each for each in near if each[0] <= 0.01 * norm]
        if near:
            other = min(near)[1]
            taken.add(other)
            found.append((path, other))
    return found


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    totals = {}
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            pair = make_pair(seed, folder)
            relations = by_relations(folder)
            for method, found in (
                ("relations", [each[:2] for each in relations]),
                ("names", by_names(pair)),
                ("shape and L1", by_norm(pair)),
            ):
                result = score(pair, found)
                total = totals.setdefault(method, [0, 0, 0, 0])
                for i, number in enumerate((result.partners, result.right, result.wrong, result.said)):
                    total[i] += number
                if method == "relations" and (result.wrong or result.right < result.partners):
                    print(f"{seed} {pair.kind}, {pair.fault}: {result.right}/{result.partners}, {result.wrong} wrong", flush=True)
                    if os.environ.get("SHOW"):
                        about = {each[0]: each[2] for each in relations}
                        for mine, theirs in result.wrong_pairs:
                            entry = about[mine]
                            print("   wrong", mine, sorted(pair.target.get(mine, [])), theirs, sorted(pair.golden.get(theirs, [])))
                            print("        ", entry["relation"], entry["by"], entry["distance"], entry.get("text"))
                        for path in result.missed:
                            print("   missed", path, sorted(pair.target[path]))
    for method, (partners, right, wrong, said) in totals.items():
        print(f"{method:14} {right}/{partners} = {right / partners:.2%} right, {wrong}/{said} = {wrong / max(1, said):.2%} wrong")


if __name__ == "__main__":
    main()
