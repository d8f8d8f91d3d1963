"""The one file that touches what PyTorch does not promise, with what each version from 1.13 on has.

| what | used for | since |
|---|---|---|
| torch.utils._python_dispatch.TorchDispatchMode | seeing every ATen op | 1.13 |
| torch._C._DisableTorchDispatch | our own tensor work, unseen by modes | 1.13 |
| torch._C._current_autograd_node | the node that runs | 2.1 |
| Variable._execution_engine, Node.register_prehook | the same before 2.1 | 1.13 |
| torch._C._disabled_torch_function_impl | the device's tensors | 1.13 |
| torch._C._dispatch_has_kernel_for_dispatch_key | what the CPU can compute | 1.13 |
| OpOverload._schema | argument names and defaults | 1.13 |
| OpOverload.decompose | ops of other ops, in torch.inference_mode() | 1.13 |
| OpOverload.tags | which ops draw random numbers | 1.13 |
| storage()._cdata | which tensors share their elements | 1.13 |
| Tensor._is_zerotensor | tensors of zeros without memory, of forward gradients | 1.13 |
| FakeTensor, FunctionalTensor | what tracing and exporting compute with | 2.0 |
| torch.utils.rename_privateuse1_backend, torch._register_device_module | torch.device("npu") | 2.1 |
| torch._dynamo.trace_rules | that compilers leave this package alone | 2.1 |
| torch._ops._higher_order_ops, py_impl and py_kernels of its ops | torch.cond, flex_attention | 2.1 |
| _is_in_bad_fork, manual_seed_all of a device's module | torch.manual_seed | 2.1 |
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import types
from typing import Any, Callable, Iterator, List, Optional, Sequence, Set, Tuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from npuscope.errors import UnsupportedError

VERSION: Tuple[int, int] = tuple(map(int, re.match(r"(\d+)\.(\d+)", torch.__version__).groups()))

# Whole numbers that a compiler may leave open; before 2.0 there are none in Python.
SYMBOLIC: Tuple[type, ...] = (torch.SymInt,) if hasattr(torch, "SymInt") else ()

# For a tensor class whose ops are seen at the dispatch level only.
NO_TORCH_FUNCTION = torch._C._disabled_torch_function_impl

__all__ = ["NO_TORCH_FUNCTION", "SYMBOLIC", "OpsMode", "VERSION", "autograd_tracking", "current_node", "unseen"]


class unseen:  # noqa: N801 - reads as a statement: with unseen():
    """Ops in the block reach no dispatch mode and no __torch_function__."""

    __slots__ = ("_dispatch", "_function")

    def __enter__(self) -> None:
        self._function = torch._C.DisableTorchFunction()
        self._function.__enter__()
        self._dispatch = torch._C._DisableTorchDispatch()
        # Before 2.0 the object's life is the block.
        if hasattr(self._dispatch, "__enter__"):
            self._dispatch.__enter__()

    def __exit__(self, *_: object) -> None:
        if hasattr(self._dispatch, "__exit__"):
            self._dispatch.__exit__(None, None, None)
        del self._dispatch
        self._function.__exit__(None, None, None)


def schema_of(op: Any) -> Any:
    return op._schema


def storage_key(tensor: torch.Tensor) -> Optional[int]:
    """Equal for tensors that share their elements. None for what has no storage (sparse, meta)."""
    try:
        whole = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        return whole._cdata if tensor.device.type != "meta" else None
    except (RuntimeError, NotImplementedError, AttributeError):
        return None


def filled_in(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with memory: forward gradients hold zeros that have none."""
    return tensor.clone() if tensor._is_zerotensor() else tensor


def _stand_in_classes() -> Tuple[type, ...]:
    found = []
    for module, name in (
        ("torch._subclasses.fake_tensor", "FakeTensor"),
        ("torch._subclasses.functional_tensor", "FunctionalTensor"),
    ):
        if module in sys.modules and hasattr(sys.modules[module], name):
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def are_stand_ins(types: Sequence[type], args: Sequence[Any], device: Any = None) -> bool:
    """Whether an op's tensors, of which the classes beside Tensor are given, are without elements, or are to
    become so on the `device`: whoever compiles, exports or differentiates looks at shapes only."""
    if device is not None and torch.device(device).type == "meta":
        return True
    if types and any(issubclass(each, _stand_in_classes()) for each in types):
        return True
    first = next((value for value in args if isinstance(value, torch.Tensor)), None)
    return first is not None and first.is_meta


def overload_packet(name: str) -> Any:
    """torch.ops.aten.<name>, or None."""
    return getattr(torch.ops.aten, name, None)


_running = threading.local()


def current_node() -> Optional[Any]:
    """The autograd node whose backward runs on this thread, None in a forward pass."""
    if hasattr(torch._C, "_current_autograd_node"):
        return torch._C._current_autograd_node()
    nodes = getattr(_running, "nodes", None)
    return nodes[-1] if nodes else None


def _graph(roots: Sequence[Any]) -> List[Any]:
    nodes, waiting, seen = [], [n for n in roots if n is not None], set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        nodes.append(node)
        waiting.extend(next_node for next_node, _ in node.next_functions if next_node is not None)
    return nodes


def _watch(node: Any) -> List[Any]:
    def before(_: Any) -> None:
        if not hasattr(_running, "nodes"):
            _running.nodes = []
        _running.nodes.append(node)

    def after(*_: Any) -> None:
        if getattr(_running, "nodes", None):
            _running.nodes.pop()

    return [node.register_prehook(before), node.register_hook(after)]


class _TrackingEngine:
    """Stands before the autograd engine: tells `current_node` which node runs."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def run_backward(self, tensors: Sequence[torch.Tensor], *args: Any, **kwargs: Any) -> Any:
        outer, _running.nodes = getattr(_running, "nodes", []), []
        handles = []
        try:
            for node in _graph([tensor.grad_fn for tensor in tensors]):
                handles += _watch(node)
            return self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            _running.nodes = outer
            for handle in handles:
                handle.remove()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


_tracking_lock = threading.Lock()
_tracking_users = 0


@contextlib.contextmanager
def autograd_tracking() -> Iterator[None]:
    """In the block `current_node` works; afterwards everything is as before."""
    global _tracking_users
    if hasattr(torch._C, "_current_autograd_node"):
        yield
        return
    with _tracking_lock:
        _tracking_users += 1
        if _tracking_users == 1:
            torch.autograd.Variable._execution_engine = _TrackingEngine(
                torch.autograd.Variable._execution_engine
            )
    try:
        yield
    finally:
        with _tracking_lock:
            _tracking_users -= 1
            engine = torch.autograd.Variable._execution_engine
            if _tracking_users == 0 and isinstance(engine, _TrackingEngine):
                torch.autograd.Variable._execution_engine = engine._engine


def node_label(node: Any) -> str:
    """What a module's exit wrote on the node; "" when nothing was."""
    return node.metadata.get("npuscope_module", "")


def label_node(node: Any, module: str) -> None:
    node.metadata.setdefault("npuscope_module", module)


def global_module_hooks(before: Callable[..., Any], after: Callable[..., Any]) -> List[Any]:
    """Handles of hooks that see every module's call; `after` also when it raised, from 2.1 on."""
    module = torch.nn.modules.module
    handles = [module.register_module_forward_pre_hook(before)]
    try:
        handles.append(module.register_module_forward_hook(after, always_call=True))
    except TypeError:
        handles.append(module.register_module_forward_hook(after))
    return handles


def has_cpu_kernel(op: Any) -> bool:
    """Whether PyTorch itself can run the op on CPU tensors."""
    schema = op._schema
    name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    keys = ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for key in keys)


def name_device(name: str, module: Any) -> None:
    """From 2.1 on: torch.device(name) can be made."""
    try:
        torch.utils.rename_privateuse1_backend(name)
    except RuntimeError:  # it has this name already, or another that stays
        pass
    if not hasattr(torch, name):
        torch._register_device_module(name, module)
    # torch.manual_seed() asks every device's module; the emulated one draws PyTorch's numbers.
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: None


def keep_compilers_out(load: bool = False) -> None:
    """Programs are compiled as they are, but not this package, which runs between their ops. A compiler
    that is not loaded yet is told only with `load`."""
    if VERSION < (2, 1) or not (load or "torch._dynamo" in sys.modules):
        return
    from torch._dynamo import trace_rules

    package = __name__.partition(".")[0]
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if not any(folder in entry for entry in trace_rules.SKIP_DIRS):
        trace_rules.add(package)


def draws_numbers(op: Any) -> bool:
    """Whether the op takes numbers from PyTorch's random generators. Attention does for a dropout only, and
    is composed of other ops then."""
    if any(argument.name == "dropout_p" for argument in schema_of(op).arguments):
        return False
    if any(argument.name == "generator" for argument in schema_of(op).arguments):
        return True
    tag = getattr(getattr(torch, "Tag", None), "nondeterministic_seeded", None)
    return tag is not None and tag in getattr(op, "tags", ())


@contextlib.contextmanager
def _uncompiled() -> Iterator[None]:
    """In the block compiled programs run op by op, and stay compiled. Without that PyTorch 2.6 runs them so
    too, where a mode sees the ops, but takes each piece of a program that it meets for one never to compile."""
    stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
    if stance is None or "torch._dynamo" not in sys.modules:
        yield
        return
    with stance("force_eager"):
        yield


# Ops on programs that are computed by ops of their own as well; the others call their programs, and most
# refuse to do that in a mode.
_OF_OPS_THEMSELVES = ("flex_attention", "flex_attention_backward", "map_impl")


class _Resumed:
    """With-block in a rule of `mode`, which is off there: it sees ops again."""

    def __init__(self, mode: "OpsMode") -> None:
        self._mode = mode

    def __enter__(self) -> None:
        TorchDispatchMode.__enter__(self._mode)

    def __exit__(self, *error: Any) -> None:
        TorchDispatchMode.__exit__(self._mode, *error)


def _run_program_op(op: Any, mode: "OpsMode", args: Tuple[Any, ...], kwargs: Any) -> Any:
    """An op on programs (torch.cond's takes two): its own form for numbers, with all ops inside seen."""
    if are_stand_ins([type(x) for x in torch.utils._pytree.tree_flatten((args, kwargs))[0]], args):
        return op(*args, **kwargs)
    kernels = (op.py_kernels.get(getattr(torch._C.DispatchKey, key)) for key in ("CompositeExplicitAutograd", "CPU"))
    kernel = next((each for each in kernels if each is not None), None)
    if kernel is None:
        raise UnsupportedError(f"npuscope cannot look into torch.ops.higher_order.{op._name}; call it outside the block")

    def seen(value: Any) -> Any:
        if not isinstance(value, (types.FunctionType, functools.partial, torch.nn.Module)):
            return value

        def call(*inputs: Any, **named: Any) -> Any:
            with _Resumed(mode):
                return value(*inputs, **named)

        return call

    if op._name in _OF_OPS_THEMSELVES:
        with _Resumed(mode):
            return kernel(*args, **kwargs)
    return kernel(*map(seen, args), **{name: seen(value) for name, value in kwargs.items()})


def _know_program_ops(mode_class: type) -> None:
    """Tells each op on programs what to do in a mode of the class; without that it refuses to run there."""
    if VERSION < (2, 1):
        return
    for op in list(torch._ops._higher_order_ops.values()):
        if (op, mode_class) in _known_program_ops:
            continue
        op.py_impl(mode_class)(lambda mode, *args, op=op, **kwargs: _run_program_op(op, mode, args, kwargs))
        if op._name == "cond" and op not in {known for known, _ in _known_program_ops}:
            _choose_before_autograd(op)
        _known_program_ops.add((op, mode_class))


def _choose_before_autograd(cond: Any) -> None:
    """In a block torch.cond runs the chosen program as a plain call. PyTorch's own way to its gradient
    needs programs that its compiler has rewritten, and no compiler runs in a block."""
    key = torch._C.DispatchKey.Autograd
    original = cond.py_kernels.pop(key, None)
    if original is None:
        return

    @cond.py_impl(key)
    def chosen(pred: Any, true_program: Any, false_program: Any, operands: Any) -> Any:
        if not isinstance(torch.utils._python_dispatch._get_current_dispatch_mode(), OpsMode):
            return original(pred, true_program, false_program, operands)
        return (true_program if pred else false_program)(*operands)


_known_program_ops: Set[Tuple[Any, type]] = set()


@functools.lru_cache(maxsize=None)
def is_composite(op: Any) -> bool:
    """Whether the op is only other ops in a row. Autograd takes such ops apart before a mode sees them, but
    not in torch.inference_mode(), nor below a program's own gradient."""
    schema = schema_of(op)
    name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    if schema.name.startswith(("prim::", "profiler::")):  # questions to a tensor
        return False
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    return has_kernel(name, "CompositeImplicitAutograd") and not has_kernel(name, "CPU")


class OpsMode(TorchDispatchMode):
    """A with-block whose `see` gets every op of this thread, of compiled programs and of the programs that
    ops like torch.cond take too."""

    def see(self, op: Any, types: Sequence[type], args: Tuple[Any, ...], kwargs: Any) -> Any:
        """The op's results; `types` are the classes of its tensors beside Tensor itself."""
        raise NotImplementedError

    def __torch_dispatch__(self, op: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        if is_composite(op) and not are_stand_ins(types, args, (kwargs or {}).get("device")):
            with _Resumed(self):
                return op.decompose(*args, **(kwargs or {}))
        return self.see(op, types, args, kwargs or {})

    def __enter__(self) -> Any:
        keep_compilers_out()
        _know_program_ops(type(self))
        self._plain = _uncompiled()
        self._plain.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> Any:
        try:
            return super().__exit__(*error)
        finally:
            self._plain.__exit__(None, None, None)
