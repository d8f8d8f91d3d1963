"""One ATen op with its arguments by name, and ways to evaluate it with PyTorch's own kernels."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor

# Ops that move, make or compare values and so are exact in every arithmetic.
MOVES = {
    "arange", "bernoulli", "bitwise_not", "cat", "clone", "copy", "embedding", "eq", "fill", "full", "full_like",
    "ge", "gt", "index", "index_select", "le", "logical_not", "lt", "masked_fill", "ne", "new_full", "new_zeros",
    "ones", "ones_like", "repeat", "roll", "scalar_tensor", "select_backward", "slice_backward", "stack", "tril",
    "triu", "where", "zero", "zeros", "zeros_like", "_to_copy", "flip", "constant_pad_nd", "gather", "unfold_backward",
}

# Neither recorded nor numbered by dumpers: they describe storage again, or allocate it.
UNRECORDED = {
    "view", "_unsafe_view", "_reshape_alias", "reshape", "t", "transpose", "permute", "expand", "expand_as", "squeeze",
    "unsqueeze", "select", "slice", "split", "split_with_sizes", "unsafe_split", "unsafe_chunk", "chunk", "narrow",
    "unbind", "alias", "detach", "as_strided", "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided",
    "lift_fresh", "item", "_local_scalar_dense", "detach_", "unfold", "unsqueeze_", "unsafe_split_with_sizes",
}


class Schema(NamedTuple):
    op: Any
    base: str  # "add_"
    name: str  # "add__Tensor"
    arguments: Tuple[Any, ...]
    positional: int
    results: Tuple[str, ...]
    written: Optional[str]  # the argument that the op writes into


_schemas: Dict[Any, Schema] = {}


def schema_of(op: Any) -> Schema:
    found = _schemas.get(op)
    if found is not None:
        return found
    schema = op._schema
    base = schema.name.split("::")[1]
    written = None
    for argument in schema.arguments:
        if argument.alias_info is not None and argument.alias_info.is_write:
            written = argument.name
    results = []
    for i, row in enumerate(schema.returns):
        plain = "result" if len(schema.returns) == 1 else f"result{i}"
        results.append(row.name or (written if written else plain))
    found = Schema(
        op,
        base,
        base + (f"_{schema.overload_name}" if schema.overload_name else ""),
        tuple(schema.arguments),
        sum(1 for a in schema.arguments if not a.kwarg_only),
        tuple(results),
        written,
    )
    _schemas[op] = found
    return found


def _functional(schema: Schema) -> Any:
    """The op that gives as a new tensor what this one writes in place."""
    if schema.written is None or not schema.base.endswith("_"):
        return schema.op
    packet = getattr(torch.ops.aten, schema.base[:-1])
    overload = schema.op._schema.overload_name or "default"
    return getattr(packet, overload) if overload in packet.overloads() else schema.op


def floats_as(value: Any, dtype: torch.dtype) -> Any:
    """The value with its floating tensors, in lists too, in the dtype."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
        return [floats_as(item, dtype) for item in value]
    return value


class Call(NamedTuple):
    """Arguments in the schema's order; `values` may be replaced to make another call of the same op."""

    schema: Schema
    values: Dict[str, Any]

    @property
    def base(self) -> str:
        """Name without overload and without the underscore of in-place ops."""
        name = self.schema.base
        return name[:-1] if self.schema.written == "self" and name.endswith("_") else name

    def with_values(self, /, **changed: Any) -> "Call":
        return Call(self.schema, {**self.values, **changed})

    def tensors(self) -> List[Tuple[str, Tensor]]:
        """Tensor arguments, those of lists as name_0, name_1, …"""
        rows = []
        for name, value in self.values.items():
            if isinstance(value, Tensor):
                rows.append((name, value))
            elif isinstance(value, (list, tuple)):
                rows += [(f"{name}_{i}", item) for i, item in enumerate(value) if isinstance(item, Tensor)]
        return rows

    def floats(self) -> List[Tuple[str, Tensor]]:
        return [(name, t) for name, t in self.tensors() if t.is_floating_point()]

    def run(self, dtype: Optional[torch.dtype] = None) -> List[Any]:
        """PyTorch's kernel; with a dtype on floats of that dtype. Nothing is written in place."""
        values = self.values
        if self.base == "bernoulli" and dtype is None and values["self"].dtype != torch.float32:
            return [y.to(values["self"].dtype) for y in self.run(torch.float32)]
        if dtype is not None:
            values = {name: floats_as(value, dtype) for name, value in values.items()}
            for name in ("input_dtype", "dtype"):
                if isinstance(values.get(name), torch.dtype) and values[name].is_floating_point:
                    values[name] = dtype
            if "half_to_float" in values:
                values["half_to_float"] = False
        if self.schema.base in ("native_batch_norm",):
            values = {**values}
            for name in ("running_mean", "running_var"):
                if values[name] is not None:
                    values[name] = values[name].clone()
        op = _functional(self.schema)
        if op is self.schema.op and self.schema.written is not None:
            values = {**values, self.schema.written: values[self.schema.written].clone()}
        names = [a.name for a in op._schema.arguments]
        positional = sum(1 for a in op._schema.arguments if not a.kwarg_only)
        rows = [values[name] for name in names if name in values]
        keywords = {n: values[n] for n in names[positional:] if n in values and values[n] is not None}
        out = op(*rows[:positional], **keywords)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    def result_dtypes(self, count: int) -> List[torch.dtype]:
        """Dtypes that a device gives the floating results."""
        floats = [t for _, t in self.floats()]
        strong = [t for t in floats if t.ndim] or floats
        default = torch.float32
        if strong:
            default = strong[0].dtype
            for t in strong[1:]:
                default = torch.promote_types(default, t.dtype)
        if isinstance(self.values.get("dtype"), torch.dtype) and self.base != "_to_copy":
            default = self.values["dtype"]
        first = default
        if self.base.startswith("native_"):
            lead = self.values.get("grad_out", self.values.get("input"))
            first = lead.dtype
            default = torch.float32
        elif self.values.get("half_to_float"):
            first = torch.float32
        elif self.base in ("_softmax_backward_data", "_log_softmax_backward_data"):
            first = self.values["input_dtype"]
        return [first] + [default] * (count - 1)


def bind(op: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Call:
    schema = schema_of(op)
    values = {}
    for i, argument in enumerate(schema.arguments):
        if i < len(args):
            values[argument.name] = args[i]
        else:
            values[argument.name] = kwargs.get(argument.name, argument.default_value)
    return Call(schema, values)
