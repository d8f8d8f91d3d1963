"""Faults that happen while the target runs: at one position, decided effective on the inputs the target has there."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np
import torch
from torch import Tensor

from diagnosis.argument_faults import Edit
from diagnosis.call import Call
from diagnosis.effectiveness import GROSS, SEEN, Effect, effect
from diagnosis.op_faults import Accident, Fault
from diagnosis.recording import Plant, Recorder


class NotApplicable(Exception):
    """The fault cannot happen at this op."""


class NotEffective(Exception):
    """Honest arithmetic could have made these values."""


def earlier_floats(recorder: Recorder) -> List[Tensor]:
    """Floating results of the ops before, latest last."""
    rows = []
    for run in recorder.runs[-40:]:
        rows += [y for y in run.outputs if isinstance(y, Tensor) and y.is_floating_point() and y.numel()]
    return rows


def is_backward(tag: str) -> bool:
    return tag == "backward"


class _Decided(Plant):
    def __init__(self, position: int, seed: List[int]) -> None:
        self.position = position
        self.effect: Optional[Effect] = None
        self.seed = seed
        self.tag = ""

    def decide(self, honest_call: Call, recorder: Recorder, faulty: List[Any]) -> None:
        found = effect(honest_call, recorder.arithmetic, faulty)
        if not found.counts:
            raise NotEffective
        self.effect = found


class OpPlant(_Decided):
    """Spoils results. Of an op that the target splits it takes the part numbered `member`, casts aside.
    faint: only so much of the fault reaches the results that it is barely seen."""

    def __init__(self, position: int, fault: Fault, seed: List[int], member: int = 0, faint: bool = False) -> None:
        super().__init__(position, seed)
        self._fault = fault
        self._skip = member
        self._faint = faint

    def after(self, recorder: Recorder, call: Call, results: List[Any]) -> List[Any]:
        if call.base == "_to_copy" and self._skip >= 0 and recorder.splits:
            return results
        if self._skip > 0:
            self._skip -= 1
            return results
        if self.effect is not None:
            return results
        self.tag = recorder.tag
        rng = np.random.default_rng(self.seed)
        accident = Accident(call, results, recorder.arithmetic, earlier_floats(recorder), is_backward(recorder.tag), rng)
        faulty = self._fault(accident)
        if faulty is None:
            raise NotApplicable
        if self._faint:
            faulty = self._weakened(recorder, call, results, faulty, rng)
        self.decide(call, recorder, faulty)
        return faulty

    def _weakened(self, recorder: Recorder, call: Call, results: List[Any], faulty: List[Any],
                  rng: np.random.Generator) -> List[Any]:
        found = effect(call, recorder.arithmetic, faulty)
        if not found.gross or not np.isfinite(found.ratio):
            return faulty
        part = float(rng.uniform(1.1 * SEEN, 0.95 * GROSS)) / found.ratio
        rows = []
        for honest, wrong in zip(results, faulty):
            if isinstance(honest, Tensor) and honest.is_floating_point():
                mixed = honest.double() + part * (wrong.double() - honest.double())
                wrong = torch.where(wrong == honest, honest, mixed.to(honest.dtype))
            rows.append(wrong)
        return rows


class ArgumentPlant(_Decided):
    """The call itself is another one; `name` tells which argument differs."""

    def __init__(self, position: int, edit: Edit, seed: List[int]) -> None:
        super().__init__(position, seed)
        self._edit = edit
        self._honest: Optional[Call] = None
        self.name = ""

    def before(self, recorder: Recorder, call: Call) -> Call:
        if self._honest is not None:
            return call
        self.tag = recorder.tag
        edited = self._edit(call, earlier_floats(recorder), np.random.default_rng(self.seed))
        if edited is None:
            raise NotApplicable
        self._honest = Call(call.schema, {
            n: v.detach().clone() if isinstance(v, Tensor) else v for n, v in call.values.items()})
        self.name = edited.name
        return edited.call

    def after(self, recorder: Recorder, call: Call, results: List[Any]) -> List[Any]:
        assert self._honest is not None
        if self.effect is None:
            honest = recorder.arithmetic.compute(self._honest)
            for one, other in zip(honest, results):
                if isinstance(one, Tensor) != isinstance(other, Tensor) or (
                        isinstance(one, Tensor) and one.shape != other.shape):
                    raise NotApplicable
            self.decide(self._honest, recorder, results)
        return results


def applies(fault: Fault, call: Call, results: List[Any], recorder: Recorder, backward: bool, seed: List[int]) -> bool:
    """Whether the fault can happen at an op like this one; tried on another run's values."""
    accident = Accident(
        call, results, recorder.arithmetic, earlier_floats(recorder), backward, np.random.default_rng(seed))
    with torch.no_grad():
        return fault(accident) is not None
