"""Every IR op as a function on the current chip: `npuscope.ops.addmm(bias, x, weight)`.

Names and arguments are those of ATen's schemas, "add.Tensor" being `add_Tensor`. The chip is that of
the innermost `with npuscope.chip(…)`, a 910A outside of any. Errors: UnsupportedError,
UsageError.
"""

from __future__ import annotations

from typing import Any, Callable, List

from npuscope import _core
from npuscope.executor import current_executor


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        arguments = _core.argument_names(name)
    except Exception as failure:
        raise AttributeError(str(failure)) from None

    def op(*args: Any, **kwargs: Any) -> Any:
        return current_executor().call(name, *args, **kwargs)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name}({', '.join(arguments)}) on the current chip."
    globals()[name] = op
    return op


def __dir__() -> List[str]:
    return list(_core.known_ops())
