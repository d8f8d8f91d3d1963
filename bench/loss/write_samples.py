"""Writes data/loss: one pair of logs of some planted changes, named after the change.

usage: write_samples.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from classes import FORMS
from plants import pair_of
from small_model import train

# change -> seed, form of the log (0: Megatron's stdout, 1: torchtitan's, 2: CSV)
SAMPLES = {
    "like": (1, 1),
    "lr": (3, 2),
    "data_order": (1, 2),
    "layer_weights": (1, 1),
    "no_clipping": (1, 2),
    "skipped_step": (1, 0),
    "late_spike": (3, 1),
    "late_divergence": (1, 2),
    "late_nan": (1, 0),
    "slow_drift": (1, 2),
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    lines = []
    for name, (seed, form) in SAMPLES.items():
        pair = pair_of(name, seed)
        for side, run in (("golden", pair.golden), ("target", pair.target)):
            with np.errstate(all="ignore"):
                rows = train(run)
            (folder / f"{name}.{side}.log").write_text(FORMS[form](rows, run.steps))
        lines.append(f"{name} {pair.truth} {pair.precision}\n")
    (folder / "truth.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
