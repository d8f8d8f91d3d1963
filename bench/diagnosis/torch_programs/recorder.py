"""Records PyTorch's ops by a dispatch mode and h5py, in the plain layout of dumps, and computes products in an arithmetic.

Shares nothing with npuscope.torch: what it leaves out (views, empty lists, lists of fractions, words) foreign recorders leave
out as well.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import h5py
import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

VIEWS = frozenset(
    """view _unsafe_view t transpose permute expand squeeze unsqueeze select slice split split_with_sizes unbind alias detach
    as_strided empty empty_like _reshape_alias lift_fresh new_empty chunk narrow detach_ new_empty_strided empty_strided
    is_same_size _local_scalar_dense unfold _record_function_enter""".split()
)
PRODUCTS = frozenset("mm addmm bmm baddbmm convolution convolution_backward".split())
DTYPE_CODES = {
    torch.float32: 1,
    torch.uint8: 2,
    torch.int8: 3,
    torch.int16: 5,
    torch.int32: 6,
    torch.int64: 7,
    torch.bool: 9,
    torch.float16: 10,
    torch.float64: 11,
    torch.bfloat16: 1,
}
TENSOR, INT, BOOL, FLOAT, SCALAR, INTS, BOOLS = 0, 3, 4, 5, 7, 16, 102


def to_significand(x: torch.Tensor, bits: int) -> torch.Tensor:
    mantissa, exponent = torch.frexp(x.double())
    return torch.ldexp(torch.round(mantissa * 2.0**bits) / 2.0**bits, exponent).to(x.dtype)


# What products round their float32 operands to.
ROUNDINGS: Dict[str, Optional[Callable[[torch.Tensor], torch.Tensor]]] = {
    "fp32": None,
    "fp16 inputs": lambda x: x.to(torch.float16).to(x.dtype),
    "bf16 inputs": lambda x: x.to(torch.bfloat16).to(x.dtype),
    "TF32 inputs": lambda x: to_significand(x, 11),
}


class Run(NamedTuple):
    """One run of an op: what a fault may change."""

    schema: Any
    args: Tuple[Any, ...]
    compute: Callable[[Tuple[Any, ...]], Any]


Fault = Callable[[Run], Any]  # gives the results


class Recorder(TorchDispatchMode):
    """`path` None: only lists the ops. `faults`: by seqid, in place of what the op gives."""

    def __init__(self, path: Optional[str], arithmetic: str = "fp32", faults: Optional[Dict[int, Fault]] = None) -> None:
        super().__init__()
        self.file = h5py.File(path, "w", libver="latest") if path else None
        self.rounded = ROUNDINGS[arithmetic]
        self.faults = faults or {}
        self.ops: List[str] = []  # by seqid, from 1

    def __torch_dispatch__(self, func: Any, types: Any, args: Tuple[Any, ...] = (), kwargs: Optional[dict] = None) -> Any:
        kwargs = kwargs or {}
        base, overload = func.__name__.split(".")
        # What profilers mark a program with is no part of it.
        if base in VIEWS or func.namespace != "aten":
            return func(*args, **kwargs)
        self.ops.append(base if overload == "default" else f"{base}_{overload}")
        seqid = len(self.ops)
        group = self.file.create_group(f"{self.ops[-1]}/{seqid}") if self.file is not None else None
        if group is not None:
            write_inputs(group.create_group("input"), func._schema, args, kwargs)

        def compute(own: Tuple[Any, ...]) -> Any:
            return func(*self.operands(base, own), **kwargs)

        fault = self.faults.get(seqid)
        results = fault(Run(func._schema, args, compute)) if fault else compute(args)
        if group is not None:
            outputs = group.create_group("output")
            write_outputs(outputs, func._schema, results)
            if not func._schema.returns:
                write_written(outputs, func._schema, args)
        return results

    def operands(self, base: str, args: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """A bias is added in float32."""
        if base not in PRODUCTS or self.rounded is None:
            return args
        bias = {"addmm": 0, "baddbmm": 0, "convolution": 2}.get(base)
        rounded = self.rounded

        def one(x: Any) -> Any:
            return rounded(x) if isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x

        return tuple(each if at == bias else tree_map(one, each) for at, each in enumerate(args))

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def write_inputs(group: h5py.Group, schema: Any, args: Tuple[Any, ...], kwargs: dict) -> None:
    for at, argument in enumerate(schema.arguments):
        value = args[at] if at < len(args) else kwargs.get(argument.name, argument.default_value)
        if argument.name not in ("dtype", "layout", "device", "memory_format", "generator"):
            write(group, argument.name, value, "Scalar" in str(argument.type) or str(argument.type) == "number")


def write_outputs(group: h5py.Group, schema: Any, results: Any) -> None:
    if len(schema.returns) == 1 and isinstance(results, (list, tuple)):
        write(group, "result", results)
        return
    alone = len(schema.returns) == 1
    for at, (returned, result) in enumerate(zip(schema.returns, [results] if alone else results or ())):
        name = returned.name or ("result" if alone else f"result{at}")
        if returned.alias_info is not None and returned.alias_info.is_write:
            for argument in schema.arguments:
                alias = argument.alias_info
                if alias is not None and alias.is_write and alias.before_set == returned.alias_info.before_set:
                    name = argument.name
        write(group, name, result)


def write_written(group: h5py.Group, schema: Any, args: Tuple[Any, ...]) -> None:
    """Of ops that return nothing what they wrote over, by the arguments' names."""
    for argument, value in zip(schema.arguments, args):
        if argument.alias_info is not None and argument.alias_info.is_write:
            write(group, argument.name, value)


def write(group: h5py.Group, name: str, value: Any, is_scalar: bool = False) -> None:
    if isinstance(value, torch.Tensor):
        write_tensor(group, name, value.detach())
    elif isinstance(value, bool):
        group.create_dataset(name, data=np.int8(value)).attrs["Type"] = BOOL
    elif isinstance(value, int):
        group.create_dataset(name, data=np.int64(value)).attrs["Type"] = SCALAR if is_scalar else INT
    elif isinstance(value, float):
        group.create_dataset(name, data=np.float64(value)).attrs["Type"] = SCALAR if is_scalar else FLOAT
    elif isinstance(value, (list, tuple)) and value:
        if all(isinstance(each, bool) for each in value):
            group.create_dataset(name, data=np.array(value, "i1")).attrs["Type"] = BOOLS
        elif all(isinstance(each, int) for each in value):
            group.create_dataset(name, data=np.array(value, "i8")).attrs["Type"] = INTS
        elif any(isinstance(each, torch.Tensor) for each in value):
            elements = group.create_group(name)
            for at, each in enumerate(value):
                write(elements, f"{name}_{at}", each)


def write_tensor(group: h5py.Group, name: str, tensor: torch.Tensor) -> None:
    kept = tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor
    array = kept.contiguous().cpu().numpy()
    written = group.create_dataset(name, data=array.astype("i1") if tensor.dtype == torch.bool else array)
    written.attrs["Type"] = TENSOR
    written.attrs["DataType"] = DTYPE_CODES.get(tensor.dtype, -1)
    written.attrs["DeviceType"] = 1 if tensor.device.type == "cuda" else 0
    written.attrs["FormatType"] = 0
    written.attrs["Stride"] = np.array(tensor.contiguous().stride(), "i8")
    if tensor.dtype == torch.bfloat16:
        written.attrs["StoredFrom"] = "bfloat16"
