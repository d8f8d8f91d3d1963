#!/usr/bin/python3
"""Scores `npuscope compare --align` on pairs whose truth is known, and what others pair by, on the same pairs.

The build's bin folder in NPUSCOPE_BIN_DIR. Prints a line a pair that is not right as a whole (with --show its tensors), and
a table: target tensors that have a partner, the share that is paired right, the share of pairs that is wrong, by what
pairs them, by network, by change and by fault; how often the first culprit is the op with the fault (and on its rank), and
how many pairs without fault are accused.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Dict, List

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tests" / "alignment"))

from pairs import Pair, first_culprit, make_pair, misplaced_shards, paths_of, score  # noqa: E402

NPUSCOPE = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parent.parent / "build/release/bin")) / "npuscope"


def compared(pair: Pair, *words) -> subprocess.CompletedProcess:
    sides = ("-m", pair.target_file, "-g", pair.golden_file)
    return subprocess.run([NPUSCOPE, "compare", "-q", "--align", *words, *sides], capture_output=True, text=True, check=False)


def by_relations(pair: Pair, folder: Path) -> List[dict]:
    mapping = folder / "mapping.json"
    done = compared(pair, "--judge", "off", "--mapping-out", mapping)
    if not mapping.exists():
        sys.exit(f"no mapping was written: {done.stderr[-500:]}")
    return json.loads(mapping.read_text())["tensors"]


def runs_of(path: str, runs: Dict[str, List[str]]):
    """The op, the how manieth run of it, and the argument."""
    rank, op, number, rest = path.split("/", 3)
    order = runs.setdefault(rank + op, [])
    if number not in order:
        order.append(number)
    return op, order.index(number), rest


def by_names(pair: Pair):
    """The k-th run of an op with the k-th of that name, arguments by name."""
    runs: Dict[str, List[str]] = {}
    places = {runs_of(path, runs): path for path, _, _ in pair.golden_elements}
    runs = {}
    found = [(path, places.get(runs_of(path, runs))) for path, _, _ in pair.target_elements]
    return [each for each in found if each[1]]


def by_norm(pair: Pair):
    """Equal shape, nearest L1 norm within a hundredth, each once, in order."""
    golden = [(path, array.shape, float(np.abs(array).sum())) for path, array, _ in pair.golden_elements]
    taken = set()
    found = []
    for path, array, _ in pair.target_elements:
        norm = float(np.abs(array).sum())
        near = [(abs(n - norm), p) for p, shape, n in golden if shape == array.shape and p not in taken]
        near = [each for each in near if each[0] <= 0.01 * norm]
        if near:
            other = min(near)[1]
            taken.add(other)
            found.append((path, other))
    return found


def scored(seed: int) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pair = make_pair(seed, folder)
        entries = by_relations(pair, folder)
        found = [each for entry in entries for each in paths_of(entry)]
        results = {
            "relations": score(pair, found, misplaced_shards(pair, entries)),
            "names": score(pair, by_names(pair)),
            "shape and L1": score(pair, by_norm(pair)),
        }
        about = {entry["target"]: entry for entry in entries}
        mine = results["relations"]
        lines = []
        for target, golden in mine.wrong_pairs:
            entry = about.get(target, {})
            words = [str(entry.get(key)) for key in ("relation", "by", "distance", "text")]
            lines.append(f"   wrong {target} {sorted(pair.target[target])} {golden} {sorted(pair.golden[golden])} {' '.join(words)}")
        lines += [f"   missed {path} {sorted(pair.target[path])}" for path in mine.missed]
        _, named, on_rank = first_culprit(pair, NPUSCOPE)
        accused = first_culprit(make_pair(seed, folder, faulty=False), NPUSCOPE)[0]
        groups = [pair.kind + (" on ranks" if pair.faulty_rank else ""), *pair.changes, "fault: " + pair.fault.split()[0]]
        return {
            "seed": seed,
            "title": f"{pair.kind}, {pair.fault} {pair.faulty_rank}".rstrip(),
            "groups": groups,
            "numbers": {method: (r.partners, r.right, r.said, r.wrong) for method, r in results.items()},
            "rank": on_rank if pair.faulty_rank else None,
            "named": named,
            "accused": accused,
            "lines": lines,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:300", help="FIRST:END")
    parser.add_argument("--parity", choices=("even", "odd", "all"), default="all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="the tensors of pairs that are not right")
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    options = parser.parse_args()
    first, end = map(int, options.seeds.split(":"))
    seeds = [seed for seed in range(first, end) if options.parity == "all" or (seed % 2 == 0) == (options.parity == "even")]
    rows: Dict[str, np.ndarray] = {}
    ranks = []
    named = accused = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for each in pool.map(scored, seeds):
            partners, right, _, wrong = each["numbers"]["relations"]
            if (wrong or right < partners) and not options.json:
                print(f"{each['seed']} {each['title']}: {right}/{partners}, {wrong} wrong", flush=True)
                if options.show:
                    print("\n".join(each["lines"]))
            for method, numbers in each["numbers"].items():
                rows[method] = rows.get(method, 0) + np.array(numbers)
            for group in each["groups"]:
                rows[group] = rows.get(group, 0) + np.array(each["numbers"]["relations"])
            named += each["named"]
            accused += bool(each["accused"])
            if options.show and not each["named"]:
                print(f"   {each['seed']} {each['title']}: the culprit is another")
            if options.show and each["accused"]:
                print(f"   {each['seed']} without fault: {each['accused']} is accused")
            if each["rank"] is not None:
                ranks.append(each["rank"])
    methods = ("relations", "names", "shape and L1")
    order = [*methods, *sorted(set(rows) - set(methods))]
    table = [
        {"of": name, "partners": int(p), "right": int(r), "pairs": int(s), "wrong": int(w)}
        for name, (p, r, s, w) in ((name, rows[name]) for name in order)
    ]
    if options.json:
        counts = {"pairs": len(seeds), "named": named, "accused": accused, "sharded": len(ranks), "rank_named": sum(ranks)}
        print(json.dumps({"table": table, **counts}, indent=1))
        return
    for row in table:
        right, wrong = row["right"] / max(1, row["partners"]), row["wrong"] / max(1, row["pairs"])
        print(f"{row['of']:18} {row['right']:6}/{row['partners']:6} {right:8.2%} right  {row['wrong']:5}/{row['pairs']:6} {wrong:7.2%} wrong")
    print(f"the first culprit is the op with the fault: {named} of {len(seeds)} pairs; accused without fault: {accused} of {len(seeds)}")
    if ranks:
        print(f"the first culprit is on the wrong rank: {sum(ranks)} of {len(ranks)} sharded targets")


if __name__ == "__main__":
    main()
