"""Measures `npuscope loss` on pairs of small runs with planted changes: the share of right classes.

usage: classes.py NPUSCOPE CACHE [--seeds N] [--workers N] [--show]

Thresholds were set on even seeds; odd seeds are reported apart. Curves are kept in CACHE.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np
from plants import PLANTS, pair_of
from small_model import Run, train


def megatron(rows: List[Dict[str, float]], steps: int) -> str:
    lines = []
    for row in rows:
        lines.append(
            f" [2024-08-01 12:00:00] iteration {row['step']:8d}/{steps:8d} | consumed samples: "
            f"{64 * row['step']:12d} | elapsed time per iteration (ms): 12.3 | learning rate: "
            f"{row['lr']:.6E} | global batch size:    64 | lm loss: {row['loss']:.6E} | loss scale: "
            f"1.0 | grad norm: {row['grad_norm']:.3f} | number of skipped iterations:   0 | number "
            "of nan iterations:   0 |\n"
        )
    return "".join(lines)


def torchtitan(rows: List[Dict[str, float]], steps: int) -> str:
    return "".join(
        f"[rank0]:[titan] 2024-08-01 12:00:00,123 - root - INFO - step: {row['step']:2d}  loss: "
        f"{row['loss']:7.5f}  grad_norm: {row['grad_norm']:7.4f}  memory:  0.50GiB(1.0%)  tps: 99\n"
        for row in rows
    )


def table(rows: List[Dict[str, float]], steps: int) -> str:
    return "step,loss\n" + "".join(f"{row['step']},{row['loss']:.4f}\n" for row in rows)


FORMS = (megatron, torchtitan, table)


def write(path: Path, run: Run, form: int) -> None:
    if path.exists():
        return
    with np.errstate(all="ignore"):
        rows = train(run)
    path.write_text(FORMS[form](rows, run.steps))


def make(job: Tuple[str, int, str]) -> Tuple[str, int]:
    name, seed, cache = job
    pair = pair_of(name, seed)
    folder = Path(cache) / f"{name}_{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    # What is small is printed with all its digits.
    form = 0 if name.startswith("accumulate") else seed // 2 % 3
    write(folder / "golden.log", pair.golden, form)
    write(folder / "target.log", pair.target, form)
    return name, seed


def judge(program: str, cache: str, name: str, seed: int) -> Dict[str, object]:
    pair = pair_of(name, seed)
    folder = Path(cache) / f"{name}_{seed}"
    done = subprocess.run(
        [program, "loss", "--json", "--precision", pair.precision]
        + [str(folder / "golden.log"), str(folder / "target.log")],
        capture_output=True,
        text=True,
    )
    if done.returncode == 2:
        return {"class": "error", "finding": True, "headline": done.stderr}
    return json.loads(done.stdout)["targets"][0]


def right(truth: str, found: str) -> bool:
    return found == truth or (truth == "noise" and found == "identical")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cache")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="the wrong ones of even seeds")
    arguments = parser.parse_args()
    jobs = [(name, seed, arguments.cache) for seed in range(arguments.seeds) for name in PLANTS]
    with ProcessPoolExecutor(arguments.workers) as pool:
        done = list(pool.map(make, jobs, chunksize=4))
    counts: Dict[Tuple[str, int], collections.Counter] = collections.defaultdict(collections.Counter)
    for name, seed in done:
        answer = judge(arguments.program, arguments.cache, name, seed)
        counts[name, seed % 2][str(answer["class"])] += 1
        if arguments.show and seed % 2 == 0 and not right(PLANTS[name].truth, str(answer["class"])):
            print(f"{name}_{seed}: {answer['class']}: {answer['headline']}")
    for parity, title in ((0, "even seeds (tuned on)"), (1, "odd seeds (held out)")):
        print(title)
        total = hits = like = accused = 0
        for name, plant in PLANTS.items():
            found = counts[name, parity]
            good = sum(n for kind, n in found.items() if right(plant.truth, kind))
            total += sum(found.values())
            hits += good
            if plant.truth == "noise":
                like += sum(found.values())
                accused += sum(found.values()) - good
            print(f"  {name:20} {plant.truth:10} {good:3}/{sum(found.values()):3} {dict(found)}")
        print(f"  right {hits} of {total} = {100 * hits / total:.1f} %; like runs accused {accused} of {like}")


if __name__ == "__main__":
    main()
