"""What `npuscope loss` says of runs that their projects accepted, beside the 1 % and 2 % rules.

usage: accepted.py NPUSCOPE FOLDER [--any-start] [--show CLASS]

FOLDER holds checkouts of Megatron-LM, MindSpeed-LLM and torchtitan, or some of them. Files of one test case
(another GPU, another version) are pairs; baselines of MindSpeed-LLM of one name are too. Torchtitan's files are
named after their model and GPU.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import re
import subprocess
from pathlib import Path
from typing import Dict, List, Tuple


def groups_of(root: Path) -> Dict[str, Dict[str, List[Path]]]:
    """project -> test case -> its files."""
    found: Dict[str, Dict[str, List[Path]]] = collections.defaultdict(
        lambda: collections.defaultdict(list)
    )
    for path in sorted(root.rglob("*.json")):
        if path.name.startswith("golden_values"):
            found["Megatron-LM"][str(path.parent)].append(path)
        elif path.parent.name in ("baseline", "baseline_results"):
            found["MindSpeed-LLM"][path.name].append(path)
    for path in sorted(root.rglob("*/losses/*.txt")):
        found["torchtitan"][path.name.split("_cuda")[0].split("_rocm")[0]].append(path)
    return found


def answers(program: str, files: List[Path], options: List[str]) -> Tuple[int, str, dict]:
    done = subprocess.run(
        [program, "loss", "--json", *options, *map(str, files)], capture_output=True, text=True
    )
    return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else {}


def is_loss_file(path: Path) -> bool:
    return path.suffix == ".txt" or bool(re.search(r'"\w* ?loss" *: *[\[{]', path.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--any-start", action="store_true")
    parser.add_argument("--show", default="")
    arguments = parser.parse_args()
    options = ["--any-start"] if arguments.any_start else []
    for project, cases in groups_of(arguments.folder).items():
        read, refused, without = [], [], []
        for files in cases.values():
            for path in files:
                code, error, _ = answers(arguments.program, [path, path], [])
                if code == 0:
                    read.append(path)
                else:
                    (refused if is_loss_file(path) else without).append(f"{path}: {error.strip()}")
        print(f"{project}: {len(read)} files read, {len(without)} hold no loss, {len(refused)} refused")
        for line in refused:
            print("  refused:", line)
        classes: Dict[str, List[float]] = collections.defaultdict(list)
        nothing_common = 0
        for files in cases.values():
            files = [path for path in files if path in read]
            for i, golden in enumerate(files):
                for target in files[i + 1 :]:
                    code, error, answer = answers(arguments.program, [golden, target], options)
                    if code == 2:
                        nothing_common += 1
                        continue
                    verdict = answer["targets"][0]
                    classes[verdict["class"]].append(verdict["mean_relative_error"])
                    if arguments.show == verdict["class"]:
                        print(f"  {golden} {target.name}: {verdict['headline']}")
        pairs = sum(map(len, classes.values()))
        if not pairs:
            continue
        errors = [error for of_class in classes.values() for error in of_class]
        print(f"  {pairs} pairs ({nothing_common} without a common step)")
        for rule in (0.01, 0.02):
            beyond = sum(1 for error in errors if not math.isfinite(float(error)) or error > rule)
            print(f"  mean relative error > {100 * rule:g} %: {100 * beyond / pairs:5.1f} %")
        for kind, of_class in sorted(classes.items(), key=lambda item: -len(item[1])):
            print(f"  {kind:12} {len(of_class):5} {100 * len(of_class) / pairs:5.1f} %")


if __name__ == "__main__":
    main()
