#!/usr/bin/python3
"""How often `npuscope compare` names the planted fault first, and how often it accuses a clean target.

    bench/diagnosis/score.py --seeds 0:3200 --parity even [--binary build/release/bin/npuscope] [--variant "as is"]
        [--jobs 2] [--cache build/diagnosis] [--baselines] [--standards] [--markdown] [--faulty | --clean] [--kind NAME] [--alone]
    bench/diagnosis/score.py --only SEED [--variant …] --keep DIR

Even seeds are for tuning, odd ones for reports; three of eight are faulty, so 0:3200 of one parity is 600 faulty and
1000 clean pairs. Pairs are made once and kept below the cache (2 GB) until the generator changes. Each miss and false alarm is listed
with its seed; `--only SEED --keep DIR` writes that pair with what the program said. Needs Debian's python3-torch and python3-h5py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import baselines
import tables
import torch

from diagnosis import answers, pairs
from diagnosis.truth import Truth, read_truth


_PATIENCE = 120.0  # seconds for one comparison


def forget_older(cache: Path, current: str) -> None:
    """Removes the pairs of other versions of the generator."""
    for folder in cache.glob("[0-9a-f]" * len(current)):
        if folder.name != current and folder.is_dir():
            shutil.rmtree(folder)


def generator_text() -> str:
    """Names the pairs that this version of the generator makes."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "tests" / "diagnosis").glob("*.py")):
        if not path.name.endswith(("_test.py", "answers.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def made(seed: int, variant: str, cache: Path) -> Tuple[Path, Optional[Truth]]:
    """The pair's folder and its truth; None where the variant cannot show the fault."""
    folder = cache / variant.replace(" ", "_") / str(seed)
    note = folder / "truth.json"
    if not note.exists():
        if pairs.make(seed, folder, variant) is None:
            folder.mkdir(parents=True, exist_ok=True)
            note.write_text("null")
    return folder, read_truth(folder)


def question(folder: Path, alone: bool) -> List[str]:
    """What the program is asked of a pair, or of its target alone."""
    target = str(folder / "target.h5")
    return ["recompute", target] if alone else ["compare", "-m", target, "-g", str(folder / "golden.h5")]


def asked(binary: str, folder: Path, alone: bool) -> Tuple[int, Dict[str, Any], float, str]:
    """Exit code, JSON, seconds and the text of errors of the program; -1 when it does not end."""
    start = time.time()
    words = [binary, *question(folder, alone), "-q", "--json", *([] if alone else ["--threads", "1"])]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return -1, {}, _PATIENCE, f"did not end within {_PATIENCE} s"
    seconds = time.time() - start
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {}
    return done.returncode, report, seconds, done.stderr[-300:]


def scored(task: Tuple[int, str, str, Path, bool, bool, bool]) -> Optional[Dict[str, Any]]:
    seed, variant, binary, cache, with_baselines, with_standards, alone = task
    torch.set_num_threads(1)
    start = time.time()
    try:
        folder, truth = made(seed, variant, cache)
    except Exception as error:  # one bad seed is told of, and does not end the others
        print(f"seed {seed} was not made: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    if truth is None or (alone and truth.kind and truth.group != "op"):
        return None
    making = time.time() - start
    code, report, seconds, errors = asked(binary, folder, alone)
    ranked = report.get("culprits") or []
    first = report.get("first_culprit") or next(iter(ranked), None)
    ranked = ranked or ([first] if first else [])
    row = {
        **truth._asdict(),
        "code": code,
        "culprit": first,
        "right": answers.is_right(truth, first),
        "in_three": any(answers.is_right(truth, c) for c in ranked[:3]),
        "accused": answers.is_accused(code, report),
        "argument_named": answers.names_argument(truth, first),
        "tensor_named": answers.names_tensor(first),
        "errors": errors if code not in (0, 1, 2) or not report else "",
        "making": making,
        "seconds": seconds,
    }
    if with_baselines or with_standards:
        first_failures = baselines.first_failures(folder) if with_baselines else {}
        if with_standards:
            first_failures.update(baselines.first_by_standards(binary, folder, _PATIENCE))
        row["baselines"] = {
            name: {"accused": path is not None, "right": path is not None and path in truth.paths}
            for name, path in first_failures.items()
        }
    return row


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="scores npuscope compare on planted faults")
    parser.add_argument("--seeds", default="0:320", help="first:end")
    parser.add_argument("--parity", choices=["even", "odd", "both"], default="both")
    parser.add_argument("--only", type=int, help="one seed")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/npuscope"))
    parser.add_argument("--variant", choices=pairs.VARIANTS, default="as is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cache", type=Path, default=ROOT / "build/diagnosis")
    parser.add_argument("--keep", type=Path, help="with --only: folder for the pair and what the program said")
    parser.add_argument("--faulty", action="store_true")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--kind", help="only this kind of fault")
    parser.add_argument("--baselines", action="store_true")
    parser.add_argument("--standards", action="store_true", help="what the named standards say first")
    parser.add_argument("--alone", action="store_true", help="what recompute says of the target alone; faults of ops only")
    parser.add_argument("--markdown", action="store_true", help="tables for a document")
    parser.add_argument("--rows", type=Path, help="file for all rows, as JSON")
    return parser.parse_args()


def seeds_of(options: argparse.Namespace) -> List[int]:
    if options.only is not None:
        return [options.only]
    first, end = (int(word) for word in options.seeds.split(":"))
    rows = [s for s in range(first, end) if options.parity == "both" or s % 2 == (options.parity == "odd")]
    if options.faulty or options.kind:
        rows = [s for s in rows if pairs.is_faulty(s)]
    if options.clean:
        rows = [s for s in rows if not pairs.is_faulty(s)]
    if options.kind:
        rows = [s for s in rows if pairs.fault_of(s) == options.kind]
    return rows


def keep(row: Dict[str, Any], binary: str, cache: Path, variant: str, folder: Path, alone: bool) -> None:
    source, _ = made(row["seed"], variant, cache)
    shutil.copytree(source, folder, dirs_exist_ok=True)
    words = [binary, *question(folder, alone)]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    (folder / "said.txt").write_text(said.stdout + said.stderr)
    (folder / "row.json").write_text(json.dumps(row, indent=1))
    print(json.dumps(row, indent=1))
    print(" ".join(words))


def main() -> None:
    options = parsed()
    os.environ.setdefault("NPUSCOPE_BIN_DIR", str(Path(options.binary).resolve().parent))
    version = generator_text()
    forget_older(options.cache, version)
    cache = options.cache / version
    how = (options.variant, options.binary, cache, options.baselines, options.standards, options.alone)
    tasks = [(s, *how) for s in seeds_of(options)]
    start = time.time()
    with multiprocessing.Pool(options.jobs) as pool:
        found = list(pool.imap(scored, tasks, chunksize=4))
    rows = [row for row in found if row is not None]
    if options.only is not None and rows and options.keep:
        keep(rows[0], options.binary, cache, options.variant, options.keep, options.alone)
        return
    if options.rows:
        options.rows.write_text(json.dumps(rows))
    print(tables.report(rows, options.variant, options.markdown))
    print(f"{len(rows)} pairs, {len(found) - len(rows)} not shown by this variant, {time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
