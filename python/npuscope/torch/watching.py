"""Modules as they run: inputs, outputs, gradients, statistics; and one model against another."""

from __future__ import annotations

import hashlib
import threading
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Type

import torch
from torch import nn

from npuscope import _core
from npuscope.dump_scope import PathLike, path_text
from npuscope.errors import UsageError
from npuscope.torch import private
from npuscope.torch.chip_session import coarser, npu
from npuscope.torch.plans import plan_of
from npuscope.torch.session import current_session
from npuscope.torch.tensors import to_core

_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


class Record(NamedTuple):
    """One tensor of one module. `what` is forward_input, forward_output, backward_output (the gradient
    that arrives), backward_input (that leaves), parameter (as the first call finds it), parameter_gradient
    or buffer."""

    step: int
    module: str
    what: str
    name: str
    value: "_core.Tensor"
    # The coarsest precision that anything before it was computed in: its own ops may be exact, but
    # not what flowed in. "" where no chip computed.
    compute_type: str = ""
    # Inside `with`: a hash of all ops before it, their names, numbers and shapes.
    program: str = ""
    # Each op that the chip computed before it added no more than its arithmetic may, but for those whose
    # fault an earlier record tells.
    honest: bool = False
    # What an op since the record before did that no arithmetic explains.
    fault: str = ""

    @property
    def key(self) -> str:
        return f"{self.step}/{self.module or 'model'}/{self.what}/{self.name}"


def _tensors(value: Any, name: str) -> Iterator[tuple]:
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _tensors(item, f"{name}_{i}" if name else str(i))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(item, f"{name}_{key}" if name else str(key))


class _Program(private.OpsMode):
    """A hash of the ops that run, before any chip or dumper sees them."""

    def __init__(self) -> None:
        super().__init__()
        self._hash = hashlib.sha1()
        self._turn = threading.Lock()  # autograd may bring other threads

    def see(self, op: Any, types: Sequence[type], args: Tuple[Any, ...], kwargs: Dict) -> Any:
        plan = plan_of(op)
        # Copies alone follow from how memory lies, which the chip's results and PyTorch's do not share.
        if not (plan.passive or plan.describes_storage or plan.name == "clone"):
            words = [plan.name, *map(_shown, plan.bind(args, kwargs))]
            with self._turn:
                self._hash.update("\n".join(words).encode())
        return op(*args, **kwargs)

    @property
    def so_far(self) -> str:
        return self._hash.hexdigest()[:16]


def _shown(value: Any) -> str:
    """An argument as it tells one program from another: of tensors the shape."""
    if isinstance(value, torch.Tensor):
        return str(tuple(value.shape))
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_shown, value)) + "]"
    known = value is None or isinstance(value, (bool, int, float, str))
    return repr(value) if known else type(value).__name__


class Watch:
    """What `watch(model)` gives. Use as a with-block, or call `close()`.

    Inside its `with` and that of `npu`, each op that the chip computes is judged as it runs, on its own
    inputs: `judged` and `not_judged` count them, `faults` lists what no arithmetic of the chip explains.

    `records` grows as the model runs. `step()` begins the next step; with an optimizer each of its
    steps does, and the parameters' gradients are recorded before it.
    """

    def __init__(self, model: nn.Module, optimizer: Optional[torch.optim.Optimizer]) -> None:
        self.model = model
        self.records: List[Record] = []
        self.current_step = 0
        self._handles: List[Any] = []
        self._optimizer = optimizer
        self._compute_type = ""
        self._program: Optional[_Program] = None
        self._judge: Optional[Any] = None
        self._told = 0
        self._seen: Set[str] = set()
        for name, module in model.named_modules():
            self._handles.append(module.register_forward_hook(self._forward_hook(name)))
        if optimizer is not None:
            self._wrap_step(optimizer)

    def _wrap_step(self, optimizer: torch.optim.Optimizer) -> None:
        original = optimizer.step

        def step(*args: Any, **kwargs: Any) -> Any:
            self.gradients()
            result = original(*args, **kwargs)
            self.step()
            return result

        optimizer.step = step  # of this object only; close() takes it away

    def _add(self, module: str, what: str, name: str, value: torch.Tensor) -> None:
        with private.unseen(), torch.no_grad():
            copied = to_core(value.detach())
        session = current_session()
        if session is not None:
            self._compute_type = coarser(self._compute_type, session.compute_type)
        if copied is None:
            return
        # What no op computed is held against the golden's as it is.
        given = what == "parameter" or (what == "forward_input" and module == "")
        program = "" if given or self._program is None else self._program.so_far
        # A module's inputs are noted after its ops ran, whose faults its outputs tell.
        faults = [] if given or what == "forward_input" else self.faults
        fault = faults[self._told] if len(faults) > self._told else ""
        self._told = max(self._told, len(faults))
        honest = not given and not fault and self.judged > self.not_judged
        self.records.append(
            Record(
                self.current_step,
                module,
                what,
                name,
                copied,
                "" if given else self._compute_type,
                program,
                honest,
                fault,
            )
        )

    @property
    def judged(self) -> int:
        return 0 if self._judge is None else self._judge.judged

    @property
    def not_judged(self) -> int:
        return 0 if self._judge is None else self._judge.not_judged

    @property
    def faults(self) -> List[str]:
        """Of the chip's ops so far, in the order that they ran; the first hundred."""
        return [] if self._judge is None else self._judge.faults

    def _forward_hook(self, path: str) -> Callable[..., None]:
        def hook(module: nn.Module, inputs: Any, outputs: Any) -> None:
            for name, tensor in _tensors(inputs, ""):
                self._add(path, "forward_input", name, tensor)
                self._watch_gradient(path, "backward_input", name, tensor)
            for name, tensor in _tensors(outputs, ""):
                self._add(path, "forward_output", name or "0", tensor)
                self._watch_gradient(path, "backward_output", name or "0", tensor)
            if path not in self._seen:
                self._seen.add(path)
                for name, parameter in module.named_parameters(recurse=False):
                    self._add(path, "parameter", name, parameter)
            for name in _STATISTICS:
                if isinstance(getattr(module, name, None), torch.Tensor):
                    self._add(path, "buffer", name, getattr(module, name))

        return hook

    def _watch_gradient(self, path: str, what: str, name: str, tensor: torch.Tensor) -> None:
        if tensor.requires_grad:
            # The handle goes with the tensor; a hook that gives None changes nothing.
            tensor.register_hook(lambda gradient: self._add(path, what, name, gradient))

    def gradients(self) -> None:
        """Records the parameters' gradients now."""
        for name, parameter in self.model.named_parameters():
            if parameter.grad is not None:
                module, _, own = name.rpartition(".")
                self._add(module, "parameter_gradient", own, parameter.grad)

    def step(self) -> None:
        self.current_step += 1

    def _rows(self) -> Dict[str, Record]:
        rows: Dict[str, Record] = {}
        for record in self.records:
            key, count = record.key, 1
            while key in rows:
                count += 1
                key = f"{record.key}#{count}"
            rows[key] = record
        return rows

    def arrays(self) -> Dict[str, Any]:
        """Tensors by "step/module/what/name"; a second call of a module in a step gets "#2"."""
        return {key: record.value for key, record in self._rows().items()}

    def save(self, path: PathLike) -> None:
        """A .npz of all records, with what each was computed in and how the ops before it were judged;
        two of them are compared by `npuscope compare -m A.npz -g B.npz`."""
        histories = {
            key: (record.compute_type, record.program, record.honest, record.fault)
            for key, record in self._rows().items()
        }
        _core.write_npz(path_text(path), self.arrays(), histories)

    def table(self) -> str:
        """One line a record: its extremes and mean, and how many elements are not finite."""
        lines = [f"{'min':>12} {'max':>12} {'mean':>12} {'nan/inf':>8}  record"]
        for key, value in self.arrays().items():
            row = value.statistics()
            broken = row["count"] - row["finite"]
            lines.append(
                f"{row['min']:12.5g} {row['max']:12.5g} {row['mean']:12.5g} {broken:8d}  {key}"
            )
        return "\n".join(lines) + "\n"

    def close(self) -> None:
        """Takes all hooks away. Idempotent."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._optimizer is not None:
            self._optimizer.__dict__.pop("step", None)
            self._optimizer = None

    def __enter__(self) -> "Watch":
        session = current_session()
        if session is not None and session.chip is not None:
            self._judge = _core.OpJudge(session.stream)
        self._program = _Program()
        self._program.__enter__()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._program is not None:
            self._program.__exit__(kind, error, trace)
        if self._judge is not None:
            self._judge.close()
        self.close()


def watch(model: nn.Module, optimizer: Optional[torch.optim.Optimizer] = None) -> Watch:
    """Records each module's inputs and outputs, their gradients, batch statistics, and before each step of
    `optimizer` the parameters' gradients. The model computes what it would without."""
    return Watch(model, optimizer)


class ModuleDifference(NamedTuple):
    module: str
    kind: str
    mean_absolute_difference: float
    within: bool


class ModelComparison(NamedTuple):
    """One row a module output, in the order they ran. `ok`: every one within `tolerance`; `first` is the
    first that is not, or None."""

    rows: List[ModuleDifference]
    tolerance: float

    @property
    def ok(self) -> bool:
        return bool(self.rows) and all(row.within for row in self.rows)

    @property
    def first(self) -> Optional[ModuleDifference]:
        return next((row for row in self.rows if not row.within), None)

    def __str__(self) -> str:
        lines = [f"{'mean |t-g|':>12}  module  (allowed {self.tolerance:g})"]
        for row in self.rows:
            mark = " " if row.within else "!"
            lines.append(
                f"{row.mean_absolute_difference:12.3e} {mark} {row.module or 'model'} ({row.kind})"
            )
        return "\n".join(lines)


def _outputs(model: nn.Module, given: tuple) -> List[tuple]:
    found: List[tuple] = []
    handles = [
        module.register_forward_hook(
            lambda m, _, out, name=name: found.extend(
                (name, type(m).__name__, t.detach().clone()) for _, t in _tensors(out, "")
            )
        )
        for name, module in model.named_modules()
    ]
    try:
        model(*given)
    finally:
        for handle in handles:
            handle.remove()
    return found


def compare_models(
    cpu_model: nn.Module,
    npu_model: nn.Module,
    *inputs: torch.Tensor,
    chip: str = "910A",
    tolerance: float = 1e-4,
) -> ModelComparison:
    """Runs `cpu_model` by PyTorch and `npu_model` (the same object will do) on the emulated chip, and
    gives each module's mean absolute difference; the guide calls up to 1e-4 normal. Running statistics
    and gradients of the models stay as they were. Errors: UsageError when their modules differ."""
    states = [{k: v.clone() for k, v in m.state_dict().items()} for m in (cpu_model, npu_model)]
    with torch.no_grad():
        golden = _outputs(cpu_model, inputs)
        cpu_model.load_state_dict(states[0])
        with npu(chip, quiet=True):
            target = _outputs(npu_model, inputs)
        npu_model.load_state_dict(states[1])
    if [(n, k, t.shape) for n, k, t in golden] != [(n, k, t.shape) for n, k, t in target]:
        raise UsageError("the two models do not run the same modules on these inputs")
    rows = []
    for (name, kind, g), (_, _, t) in zip(golden, target):
        difference = float((t.double() - g.double()).abs().mean()) if g.numel() else 0.0
        rows.append(ModuleDifference(name, kind, difference, difference <= tolerance))
    return ModelComparison(rows, tolerance)

