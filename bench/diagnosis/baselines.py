"""What simpler rules accuse first: the first op whose output breaks the rule.

Ops are paired by name and by their turn among ops of that name. Outputs that one side lacks, or of other shapes, are passed over.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterator, Optional, Tuple

import h5py
import numpy as np

Rule = Callable[[np.ndarray, np.ndarray, bool], bool]


def _cosine(t: np.ndarray, g: np.ndarray) -> float:
    size = float(np.sqrt((t * t).sum()) * np.sqrt((g * g).sum()))
    if size == 0:
        return 1.0 if np.array_equal(t, g) else 0.0
    return float((t * g).sum()) / size


def cosine(t: np.ndarray, g: np.ndarray, half: bool) -> bool:
    return not _cosine(t, g) >= 0.99


def msprobe(t: np.ndarray, g: np.ndarray, half: bool) -> bool:
    """First stage of its pre-check: cosine, then 0.001 absolute, then the share beyond 1 % (float16) or 0.1 %."""
    if not _cosine(t, g) > 0.99:
        return True
    d = np.abs(t - g)
    if not d.size or d.max() < 0.001:
        return False
    band = 0.01 if half else 0.001
    return bool((d > band * np.abs(g)).mean() > band)


def polygraphy(t: np.ndarray, g: np.ndarray, half: bool) -> bool:
    """An element beyond 1e-5, absolute and relative."""
    d = np.abs(t - g)
    return bool((~((d <= 1e-5) | (d <= 1e-5 * np.abs(g)))).any())


RULES: Dict[str, Rule] = {"cosine < 0.99": cosine, "msprobe": msprobe, "Polygraphy": polygraphy}


def _runs(file: h5py.File) -> Iterator[Tuple[str, int, h5py.Group]]:
    """(op, turn, group) in the order they ran."""
    turns: Dict[str, int] = {}
    for seqid, op in sorted((int(s), op) for op in file for s in file[op]):
        turns[op] = turns.get(op, -1) + 1
        yield op, turns[op], file[op][str(seqid)]


def _outputs(group: h5py.Group) -> Dict[str, h5py.Dataset]:
    rows = {}
    for name, item in group.get("output", {}).items():
        if isinstance(item, h5py.Dataset):
            rows[name] = item
    return rows


def first_failures(folder: Path) -> Dict[str, Optional[str]]:
    """Rule -> path of the first op of the target that breaks it, or None."""
    found: Dict[str, Optional[str]] = {name: None for name in RULES}
    with h5py.File(folder / "target.h5", "r") as target, h5py.File(folder / "golden.h5", "r") as golden:
        partners = {(op, turn): group for op, turn, group in _runs(golden)}
        for op, turn, group in _runs(target):
            partner = partners.get((op, turn))
            theirs = {} if partner is None else _outputs(partner)
            for name, dataset in _outputs(group).items():
                if name not in theirs or theirs[name].shape != dataset.shape or dataset.dtype.kind != "f":
                    continue
                t, g = dataset[()].astype("f8").ravel(), theirs[name][()].astype("f8").ravel()
                half = dataset.attrs.get("DataType") == 10 or "StoredFrom" in dataset.attrs
                with np.errstate(all="ignore"):
                    for rule, breaks in RULES.items():
                        if found[rule] is None and breaks(t, g, half):
                            found[rule] = group.name
            if all(path is not None for path in found.values()):
                break
    return found


# Named standards as the program itself applies them; those that compute ops take longer.
STANDARDS = {"cann-L0": "exact", "cann-L1": "exact", "cann-L2": "exact", "cann-community": "exact", "msprobe": "off", "polygraphy": "off", "torch": "off"}


def first_by_standards(binary: str, folder: Path, patience: float) -> Dict[str, Optional[str]]:
    """Standard -> path of the first op of the target that it fails, or None; the golden stands in for a third chip."""
    found: Dict[str, Optional[str]] = {}
    for name, judge in STANDARDS.items():
        words = [binary, "compare", "-q", "-m", str(folder / "target.h5"), "-g", str(folder / "golden.h5"), "--json"]
        words += ["--threads", "1", "--judge", judge, "--standard", name]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=patience)
        found[f"standard {name}"] = json.loads(done.stdout)["standard"]["first"]
    return found
