#!/usr/bin/python3
"""Scores `npuscope compare` on training steps of PyTorch that a recorder of its own wrote, with a fault in every second one.

    NPUSCOPE_BIN_DIR=build/release/bin bench/diagnosis/torch_programs/score.py --seeds 0:200 [--rows build/rows.jsonl] [--results-alone]
    NPUSCOPE_BIN_DIR=build/release/bin bench/diagnosis/torch_programs/score.py --recorded build/device_pairs   what record.py wrote

The golden is in float32. The target rounds the operands of its products (float16, bfloat16, TF32), runs under bfloat16 autocast
or in bfloat16 as a whole, or differs in nothing. A fault counts from 4 times the unit of that arithmetic on, of the result's
largest element, and is gross from 30 times. Needs python3-torch and python3-h5py (1.13: programs that bfloat16 does not run
there are counted as not made).
"""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import h5py
import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent))

from faults import KINDS as FAULTS  # noqa: E402
from faults import OF_PARAMETER, effect_of, fault_of, is_touched, measured, size_of  # noqa: E402
from models import scene_of  # noqa: E402
from recorder import Fault, Recorder  # noqa: E402
from scored_seeds import compared, parser_of, print_shares, rows_of  # noqa: E402

NPUSCOPE = Path(os.environ.get("NPUSCOPE_BIN_DIR", HERE.parents[2] / "build/release/bin")) / "npuscope"
UNITS = {
    "fp32": 2.0**-24,
    "TF32 inputs": 2.0**-11,
    "fp16 inputs": 2.0**-11,
    "bf16 inputs": 2.0**-8,
    "bf16 autocast": 2.0**-8,
    "bf16 throughout": 2.0**-8,
}


def step(seed: int, recorder: Recorder, way: str, parameter: Optional[Dict[str, Any]] = None) -> str:
    """One training step; `parameter`: which is changed, and how."""
    scene = scene_of(seed)
    if parameter:
        with torch.no_grad():
            own = dict(scene.model.named_parameters())[parameter["name"]]
            faulty = OF_PARAMETER[parameter["kind"]](own.clone())
            parameter["effect"] = effect_of(own, faulty)
            own.copy_(faulty)
    learn = scene.optimizer(scene.model.parameters()) if scene.optimizer else None
    with recorder:
        if way == "bf16 autocast":
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = scene.model(scene.x)
        elif way == "bf16 throughout":
            x = scene.x.to(torch.bfloat16) if scene.x.is_floating_point() else scene.x
            y = scene.model.to(torch.bfloat16)(x)
        else:
            y = scene.model(scene.x)
        scene.loss(y.float() if way.startswith("bf16") else y, scene.wanted).backward()
        if learn:
            learn.step()
    recorder.close()
    return scene.kind


def pair_of(seed: int, folder: Path, faulty: bool) -> Dict[str, Any]:
    """Writes g.h5 and t.h5; the truth."""
    chance = random.Random(f"pair {seed}")
    way = chance.choice(sorted(UNITS))
    arithmetic = way if way.endswith("inputs") else "fp32"
    truth: Dict[str, Any] = {"seed": seed, "arithmetic": way, "kind": "", "path": "", "size": "clean"}
    truth["model"] = step(seed, Recorder(str(folder / "g.h5")), "fp32")
    faults: Dict[int, Fault] = {}
    parameter: Optional[Dict[str, Any]] = None
    effect = {"found": 0.0}
    if faulty:
        truth["kind"] = kind = chance.choice(FAULTS)
        if kind in OF_PARAMETER:
            known = [name for name, each in scene_of(seed).model.named_parameters() if each.numel() > 1]
            parameter = {"kind": kind, "name": chance.choice(known)}
        else:
            plain = Recorder(None, arithmetic)
            step(seed, plain, way)
            seqid = chance.choice([at for at, op in enumerate(plain.ops, 1) if is_touched(op)])
            truth["path"] = f"/{plain.ops[seqid - 1]}/{seqid}"
            faults[seqid], effect = measured(fault_of(kind, chance))
    step(seed, Recorder(str(folder / "t.h5"), arithmetic, faults), way, parameter)
    if faulty:
        units = (parameter["effect"] if parameter else effect["found"]) / UNITS[way]
        truth["size"] = size_of(units)
        truth["units"] = units
    return truth


def forget_inputs(path: Path) -> None:
    """What is left is what recorders of results alone write."""
    with h5py.File(path, "a") as file:
        for runs in file.values():
            for run in runs.values():
                run.pop("input", None)


def judged(seed: int, folder: Path, faulty: bool, results_alone: bool = False) -> Dict[str, Any]:
    try:
        row = pair_of(seed, folder, faulty)
    except RuntimeError as error:
        return {"seed": seed, "size": "not made", "why": str(error).splitlines()[0]}
    if results_alone:
        for name in ("t.h5", "g.h5"):
            forget_inputs(folder / name)
    report = compared(NPUSCOPE, folder / "t.h5", folder / "g.h5", row)
    kinds = [each["kind"] for each in report.get("culprits", [])][:1]
    if row["size"] in ("clean", "none"):
        row["right"] = not report["first_culprit"] and row["code"] == 0
    elif row["path"]:
        row["right"] = row["said"] == row["path"]
    elif results_alone:
        row["right"] = bool(report["first_culprit"])  # which op takes the parameter in is not recorded
    else:
        row["right"] = kinds == ["tensor"]
    return row


def recorded_rows(folder: Path) -> List[Dict[str, Any]]:
    """Prints those that are not right."""
    rows = []
    for note in sorted(folder.glob("*/truths.json"), key=lambda each: int(each.parent.name)):
        for row in json.loads(note.read_text()):
            report = compared(NPUSCOPE, note.parent / row["target"], note.parent / "g.h5", row)
            accused = report["first_culprit"] or row["code"] == 1
            row["right"] = row["said"] == row["path"] or (not accused and row["size"] in ("clean", "none"))
            rows.append(row)
            if not row["right"]:
                print(json.dumps(row), flush=True)
    return rows


def main() -> None:
    parser = parser_of("scores npuscope compare on programs of PyTorch")
    parser.add_argument("--results-alone", action="store_true", help="neither side has inputs")
    parser.add_argument("--recorded", type=Path, help="a folder of pairs by record.py")
    options = parser.parse_args()
    if options.recorded:
        rows = recorded_rows(options.recorded)
        for row in rows:
            if options.rows:
                with options.rows.open("a") as file:
                    file.write(json.dumps(row) + "\n")
        print_shares(rows)
        return
    print_shares(rows_of(options, lambda seed, folder: judged(seed, folder, seed % 2 == 1, options.results_alone)))


if __name__ == "__main__":
    main()
