"""Names that scripts written for PyTorch on Ascend expect: `torch.utils.dumper`, `torch.npu`, `.npu()`."""

from __future__ import annotations

import functools
import os
import re
import sys
import types
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from npuscope import _core
from npuscope.dump_scope import PathLike
from npuscope.errors import UsageError
from npuscope.kernel_dump import KernelDumpSummary, kernel_summary
from npuscope.torch import private, session
from npuscope.torch.device_tensor import (
    DeviceSession,
    DeviceTensor,
    module_to_cpu,
    module_to_device,
    plain,
    to_device,
    wrap,
)
from npuscope.torch.dumping import dumper, op_map

_FACTORIES = (
    "tensor as_tensor zeros ones empty full rand randn randint randperm arange linspace logspace eye "
    "zeros_like ones_like empty_like full_like rand_like randn_like"
).split()

# Options of the original, by what they expect.
_OPTIONS = (
    "ACL_OP_DEBUG_LEVEL ACL_DEBUG_DIR ACL_OP_COMPILER_CACHE_MODE ACL_OP_COMPILER_CACHE_DIR "
    "ACL_OP_SELECT_IMPL_MODE ACL_OPTYPELIST_FOR_IMPLMODE NPU_FUZZY_COMPILE_BLACKLIST "
    "fuzzycompileswitch MM_BMM_ND_ENABLE bmmv2_enable profilerResultPath profiling autotune "
    "autotunegraphdumppath deliverswitch mdldumpswitch mdldumpconfigpath"
).split()

_MISSING = object()
_installed: List["_Installation"] = []


def _npu_index(device: Any) -> Optional[int]:
    """0 for "npu", k for "npu:k"; None for any other device."""
    found = re.fullmatch(r"npu(?::(\d+))?", str(device)) if device is not None else None
    return None if found is None else int(found[1] or 0)


class _Installation:
    def __init__(self, chip: str, devices: int) -> None:
        self.session = DeviceSession(chip)
        self.devices = devices
        self.current = 0
        self.options: Dict[str, str] = {}
        self.kernels = _core.AclSession(self.session.stream)
        self.dumping = False
        self.sys_module: Any = _MISSING
        self._saved: List[Tuple[Any, str, Any]] = []

    def put(self, where: Any, name: str, value: Any) -> None:
        self._saved.append((where, name, where.__dict__.get(name, _MISSING)))
        setattr(where, name, value)

    def restore(self) -> None:
        while self._saved:
            where, name, value = self._saved.pop()
            if value is _MISSING:
                delattr(where, name)
            else:
                setattr(where, name, value)

    def init_dump(self) -> None:
        self.kernels.init_dump()
        self.dumping = True

    def set_dump(self, path: PathLike) -> None:
        if not os.path.exists(path):
            raise AssertionError(f"the dump configuration {os.fspath(path)!r} does not exist")
        self.kernels.set_dump(os.path.abspath(os.fspath(path)))

    def finalize_dump(self) -> KernelDumpSummary:
        self.dumping = False
        return kernel_summary(self.kernels.finalize_dump())

    def check(self, device: Any) -> int:
        index = device if isinstance(device, int) else _npu_index(device)
        if index is None or not 0 <= index < self.devices:
            raise UsageError(
                f"there is no device {device!r}; there are npu:0 to npu:{self.devices - 1}"
                if self.devices > 1
                else f"there is no device {device!r}; there is npu:0"
            )
        return index


def _to(original: Callable, self: torch.Tensor, args: Tuple, kwargs: Dict) -> torch.Tensor:
    """Tensor.to with an npu among its arguments."""
    rest = tuple(arg for arg in args if _npu_index(arg) is None)
    keywords = {key: value for key, value in kwargs.items() if key != "device"}
    moved = to_device(self)
    return original(moved, *rest, **keywords) if rest or keywords.get("dtype") else moved


def _torch_npu(state: _Installation) -> types.ModuleType:
    module = types.ModuleType("torch.npu", "The emulated device of npuscope.")

    def set_device(device: Any) -> None:
        state.current = state.check(device)

    def set_option(options: Dict[str, Any]) -> None:
        if not isinstance(options, dict):
            raise TypeError(f"set_option takes a dict, not a {type(options).__name__}")
        unknown = [name for name in options if name not in _OPTIONS]
        if unknown:
            raise UsageError(f"there is no option {unknown[0]!r}; there are {', '.join(_OPTIONS)}")
        state.options.update({name: str(value) for name, value in options.items()})
        switch = options.get("mdldumpswitch")
        if switch is not None and switch not in ("enable", "disable"):
            raise UsageError(f"mdldumpswitch is enable or disable, not {switch!r}")
        if switch == "enable":
            state.init_dump()
        if "mdldumpconfigpath" in options:
            state.set_dump(options["mdldumpconfigpath"])
        if switch == "disable":
            state.finalize_dump()

    module.is_available = lambda: True
    module.device_count = lambda: state.devices
    module.current_device = lambda: state.current
    module.set_device = set_device
    module.synchronize = lambda device=None: None
    module.init_dump = state.init_dump
    module.set_dump = state.set_dump
    module.finalize_dump = state.finalize_dump
    module.set_option = set_option
    return module


class _DeviceType(type):
    """Stands for torch.device before 2.1, where there is no npu: says what to write."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if any(_npu_index(value) is not None for value in (*args[:1], *kwargs.values())):
            raise UsageError(
                "torch.device('npu') needs PyTorch 2.1; write the text itself: x.to('npu:0'), "
                "torch.zeros(3, device='npu:0')"
            )
        return cls._real(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._real)


def _patch_tensors(state: _Installation) -> None:
    tensor_to, module_to = torch.Tensor.to, torch.nn.Module.to
    module_cpu = torch.nn.Module.cpu

    def npu(self: torch.Tensor, device: Any = 0, non_blocking: bool = False) -> torch.Tensor:
        state.check(device)
        return to_device(self)

    @functools.wraps(tensor_to)
    def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        device = kwargs.get("device", args[0] if args else None)
        if isinstance(device, DeviceTensor):
            return _to(tensor_to, self, ("npu", device.dtype, *args[1:]), kwargs)
        if _npu_index(device) is not None:
            state.check(device)
            return _to(tensor_to, self, args, kwargs)
        if isinstance(self, DeviceTensor) and isinstance(device, (str, torch.device)):
            return tensor_to(self.cpu(), *args, **kwargs)
        return tensor_to(self, *args, **kwargs)

    @functools.wraps(module_to)
    def move(self: torch.nn.Module, *args: Any, **kwargs: Any) -> torch.nn.Module:
        device = kwargs.get("device", args[0] if args else None)
        if _npu_index(device) is not None:
            state.check(device)
            rest = args[1:] if args else ()
            keywords = {key: value for key, value in kwargs.items() if key != "device"}
            changed = module_to(self, *rest, **keywords) if rest or keywords else self
            return module_to_device(changed)
        if isinstance(device, (str, torch.device)):
            module_to_cpu(self)
        return module_to(self, *args, **kwargs)

    def module_npu(self: torch.nn.Module, device: Any = 0) -> torch.nn.Module:
        state.check(device)
        return module_to_device(self)

    state.put(torch.Tensor, "npu", npu)
    # A property, as the other devices' are: compilers look for its getter.
    state.put(torch.Tensor, "is_npu", property(lambda self: False))
    state.put(torch.Tensor, "to", to)
    state.put(torch.nn.Module, "npu", module_npu)
    state.put(torch.nn.Module, "to", move)
    state.put(torch.nn.Module, "cpu", lambda self: module_cpu(module_to_cpu(self)))


def _factory(state: _Installation, original: Callable) -> Callable:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        if _npu_index(kwargs.get("device")) is None:
            return original(*args, **kwargs)
        state.check(kwargs.pop("device"))
        wants_gradient = kwargs.pop("requires_grad", False)
        source = [plain(a) if isinstance(a, DeviceTensor) else a for a in args]
        return wrap(original(*source, **kwargs)).requires_grad_(wants_gradient)

    return make


def install(chip: str = "910A", *, devices: int = 1) -> None:
    """Makes scripts written for PyTorch on Ascend run: `torch.utils.dumper` and `get_op_map`, `torch.npu`,
    `.npu()`, `.to("npu:0")`, `device="npu:0"`; what is there is listed in docs/compatibility.md.

    Tensors on the device lie in CPU memory; their ops run on the emulated `chip`. From PyTorch 2.1
    on `torch.device("npu")` works, too. With ACL_DUMP_DATA=1 kernels are dumped as ./acl.json says, until
    `uninstall`. A second call replaces the first. Errors: UsageError.
    """
    uninstall()
    if devices < 1:
        raise UsageError(f"devices must be at least 1, not {devices}")
    state = _Installation(chip, devices)
    DeviceTensor.session = state.session
    state.put(torch.utils, "dumper", dumper)
    state.put(torch.utils, "get_op_map", op_map)
    module = _torch_npu(state)
    state.put(torch, "npu", module)
    _patch_tensors(state)
    for name in _FACTORIES:
        state.put(torch, name, _factory(state, getattr(torch, name)))
    if private.VERSION >= (2, 1):
        private.name_device("npu", module)
        private.keep_compilers_out(load=True)
    else:
        real = torch.device
        state.put(torch, "device", _DeviceType("device", (), {"_real": real}))
    state.put(session, "device_session", state.session)
    state.sys_module = sys.modules.get("torch.npu", _MISSING)
    sys.modules["torch.npu"] = module
    _installed.append(state)
    if _core.acl_dump_data():
        state.init_dump()
        state.set_dump("acl.json")


def uninstall() -> None:
    """Restores everything that `install` changed. From 2.1 on `torch.device("npu")` keeps its name, which
    PyTorch gives once in a process."""
    while _installed:
        state = _installed.pop()
        if state.dumping:
            state.finalize_dump()
        if state.sys_module is _MISSING:
            sys.modules.pop("torch.npu", None)
        else:
            sys.modules["torch.npu"] = state.sys_module
        state.restore()
