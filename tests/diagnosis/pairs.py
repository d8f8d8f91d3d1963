"""Pairs (golden.h5, target.h5, truth) by seed.

    python3 tests/diagnosis/pairs.py SEED FOLDER [VARIANT]

Three pairs of eight are faulty; seeds 2n and 2n+1 have the same kind of fault, drawn apart otherwise. Variants of a pair
have the same fault: "as is"; "split" (the target has mm and add for addmm, and records casts); "outputs" (the target has no
inputs); "load" (each op of the target ran on the golden's inputs; None for faults that this cannot show).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import torch

from diagnosis.argument_faults import EDITS
from diagnosis.arithmetic import Arithmetic
from diagnosis.call import MOVES
from diagnosis.classes import draw_arithmetic
from diagnosis.dump_file import Style, write_dump
from diagnosis.effectiveness import GROSS, SEEN, effect
from diagnosis.given_faults import ON_PROGRAMS, ON_TENSORS
from diagnosis.inner_faults import INSIDE
from diagnosis.models import KINDS as MODELS
from diagnosis.models import Program, make_program
from diagnosis.op_faults import ON_RESULTS
from diagnosis.plants import ArgumentPlant, NotApplicable, NotEffective, OpPlant, applies, is_backward
from diagnosis.recording import Plant, Recorder, Run, loaded

VARIANTS = ("as is", "split", "outputs", "load")
FAULTS = [*ON_RESULTS, *INSIDE, *EDITS, *ON_TENSORS, *ON_PROGRAMS]
_ATTEMPTS = 60


def is_faulty(seed: int) -> bool:
    return (seed // 2) % 8 < 3


def fault_of(seed: int) -> Optional[str]:
    half = seed // 2
    return FAULTS[(half // 8 * 3 + half % 8) % len(FAULTS)] if is_faulty(seed) else None


class Truth(NamedTuple):
    """What was planted. group: "op", "argument", "tensor", "program" or "" for a clean pair. paths: ops of the target,
    golden_paths: ops of the golden, any of which is the right answer. argument, tensors: names of what differs.
    discarded: (kind, count) of drawn faults that could not be seen."""

    seed: int
    variant: str
    kind: str
    group: str
    model: str
    arithmetic: str
    gross: bool
    ratio: float
    where: str
    paths: List[str]
    golden_paths: List[str]
    argument: str
    tensors: List[str]
    discarded: int


class Draft(NamedTuple):
    """A drawn program with both runs."""

    golden: List[Run]
    target: List[Run]
    found: Dict[str, Any]


class _Scene:
    """One attempt: a program, an arithmetic, and what is asked of the target."""

    def __init__(self, seed: int, attempt: int, variant: str) -> None:
        self.rng = np.random.default_rng([seed, attempt, 2])
        self.seed = [seed, attempt]
        self.variant = variant
        self.model = MODELS[int(self.rng.integers(len(MODELS)))]
        self.low = [None, None, None, torch.float16, torch.bfloat16][int(self.rng.choice(5, p=[0.25, 0.25, 0.25, 0.17, 0.08]))]
        self.number = int(self.rng.integers(2**31))
        self.arithmetic = draw_arithmetic(self.rng, self.low)
        self.golden_arithmetic = Arithmetic("fp32")
        self.golden = self.record(self.program(), self.golden_arithmetic)

    def program(self) -> Program:
        made = make_program(self.model, self.number, self.low)
        if self.arithmetic.vector_format.name != "float32" and made.optimizer == "adam":
            made.optimizer = "sgd"  # its 1e-8 is zero in float16
        return made

    def record(self, program: Program, arithmetic: Arithmetic, plant: Optional[Plant] = None, first: int = 1,
               split: bool = False) -> List[Run]:
        recorder = Recorder(arithmetic, plant, first, casts=split, split=split)
        program.step(recorder)
        return recorder.runs

    def target(self, program: Program, plant: Optional[Plant] = None) -> List[Run]:
        if self.variant == "load":
            return loaded(self.golden, self.arithmetic, plant)
        first = 1 + (int(self.rng.integers(50)) if self.variant == "outputs" else 0)
        return self.record(program, self.arithmetic, plant, first, self.variant == "split")

    # -- faults ----------------------------------------------------------------------------------

    def positions(self) -> List[Run]:
        rows = [r for r in self.golden if not r.call.base.endswith(("zeros_like", "ones_like"))]
        if self.rng.random() < 0.9:
            rows = [r for r in rows if r.tag != "optimizer"]
        return [rows[i] for i in self.rng.permutation(len(rows))]

    def clean(self) -> Draft:
        return Draft(self.golden, self.target(self.program()), {})

    def op_fault(self, kind: str) -> Draft:
        fault = {**ON_RESULTS, **INSIDE}[kind]
        seed = self.seed + [3]
        recorder = Recorder(self.arithmetic)
        for run in self.positions():
            recorder.runs = [r for r in self.golden if r.seqid < run.seqid]
            results = self.arithmetic.compute(run.call)
            if applies(fault, run.call, results, recorder, is_backward(run.tag), seed):
                break
        else:
            raise NotApplicable
        member = 0
        if self.variant == "split" and run.call.base == "addmm" and kind not in INSIDE:
            member = int(self.rng.integers(2))
        plant = OpPlant(run.position, fault, seed, member)
        target = self.target(self.program(), plant)
        if plant.effect is None:
            raise NotApplicable
        return self._at_op(run, target, plant, "op", "")

    def argument_fault(self, kind: str) -> Draft:
        edit, is_tensor = EDITS[kind]
        seed = self.seed + [3]
        recorder = Recorder(self.arithmetic)
        from diagnosis.plants import earlier_floats

        for run in self.positions():
            recorder.runs = [r for r in self.golden if r.seqid < run.seqid]
            if edit(run.call, earlier_floats(recorder), np.random.default_rng(seed)) is not None:
                break
        else:
            raise NotApplicable
        if self.variant == "split" and run.call.base == "addmm":
            raise NotApplicable
        plant = ArgumentPlant(run.position, edit, seed)
        target = self.target(self.program(), plant)
        if plant.effect is None:
            raise NotApplicable
        draft = self._at_op(run, target, plant, "tensor" if is_tensor else "argument", plant.name)
        return draft

    def _at_op(self, run: Run, target: List[Run], plant: Any, group: str, name: str) -> Draft:
        members = [r.path for r in target if r.position == run.position]
        return Draft(self.golden, target, {
            "group": group, "paths": members, "golden_paths": [run.path], "ratio": plant.effect.ratio,
            "gross": plant.effect.gross, "where": plant.tag,
            "argument": name if group == "argument" else "",
            "tensors": [name] if group == "tensor" else []})

    def tensor_fault(self, kind: str) -> Draft:
        program = self.program()
        names = ON_TENSORS[kind](program, self.rng)
        if names is None or self.variant == "load":
            raise NotApplicable
        target = self.target(program)
        consumers = [r for r in target if any(set(names) & found for found in r.origins.values())]
        plain = self.record(program, self.arithmetic)
        honest = self.record(self.program(), self.arithmetic)
        for run in plain:
            if any(set(names) & found for found in run.origins.values()):
                seen = effect(honest[run.position].call, self.arithmetic, run.outputs)
                break
        else:
            raise NotApplicable
        if not seen.counts:
            raise NotEffective
        return Draft(self.golden, target, {
            "group": "tensor", "paths": [r.path for r in consumers], "golden_paths": [], "ratio": seen.ratio,
            "gross": seen.gross, "where": ", ".join(names), "argument": "", "tensors": names})

    def program_fault(self, kind: str) -> Draft:
        program, scratch = self.program(), Recorder(self.arithmetic)
        plain = self.program()
        plain.step(scratch)
        program.parts = list(dict.fromkeys(plain.parts))
        names = ON_PROGRAMS[kind](program, self.rng)
        if names is None or self.variant == "load":
            raise NotApplicable
        try:
            target = self.target(program)
        except RuntimeError as error:
            raise NotApplicable from error
        name = names[0]
        ratio = self._parting(name, target, scratch.runs)
        if ratio <= SEEN:
            raise NotEffective
        here = _around([r for r in target if r.tag == name + " edited"], target)
        there: List[str] = []
        if not here:
            lost = [r for r in self.golden if r.tag == name]
            there = [r.path for r in lost]
            here = [r.path for r in target if r.tag == name]
            here += _follower(lost, self.golden, target)
        return Draft(self.golden, target, {
            "group": "program", "paths": here, "golden_paths": there, "ratio": ratio, "gross": ratio > GROSS,
            "where": name, "argument": "", "tensors": []})

    def _parting(self, name: str, target: List[Run], plain: List[Run]) -> float:
        """Change that the edit makes, in half units of the coarsest format of the largest value."""
        rows = [r for r in target if r.tag == name + " edited"]
        if not rows:
            rows = [r for r in plain if r.tag == name]
            bias = self.program().given.get(name + ".bias")
            if bias is not None and any(r.tag == name for r in target):
                return float(bias.abs().max() / rows[-1].outputs[0].float().abs().max()) / self.unit
        before = rows[0].call.floats()[0][1].float()
        after = rows[-1].outputs[0].float()
        if before.shape != after.shape:
            return float("inf")
        return float((after - before).abs().max() / after.abs().max().clamp(min=1e-30)) / self.unit

    @property
    def unit(self) -> float:
        a = self.arithmetic
        rows = [a.product.inputs.unit, a.product.result.unit, a.vector_format.unit]
        return max(rows + ([a.outputs.unit] if a.outputs else []))

    def draw(self, kind: Optional[str]) -> Draft:
        if kind is None:
            return self.clean()
        if kind in ON_RESULTS or kind in INSIDE:
            return self.op_fault(kind)
        if kind in EDITS:
            return self.argument_fault(kind)
        return self.tensor_fault(kind) if kind in ON_TENSORS else self.program_fault(kind)


def _around(rows: List[Run], runs: List[Run]) -> List[str]:
    """Paths of the rows, and of the runs directly before the first and after the first stretch."""
    if not rows:
        return []
    numbers = {r.seqid for r in rows}
    first = min(numbers)
    last = first
    while last + 1 in numbers:
        last += 1
    return [r.path for r in runs if r.seqid in numbers | {first - 1, last + 1}]


def _follower(lost: List[Run], golden: List[Run], target: List[Run]) -> List[str]:
    """What the target runs where the golden runs the first of `lost`, and the run before."""
    if not lost:
        return []
    place = min(r.position for r in lost)
    return [r.path for r in target if r.position in (place - 1, place)]


def make(seed: int, folder: Path, variant: str = "as is") -> Optional[Truth]:
    """Writes the pair into the folder; None where the variant cannot show the fault."""
    kind = fault_of(seed)
    discarded = 0
    if variant == "load" and (kind in ON_TENSORS or kind in ON_PROGRAMS or kind == "input of an earlier op"):
        return None
    for attempt in range(_ATTEMPTS):
        scene = _Scene(seed, attempt, variant)
        try:
            draft = scene.draw(kind)
        except NotApplicable:
            continue
        except NotEffective:
            discarded += 1
            continue
        break
    else:
        return None
    _write(scene, draft, folder)
    found = {"group": "", "paths": [], "golden_paths": [], "ratio": 0.0, "gross": False, "where": "", "argument": "",
             "tensors": [], **draft.found}
    name = scene.model + (" mixed" if scene.low is not None else "")
    truth = Truth(seed=seed, variant=variant, kind=kind or "", model=name, arithmetic=scene.arithmetic.name,
                  discarded=discarded, **found)
    (folder / "truth.json").write_text(json.dumps(truth._asdict()))
    return truth


def _write(scene: _Scene, draft: Draft, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(scene.seed + [4])
    golden = Style(device=int(rng.choice([0, 1])), shared=bool(rng.random() < 0.3))
    target = Style(device=int(rng.choice([0, 10])), shared=bool(rng.random() < 0.3),
                   inputs=scene.variant not in ("outputs", "load"))
    if rng.random() < 0.1:
        golden, target = (style._replace(version=True, facts=lambda r: {"module": r.tag, "thread": 1, "step": 0})
                          for style in (golden, target))
    write_dump(str(folder / "golden.h5"), draft.golden, golden)
    write_dump(str(folder / "target.h5"), draft.target, target)


def main() -> None:
    torch.set_num_threads(1)
    seed, folder = int(sys.argv[1]), Path(sys.argv[2])
    truth = make(seed, folder, sys.argv[3] if len(sys.argv) > 3 else "as is")
    print(json.dumps(truth._asdict() if truth else None, indent=1))


if __name__ == "__main__":
    main()
