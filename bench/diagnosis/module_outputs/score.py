#!/usr/bin/python3
"""Scores `npuscope compare` on what forward hooks record: names of modules and their results, in a file of arrays.

    NPUSCOPE_BIN_DIR=build/release/bin bench/diagnosis/module_outputs/score.py --seeds 0:200 [--rows build/rows.jsonl]

The golden is in float32; the target computes in one of several ways and has, of odd seeds, a fault in one module. Its error
there has to be 4 times that of the same target without the fault, in the Euclidean norm; it is gross from 16 times. Files are
.npz or .pt, with 16-bit results as they are or as float32. Needs python3-torch.
"""

import os
import random
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor, nn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(1, str(HERE.parent / "torch_programs"))
sys.path.append(str(HERE.parent))

from faults import OF_PARAMETER, OF_RESULT  # noqa: E402
from networks import WAYS, scene_of  # noqa: E402
from scored_seeds import compared, parser_of, print_shares, rows_of  # noqa: E402

NPUSCOPE = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parents[2] / "build/release/bin")) / "npuscope"
COUNTS, GROSS, LEAST = 4.0, 16.0, 3e-5
Results = Dict[str, Tensor]


def other_constants(module: nn.Module) -> bool:
    """Another eps, another activation, statistics of an older step."""
    if isinstance(module, nn.GELU):
        module.approximate = "tanh"
    elif isinstance(module, nn.BatchNorm2d) and not module.training:
        module.running_mean.mul_(0.8)
    elif isinstance(module, (nn.LayerNorm, nn.GroupNorm, nn.BatchNorm2d)):
        module.eps = 1e-2
    elif isinstance(module, (nn.Linear, nn.Conv2d)) and module.bias is not None:
        module.bias.zero_()
    else:
        return False
    return True


def run(seed: int, way: str, name: str = "", fault: Optional[Callable[[nn.Module], Any]] = None) -> Results:
    """`fault` gets the module of that name; what it returns, if anything, is called with each of its results."""
    scene = scene_of(seed)
    results: Results = {}
    of_result = None
    with torch.no_grad():
        if fault:
            of_result = fault(dict(scene.model.named_modules())[name])

        def hook_of(own: str) -> Callable:
            def hook(module: nn.Module, inputs: Any, result: Tensor) -> Tensor:
                compute = WAYS[way]
                if compute and isinstance(module, (nn.Linear, nn.Conv2d)):
                    result = compute(module, inputs[0])
                if callable(of_result) and own == name:
                    result = of_result(result)
                if way == "fp16 throughout":
                    result = result.to(torch.float16).to(result.dtype)
                results[own] = result.clone()
                return result

            return hook

        for own, module in scene.model.named_modules():
            if own and not isinstance(module, nn.ModuleList):
                module.register_forward_hook(hook_of(own))
        x = scene.x
        if way == "bf16 throughout":
            scene.model.to(torch.bfloat16)
            x = x.to(torch.bfloat16) if x.is_floating_point() else x
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=way == "bf16 autocast"):
            scene.model(x)
    return results


def write(results: Results, path: Path, kept: bool) -> Path:
    if kept:
        path = path.with_suffix(".pt")
        torch.save(results, path)
    else:
        path = path.with_suffix(".npz")
        np.savez(path, **{name: result.float().numpy() for name, result in results.items()})
    return path


def distance(one: Tensor, other: Tensor) -> float:
    off = float(torch.linalg.vector_norm(one.double() - other.double()) / torch.linalg.vector_norm(other.double()))
    return off if off == off else 0.0


def planted(chance: random.Random, model: nn.Module, names: List[str]) -> Any:
    """The name of a module, what it is called, and what is done to it."""
    modules = dict(model.named_modules())
    draw = chance.random()
    if draw < 0.3:
        kind = chance.choice(sorted(OF_PARAMETER))
        name = chance.choice([each for each in names if list(modules[each].parameters(recurse=False))])
        which = chance.choice([key for key, _ in modules[name].named_parameters(recurse=False)])

        def of_parameter(module: nn.Module) -> None:
            own = dict(module.named_parameters(recurse=False))[which]
            if own.numel() > 1:
                own.copy_(OF_PARAMETER[kind](own.clone()))

        return name, kind, of_parameter
    if draw < 0.6:
        return chance.choice(names), "other constants", lambda module: other_constants(module) and None
    kind = chance.choice(sorted(set(OF_RESULT) - {"nan", "inf"}))
    seed = chance.randrange(1 << 30)
    return chance.choice(names), kind, lambda module: lambda result: OF_RESULT[kind](result, random.Random(seed))


def judged(seed: int, folder: Path) -> Dict[str, Any]:
    chance = random.Random(f"pair {seed}")
    way, kept = chance.choice(sorted(WAYS)), chance.random() < 0.3
    row: Dict[str, Any] = {"seed": seed, "way": way, "kept": kept, "size": "clean", "path": "", "kind": ""}
    try:
        golden, target = run(seed, "fp32"), run(seed, way)
        row["model"] = scene_of(seed).kind
        if seed % 2:
            leaves = [name for name, module in scene_of(seed).model.named_modules() if name in golden and not list(module.children())]
            row["path"], row["kind"], fault = planted(chance, scene_of(seed).model, leaves)
            honest = distance(target[row["path"]], golden[row["path"]])
            target = run(seed, way, row["path"], fault)
            off = distance(target[row["path"]], golden[row["path"]])
            row.update(honest=honest, off=off)
            row["size"] = "none" if off < max(COUNTS * honest, LEAST) else "gross" if off > GROSS * max(honest, LEAST) else "subtle"
    except RuntimeError as error:
        return {"seed": seed, "size": "not made", "why": str(error).splitlines()[0]}
    report = compared(NPUSCOPE, write(target, folder / "t", kept), write(golden, folder / "g", kept), row)
    row["findings"] = len(report.get("culprits", []))
    row["right"] = row["said"] == row["path"] and (row["code"] == 1) == bool(row["path"])
    return row


def main() -> None:
    options = parser_of("scores npuscope compare on what forward hooks record").parse_args()
    print_shares(rows_of(options, judged), WAYS)


if __name__ == "__main__":
    main()
