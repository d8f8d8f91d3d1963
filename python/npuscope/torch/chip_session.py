"""The with-block in which the emulated chip computes what PyTorch would."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type

import torch

from npuscope import _core
from npuscope.errors import UnsupportedError, UsageError
from npuscope.executor import Hook, Setting, settings_list
from npuscope.torch import private
from npuscope.torch.fallback import on_cpu
from npuscope.torch.plans import Plan
from npuscope.torch.session import Session, current_session, results_of, seqids
from npuscope.torch.tensors import is_plain, to_torch

NPU = 10
_MOST_PRINTED = 20
# ComputeType of a dump, from fine to coarse.
_PRECISIONS = ("", "float64", "float32", "hf32", "float16", "bfloat16")


def coarser(one: str, other: str) -> str:
    return max(one, other, key=_PRECISIONS.index)


def _stored(target: Any, computed: Any, resizes: bool) -> Any:
    """The tensor, or the list of them, that an op writes into, with what it computed."""
    if isinstance(target, (list, tuple)):
        return [_stored(one, result, resizes) for one, result in zip(target, computed)]
    if resizes and target.shape != computed.shape:
        target.resize_(computed.shape)
    return target.copy_(computed)


class ChipSession(Session):
    """Computes ops by the chip's executor; what it lacks falls back to the CPU, named once."""

    def __init__(self, chip: str, settings: List[str], quiet: bool) -> None:
        facts = {"framework": f"PyTorch {torch.__version__}"}
        super().__init__(_core.OpStream(seqids, NPU, facts, chip, settings))
        self.chip = chip
        self.fallbacks: Dict[str, Tuple[str, int]] = {}
        self.native: Dict[str, int] = {}
        # An executor serves one thread at a time; autograd may bring others.
        self._turn = threading.RLock()
        self._quiet = quiet

    def compute(self, plan: Plan, values: List[Any], running: Any, replaced: Dict) -> Any:
        why = self._on_chip(plan, values, running)
        if why is None:
            self.native[plan.name] = self.native.get(plan.name, 0) + 1
            self.compute_type = coarser(self.compute_type, running.compute_type)
            with private.unseen():
                return self._results(plan, values, running, replaced)
        if plan.takes_tensors and not plan.draws_numbers:
            self._name(plan.name, why)
            running.fallback = why
        return on_cpu(plan, values)

    def _on_chip(self, plan: Plan, values: List[Any], running: Any) -> Optional[str]:
        """None when the chip has computed the op, else why not."""
        if plan.draws_numbers:
            return "random numbers are PyTorch's"
        if plan.chip_name is None:
            return f"the emulated {self.chip} has no such op"
        if not all(map(is_plain, values)):
            return f"the emulated {self.chip} has no such dtype or layout"
        if not self.stream.accepts(running, plan.chip_name):
            return f"the emulated {self.chip} does not take these arguments"
        try:
            self.stream.compute(running, plan.chip_name)
        except (UsageError, UnsupportedError) as failure:
            return str(failure)
        return None

    def _name(self, op: str, why: str) -> None:
        count = self.fallbacks[op][1] if op in self.fallbacks else 0
        if count == 0 and not self._quiet:
            print(f"npuscope: {op} is computed on the CPU: {why}", file=sys.stderr)
        self.fallbacks[op] = (why, count + 1)

    @staticmethod
    def _results(plan: Plan, values: List[Any], running: Any, replaced: Dict) -> Any:
        device = next((v.device for v in values if isinstance(v, torch.Tensor)), "cpu")

        def convert(value: Any) -> Any:
            if isinstance(value, _core.Tensor):
                return to_torch(value, device)
            return [convert(item) for item in value] if isinstance(value, list) else value

        given = {a.name: value for a, value in zip(plan.arguments, values)}
        outputs = [convert(value) for _, value in running.outputs]
        if plan.written:
            for i, name in enumerate(plan.written[: len(outputs)]):
                outputs[i] = _stored(given[name], outputs[i], resizes=plan.out)
        # Whoever loads a golden run keeps his own running statistics.
        for name, value in zip(plan.hidden_writes, running.running_statistics):
            if given.get(name) is not None and name not in replaced:
                given[name].copy_(to_torch(value))
        if len(plan.returns) == 0:
            return None
        return outputs[0] if len(plan.returns) == 1 else tuple(outputs)

    def finish(self, plan: Plan, running: Any, values: Sequence[Any], outputs: Any) -> None:
        own_names = running.on_chip and plan.chip_name == plan.name
        self.stream.end(running, None if own_names else results_of(plan, values, outputs))


class npu:  # noqa: N801 - reads as a statement: with npu("910A"):
    """With-block: every ATen op of this thread, forward and backward, is computed by an emulated chip.

    chip            a chip of `npuscope.chips()`.
    check_overflow  each op whose kernels overflow is printed with its step and kept in `overflows`.
    quiet           True: ops that the chip lacks are not printed; they are in `fallbacks` anyway.
    settings        options of the chip's arithmetic, {"cube_acc": "exact_k"}.

    Tensors stay where they are, on the CPU. An op that the chip lacks runs on the CPU, half tensors in
    float32 with one rounding; each is named once. Random numbers are PyTorch's, so that one seed gives
    the same ones with and without the block. Errors: UsageError when a dumper is open already
    (enter `npu` first), for an unknown chip or setting.
    """

    def __init__(
        self,
        chip: str = "910A",
        *,
        check_overflow: bool = False,
        quiet: bool = False,
        settings: Optional[Mapping[str, Setting]] = None,
    ) -> None:
        self.session = ChipSession(chip, settings_list(settings), quiet)
        self._check = check_overflow
        self._watch: Optional[Any] = None
        self._printed = 0
        self._used = False
        self.overflows: List[Dict[str, Any]] = []

    @property
    def fallbacks(self) -> Dict[str, Tuple[str, int]]:
        """For each op that ran on the CPU: why, and how often."""
        return dict(self.session.fallbacks)

    @property
    def native(self) -> Dict[str, int]:
        """How often the chip computed each op."""
        return dict(self.session.native)

    def hook(self, point: str, pattern: str, function: Callable[["_core.HookCall"], None]) -> Hook:
        """As `npuscope.Executor.hook`, for the ops that the chip computes."""
        number = self.session.stream.add_hook(point, pattern, function)
        return Hook(lambda: self.session.stream.remove_hook(number))

    def step(self) -> None:
        """The next training step begins."""
        self.session.next_step()

    def __enter__(self) -> "npu":
        if self._used:
            raise UsageError("an npu object serves one with-block; make another")
        outer = current_session()
        if outer is not None and outer.chip is None:
            raise UsageError(
                "enter npu before dumper: with npuscope.torch.npu("
                f'"{self.session.chip}"), torch.utils.dumper(…): …'
            )
        self._used = True
        if self._check:
            self._watch = _core.OverflowWatch(self.session.stream)
            self.session.after_op = self._take_overflows
        self.session.enter()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.session.leave()
        self._watch = None

    def _take_overflows(self) -> None:
        for record in self._watch.take() if self._watch is not None else ():
            self.overflows.append(record)
            self._printed += 1
            if self._printed <= _MOST_PRINTED:
                where = record["module"] or record["autograd"]
                print(
                    f"IR: {record['op']}  SeqId: {record['seqid']}  is overflow!  step "
                    f"{record['step']}" + (f", {where}" if where else ""),
                    flush=True,
                )
