"""Where an op comes from: module path, source line, autograd node, thread."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from types import FrameType
from typing import Any, Dict, Iterator, List, Optional

import torch

from npuscope.torch import private

_SKIPPED = (
    os.path.dirname(torch.__file__) + os.sep,
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep,
    "<",
)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


class _Call:
    """One module's forward that runs now."""

    def __init__(self, path: str, names: Dict[int, str], inputs: Any) -> None:
        self.path = path
        self.names = names
        self.edges = {t.grad_fn for t in _tensors(inputs) if t.grad_fn is not None}


class Origins:
    """Facts about the op that runs on this thread. `open()` hooks module calls, `close()` unhooks."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._internal: Dict[str, bool] = {}
        self._names: "weakref.WeakKeyDictionary[torch.nn.Module, Dict[int, str]]" = (
            weakref.WeakKeyDictionary()
        )
        self._handles: List[Any] = []
        self._threads: Dict[int, int] = {}
        self._tracking: Optional[Any] = None

    def open(self) -> None:
        self._handles = private.global_module_hooks(self._enter, self._leave)
        self._tracking = private.autograd_tracking()
        self._tracking.__enter__()

    def close(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._tracking is not None:
            self._tracking.__exit__(None, None, None)
            self._tracking = None
        self._local = threading.local()

    def _calls(self) -> List[_Call]:
        if not hasattr(self._local, "calls"):
            self._local.calls = []
        return self._local.calls

    def _enter(self, module: torch.nn.Module, inputs: Any) -> None:
        calls = self._calls()
        names = calls[-1].names if calls else {}
        if id(module) not in names:
            names = self._names.setdefault(module, {})
            if not names:
                names.update({id(m): name for name, m in module.named_modules()})
                names[id(module)] = type(module).__name__
        calls.append(_Call(names[id(module)], names, inputs))

    def _leave(self, module: torch.nn.Module, inputs: Any, outputs: Any) -> None:
        calls = self._calls()
        if not calls:
            return
        call = calls.pop()
        waiting = [t.grad_fn for t in _tensors(outputs) if t.grad_fn is not None]
        seen = set()
        while waiting:
            node = waiting.pop()
            if node in seen or node in call.edges:
                continue
            seen.add(node)
            private.label_node(node, call.path)
            waiting.extend(n for n, _ in node.next_functions if n is not None)

    def _line(self) -> str:
        frame: Optional[FrameType] = sys._getframe(2)
        internal = self._internal
        while frame is not None:
            name = frame.f_code.co_filename
            skip = internal.get(name)
            if skip is None:
                skip = internal[name] = name.startswith(_SKIPPED)
            if not skip:
                return f"{name}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def facts(self) -> Dict[str, Any]:
        """Of the op that runs now on this thread."""
        ident = threading.get_ident()
        row: Dict[str, Any] = {
            "line": self._line(),
            "thread": self._threads.setdefault(ident, len(self._threads) + 1),
        }
        calls = getattr(self._local, "calls", None)
        node = private.current_node()
        if node is not None:
            row["autograd"] = node.name()
        if calls:
            row["module"] = calls[-1].path
        elif node is not None:
            row["module"] = private.node_label(node)
        return row

