"""PyTorch's tensors as the library's, and back; without NumPy in between, for its missing dtypes."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import torch

from npuscope import _core
from npuscope.torch import private

_NAMES = "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool uint16 uint32 uint64"
NAME_OF: Dict[torch.dtype, str] = {
    getattr(torch, name): name for name in _NAMES.split() if hasattr(torch, name)
}
DTYPE_OF: Dict[str, torch.dtype] = {name: dtype for dtype, name in NAME_OF.items()}

# A part of a larger tensor is given so much of the rest's room; what a file says is not trusted further.
MOST_SPREAD = 16
MOST_BYTES = 1 << 28


def to_core(tensor: torch.Tensor) -> Optional["_core.Tensor"]:
    """A copy of the elements in C order. None for what has no plain elements: sparse, quantised, meta.
    Complex tensors come as pairs of reals, one dimension longer. Called where modes are off."""
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        return None
    tensor = private.filled_in(tensor)
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    name = NAME_OF.get(tensor.dtype)
    if name is None:
        return None
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    if not tensor.is_contiguous():
        tensor = tensor.contiguous()
    return _core.Tensor.from_memory(tensor.data_ptr(), name, tuple(tensor.shape))


def strides_of(tensor: torch.Tensor) -> List[int]:
    """In elements, as to_core() gives the dimensions; empty for those of C order."""
    if tensor.is_complex() or tensor.numel() == 0:
        return []
    expected = 1
    for size, stride in zip(reversed(tensor.shape), reversed(tensor.stride())):
        if stride != expected:
            return list(tensor.stride())
        expected *= size
    return []


def is_plain(value: Any) -> bool:
    """Whether a tensor, a dtype, or all in a list can go to the chip as they are; other values can."""
    if isinstance(value, torch.Tensor):
        strided = value.layout == torch.strided and not value.is_quantized
        return strided and value.dtype in NAME_OF and value.device.type != "meta"
    if isinstance(value, torch.dtype):
        return value in NAME_OF
    return all(map(is_plain, value)) if isinstance(value, (list, tuple)) else True


def to_torch(
    tensor: "_core.Tensor", device: Any = "cpu", strides: Sequence[int] = (), written: bool = False
) -> torch.Tensor:
    """A new tensor with the elements, and these strides where they can be had. Called where modes are
    off; the strides are never such that two elements share a place if `written`."""
    made = torch.empty(tensor.shape, dtype=DTYPE_OF[tensor.dtype], device="cpu")
    tensor.copy_to(made.data_ptr(), tensor.nbytes)
    made = made if str(device) == "cpu" else made.to(device)
    return laid_out(made, strides, written) if strides else made


def _may_share(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """False when surely no two elements lie in one place."""
    reach = 1
    for stride, size in sorted((stride, size) for size, stride in zip(shape, strides) if size > 1):
        if stride < reach:
            return True
        reach += (size - 1) * stride
    return False


def laid_out(tensor: torch.Tensor, strides: Sequence[int], written: bool = False) -> torch.Tensor:
    """The same elements with these strides: libraries add in another order for another layout. The
    tensor itself where they would take too much memory, or where elements that would lie in one
    place are not the same or are `written`."""
    if len(strides) != tensor.dim() or tensor.numel() == 0 or min(strides, default=0) < 0:
        return tensor
    reach = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, strides))
    size = tensor.element_size()
    shares = _may_share(tensor.shape, strides)
    if reach * size > max(MOST_SPREAD * tensor.numel() * size, MOST_BYTES) or (shares and written):
        return tensor
    room = torch.empty(reach, dtype=tensor.dtype, device=tensor.device)
    made = room.as_strided(tensor.shape, list(strides))
    target, source = made, tensor
    for axis, stride in enumerate(strides):
        if stride == 0:
            target, source = target.narrow(axis, 0, 1), source.narrow(axis, 0, 1)
    target.copy_(source)
    if shares:
        found = made.contiguous().view(torch.uint8)
        if not torch.equal(found, tensor.contiguous().view(torch.uint8)):
            return tensor
    return made
