"""Dump files as mappings: an index at once, elements when they are asked for."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple, Union

from npuscope import _core


class Described(NamedTuple):
    """A value of a dump that has not been read."""

    dtype: str
    shape: Tuple[int, ...]
    is_tensor: bool
    compute_type: str


class Values(Mapping[str, Any]):
    """Inputs or outputs of one op by name; list arguments by "tensors/tensors_0".

    Tensors come as read-only ndarrays in their own dtype (bfloat16 as `npuscope.Tensor`), other values
    as Python numbers and lists. Each access reads the file. Errors: KeyError, FormatError.
    """

    def __init__(self, reader: "_core.DumpReader", op: int, rows: Dict[str, Tuple[int, Described]]):
        self._reader, self._op, self._rows = reader, op, rows

    def __getitem__(self, name: str) -> Any:
        if name not in self._rows:
            raise KeyError(f"{name!r}; there are {', '.join(self._rows) or 'none'}")
        return self._reader.read(self._op, self._rows[name][0])

    def describe(self, name: str) -> Described:
        """Dtype and shape without reading elements."""
        return self._rows[name][1]

    def tensors(self) -> List[str]:
        """Names of the values that are tensors."""
        return [name for name, (_, row) in self._rows.items() if row.is_tensor]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{n}: {d.dtype}{list(d.shape)}" for n, (_, d) in self._rows.items()) + "}"


class DumpedOp:
    """One run of one op."""

    def __init__(self, reader: "_core.DumpReader", index: int) -> None:
        self._reader, self._index = reader, index
        self.name, self.seqid, self._facts = reader.op(index)

    @property
    def path(self) -> str:
        return f"/{self.name}/{self.seqid}"

    @property
    def facts(self) -> Dict[str, Any]:
        """What the dump tells beside tensors: module, line, autograd, kernels, status, statistics."""
        return json.loads(self._facts) if self._facts else {}

    @property
    def inputs(self) -> Values:
        return self._values("input")

    @property
    def outputs(self) -> Values:
        return self._values("output")

    def _values(self, direction: str) -> Values:
        rows = {}
        for i, (where, name, is_tensor, dtype, shape, compute, _) in enumerate(
            self._reader.entries(self._index)
        ):
            if where == direction:
                rows[name] = (i, Described(dtype, shape, is_tensor, compute))
        return Values(self._reader, self._index, rows)

    def __repr__(self) -> str:
        return f"<{self.path}: {self.inputs!r} -> {self.outputs!r}>"


class Dump(Mapping[str, DumpedOp]):
    """A dump file, read-only: `d["/addmm/12"].outputs["result"]`. Keys are in the order of seqid.

    `facts` is what the file says of its run (Chip, Options, Mode, …), `complete` whether all ops are
    in it, `warnings` what could not be understood. The file is open as long as this object, its ops or
    values live; h5py, which opens files in another way, can do so before or after.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._reader = _core.DumpReader(os.fspath(path))
        self.path = self._reader.path
        self.facts: Dict[str, str] = self._reader.facts()
        self.complete: bool = self._reader.complete
        self.warnings: List[str] = list(self._reader.warnings)

    def __getitem__(self, path: str) -> DumpedOp:
        index = self._reader.index_of(path)
        if index is None:
            raise KeyError(f"{path!r} is not in {self.path}{self._reader.nearest(path)}")
        return DumpedOp(self._reader, index)

    def ops(self, name: str = "") -> List[DumpedOp]:
        """All runs in the order of seqid, or those of one IR name."""
        runs = (DumpedOp(self._reader, i) for i in range(len(self)))
        return [run for run in runs if not name or run.name == name]

    def __iter__(self) -> Iterator[str]:
        for i in range(len(self)):
            name, seqid, _ = self._reader.op(i)
            yield f"/{name}/{seqid}"

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._reader.index_of(path) is not None

    def __len__(self) -> int:
        return len(self._reader)

    def __repr__(self) -> str:
        return f"npuscope.Dump({self.path!r}, {len(self)} ops)"


def open_dump(path: Union[str, "os.PathLike[str]"]) -> Dump:
    """Reads the index of a dump of any origin. Errors: IoError, FormatError."""
    return Dump(path)
