"""One attempt at a pair: a program, an arithmetic, the golden run, and a target run with or without a fault."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from diagnosis.argument_faults import EDITS
from diagnosis.arithmetic import Arithmetic
from diagnosis.classes import draw_arithmetic, draw_golden
from diagnosis.digits import Digits, gpu_paths
from diagnosis.effectiveness import GROSS, SEEN, effect
from diagnosis.given_faults import ON_PROGRAMS, ON_TENSORS
from diagnosis.inner_faults import INSIDE
from diagnosis.models import PROGRAMS
from diagnosis.op_faults import FAINT, ON_RESULTS
from diagnosis.plants import ArgumentPlant, NotApplicable, NotEffective, OpPlant, applies, earlier_floats, is_backward
from diagnosis.program import Program
from diagnosis.recording import Plant, Recorder, Run, forward_runs, loaded

FAULTS = [*ON_RESULTS, *INSIDE, *EDITS, *ON_TENSORS, *ON_PROGRAMS]
_UNFIT = ("zeros_like", "ones_like", "bernoulli")


class Draft(NamedTuple):
    """A drawn program with both runs."""

    golden: List[Run]
    target: List[Run]
    found: Dict[str, Any]


class Scene:
    """One attempt: a program, an arithmetic, and what is asked of the target."""

    def __init__(self, seed: int, attempt: int, variant: str) -> None:
        self.rng = np.random.default_rng([seed, attempt, 2])
        self.seed = [seed, attempt]
        self.variant = variant
        self.model = str(self.rng.choice([*PROGRAMS, Digits.kind], p=[0.27, 0.23, 0.25, 0.22, 0.03]))
        self.low = (None, torch.float16, torch.bfloat16)[int(self.rng.choice(3, p=[0.75, 0.17, 0.08]))]
        if self.on_gpu:
            self.low = None
        self.number = int(self.rng.integers(2**31))
        self.casts = bool(self.rng.random() < 0.5)
        if variant == "casts":
            self.low = self.low or (torch.float16, torch.bfloat16)[self.number % 2]
            self.casts = True
        self.faint = bool(np.random.default_rng([seed, 5]).random() < 0.45)
        self.arithmetic = draw_arithmetic(self.rng, self.low)
        usual = draw_golden(self.rng)
        self.drawn_from = self.record(self.program(), usual)  # runs that differ from the target's in arithmetic alone
        self.golden = self.drawn_from
        if variant == "casts":
            plain = self.program()
            plain.low = None
            self.golden = self.record(plain, usual)

    @property
    def on_gpu(self) -> bool:
        """Whether the golden file is a GPU's recording."""
        return self.model == Digits.kind

    def program(self) -> Program:
        made = Digits(0) if self.on_gpu else PROGRAMS[self.model](self.number, self.low)
        if self.arithmetic.vector_format.name != "float32" and made.optimizer == "adam":
            made.optimizer = "sgd"  # its 1e-8 is zero in float16
        return made

    def record(self, program: Program, arithmetic: Arithmetic, plant: Optional[Plant] = None, first: int = 1,
               split: bool = False) -> List[Run]:
        recorder = Recorder(arithmetic, plant, first, casts=split or self.casts, split=split)
        program.step(recorder)
        return recorder.runs

    def target(self, program: Program, plant: Optional[Plant] = None) -> List[Run]:
        if self.variant == "load":
            return loaded(self.golden, self.arithmetic, plant)
        shifted = self.variant == "outputs" and self.seed[0] % 4 < 2
        first = 1 + (int(self.rng.integers(50)) if shifted else 0)
        return self.record(program, self.arithmetic, plant, first, self.variant == "split")

    # -- faults ----------------------------------------------------------------------------------

    def positions(self) -> List[Run]:
        rows = [r for r in self.drawn_from if r.call.base not in _UNFIT and r.call.floats()]
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
            recorder.runs = [r for r in self.drawn_from if r.seqid < run.seqid]
            results = self.arithmetic.compute(run.call)
            if applies(fault, run.call, results, recorder, is_backward(run.tag), seed):
                break
        else:
            raise NotApplicable
        member = 0
        if self.variant == "split" and run.call.base == "addmm" and kind not in INSIDE:
            member = int(self.rng.integers(2))
        plant = OpPlant(run.position, fault, seed, member, self.faint and kind in FAINT)
        target = self.target(self.program(), plant)
        if plant.effect is None:
            raise NotApplicable
        return self._at_op(run, target, plant, "op", "")

    def argument_fault(self, kind: str) -> Draft:
        edit, is_tensor = EDITS[kind]
        seed = self.seed + [3]
        recorder = Recorder(self.arithmetic)
        for run in self.positions():
            recorder.runs = [r for r in self.drawn_from if r.seqid < run.seqid]
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
            "group": group, "paths": members, "golden_paths": self._golden_paths(self._in_golden(run)), "ratio": plant.effect.ratio,
            "gross": plant.effect.gross, "where": plant.tag,
            "argument": name if group == "argument" else "",
            "tensors": [name] if group == "tensor" else []})

    def _in_golden(self, run: Run) -> List[Run]:
        """The golden's run of the same op; of a cast that it lacks, the run behind."""
        if self.golden is self.drawn_from:
            return [run]
        place = sum(position < run.position for position in _computed(self.drawn_from))
        return self.golden[place : place + 1]

    def _golden_paths(self, rows: List[Run]) -> List[str]:
        """Where the golden file has these ops, and the ops beside them."""
        numbers = {r.seqid + step for r in rows for step in (-1, 0, 1)}
        beside = [r.path for r in self.golden if r.seqid in numbers]
        if not self.on_gpu:
            return beside
        paths = gpu_paths()
        return [path for r in self.golden if r.seqid in numbers for path in paths.get(r.path, [])]

    def tensor_fault(self, kind: str) -> Draft:
        def faulty() -> Tuple[Program, Optional[List[str]]]:
            program = self.program()
            return program, ON_TENSORS[kind](program, np.random.default_rng(self.seed + [6]))

        program, names = faulty()
        if names is None or self.variant == "load":
            raise NotApplicable
        target = self.target(program)
        consumers = [r for r in target if any(set(names) & found for found in r.origins.values())]
        plain = self.record(faulty()[0], self.arithmetic)  # a run changes its program
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
        program, scratch = self.program(), Recorder(self.arithmetic, casts=self.casts)
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
        if ratio <= SEEN or is_hidden(name, target, scratch.runs):
            raise NotEffective
        here = _around([r for r in target if r.tag == name + " edited"], target)
        there: List[str] = []
        if not here:
            lost = [r for r in self.golden if r.tag == name]
            there = self._golden_paths(lost)
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
        if not rows:
            raise NotApplicable(name)
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
        if self.on_gpu and self.variant in ("load", "casts"):
            raise NotApplicable  # no run here has the inputs of the GPU's, and its casts are as they are
        if kind is None:
            return self.clean()
        if kind in ON_RESULTS or kind in INSIDE:
            return self.op_fault(kind)
        if kind in EDITS:
            return self.argument_fault(kind)
        return self.tensor_fault(kind) if kind in ON_TENSORS else self.program_fault(kind)


def is_hidden(name: str, target: List[Run], plain: List[Run]) -> bool:
    """Whether nothing behind an edit is other than without it, as a relu before another changes nothing there."""
    after, before = forward_runs(target), forward_runs(plain)
    kept = [r for r in after if r.tag != name + " edited"]
    return len(kept) < len(after) and len(kept) == len(before) and all(
        a.call.base == b.call.base and len(a.outputs) == len(b.outputs) and all(map(_are_equal, a.outputs, b.outputs))
        for a, b in zip(kept, before))


def _are_equal(one: Any, other: Any) -> bool:
    return torch.equal(one, other) if isinstance(one, Tensor) and isinstance(other, Tensor) else one is other


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
    place = bisect_left(_computed(golden), min(r.position for r in lost))
    here = _computed(target)[max(place - 1, 0) : place + 1]
    return [r.path for r in target if r.position in here]


def _computed(runs: List[Run]) -> List[int]:
    """Positions, casts left out, which one side may have alone."""
    return sorted({r.position for r in runs if r.call.base != "_to_copy"})


