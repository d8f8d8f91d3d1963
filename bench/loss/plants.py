"""What is changed on purpose, and which class of difference that is.

Each entry makes of a golden run the run under test; the truth is told by what was changed.
"""

from __future__ import annotations

import dataclasses
from typing import Callable, Dict, NamedTuple, Optional

import numpy as np
from small_model import Run


class Plant(NamedTuple):
    truth: str
    golden: Dict[str, object]  # what the golden run is set to, beside the setting
    change: Callable[[np.random.Generator], Dict[str, object]]
    any_optimizer: bool = True


def late(rng: np.random.Generator) -> int:
    return int(rng.integers(50, 110))


PLANTS: Dict[str, Plant] = {
    "like": Plant("noise", {}, lambda r: {}),
    "like_2": Plant("noise", {}, lambda r: {}),
    "like_3": Plant("noise", {}, lambda r: {}),
    "lr": Plant("update", {}, lambda r: {"lr": float(r.choice([0.5, 0.7, 1.4, 2.0]))}),
    "seed": Plant("start", {}, lambda r: {"seed_weights": int(r.integers(1000, 9999))}),
    "data_order": Plant("start", {}, lambda r: {"data_seed": int(r.integers(1000, 9999))}),
    "layer_weights": Plant("start", {}, lambda r: {"layer_seed": int(r.integers(1000, 9999))}),
    "no_clipping": Plant("update", {"clip": 0.7, "optimizer": "sgd"}, lambda r: {"clip": 0.0}),
    "accumulate_forward": Plant(
        "start", {"dtype": "float32"}, lambda r: {"accumulate": str(r.choice(["bfloat16", "float16"]))}
    ),
    "accumulate_backward": Plant(
        "update",
        {"dtype": "float32", "optimizer": "sgd"},
        lambda r: {"accumulate_backward": str(r.choice(["bfloat16", "float16"]))},
    ),
    "loss_scale": Plant(
        "update", {"optimizer": "sgd"}, lambda r: {"loss_scale": 64.0, "unscale": False}
    ),
    "skipped_step": Plant("from_step", {}, lambda r: {"skip": late(r)}),
    "late_spike": Plant("spike", {}, lambda r: {"spoil": {late(r): "batch"}}),
    "late_divergence": Plant("divergence", {}, lambda r: {"spoil": {late(r): "rate"}}),
    "late_nan": Plant("nan", {}, lambda r: {"spoil": {late(r): "nan"}}),
    "slow_drift": Plant("drift", {"dtype": "bfloat16"}, lambda r: {"fade": 0.97}),
}


class Pair(NamedTuple):
    golden: Run
    target: Run
    truth: str
    precision: str


def pair_of(name: str, seed: int) -> Pair:
    """Settings of the golden and the changed run: optimizer, rate, dtype, batch vary with the seed."""
    rng = np.random.default_rng([11, seed, sum(name.encode())])
    optimizer = str(rng.choice(["adam", "sgd"]))
    plant = PLANTS[name]
    settings: Dict[str, object] = {
        "seed": seed,
        "optimizer": optimizer,
        "dtype": str(rng.choice(["float32", "bfloat16"])),
        "batch": int(rng.choice([32, 64])),
        "warmup": int(rng.choice([0, 0, 5])),
    }
    settings.update(plant.golden)
    scale = float(rng.uniform(0.7, 1.3))
    settings["lr"] = scale * (3e-3 if settings["optimizer"] == "adam" else 0.05)
    golden = Run(**settings)  # type: ignore[arg-type]
    change = plant.change(rng)
    target = dataclasses.replace(golden, order=int(rng.integers(1, 1000)))
    if "lr" in change:
        change["lr"] = golden.lr * float(change["lr"])  # type: ignore[arg-type]
    if "seed_weights" in change:
        change = {"weights_seed": change["seed_weights"]}
    target = dataclasses.replace(target, **change)  # type: ignore[arg-type]
    return Pair(golden, target, plant.truth, golden.dtype)
