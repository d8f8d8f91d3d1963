"""Dumps of the kernels that ops launch, in the files of CANN, and which kernel went wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type

from npuscope import _core
from npuscope.dump_scope import OpenScope, PathLike, path_text
from npuscope.errors import UsageError, giving_way_to
from npuscope.executor import Setting, current_executor, settings_list


@dataclass(frozen=True)
class DumpedKernel:
    """One launch, and its files below the summary's folder."""

    op: str
    seqid: int
    type: str
    op_name: str
    task_id: int
    stream_id: int
    timestamp: int
    files: List[str]


@dataclass(frozen=True)
class KernelDumpSummary:
    """What a closed kernel dump has to tell. `folder` is None when no kernel was dumped."""

    folder: Optional[str] = None
    kernels: List[DumpedKernel] = field(default_factory=list)
    debug_files: List[str] = field(default_factory=list)


def kernel_summary(row: Mapping[str, Any]) -> KernelDumpSummary:
    kernels = [DumpedKernel(**kernel) for kernel in row["kernels"]]
    return KernelDumpSummary(row["folder"], kernels, row["debug_files"])


class KernelsWhileLoading:
    """The kernels of ops that find their run in the loaded file; `load_with_acl_dump`."""

    def __init__(self, source: Any, acl_json: PathLike, loading: OpenScope) -> None:
        self._dump = _core.KernelDump(source, path_text(acl_json), loading.core)

    def close(self) -> KernelDumpSummary:
        return kernel_summary(self._dump.close())


class kernel_dump:  # noqa: N801 - reads as a statement: with npuscope.kernel_dump(…):
    """With-block: the kernels of the current chip's ops go to dump files, as `acl.json` says.

    `as k` gives this object; `k.summary` tells the folder and the files after the block. Errors:
    FormatError for a file that is no acl.json, UsageError when it switches single operators off,
    IoError at the end when files could not be written.
    """

    def __init__(self, acl_json: PathLike) -> None:
        self._acl_json = acl_json
        self._dump: Optional[Any] = None
        self.summary: Optional[KernelDumpSummary] = None

    def __enter__(self) -> "kernel_dump":
        if self._dump is not None or self.summary is not None:
            raise UsageError("a kernel_dump object serves one with-block; make another")
        executor = current_executor()
        require_chip(executor.facts)
        self._dump = _core.KernelDump(executor._core, path_text(self._acl_json))
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._dump is None:
            return
        with giving_way_to(error):
            self.summary = kernel_summary(self._dump.close())
        self._dump = None


def require_chip(facts: Mapping[str, str]) -> None:
    """Errors: UsageError on a reference, which has no kernels of CANN."""
    if "chip" not in facts:
        raise UsageError("kernel dumps are of a chip's kernels; this is a reference")


def map_ops(
    path: PathLike,
    *,
    chip: str = "910A",
    acl: Optional[PathLike] = None,
    output: Optional[PathLike] = None,
    ops: Sequence[str] = (),
    settings: Optional[Mapping[str, Setting]] = None,
) -> Dict[str, Any]:
    """Which kernels the ops of a dump become, and for each op the first that leaves the reference: the
    content of mapping.json (docs/kernel_dumps.md).

    acl     acl.json for the kernels' dumps; None: inputs and outputs of all, below `output`.
    output  folder for mapping.json; None with no `acl`: nothing is written.
    ops     paths "/name/seqid"; empty: every op.
    """
    text = _core.map_ops(
        path_text(path), chip, settings_list(settings), path_text(acl), path_text(output), list(ops)
    )
    return json.loads(text)
