"""PyTorch's tensors as the library's, and back; without NumPy in between, for its missing dtypes."""

from __future__ import annotations

from typing import Any, Dict, Optional

import torch

from npuscope import _core

_NAMES = "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool uint16 uint32 uint64"
NAME_OF: Dict[torch.dtype, str] = {
    getattr(torch, name): name for name in _NAMES.split() if hasattr(torch, name)
}
DTYPE_OF: Dict[str, torch.dtype] = {name: dtype for dtype, name in NAME_OF.items()}


def to_core(tensor: torch.Tensor) -> Optional["_core.Tensor"]:
    """A copy of the elements in C order. None for what has no plain elements: sparse, quantised, meta.
    Complex tensors come as pairs of reals, one dimension longer. Called where modes are off."""
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        return None
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


def is_plain(value: Any) -> bool:
    """Whether a tensor, a dtype, or all in a list can go to the chip as they are; other values can."""
    if isinstance(value, torch.Tensor):
        strided = value.layout == torch.strided and not value.is_quantized
        return strided and value.dtype in NAME_OF and value.device.type != "meta"
    if isinstance(value, torch.dtype):
        return value in NAME_OF
    return all(map(is_plain, value)) if isinstance(value, (list, tuple)) else True


def to_torch(tensor: "_core.Tensor", device: Any = "cpu") -> torch.Tensor:
    """A new tensor with the elements. Called where modes are off."""
    made = torch.empty(tensor.shape, dtype=DTYPE_OF[tensor.dtype], device="cpu")
    tensor.copy_to(made.data_ptr(), tensor.nbytes)
    return made if str(device) == "cpu" else made.to(device)
