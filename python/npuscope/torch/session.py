"""A watched stretch of a PyTorch program: every ATen op goes through `Session.run`."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from typing import Any, Callable, ContextManager, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from npuscope import _core
from npuscope.dump_scope import DumpSummary, OpenScope
from npuscope.torch import private
from npuscope.torch.computed import ComputedStorages
from npuscope.torch.origins import Origins
from npuscope.torch.plans import Plan, plan_of, says_nothing
from npuscope.torch.tensors import NAME_OF, strides_of, to_core, to_torch

# Numbers go on over all scopes of a process.
seqids = _core.SeqidCounter()


# Stands in a list of indices for a dimension without one: x[:, i] is index(x, [None, i]).
_NO_INDEX = torch.empty(0)


def filled_list(values: Sequence[Any]) -> Sequence[Any]:
    return [_NO_INDEX if value is None else value for value in values]


def encode(value: Any) -> Tuple[Any, bool]:
    """A value as the extension takes it, and whether a dump can hold it. Modes are off."""
    if isinstance(value, torch.Tensor):
        tensor = to_core(value)
        return tensor, tensor is not None
    if isinstance(value, torch.dtype):
        name = NAME_OF.get(value)
        return (None, False) if name is None else (_core.DType(name), True)
    if isinstance(value, (list, tuple)):
        rows = [encode(item) for item in filled_list(value)]
        return [row for row, _ in rows], all(known for _, known in rows)
    if isinstance(value, private.SYMBOLIC):
        return int(value), True
    return value, isinstance(value, (bool, int, float, str))


def layout_of(value: Any) -> List[List[int]]:
    """Strides of an encoded value's tensors as the extension takes them; empty when all are in C order."""
    if isinstance(value, torch.Tensor):
        strides = strides_of(value)
        return [strides] if strides else []
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        rows = [strides_of(item) for item in filled_list(value)]
        return rows if any(rows) else []
    return []


def arguments_of(
    plan: Plan, values: Sequence[Any], tensors: bool
) -> List[Tuple[str, str, Any, List[List[int]]]]:
    """(name, kind, value, strides) as the extension takes them; without `tensors`, plain values only."""
    rows = []
    unset = plan.unset(values)
    for argument, value in zip(plan.arguments, values):
        if value is None or says_nothing(value) or argument.name == unset:
            continue
        if not tensors and (isinstance(value, torch.Tensor) or argument.kind == "L"):
            continue
        encoded, known = encode(value)
        if known:
            rows.append((argument.name, argument.kind, encoded, layout_of(value)))
    return rows


def results_of(plan: Plan, values: Sequence[Any], outputs: Any) -> List[Tuple[str, Any]]:
    """Named results as the extension takes them; what a dump cannot hold is left out. An op that gives
    nothing and writes into its arguments has these as results."""
    names, given = plan.returns, (outputs,)
    if not names:
        names = list(plan.written)
        given = tuple(v for a, v in zip(plan.arguments, values) if a.written)
    elif isinstance(outputs, tuple) and len(names) > 1:
        given = outputs
    rows = []
    for name, value in zip(names, given):
        if value is None:
            continue
        encoded, known = encode(value)
        if known:
            rows.append((name, encoded))
    return rows


class Mode(private.OpsMode):
    """Hands every op to its session; also on threads that autograd runs for this one."""

    def __init__(self, session: "Session") -> None:
        super().__init__()
        self.session = session

    def see(self, op: Any, types: Sequence[type], args: Tuple[Any, ...], kwargs: Dict) -> Any:
        return self.session.run(op, args, kwargs, types)


class Session:
    """Records what PyTorch computes. The subclass of npuscope.torch.chip_session computes itself."""

    chip: Optional[str] = None
    # The coarsest precision that any op seen so far computed in; "" before the first on a chip.
    compute_type: str = ""

    def __init__(self, stream: "_core.OpStream") -> None:
        self.stream = stream
        self.step = 0
        self._origins = Origins()
        self._mode: Optional[Mode] = None
        self._scopes: List[Tuple[OpenScope, Optional[_core.OpFilter]]] = []
        self._wanted: Dict[Tuple[str, int], bool] = {}
        self._turn: ContextManager[Any] = contextlib.nullcontext()
        self._asleep = False
        self._inputs_of: Dict[int, bool] = {}
        # Of load mode: what the program was given is held against the golden's.
        self._computed: Optional[ComputedStorages] = None
        self.after_op: Optional[Callable[[], None]] = None
        _sessions.add(self)

    # -- life ---------------------------------------------------------------------------------

    def enter(self) -> None:
        self._origins.open()
        self._mode = Mode(self)
        self._mode.__enter__()
        _stack().append(self)

    def leave(self) -> None:
        stack = _stack()
        if self in stack:
            stack.remove(self)
        if self._mode is not None:
            self._mode.__exit__(None, None, None)
            self._mode = None
        self._origins.close()

    def sleep(self) -> None:
        """For a forked child: from now on ops pass through."""
        self._asleep = True

    def attach(self, options: Mapping[str, Any]) -> OpenScope:
        scope = OpenScope(self.stream, options)
        ops, steps = options.get("ops"), options.get("steps")
        limited = ops is not None or steps is not None
        self._scopes.append((scope, _core.OpFilter(ops or [], steps or []) if limited else None))
        self._wanted.clear()
        loads = bool(options.get("use_load") or options.get("load_file_path"))
        self._inputs_of[id(scope)] = loads or options.get("inputs", True)
        if loads:
            # A golden run belongs to one running op: others wait.
            self._turn = threading.RLock()
            self._computed = self._computed or ComputedStorages()
        return scope

    def detach(self, scope: OpenScope, error: Optional[BaseException]) -> DumpSummary:
        self._scopes = [row for row in self._scopes if row[0] is not scope]
        self._inputs_of.pop(id(scope), None)
        self._wanted.clear()
        return scope.close(error)

    def next_step(self) -> None:
        self.step += 1

    # -- ops ----------------------------------------------------------------------------------

    def wants(self, name: str) -> bool:
        """Whether any scope keeps ops of this name in this step."""
        key = (name, self.step)
        wanted = self._wanted.get(key)
        if wanted is None:
            wanted = any(f is None or f.keeps(name, self.step) for _, f in self._scopes)
            self._wanted[key] = wanted
        return wanted

    @property
    def _needs_inputs(self) -> bool:
        return self.chip is not None or any(self._inputs_of.values())

    def facts(self) -> Dict[str, Any]:
        row = self._origins.facts()
        row["step"] = self.step
        return row

    def run(
        self, op: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], types: Sequence[type] = ()
    ) -> Any:
        """The op's results; `types` are the classes of its tensors beside Tensor itself."""
        if private.are_stand_ins(types, args, kwargs.get("device")):
            return op(*args, **kwargs)
        plan = plan_of(op)
        if plan.passive or plan.describes_storage or self._asleep:
            outputs = op(*args, **kwargs)
            if self._computed is not None and not plan.is_view:
                self._computed.follow(plan, (args, tuple(kwargs.values())), outputs)
            return outputs
        if self.chip is None and not self.wants(plan.name):
            seqids.skip()
            outputs = op(*args, **kwargs)
            if self._computed is not None:
                self._computed.take(plan, plan.bind(args, kwargs), outputs)
            return outputs
        values = plan.bind(args, kwargs)
        with self._turn:
            return self._observe(plan, values)

    def _observe(self, plan: Plan, values: List[Any]) -> Any:
        with private.unseen():
            arguments = arguments_of(plan, values, self._needs_inputs)
            facts = self.facts()
            if self._computed is not None:
                facts["given"] = self._computed.given(plan, values)
            running = self.stream.begin(plan.name, arguments, True, facts)
            replaced = running.replaced()
            given = self._with(plan, values, replaced) if replaced else values
        outputs = self.compute(plan, given, running, replaced)
        if replaced and plan.written:
            outputs = self._write_back(plan, values, given, outputs)
        if self._computed is not None:
            self._computed.take(plan, values, outputs)
        with private.unseen():
            self.finish(plan, running, values, outputs)
        if self.after_op is not None:
            self.after_op()
        return outputs

    def compute(self, plan: Plan, values: List[Any], running: Any, replaced: Dict) -> Any:
        """Runs the op itself."""
        return plan.call(values)

    def finish(self, plan: Plan, running: Any, values: Sequence[Any], outputs: Any) -> None:
        self.stream.end(running, results_of(plan, values, outputs))

    @staticmethod
    def _with(plan: Plan, values: List[Any], replaced: Dict[str, Any]) -> List[Any]:
        """The arguments with the golden's in place; the program's own tensors are not touched."""
        given = list(values)
        for i, argument in enumerate(plan.arguments):
            if argument.name not in replaced:
                continue
            (new, strides), old = replaced[argument.name], values[i]
            written = argument.written or argument.name in plan.hidden_writes
            if isinstance(new, _core.Tensor):
                given[i] = to_torch(new, old.device, strides[0], written)
            elif isinstance(new, list):
                given[i] = [
                    None if item is None else to_torch(tensor, item.device, of_tensor, written)
                    for item, tensor, of_tensor in zip(old, new, strides)
                ]
            else:
                given[i] = new
        return given

    @staticmethod
    def _write_back(plan: Plan, values: List[Any], given: List[Any], outputs: Any) -> Any:
        """An in-place op's result goes where the program expects it."""
        own = {}
        for argument, before, used in zip(plan.arguments, values, given):
            if not argument.written or before is used:
                continue
            pairs = zip(before, used) if isinstance(before, (list, tuple)) else [(before, used)]
            for target, source in pairs:
                with private.unseen():
                    target.copy_(source)
                own[id(source)] = target
        if isinstance(outputs, tuple):
            return tuple(own.get(id(item), item) for item in outputs)
        return own.get(id(outputs), outputs)


_local = threading.local()
_sessions: "weakref.WeakSet[Session]" = weakref.WeakSet()


def _stack() -> List[Session]:
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack


# Of an installed device (installing.py).
device_session: Optional[Session] = None


def current_session() -> Optional[Session]:
    """The innermost of this thread; outside of any, that of an installed device that was used."""
    stack = _stack()
    if stack:
        return stack[-1]
    return device_session if getattr(device_session, "used", False) else None


def _sleep_in_child() -> None:
    for session in list(_sessions):
        session.sleep()


os.register_at_fork(after_in_child=_sleep_in_child)
