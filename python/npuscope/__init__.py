"""npuscope finds out why a neural network computes different numbers on an NPU than on a GPU or CPU.

    with npuscope.dumper(use_dump=True, dump_path="npu.h5"):
        y = npuscope.ops.addmm(bias, x, weight)

Needs NumPy only. `npuscope.torch` does the same for PyTorch programs.
"""

from npuscope import errors, ops
from npuscope._core import VERSION as __version__
from npuscope._core import HookCall, Tensor, trust_files
from npuscope.dump_reader import Dump, DumpedOp, open_dump
from npuscope.dump_scope import DumpSummary, dumper
from npuscope.errors import (
    Error,
    FormatError,
    InternalError,
    IoError,
    UnsupportedError,
    UsageError,
)
from npuscope.executor import Executor, Hook, chip, chips, current_executor
from npuscope.flows import Comparison, check, compare, extract, loss, overflow, run
from npuscope.kernel_dump import DumpedKernel, KernelDumpSummary, kernel_dump, map_ops
from npuscope.profile import Profile, ProfileRow

__all__ = [
    "Comparison",
    "Dump",
    "DumpSummary",
    "DumpedKernel",
    "DumpedOp",
    "Error",
    "Executor",
    "FormatError",
    "Hook",
    "HookCall",
    "InternalError",
    "IoError",
    "KernelDumpSummary",
    "Profile",
    "ProfileRow",
    "Tensor",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "check",
    "chip",
    "chips",
    "compare",
    "current_executor",
    "dumper",
    "errors",
    "extract",
    "kernel_dump",
    "loss",
    "map_ops",
    "open_dump",
    "ops",
    "overflow",
    "run",
    "trust_files",
]
