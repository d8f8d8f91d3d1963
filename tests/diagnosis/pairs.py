"""Pairs (golden.h5, target.h5, truth) by seed.

    python3 tests/diagnosis/pairs.py SEED FOLDER [VARIANT]

Three pairs of eight are faulty; seeds 2n and 2n+1 have the same kind of fault, drawn apart otherwise. Variants of a pair
have the same fault: "as is"; "split" (the target has mm and add for addmm, and records casts); "outputs" (the target has no
inputs); "load" (each op of the target ran on the golden's inputs; None for faults that this cannot show); "forward" (the
recordings end before the backward pass; None for faults behind it, and for a GPU's recording); "reordered" (independent ops of
the target ran in another order); "casts" (the target runs in mixed precision and records its casts, the golden in float32).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import torch

from diagnosis.another_order import in_another_order
from diagnosis.argument_faults import EDITS
from diagnosis.digits import RECORDING
from diagnosis.dump_file import Style, write_dump
from diagnosis.given_faults import ON_PROGRAMS, ON_TENSORS
from diagnosis.plants import NotApplicable, NotEffective
from diagnosis.recording import Run, forward_runs
from diagnosis.scene import FAULTS, Draft, Scene
from diagnosis.truth import Truth

VARIANTS = ("as is", "split", "outputs", "load", "forward", "reordered", "casts")
# How many places later an op may run, of a target in another order.
_WINDOWS = (1.5, 2.5, 5.0)
_ATTEMPTS = 60
# So often a fault that is plain to see is drawn again where a barely visible one is wanted.
_FOR_FAINT = 8


def is_faulty(seed: int) -> bool:
    return (seed // 2) % 8 < 3


def fault_of(seed: int) -> Optional[str]:
    half = seed // 2
    return FAULTS[(half // 8 * 3 + half % 8) % len(FAULTS)] if is_faulty(seed) else None


def make(seed: int, folder: Path, variant: str = "as is") -> Optional[Truth]:
    """Writes the pair into the folder; None where the variant cannot show the fault."""
    kind = fault_of(seed)
    discarded = 0
    if variant == "load" and (kind in ON_TENSORS or kind in ON_PROGRAMS or EDITS.get(kind, (None, False))[1]):
        return None
    for attempt in range(_ATTEMPTS):
        scene = Scene(seed, attempt, variant)
        try:
            draft = scene.draw(kind)
        except NotApplicable:
            continue
        except NotEffective:
            discarded += 1
            continue
        if scene.faint and draft.found.get("gross") and attempt < _FOR_FAINT:
            continue
        break
    else:
        return None
    if variant == "forward":
        draft = None if scene.on_gpu else forward_part(draft)
        if draft is None:
            return None
    if variant == "reordered":
        draft = in_disorder(draft, np.random.default_rng(scene.seed + [5]))
    _write(scene, draft, folder)
    found = {"group": "", "paths": [], "golden_paths": [], "ratio": 0.0, "gross": False, "where": "", "argument": "",
             "tensors": [], **draft.found}
    name = scene.model + (" mixed" if scene.low is not None else "")
    truth = Truth(seed=seed, variant=variant, kind=kind or "", model=name, arithmetic=scene.arithmetic.name,
                  discarded=discarded, **found)
    (folder / "truth.json").write_text(json.dumps(truth._asdict()))
    return truth


def forward_part(draft: Draft) -> Optional[Draft]:
    """Both runs up to the loss; None where the fault lies behind it."""
    golden, target = forward_runs(draft.golden), forward_runs(draft.target)
    found = dict(draft.found)
    for key, runs in (("paths", target), ("golden_paths", golden)):
        known = {run.path for run in runs}
        found[key] = [path for path in found.get(key, []) if path in known]
    if draft.found and not found["paths"] and not found["golden_paths"]:
        return None
    return Draft(golden, target, found)


def in_disorder(draft: Draft, rng: np.random.Generator) -> Draft:
    """The target in another order, as is the truth about it."""
    target, moved = in_another_order(draft.target, float(rng.choice(_WINDOWS)), rng)
    paths = [moved.get(path, path) for path in draft.found.get("paths", [])]
    return draft._replace(target=target, found={**draft.found, "paths": paths})


def _write(scene: Scene, draft: Draft, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(scene.seed + [4])
    golden = Style(device=int(rng.choice([0, 1])), shared=bool(rng.random() < 0.6))
    target = Style(device=int(rng.choice([0, 10])), shared=bool(rng.random() < 0.6),
                   inputs=scene.variant not in ("outputs", "load"))
    if rng.random() < 0.1:
        golden, target = (style._replace(version=True, facts=lambda r: {"module": r.tag, "thread": 1, "step": 0})
                          for style in (golden, target))
    if scene.on_gpu:
        shutil.copyfile(RECORDING, folder / "golden.h5")
    else:
        write_dump(str(folder / "golden.h5"), draft.golden, golden)
    write_dump(str(folder / "target.h5"), draft.target, target)


def main() -> None:
    torch.set_num_threads(1)
    seed, folder = int(sys.argv[1]), Path(sys.argv[2])
    truth = make(seed, folder, sys.argv[3] if len(sys.argv) > 3 else "as is")
    print(json.dumps(truth._asdict() if truth else None, indent=1))


if __name__ == "__main__":
    main()
