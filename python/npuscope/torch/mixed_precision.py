"""Mixed precision for programs that run on the emulated chip: casts by function, and a static loss scale."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, FrozenSet, Iterator, Optional, Sequence, Tuple, Union

import torch
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from npuscope.errors import UsageError


def _named(where: Any, names: str) -> FrozenSet[Any]:
    found = (getattr(where, name, None) for name in names.split())
    return frozenset(item for item in found if item is not None)


# Products and convolutions, for the matrix unit.
_HALF = (
    _named(F, "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear bilinear")
    | _named(F, "multi_head_attention_forward scaled_dot_product_attention")
    | _named(torch, "matmul mm bmm mv addmm addbmm baddbmm addmv einsum lstm gru rnn_tanh rnn_relu")
    | _named(torch, "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d")
    | _named(torch.Tensor, "matmul __matmul__ __rmatmul__ mm bmm mv addmm addbmm baddbmm")
)
_NORMS = _named(F, "batch_norm layer_norm group_norm instance_norm local_response_norm")
_LOSSES = _named(
    F,
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div ctc_loss "
    "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss",
)
# Sums and exponentials, that leave half precision's range or digits.
_SUMS = (
    _named(F, "softmax log_softmax softmin softplus normalize cosine_similarity")
    | _named(torch, "softmax log_softmax exp expm1 log log2 log10 log1p pow sum prod cumsum cumprod")
    | _named(torch, "norm rsqrt reciprocal var std logsumexp")
    | _named(torch.Tensor, "softmax log_softmax exp expm1 log log2 log10 log1p pow __pow__ __rpow__")
    | _named(torch.Tensor, "sum prod cumsum cumprod norm rsqrt reciprocal var std logsumexp")
)
_WIDEST = (
    _named(torch, "cat stack addcmul addcdiv where")
    | _named(torch.Tensor, "addcmul addcdiv")
)


def _cast(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value) if value.is_floating_point() else value
    if type(value) in (list, tuple):
        return type(value)(_cast(item, change) for item in value)
    if type(value) is dict:
        return {key: _cast(item, change) for key, item in value.items()}
    return value


class autocast(TorchFunctionMode):  # noqa: N801 - reads as a statement: with autocast():
    """With-block of mixed precision, as apex names it; for CPU tensors inside `npu(chip)`.

    level  "O1": products and convolutions in half precision, sums, exponentials, norms and losses in
           float32, the rest follows its inputs. "O2": sums and exponentials follow, too.
    dtype  float16, or bfloat16.

    Parameters stay as they are; their half forms are made once a block. On CUDA tensors use
    `torch.autocast`. Errors: UsageError for another level or dtype.
    """

    def __init__(self, level: str = "O1", dtype: torch.dtype = torch.float16) -> None:
        super().__init__()
        if level not in ("O1", "O2"):
            raise UsageError(f"there is no level {level!r}; there are O1 and O2")
        if dtype not in (torch.float16, torch.bfloat16):
            raise UsageError(f"autocast casts to float16 or bfloat16, not to {dtype}")
        self._dtype = dtype
        self._float = _NORMS | _LOSSES | (_SUMS if level == "O1" else frozenset())
        self._parameters: Dict[int, Tuple[torch.Tensor, torch.Tensor]] = {}

    def __exit__(self, *error: Any) -> Any:
        self._parameters.clear()
        return super().__exit__(*error)

    def _half(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype != torch.float32:
            return tensor
        if not (tensor.requires_grad and tensor.is_leaf and torch.is_grad_enabled()):
            return tensor.to(self._dtype)
        if id(tensor) not in self._parameters:
            self._parameters[id(tensor)] = (tensor, tensor.to(self._dtype))
        return self._parameters[id(tensor)][1]

    @staticmethod
    def _single(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor

    def __torch_function__(
        self, function: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Optional[Dict] = None
    ) -> Any:
        kwargs = kwargs or {}
        change: Optional[Callable[[torch.Tensor], torch.Tensor]] = None
        if function in _HALF:
            change = self._half
        elif function in self._float:
            change = self._single
        elif function in _WIDEST:
            dtypes = set()
            _cast((args, kwargs), lambda t: dtypes.add(t.dtype) or t)
            if torch.float32 in dtypes and len(dtypes) > 1:
                change = self._single
        if change is None:
            return function(*args, **kwargs)
        return function(*_cast(args, change), **_cast(kwargs, change))


class LossScale:
    """A static loss scale.

        scaler = npuscope.torch.LossScale(1024)
        with scaler.scale(loss, optimizer) as scaled:
            scaled.backward()
        optimizer.step()

    `scale` is the factor; a power of two leaves the gradients' digits alone. Errors: UsageError unless
    it is positive and finite.
    """

    def __init__(self, scale: float = 128.0) -> None:
        if not 0 < scale < float("inf"):
            raise UsageError(f"a loss scale is a positive number, not {scale!r}")
        self.scale_factor = float(scale)
        self.last_finite: Optional[bool] = None

    @contextlib.contextmanager
    def scale(
        self,
        loss: torch.Tensor,
        optimizers: Union[torch.optim.Optimizer, Sequence[torch.optim.Optimizer]],
    ) -> Iterator[torch.Tensor]:
        """Gives the scaled loss; at the end the gradients of the optimizers are divided by the scale,
        and `last_finite` says whether all are finite. A static scale applies the step either way."""
        yield loss.float() * self.scale_factor
        rows = optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]
        self.unscale(*rows)

    def unscale(self, *optimizers: torch.optim.Optimizer) -> bool:
        """Divides the gradients by the scale. Returns whether all were finite."""
        finite = True
        with torch.no_grad():
            for optimizer in optimizers:
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        if parameter.grad is not None:
                            parameter.grad.mul_(1.0 / self.scale_factor)
                            finite = finite and bool(torch.isfinite(parameter.grad).all())
        self.last_finite = finite
        return finite
