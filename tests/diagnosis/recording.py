"""Runs a program under an arithmetic of our own, and keeps each op's inputs and outputs."""

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from diagnosis.arithmetic import Arithmetic
from diagnosis.call import MOVES, UNRECORDED, Call, bind

_CASTS = {"float16": torch.float16, "bfloat16": torch.bfloat16}
# What an op changes without saying so.
_GIVEN_BUFFERS = ("running_mean", "running_var")


class Run(NamedTuple):
    """One recorded op. `position` counts the program's own ops; ops that a split added share one."""

    seqid: int
    position: int
    call: Call  # with copies of the tensors as they were before the op
    outputs: List[Any]  # copies, None where a result is absent
    tag: str  # the part of the program that called it
    origins: Dict[str, Set[str]]  # argument -> names of the given tensors that it shows

    @property
    def path(self) -> str:
        return f"/{self.call.schema.name}/{self.seqid}"


class Plant:
    """A fault at one op: both methods may return what they got."""

    position = -1

    def before(self, recorder: "Recorder", call: Call) -> Call:
        """The call that the target makes and records."""
        return call

    def after(self, recorder: "Recorder", call: Call, results: List[Any]) -> List[Any]:
        """The results that the target has."""
        return results


class Recorder(TorchDispatchMode):
    """With-block. first: seqid of the first op. casts: `_to_copy` is recorded. split: addmm becomes mm and add,
    with casts to the format that the arithmetic rounds a product's inputs to."""

    def __init__(self, arithmetic: Arithmetic, plant: Optional[Plant] = None, first: int = 1,
                 casts: bool = False, split: bool = False) -> None:
        super().__init__()
        self.arithmetic = arithmetic
        self.plant = plant
        self.runs: List[Run] = []
        self.tag = ""
        self._next = first
        self._position = -1
        self._casts = casts
        self.splits = split
        self._copies: Dict[Any, Tensor] = {}
        self._writes = 0  # a dispatch mode does not see versions rise
        self._alive: List[Any] = []
        self._origins: Dict[int, Set[str]] = {}

    def name_given(self, tensors: Dict[str, Tensor]) -> None:
        for name, tensor in tensors.items():
            self._origins[tensor.storage().data_ptr()] = {name}
            self._alive.append(tensor)

    @contextlib.contextmanager
    def part(self, tag: str) -> Iterator[None]:
        before, self.tag = self.tag, tag
        yield
        self.tag = before

    # -- ops -------------------------------------------------------------------------------------

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        call = bind(op, args, kwargs or {})
        if call.schema.base in UNRECORDED:
            return op(*args, **(kwargs or {}))
        if call.schema.base == "_to_copy" and not self._casts:
            out = op(*args, **(kwargs or {}))
            self._inherit(call, out)
            return out
        self._position += 1
        if self.splits and call.base in ("addmm", "mm"):
            return self._in_parts(call)
        return self._recorded(call)

    def _recorded(self, call: Call) -> Any:
        planted = self.plant is not None and self.plant.position == self._position
        if planted:
            call = self.plant.before(self, call)
        kept = self._kept(call)
        results = self.compute(kept)
        if planted:
            results = self.plant.after(self, kept, results)
        self._finish(call)
        self._writes += 1
        results = self._written(call, results)
        if call.schema.base == "_to_copy":
            self._inherit(call, results[0])
        self._note(kept, results, self._origins_of(call))
        if len(call.schema.results) == 0:
            return None
        if len(call.schema.results) == 1 and not isinstance(results[0], list):
            return results[0]
        return tuple(results)

    def compute(self, kept: Call) -> List[Any]:
        return self.arithmetic.compute(kept)

    def _note(self, kept: Call, results: List[Any], origins: Dict[str, Set[str]]) -> None:
        outputs = [self._copy(y) if isinstance(y, Tensor) else y for y in results]
        self.runs.append(Run(self._next, self._position, kept, outputs, self.tag, origins))
        self._next += 1

    def _in_parts(self, call: Call) -> Tensor:
        """mm for addmm with an add behind it; around the mm the casts that the arithmetic's inputs stand for."""
        v = call.values
        names = ("mat1", "mat2") if call.base == "addmm" else ("self", "mat2")
        left, right = v[names[0]], v[names[1]]
        wide = left.dtype
        low = _CASTS.get(self.arithmetic.product.inputs.name) if wide == torch.float32 else None
        if low is not None:
            left, right = self._cast(left, low), self._cast(right, low)
        product = self._recorded(bind(torch.ops.aten.mm.default, (left, right), {}))
        if low is not None:
            product = self._cast(product, wide)
        if call.base == "mm":
            return product
        return self._recorded(bind(torch.ops.aten.add.Tensor, (product, v["self"]), {}))

    def _cast(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        return self._recorded(bind(torch.ops.aten._to_copy.default, (x,), {"dtype": dtype}))

    def _written(self, call: Call, results: List[Any]) -> List[Any]:
        """In-place ops: the results go where the program expects them."""
        name = call.schema.written
        if name is None:
            return results
        target = call.values[name]
        target.copy_(results[0])
        self._writes += 1
        return [target] + results[1:]

    @staticmethod
    def _finish(call: Call) -> None:
        """Running statistics are updated although the op's schema does not say so."""
        if call.schema.base != "native_batch_norm" or not call.values["training"]:
            return
        v, x = call.values, call.values["input"].float()
        others = [d for d in range(x.ndim) if d != 1]
        m = v["momentum"]
        if v["running_mean"] is not None:
            v["running_mean"].copy_((1 - m) * v["running_mean"] + m * x.mean(others))
            v["running_var"].copy_((1 - m) * v["running_var"] + m * x.var(others, unbiased=True))

    # -- copies ----------------------------------------------------------------------------------

    def _kept(self, call: Call) -> Call:
        values = {}
        for name, value in call.values.items():
            if isinstance(value, Tensor):
                value = value.clone() if name in _GIVEN_BUFFERS else self._copy(value)
            elif isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
                value = [self._copy(item) if isinstance(item, Tensor) else item for item in value]
            values[name] = value
        return Call(call.schema, values)

    def _copy(self, tensor: Tensor) -> Tensor:
        key = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride(), self._writes)
        copy = self._copies.get(key)
        if copy is None:
            copy = tensor.detach().clone(memory_format=torch.contiguous_format)
            self._copies[key] = copy
            self._alive.append(tensor)
        return copy

    def _origins_of(self, call: Call) -> Dict[str, Set[str]]:
        rows = {}
        for name, tensor in call.tensors():
            found = self._origins.get(tensor.storage().data_ptr())
            if found:
                rows[name] = found
        return rows

    def _inherit(self, call: Call, out: Tensor) -> None:
        for found in self._origins_of(call).values():
            self._origins.setdefault(out.storage().data_ptr(), set()).update(found)
        self._alive.append(out)


def loaded(golden: List[Run], arithmetic: Arithmetic, plant: Optional[Plant] = None) -> List[Run]:
    """Each op of the golden run computed on the golden's inputs."""
    recorder = Recorder(arithmetic, plant)
    runs = []
    for run in golden:
        call, kept = run.call, run.call
        recorder.tag = run.tag
        if plant is not None and plant.position == run.position:
            kept = plant.before(recorder, call)
        results = arithmetic.compute(kept) if call.base not in MOVES else kept.run()
        if plant is not None and plant.position == run.position:
            results = plant.after(recorder, kept, results)
        outputs = [y.clone() if isinstance(y, Tensor) else y for y in results]
        runs.append(run._replace(call=kept, outputs=outputs))
        recorder.runs = runs
    return runs


def forward_runs(runs: List[Run]) -> List[Run]:
    """Up to the loss."""
    end = next((i for i, run in enumerate(runs) if "backward" in run.call.base), len(runs))
    while end > 0 and runs[end - 1].call.base == "ones_like":  # the gradient of the loss
        end -= 1
    return runs[:end]
