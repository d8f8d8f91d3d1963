"""Writes recorded runs as a dump: the layout of docs/dump_format.md, by h5py."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from h5py import h5a, h5d, h5f, h5p, h5s, h5t
from torch import Tensor

from diagnosis.recording import Run

_CODES = {
    torch.float32: 1, torch.uint8: 2, torch.int8: 3, torch.int16: 5, torch.int32: 6, torch.int64: 7,
    torch.bool: 9, torch.float16: 10, torch.float64: 11, torch.bfloat16: 1,
}
_NUMBERS: Dict[int, np.ndarray] = {}
_DISK = {"f": h5t.IEEE_F32LE, "d": h5t.IEEE_F64LE, "b": h5t.STD_I8LE, "q": h5t.STD_I64LE,
         "l": h5t.STD_I64LE, "i": h5t.STD_I32LE, "h": h5t.STD_I16LE}


class Style(NamedTuple):
    """How a writer's files look beyond what all have in common."""

    device: int = 0
    inputs: bool = True
    shared: bool = False  # equal tensors are one dataset under several names
    compute_type: Optional[Callable[[Run], str]] = None
    facts: Optional[Callable[[Run], Dict[str, Any]]] = None
    version: bool = False  # npuscope's own marks at the root


class _Writer:
    def __init__(self, path: str, style: Style) -> None:
        access = h5p.create(h5p.FILE_ACCESS)
        access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
        self.file = h5f.create(path.encode(), h5f.ACC_TRUNC, fapl=access)
        self.style = style
        self._links = h5p.create(h5p.LINK_CREATE)
        self._links.set_create_intermediate_group(True)
        self._plain = h5p.create(h5p.DATASET_CREATE)
        self._plain.set_obj_track_times(False)
        self._scalar = h5s.create(h5s.SCALAR)
        self._written: Dict[Tuple[int, str], Tuple[str, Tensor]] = {}

    def _dataset(self, path: str, data: np.ndarray) -> Any:
        kind = _DISK[data.dtype.char]
        space = self._scalar if data.ndim == 0 else h5s.create_simple(data.shape)
        dataset = h5d.create(self.file, path.encode(), kind, space, self._plain, lcpl=self._links)
        if data.size:
            dataset.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(data))
        return dataset

    def _number(self, dataset: Any, name: bytes, value: int) -> None:
        h5a.create(dataset, name, h5t.STD_I32LE, self._scalar).write(_NUMBERS.setdefault(value, np.array(value, "i4")))

    def _text(self, dataset: Any, name: str, value: str) -> None:
        data = np.array(value.encode(), dtype=f"S{max(len(value.encode()), 1)}")
        kind = h5t.py_create(data.dtype)
        h5a.create(dataset, name.encode(), kind, self._scalar).write(data)

    def tensor(self, path: str, tensor: Tensor, compute_type: str = "") -> None:
        key = (id(tensor), compute_type)
        if self.style.shared and key in self._written:
            self.file.links.create_hard(path.encode(), self.file, self._written[key][0].encode(), lcpl=self._links)
            return
        self._written[key] = (path, tensor)
        data = tensor.detach().contiguous()
        if data.dtype in (torch.float16, torch.bfloat16):
            data = data.float()
        elif data.dtype in (torch.bool, torch.uint8):
            data = data.to(torch.int8)
        array = data.numpy()
        dataset = self._dataset(path, array)
        for name, value in ((b"DeviceType", self.style.device), (b"DataType", _CODES[tensor.dtype]),
                            (b"FormatType", 0), (b"Type", 0)):
            self._number(dataset, name, value)
        strides = np.array([s // array.itemsize for s in np.empty(array.shape, array.dtype).strides], "i8")
        h5a.create(dataset, b"Stride", h5t.STD_I64LE, h5s.create_simple(strides.shape)).write(strides)
        if tensor.dtype == torch.bfloat16:
            self._text(dataset, "StoredFrom", "bfloat16")
        if compute_type:
            self._text(dataset, "ComputeType", compute_type)

    def value(self, path: str, value: Any, kind: str) -> None:
        """An argument that is no tensor; what the layout does not hold is left out."""
        found = _plain(value, kind)
        if found is not None:
            data, code = found
            self._number(self._dataset(path, data), b"Type", code)

    def run(self, run: Run) -> None:
        base = run.path
        if self.style.inputs:
            self._inputs(base, run)
        kind = self.style.compute_type(run) if self.style.compute_type else ""
        for name, y in zip(run.call.schema.results, run.outputs):
            path = f"{base}/output/{name}"
            if isinstance(y, Tensor):
                self.tensor(path, y, kind if y.is_floating_point() else "")
            elif isinstance(y, (list, tuple)):
                for i, item in enumerate(y):
                    self.tensor(f"{path}/{name}_{i}", item)
        if self.style.facts is not None:
            text = json.dumps(self.style.facts(run)).encode()
            data = np.array(text, dtype=f"S{len(text)}")
            dataset = h5d.create(self.file, f"{base}/npuscope".encode(), h5t.py_create(data.dtype), self._scalar,
                                 self._plain, lcpl=self._links)
            dataset.write(h5s.ALL, h5s.ALL, data)
            self._number(dataset, b"Type", 100)

    def _inputs(self, base: str, run: Run) -> None:
        for argument in run.call.schema.arguments:
            name, value = argument.name, run.call.values[argument.name]
            path = f"{base}/input/{name}"
            if value is None:
                continue
            if isinstance(value, Tensor):
                self.tensor(path, value)
            elif isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
                for i, item in enumerate(value):
                    if isinstance(item, Tensor):
                        self.tensor(f"{path}/{name}_{i}", item)
            else:
                self.value(path, value, str(argument.type))


def _plain(value: Any, kind: str) -> Optional[Tuple[np.ndarray, int]]:
    if isinstance(value, (list, tuple)):
        if "bool" in kind:
            return np.array(value, "i1"), 102
        if all(isinstance(item, int) for item in value):
            return np.array(value, "i8"), 16
        return None
    if isinstance(value, torch.dtype):
        return np.array(_CODES.get(value, -1), "i4"), 14
    scalar = "number" in kind or "Scalar" in kind
    if isinstance(value, bool):
        return np.array(value, "i1"), 7 if scalar else 4
    if isinstance(value, int):
        return np.array(value, "i8"), 7 if scalar else 3
    if isinstance(value, float):
        return np.array(value, "f8"), 7 if scalar else 5
    return None


def write_dump(path: str, runs: List[Run], style: Style = Style()) -> None:
    writer = _Writer(path, style)
    try:
        if style.version:
            for name, value in (("FormatVersion", "1.0"), ("Mode", "dump"), ("Complete", "yes")):
                writer._text(writer.file, name, value)
        for run in runs:
            writer.run(run)
    finally:
        writer.file.close()
