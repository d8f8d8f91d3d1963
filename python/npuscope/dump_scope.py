"""The with-block that writes what ops do into a dump file."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Type, Union

from npuscope import _core
from npuscope.errors import UsageError, giving_way_to
from npuscope.executor import current_executor

if TYPE_CHECKING:
    from npuscope.kernel_dump import KernelDumpSummary, KernelsWhileLoading

PathLike = Union[str, "os.PathLike[str]"]

MODES = ("use_dump", "use_load", "check_overflow")
FLAGS = ("enabled", *MODES, "load_with_acl_dump")
LISTS = ("ops", "steps")
OPTIONS = (
    "inputs", "statistics", "hashes", "dump_inputs", "max_bytes", "sample", "compress", "sync", "estimate", *LISTS,
)


@dataclass(frozen=True)
class DumpSummary:
    """What a closed dump has to tell. `path` is None when nothing was recorded: then no file is made.

    bytes           of the file, or what it would take when only an estimate was asked for.
    given_differ    load mode: how many tensors that the program was given (weights, constants, the
                    model's inputs) are not the golden's; `first_given` tells of the first ten.
    """

    path: Optional[str] = None
    inputs_path: Optional[str] = None
    bytes: int = 0
    ops_written: int = 0
    ops_seen: int = 0
    complete: bool = True
    note: str = ""
    unmatched: int = 0
    first_unmatched: List[str] = field(default_factory=list)
    replaced_tensors: int = 0
    given_differ: int = 0
    first_given: List[str] = field(default_factory=list)


_open_scopes: "weakref.WeakSet[OpenScope]" = weakref.WeakSet()


class OpenScope:
    """One attached dump. Left alone in a forked child, where the file belongs to the parent."""

    def __init__(self, source: Any, options: Mapping[str, Any]) -> None:
        self._scope = self.core = _core.DumpScope(source, dict(options))
        self._forgotten = False
        _open_scopes.add(self)

    def close(self, error: Optional[BaseException]) -> DumpSummary:
        _open_scopes.discard(self)
        if self._forgotten:
            return DumpSummary(complete=False, note="a forked process writes nothing")
        if error is None:
            return DumpSummary(**self._scope.close())
        name = type(error).__name__
        return DumpSummary(**self._scope.close(False, f"{name} left the with-block"))

    def forget(self) -> None:
        self._forgotten = True
        self._scope.forget()


def _forget_in_child() -> None:
    for scope in list(_open_scopes):
        scope.forget()


os.register_at_fork(after_in_child=_forget_in_child)


def require_a_match(summary: Optional[DumpSummary], options: Mapping[str, Any]) -> None:
    """Of load mode. Errors: UsageError when ops ran and none has a counterpart in the golden: a dump of
    another model would otherwise look like a run without a finding."""
    golden = options.get("load_file_path")
    if not golden or summary is None or not summary.ops_seen or summary.unmatched < summary.ops_seen:
        return
    raise UsageError(
        f"no op of this block has a counterpart in the golden file '{golden}'; the first: "
        f"{summary.first_unmatched[0]}. Is it the dump of another model?"
    )


def path_text(path: Optional[PathLike]) -> Optional[str]:
    return None if path is None else os.fspath(Path(path).expanduser())


def check_flags(flags: Mapping[str, object]) -> None:
    for name in FLAGS:
        if name in flags and not isinstance(flags[name], bool):
            raise UsageError(f"{name} must be True or False, not {flags[name]!r}")
    chosen = [name for name in MODES if flags.get(name)]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} cannot be combined; choose one of {', '.join(MODES)}")


def dump_options(arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """Options of the C++ scope; a load path counts where the mode loads."""
    options: Dict[str, Any] = {name: arguments[name] for name in MODES}
    options["dump_path"] = path_text(arguments["dump_path"])
    if arguments["load_file_path"] and not arguments["check_overflow"]:
        options["load_file_path"] = path_text(arguments["load_file_path"])
    for name in OPTIONS:
        if arguments.get(name) is not None:
            options[name] = list(arguments[name]) if name in LISTS else arguments[name]
    return options


def kernels_while_loading(
    source: Any, acl_json: Optional[PathLike], scope: OpenScope, facts: Mapping[str, str]
) -> Optional["KernelsWhileLoading"]:
    """None without `acl_json`. Errors close the scope first."""
    if acl_json is None:
        return None
    from npuscope.kernel_dump import KernelsWhileLoading, require_chip

    try:
        _core.require_acl_dump_data_off()
        require_chip(facts)
        return KernelsWhileLoading(source, acl_json, scope)
    except Exception as error:
        scope.close(error)
        raise


class DumpBlock:
    """What the with-blocks `npuscope.dumper` and `npuscope.torch.dumper` have in common."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """Of `dumper`, by name. Errors: UsageError for flags that do not fit together."""
        check_flags(arguments)
        self._enabled = arguments["enabled"] and any(arguments[mode] for mode in MODES)
        self._options = dump_options(arguments)
        loads_kernels = arguments["load_with_acl_dump"] and "load_file_path" in self._options
        self._acl_json: Optional[PathLike] = arguments["acl_json"] if loads_kernels else None
        self._scope: Optional[OpenScope] = None
        self._kernels: Optional["KernelsWhileLoading"] = None
        self._used = False
        self.summary: Optional[DumpSummary] = None
        self.kernels: Optional["KernelDumpSummary"] = None

    def _use(self) -> None:
        if self._used:
            raise UsageError("a dumper object serves one with-block; make another")
        self._used = True


class dumper(DumpBlock):  # noqa: N801 - reads as a statement: with npuscope.dumper(…):
    """With-block: what the current chip's ops do goes to a `.h5` file, complete when the block ends.

    use_dump        every op's inputs and outputs; with `load_file_path` it means use_load.
    use_load        inputs come from `load_file_path`; outputs are dumped under the golden's seqid.
    check_overflow  only ops whose kernels overflowed.
    dump_path       a name ending in .h5, an existing folder, or None (time stamp as name, here).
    inputs          False: outputs only.
    statistics      with use_dump: counts, extremes and mean instead of elements.
    hashes          with use_dump: 16 bytes of each tensor, by which `npuscope compare --bitwise` tells equal
                    ones, instead of elements.
    ops             names, globs, or regular expressions written "re:…"; others are not dumped.
    max_bytes       the file grows no larger; it then says that it is incomplete.
    sample          with use_dump: each op's first run and every so many-th after it.
    compress        1 to 9: larger tensors are deflated; slow, but any HDF5 reads them.
    sync            what is committed survives a power cut, not only the end of the process.
    estimate        nothing is written; `summary.bytes` tells what the file would take.
    load_with_acl_dump  with use_load: the kernels of ops that find their run in the file are dumped,
                    too, as `acl_json` says; `d.kernels` tells where. ACL_DUMP_DATA must be 0.

    `as d` gives this object; `d.summary` tells about the file after the block. One object serves one
    block. Errors: UsageError and IoError when the block begins; IoError at its end when the file
    could not be written (an error of the block itself goes first).
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
        max_bytes: Optional[int] = None,
        sample: int = 1,
        compress: int = 0,
        sync: bool = False,
        estimate: bool = False,
    ) -> None:
        super().__init__(locals())

    def __enter__(self) -> "dumper":
        self._use()
        if self._enabled:
            executor = current_executor()
            self._scope = OpenScope(executor._core, self._options)
            self._kernels = kernels_while_loading(
                executor._core, self._acl_json, self._scope, executor.facts
            )
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._scope is None:
            self.summary = DumpSummary()
            return
        with giving_way_to(error):
            try:
                if self._kernels is not None:
                    self.kernels = self._kernels.close()
            finally:
                self.summary = self._scope.close(error)
            require_a_match(self.summary, self._options)
