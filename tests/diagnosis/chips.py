"""The emulated chips as an arithmetic: each op by npuscope's own executor, which the built Python package has."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import torch
from torch import Tensor

from diagnosis.arithmetic import Arithmetic, stored
from diagnosis.call import MOVES, Call
from diagnosis.products import Recipe
from diagnosis.rounding import FORMATS

_ROOT = Path(__file__).resolve().parents[2]


def _package() -> Any:
    binaries = Path(os.environ.get("NPUSCOPE_BIN_DIR", _ROOT / "build" / "release" / "bin"))
    folder = str(binaries.parent / "python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import npuscope

    return npuscope


class Chip:
    """Looks like an Arithmetic. Ops that the chip lacks are computed by PyTorch in float32, as there."""

    product = Recipe(FORMATS["float16"], bias="rounded")
    vector_format = FORMATS["float32"]
    outputs = None
    vector, sums, habits = "chip", "", ()

    def __init__(self, chip: str) -> None:
        self.name = f"chip {chip}"
        self._npuscope = _package()
        self._executor = self._npuscope.Executor(chip, threads=1)
        self._lacks: Dict[str, bool] = {}

    def compute(self, call: Call) -> List[Any]:
        if call.base in MOVES:
            return call.run()
        name = call.schema.name
        if self._lacks.get(name) or any(t.dtype == torch.bfloat16 for _, t in call.floats()):
            return self._on_host(call)
        try:
            found = self._executor.call(name, **self._arguments(call))
        except (self._npuscope.Error, TypeError, ValueError):
            self._lacks[name] = True
            return self._on_host(call)
        rows = found if isinstance(found, tuple) else (found,)
        return [None if y is None else torch.from_numpy(np.array(y)) for y in rows]

    def _arguments(self, call: Call) -> Dict[str, Any]:
        values = {}
        for name, value in call.values.items():
            if value is None or isinstance(value, (torch.device, torch.layout, torch.memory_format)):
                continue
            if isinstance(value, Tensor):
                value = value.contiguous().numpy()
            elif isinstance(value, torch.dtype):
                value = self._npuscope._core.DType(str(value).split(".")[1])
            elif isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
                value = [item.contiguous().numpy() for item in value]
            values[name] = value
        return values

    @staticmethod
    def _on_host(call: Call) -> List[Any]:
        return stored(call, call.run(torch.float32))

    def relatives(self) -> List[Any]:
        """The chip, and devices that round the inputs of products as it does."""
        return [self, *Arithmetic(self.name, self.product).relatives()]
