"""Ops on an emulated chip, and which chip is the current one."""

from __future__ import annotations

import contextvars
import functools
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, Union

from npuscope import _core
from npuscope.errors import UsageError

Setting = Union[str, int, float, bool]

_REFERENCES = {"cpu": "fp64", "fp64": "fp64", "fp32": "fp32"}


def settings_list(settings: Optional[Mapping[str, Setting]]) -> List[str]:
    """["key=value", …] as the chips' options are written."""
    rows = []
    for key, value in (settings or {}).items():
        text = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else str(value)
        rows.append(f"{key}={text}")
    return rows


class Hook:
    """A hook in place. `remove()` takes it away; so does leaving a with-block."""

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove: Optional[Callable[[], None]] = remove

    def remove(self) -> None:
        """Idempotent."""
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()

    def __enter__(self) -> "Hook":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Executor:
    """Runs ops one by one on an emulated chip, or on a reference.

    chip      a chip of `chips()`; "cpu" (or "fp64") and "fp32" are references: each op in that
              precision, its results rounded once to their declared dtype.
    settings  options of the chip's arithmetic, {"cube_acc": "exact_k"}; `npuscope help chips`.
    threads   0: all cores; results do not depend on it.

    Errors: UsageError for an unknown chip or setting. Threads may share one; calls take turns.
    """

    def __init__(
        self,
        chip: str = "910A",
        *,
        settings: Optional[Mapping[str, Setting]] = None,
        record_views: bool = False,
        threads: int = 0,
    ) -> None:
        device = _REFERENCES.get(chip, chip)
        self._core = _core.Executor(device, settings_list(settings), record_views, threads)
        self.chip = chip

    def call(self, op: str, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the op of that IR name ("addmm", "add_Tensor"). Arrays are NumPy's, or anything with
        `__array__`; arguments that are left out take their defaults. One result comes as an array,
        several as a tuple; bfloat16 as `npuscope.Tensor`.

        Errors: UnsupportedError for an unknown op, UsageError for arguments that do not fit.
        """
        return self._core.call(op, *args, **kwargs)

    def hook(self, point: str, pattern: str, function: Callable[["_core.HookCall"], None]) -> Hook:
        """Calls `function(call)` at each op or kernel whose name fits `pattern` (* and ? are wild).

        point     "before_op", "after_op", "before_kernel", "after_kernel".
        function  sees `call.name`, `call.op_name`, `call.seqid`, `call.inputs`, `call.outputs`,
                  `call.status`. `call.inputs["self"] = array` replaces an op's tensor, an index a
                  kernel's; `call.skip = True` in "before_kernel" replaces the kernel by what was
                  appended to `call.outputs`. What it raises reaches the caller of the op.
        """
        number = self._core.add_hook(point, pattern, function)
        return Hook(functools.partial(self._core.remove_hook, number))

    @property
    def last_seqid(self) -> int:
        """Number of the last recorded op, 0 before the first."""
        return self._core.last_seqid

    @property
    def facts(self) -> Dict[str, str]:
        """What a dump says of the device: chip, options."""
        return self._core.facts()

    def __repr__(self) -> str:
        return f"npuscope.Executor({self._core.description})"


_current: "contextvars.ContextVar[Optional[Executor]]" = contextvars.ContextVar(
    "npuscope_executor", default=None
)


@functools.lru_cache(maxsize=None)
def _default_executor() -> Executor:
    return Executor("910A")


def current_executor() -> Executor:
    """The executor of the innermost `with chip(…)`; outside of any, one 910A for the process."""
    return _current.get() or _default_executor()


class chip:  # noqa: N801 - reads as a statement: with npuscope.chip("910B"):
    """With-block in which `npuscope.ops` and `npuscope.dumper` use another chip.

    The choice follows the context (contextvars): tasks and threads have their own.
    """

    def __init__(self, name: str = "910A", **settings: Setting) -> None:
        self._executor = Executor(name, settings=settings)
        self._tokens: List[contextvars.Token] = []

    def __enter__(self) -> Executor:
        self._tokens.append(_current.set(self._executor))
        return self._executor

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if not self._tokens:
            raise UsageError("this chip block was left already")
        _current.reset(self._tokens.pop())


def chips() -> Dict[str, str]:
    """Names of the emulated chips, with a description each."""
    return _core.chips()
