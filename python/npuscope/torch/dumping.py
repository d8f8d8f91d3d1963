"""The with-block `torch.utils.dumper` for any PyTorch."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Dict, List, Optional, Sequence, Tuple, Type

import torch

from npuscope import _core
from npuscope.dump_scope import (
    DumpBlock,
    DumpSummary,
    PathLike,
    kernels_while_loading,
    require_a_match,
)
from npuscope.errors import UsageError, giving_way_to
from npuscope.torch.session import Session, current_session, seqids

CPU, CUDA = 0, 1


def _recording_session() -> Session:
    # A program that has not touched CUDA computes on the CPU.
    device = CUDA if torch.cuda.is_available() and torch.cuda.is_initialized() else CPU
    facts = {"framework": f"PyTorch {torch.__version__}"}
    return Session(_core.OpStream(seqids, device, facts))


class dumper(DumpBlock):  # noqa: N801 - reads as a statement: with torch.utils.dumper(…):
    """With-block: every ATen op of this thread and of its backward passes goes to a `.h5` file.

    use_dump            every op's inputs and outputs; with `load_file_path` it means use_load.
    use_load            each op runs on the inputs that `load_file_path` holds for it; its outputs are
                        dumped under the golden's seqid. Parameters are not changed by it.
    check_overflow      only ops whose kernels overflowed; inside `npu(chip)` only.
    dump_path           a name ending in .h5, an existing folder, or None (time stamp as name, here).
    load_with_acl_dump  with use_load, inside `npu(chip)`: the kernels of ops that find their run in the
                        file are dumped, too, as `acl_json` says; `d.kernels` tells where.
                        ACL_DUMP_DATA must be 0.
    inputs              False: outputs only.
    statistics          with use_dump: counts, extremes and mean instead of elements.
    hashes              with use_dump: 16 bytes of each tensor, by which `npuscope compare --bitwise`
                        tells equal ones, instead of elements.
    ops, steps          names, globs or "re:…"; numbers of training steps (`step()` ends one). Other ops
                        are numbered but not dumped.
    max_bytes           the file grows no larger; it then says that it is incomplete.
    sample              with use_dump: each op's first run and every so many-th after it.
    compress            1 to 9: larger tensors are deflated; slow, but any HDF5 reads them.
    sync                what is committed survives a power cut, not only the end of the process.
    estimate            nothing is written; `summary.bytes` tells what the file would take.
    quiet               True: no line about ops without a golden counterpart.

    `d.summary` tells about the file after the block. Errors of the block propagate; the file then
    holds the ops up to there. Errors: UsageError and IoError when the block begins.
    """

    def __init__(
        self,
        enabled: bool = True,
        use_dump: bool = False,
        use_load: bool = False,
        check_overflow: bool = False,
        dump_path: Optional[PathLike] = None,
        load_file_path: Optional[PathLike] = None,
        load_with_acl_dump: bool = False,
        *,
        acl_json: PathLike = "acl.json",
        inputs: bool = True,
        statistics: bool = False,
        hashes: bool = False,
        dump_inputs: bool = False,
        ops: Optional[Sequence[str]] = None,
        steps: Optional[Sequence[int]] = None,
        max_bytes: Optional[int] = None,
        sample: int = 1,
        compress: int = 0,
        sync: bool = False,
        estimate: bool = False,
        quiet: bool = False,
    ) -> None:
        super().__init__(locals())
        self._quiet = quiet
        self._session: Optional[Session] = None
        self._own = False

    def __enter__(self) -> "dumper":
        self._use()
        if not self._enabled:
            return self
        session = current_session()
        if self._acl_json is not None and (session is None or session.chip is None):
            raise UsageError(
                "load_with_acl_dump dumps a chip's kernels: with npuscope.torch.npu(chip), "
                "torch.utils.dumper(use_load=True, load_with_acl_dump=True, …): …"
            )
        self._own = session is None
        self._session = session or _recording_session()
        self._scope = self._session.attach(self._options)
        try:
            self._kernels = kernels_while_loading(
                self._session.stream, self._acl_json, self._scope, {"chip": str(self._session.chip)}
            )
        except Exception as error:
            self._session.detach(self._scope, error)
            raise
        if self._own:
            self._session.enter()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._scope is None or self._session is None:
            self.summary = DumpSummary()
            return
        if self._own:
            self._session.leave()
        with giving_way_to(error):
            try:
                if self._kernels is not None:
                    self.kernels = self._kernels.close()
            finally:
                self.summary = self._session.detach(self._scope, error)
        if self.summary is not None and not self._quiet:
            _tell(self.summary, self._session.stream.observer_errors)
        if error is None:
            require_a_match(self.summary, self._options)

    def step(self) -> None:
        """The next training step begins."""
        if self._session is not None:
            self._session.next_step()


def _tell(summary: DumpSummary, errors: Tuple[int, str]) -> None:
    lines: List[str] = []
    if summary.unmatched:
        lines.append(f"{summary.unmatched} of {summary.ops_seen} ops ran on their own data:")
        lines += [f"  {row}" for row in summary.first_unmatched]
        if summary.unmatched > len(summary.first_unmatched):
            lines.append(f"  … and {summary.unmatched - len(summary.first_unmatched)} more")
    if summary.given_differ:
        lines.append(f"{summary.given_differ} tensors that no op computed are not the golden's:")
        lines += [f"  {row}" for row in summary.first_given]
    if errors[0]:
        lines.append(f"{errors[0]} ops could not be recorded; the first: {errors[1]}")
    for line in lines:
        print(f"npuscope: {line}", file=sys.stderr)


def step() -> None:
    """The next training step begins, for the innermost dumper or npu block of this thread."""
    session = current_session()
    if session is None:
        raise UsageError("step() belongs into a with-block of dumper() or npu()")
    session.next_step()


def op_map() -> Tuple[Dict[str, List[str]], Dict[str, Dict[str, str]]]:
    """(names, arguments): for each other name of an op the names to look for, and how its arguments
    are called there. The rows of core/naming/aliases.def."""
    names: Dict[str, List[str]] = {}
    arguments: Dict[str, Dict[str, str]] = {}
    for name, canonical, renames in _core.aliases():
        names.setdefault(name, []).append(canonical)
        rows = (pair.split("=") for pair in renames.split(",") if pair)
        arguments[name] = {old: new for old, new in rows}
    return names, arguments


