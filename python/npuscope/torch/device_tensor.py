"""Tensors that stand on the emulated device: CPU memory whose ops the chip computes, without a block."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import torch

from npuscope.torch import private
from npuscope.torch.chip_session import ChipSession
from npuscope.torch.session import OpenScope


class DeviceSession(ChipSession):
    """The session of an installed device: it has no mode, its tensors bring their ops."""

    def __init__(self, chip: str) -> None:
        super().__init__(chip, [], quiet=False)
        self.used = False

    def attach(self, options: Any) -> OpenScope:
        scope = super().attach(options)
        if len(self._scopes) == 1:
            self._origins.open()
        return scope

    def detach(self, scope: OpenScope, error: Optional[BaseException]) -> Any:
        summary = super().detach(scope, error)
        if not self._scopes:
            self._origins.close()
        return summary


class DeviceTensor(torch.Tensor):
    """What `.npu()` gives: ops of which it is an argument run on the emulated chip, backward too."""

    session: DeviceSession  # of the installed device; set by installing.py
    index = 0
    is_npu = True

    __torch_function__ = private.NO_TORCH_FUNCTION

    @classmethod
    def __torch_dispatch__(
        cls, op: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Optional[Dict] = None
    ) -> Any:
        if private.is_composite(op):
            return op.decompose(*args, **(kwargs or {}))
        plain_of: Dict[int, torch.Tensor] = {}
        own_of: Dict[int, DeviceTensor] = {}

        def unwrap(tensor: torch.Tensor) -> torch.Tensor:
            if not isinstance(tensor, DeviceTensor):
                return tensor
            if id(tensor) not in plain_of:
                plain_of[id(tensor)] = plain(tensor)
                own_of[id(plain_of[id(tensor)])] = tensor
            return plain_of[id(tensor)]

        def rewrap(tensor: torch.Tensor) -> torch.Tensor:
            return own_of[id(tensor)] if id(tensor) in own_of else wrap(tensor)

        outputs = cls.session.run(op, _mapped(args, unwrap), _mapped(kwargs or {}, unwrap))
        for key, own in own_of.items():
            _follow(own, plain_of[id(own)])
        return _mapped(outputs, rewrap)

    def npu(self, *_: Any, **__: Any) -> "DeviceTensor":
        return self

    def cpu(self, *_: Any, **__: Any) -> torch.Tensor:
        return _Leave.apply(self) if self.requires_grad else plain(self).clone()

    def numpy(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert npu:0 device type tensor to numpy. Use Tensor.cpu() first.")

    def __deepcopy__(self, memo: Dict) -> "DeviceTensor":
        made = wrap(plain(self).clone()).requires_grad_(self.requires_grad)
        if getattr(self, "_is_param", False):
            made = torch.nn.Parameter(made, self.requires_grad)
        memo[id(self)] = made
        return made

    def __repr__(self, **_: Any) -> str:
        return repr(plain(self))[:-1] + ", device='npu:0')"


def _mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(_mapped(item, change) for item in value)
    if type(value) is dict:
        return {key: _mapped(item, change) for key, item in value.items()}
    return value


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory as an ordinary CPU tensor, without gradient."""
    with private.unseen(), torch.no_grad():
        return tensor.detach().as_subclass(torch.Tensor)


def wrap(tensor: torch.Tensor) -> DeviceTensor:
    """The same memory on the device, without gradient."""
    DeviceTensor.session.used = True
    with private.unseen():
        return torch.Tensor._make_subclass(DeviceTensor, tensor)


def _follow(own: DeviceTensor, used: torch.Tensor) -> None:
    """An op may have changed the shape or memory of what it wrote into."""
    with private.unseen():
        same = own.data_ptr() == used.data_ptr() and own.shape == used.shape
        if not same or own.stride() != used.stride():
            own.set_(used)


class _Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        return wrap(tensor.detach().clone())

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return plain(gradient)


class _Leave(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor) -> torch.Tensor:
        return plain(tensor).clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return wrap(gradient)


def to_device(tensor: torch.Tensor) -> torch.Tensor:
    """A copy on the device; gradients pass."""
    if isinstance(tensor, DeviceTensor):
        return tensor
    if tensor.requires_grad and torch.is_grad_enabled():
        return _Enter.apply(tensor)
    return wrap(tensor.detach().clone())


def module_to_device(module: torch.nn.Module) -> torch.nn.Module:
    """New parameters and buffers on the device; optimizers are made afterwards."""
    moved: Dict[int, Any] = {}
    for part in module.modules():
        for name, parameter in part._parameters.items():
            if parameter is None or isinstance(parameter, DeviceTensor):
                continue
            if id(parameter) not in moved:
                made = torch.nn.Parameter(
                    wrap(parameter.detach().clone()), parameter.requires_grad
                )
                moved[id(parameter)] = (parameter, made)
            part._parameters[name] = moved[id(parameter)][1]
        for name, buffer in part._buffers.items():
            if buffer is not None and not isinstance(buffer, DeviceTensor):
                part._buffers[name] = wrap(buffer.detach().clone())
    return module


def module_to_cpu(module: torch.nn.Module) -> torch.nn.Module:
    for part in module.modules():
        for name, parameter in part._parameters.items():
            if isinstance(parameter, DeviceTensor):
                made = torch.nn.Parameter(plain(parameter).clone(), parameter.requires_grad)
                part._parameters[name] = made
        for name, buffer in part._buffers.items():
            if isinstance(buffer, DeviceTensor):
                part._buffers[name] = plain(buffer).clone()
    return module
