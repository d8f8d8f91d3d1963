"""Calls of ATen ops as a dump holds them: recordings of real devices by the ops that this PyTorch has, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Optional

import h5py
import numpy as np
import torch
from torch import Tensor

from diagnosis.call import Call, schema_of

_TENSOR = 0  # Type
_FLOAT16 = 10  # DataType


class Given(NamedTuple):
    path: str
    call: Call
    outputs: List[Optional[Tensor]]


def calls_in(file: Path) -> Iterator[Given]:
    """In the file's order; ops that this PyTorch lacks, or whose arguments have changed since, are left out."""
    with h5py.File(file, "r") as dump:
        for name, runs in dump.items():
            op = _op_of(name)
            if op is None:
                continue
            for seqid, run in runs.items():
                if {a.name for a in op._schema.arguments if not a.has_default_value()} <= set(run.get("input", ())):
                    yield Given(f"/{name}/{seqid}", _call(op, run["input"]), _outputs(op, run["output"]))


def _op_of(name: str) -> Any:
    """By the group's name, which joins base and overload."""
    packets = [(name, "default")] + [(name[:i], name[i + 1 :]) for i, letter in enumerate(name) if letter == "_" and i]
    for base, overload in packets:
        packet = getattr(torch.ops.aten, base, None)
        if packet is not None and overload in packet.overloads():
            return getattr(packet, overload)
    return None


def _call(op: Any, inputs: Any) -> Call:
    schema = schema_of(op)
    return Call(schema, {a.name: _value(inputs[a.name]) if a.name in inputs else a.default_value for a in schema.arguments})


def _outputs(op: Any, outputs: Any) -> List[Optional[Tensor]]:
    return [_value(outputs[name]) if name in outputs else None for name in schema_of(op).results]


def _value(dataset: Any) -> Any:
    if isinstance(dataset, h5py.Group):
        return [_value(item) for item in dataset.values()]
    if int(dataset.attrs["Type"]) != _TENSOR:
        value = dataset[()]
        return value.tolist() if hasattr(value, "tolist") else value
    tensor = torch.from_numpy(np.array(dataset))
    return tensor.half() if int(dataset.attrs["DataType"]) == _FLOAT16 else tensor
