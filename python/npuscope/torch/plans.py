"""What is known of an ATen op from its schema, worked out once."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch

from npuscope import _core
from npuscope.torch import private

# Ops that write into arguments although their schema does not say so.
HIDDEN_WRITES = {
    "native_batch_norm": ("running_mean", "running_var"),
    "cudnn_batch_norm": ("running_mean", "running_var"),
    "miopen_batch_norm": ("running_mean", "running_var"),
}

# Arguments in which nothing is yet where another one is true: memory that the op fills.
UNSET_WHERE = {
    "_fused_sgd_": ("momentum_buffer_list", "is_first_step"),
    "_fused_sgd__tensor_lr": ("momentum_buffer_list", "is_first_step"),
}

_IGNORED = (torch.device, torch.layout, torch.memory_format, torch.Generator)


class Argument(NamedTuple):
    name: str
    kind: str  # a letter of bindings/values.h
    default: Any
    written: bool


def _kind(type_text: str) -> str:
    text = type_text.replace("Optional[", "").replace("]", "").replace("List[", "[")
    return {
        "number": "s",
        "Scalar": "s",
        "[int": "I",
        "[SymInt": "I",
        "[bool": "M",
        "[Tensor": "L",
        "[number": "F",
        "[float": "F",
    }.get(text, " ")


def ir_name(op: Any) -> str:
    """"aten::add.Tensor" -> "add_Tensor"; other libraries keep their name in front."""
    schema = private.schema_of(op)
    name = schema.name
    name = name[len("aten::") :] if name.startswith("aten::") else name.replace("::", "_")
    return f"{name}_{schema.overload_name}" if schema.overload_name else name


class Plan:
    """How one op is bound, named, recorded and computed."""

    def __init__(self, op: Any) -> None:
        schema = private.schema_of(op)
        self.op = op
        self.name = ir_name(op)
        self.arguments: List[Argument] = []
        for argument in schema.arguments:
            alias = argument.alias_info
            self.arguments.append(
                Argument(
                    argument.name,
                    _kind(str(argument.type)),
                    argument.default_value,
                    alias is not None and alias.is_write,
                )
            )
        self.written = tuple(a.name for a in self.arguments if a.written)
        self.hidden_writes = HIDDEN_WRITES.get(self.name, ())
        self.positional = sum(1 for a in schema.arguments if not a.kwarg_only)
        aliases = [r.alias_info for r in schema.returns]
        self.is_view = any(a is not None and not a.is_write for a in aliases)
        self.describes_storage = self.is_view or not _core.is_recorded(self.name)
        self.passive = not self.name or schema.name.startswith(("profiler::", "prim::"))
        self.returns = self._return_names(schema)
        self.takes_tensors = any("Tensor" in str(a.type) for a in schema.arguments)
        self.out = any(a.written and a.name in ("out", "out0", "grad_input") for a in self.arguments)
        self.draws_numbers = private.draws_numbers(op)
        self.chip_name = self._chip_name(schema)

    def _return_names(self, schema: Any) -> List[str]:
        names = []
        for i, item in enumerate(schema.returns):
            alias = item.alias_info
            if item.name:
                names.append(item.name)
            elif alias is not None and alias.is_write:
                names.append(self._written_with(alias, schema))
            else:
                names.append("result" if len(schema.returns) == 1 else f"result{i}")
        return names

    @staticmethod
    def _written_with(alias: Any, schema: Any) -> str:
        for argument in schema.arguments:
            info = argument.alias_info
            if info is not None and info.is_write and info.before_set == alias.before_set:
                return argument.name
        return "self"

    def _chip_name(self, schema: Any) -> Optional[str]:
        """The chip's op: of this name, or the one that gives the same result as a new tensor."""
        if self.is_view or self.passive or self.draws_numbers or not self.takes_tensors:
            return None
        if _core.knows(self.name):
            return self.name
        base = schema.name[len("aten::") :] if schema.name.startswith("aten::") else ""
        plain = [a.name for a in self.arguments if not (self.out and a.written)]
        if self.name in _SAME and _core.knows(_SAME[self.name]):
            return _SAME[self.name]
        if not self.written or not base:
            return None
        packet = private.overload_packet(base.rstrip("_") if base.endswith("_") else base)
        for overload in packet.overloads() if packet is not None else ():
            other = getattr(packet, overload)
            names = [a.name for a in private.schema_of(other).arguments]
            if names == plain and _core.knows(ir_name(other)):
                return ir_name(other)
        return None

    def unset(self, values: Sequence[Any]) -> str:
        """The bound argument that holds nothing yet; "" as a rule."""
        name, condition = UNSET_WHERE.get(self.name, ("", ""))
        given = dict(zip((a.name for a in self.arguments), values)) if name else {}
        return name if given.get(condition) else ""

    def bind(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[Any]:
        """All arguments in schema order, defaults filled in."""
        values = list(args[: len(self.arguments)])
        for argument in self.arguments[len(values) :]:
            values.append(kwargs[argument.name] if argument.name in kwargs else argument.default)
        return values

    def call(self, values: List[Any]) -> Any:
        """Runs the op itself with bound arguments."""
        keywords = {
            argument.name: value
            for argument, value in zip(self.arguments[self.positional :], values[self.positional :])
        }
        return self.op(*values[: self.positional], **keywords)


# Other names of the same op, with the same names of arguments.
_SAME = {name: canonical for name, canonical, renames in _core.aliases() if not renames}
_plans: Dict[Any, Plan] = {}


def plan_of(op: Any) -> Plan:
    plan = _plans.get(op)
    if plan is None:
        plan = _plans[op] = Plan(op)
    return plan


def says_nothing(value: Any) -> bool:
    """Arguments that a dump does not hold: where and how memory lies."""
    return isinstance(value, _IGNORED)
