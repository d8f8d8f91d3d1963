"""Which ATen ops a piece of a program uses, and which of them the emulated chip has."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Set, Tuple

import torch

from npuscope.errors import UsageError
from npuscope.executor import chips
from npuscope.torch import private
from npuscope.torch.plans import Plan, plan_of


class OpUse(NamedTuple):
    """One op. `where`: native (the chip has it), fallback (PyTorch computes it on the CPU), missing
    (neither does), view (moves no data), host (takes no tensors). `seconds` is PyTorch's own time;
    `inputs` are the distinct shapes and dtypes, at most ten."""

    name: str
    count: int
    seconds: float
    where: str
    inputs: Tuple[str, ...]


class _Counting(private.OpsMode):
    def __init__(self) -> None:
        super().__init__()
        self.uses: Dict[str, List[Any]] = {}

    def see(self, op: Any, types: Sequence[type], args: Tuple[Any, ...], kwargs: Dict) -> Any:
        plan = plan_of(op)
        if plan.passive:
            return op(*args, **kwargs)
        began = time.perf_counter()
        outputs = op(*args, **kwargs)
        took = time.perf_counter() - began
        row = self.uses.setdefault(plan.name, [plan, 0, 0.0, {}])
        row[1] += 1
        row[2] += took
        if len(row[3]) < 10:
            row[3].setdefault(_described(args))
        return outputs


def _described(args: Any) -> str:
    texts = []
    for value in args:
        if isinstance(value, torch.Tensor):
            texts.append(f"{str(value.dtype)[6:]}{list(value.shape)}")
        elif isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value):
            texts.append(f"[{_described(value)}]")
    return ", ".join(texts)


def _where(plan: Plan) -> str:
    if plan.describes_storage:
        return "view"
    if plan.chip_name is not None:
        return "native"
    if not plan.takes_tensors:
        return "host"
    return "fallback" if private.has_cpu_kernel(plan.op) else "missing"


class OpProfile(NamedTuple):
    """Rows by descending time."""

    rows: List[OpUse]
    chip: str

    def names(self, where: str) -> Set[str]:
        return {row.name for row in self.rows if row.where == where}

    def __str__(self) -> str:
        lines = [f"{'ms':>9} {'calls':>6}  {self.chip:9} op  (inputs)"]
        for row in self.rows:
            shown = "; ".join(row.inputs[:2]) + (" …" if len(row.inputs) > 2 else "")
            lines.append(
                f"{row.seconds * 1e3:9.2f} {row.count:6d}  {row.where:9} {row.name}  ({shown})"
            )
        return "\n".join(lines)


def profile_ops(function: Callable[[], Any], *, chip: str = "910A") -> OpProfile:
    """Runs `function()` once, by PyTorch, and tells the ATen ops that it used, forward and backward.
    Errors: UsageError for an unknown chip; the function's own."""
    if chip not in chips():
        raise UsageError(f"there is no chip {chip!r}; there are {', '.join(chips())}")
    with _Counting() as mode:
        function()
    rows = [
        OpUse(name, count, seconds, _where(plan), tuple(shapes))
        for name, (plan, count, seconds, shapes) in mode.uses.items()
    ]
    return OpProfile(sorted(rows, key=lambda row: (-row.seconds, row.name)), chip)

