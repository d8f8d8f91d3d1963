"""One side of a pair of recordings whose truth is known: each tensor is written with the labels of what it means.

Two sides may compute the same network by other ops, in other layouts and orders; tensors with a label in common belong
together, whatever they are called. Nothing here knows how npuscope finds that out.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import h5py
import numpy as np
import torch

Labels = FrozenSet[str]


@dataclass
class Style:
    """How a side computes and records."""

    fuse_qkv: bool = False
    fuse_gate: bool = False
    weights_transposed: bool = False
    seq_first: bool = False
    fused_attention: bool = False
    decomposed_norm: bool = False
    decomposed_gelu: bool = False
    bias_apart: bool = False
    channels_last: bool = False
    scale_query: bool = False
    pad_tokens: int = 0
    shuffled: bool = False
    names: Dict[str, str] = field(default_factory=dict)
    rounding: Optional[torch.dtype] = None
    unrecorded: float = 0.0  # share of the ops that are not recorded
    seed: int = 0


@dataclass
class Record:
    name: str
    inputs: List[Tuple[str, np.ndarray, Labels]]
    outputs: List[Tuple[str, np.ndarray, Labels]]


def gradient(labels: Labels) -> Labels:
    return frozenset("d." + label for label in labels)


class Side:
    """Runs ops and keeps what they took in and gave out."""

    def __init__(self, style: Style, fault: Optional[Tuple[str, Callable[[torch.Tensor], torch.Tensor]]] = None):
        self.style = style
        self.records: List[Record] = []
        self.fault = fault
        self.chance = np.random.default_rng(style.seed)
        self.labels: Dict[int, Labels] = {}
        self.kept: List[torch.Tensor] = []  # so that no id is used twice
        self.users: Dict[int, List[Tuple[str, torch.Tensor, List[torch.Tensor]]]] = {}
        self.gradients: Dict[int, np.ndarray] = {}

    def given(self, value: torch.Tensor, *labels: str, needs_gradient: bool = True) -> torch.Tensor:
        """A parameter or an input of the model."""
        value = value.clone().contiguous()
        if needs_gradient and value.is_floating_point():
            value.requires_grad_(True)
            value.register_hook(lambda g, v=value: self._record_gradient(v, g))
        self._know(value, frozenset(labels))
        return value

    def _know(self, value: torch.Tensor, labels: Labels) -> None:
        self.labels[id(value)] = labels
        self.kept.append(value)

    def op(self, name: str, labels: Sequence[str], result: torch.Tensor, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """Records that `name` made `result`, which means `labels`, of `inputs`."""
        known = frozenset(labels)
        if self.style.rounding is not None and result.is_floating_point():
            rounded = result.detach().to(self.style.rounding).to(torch.float32)
            result = result + (rounded - result.detach())
        if self.fault is not None and self.fault[0] in known:
            result = result + (self.fault[1](result.detach().clone()) - result.detach())
        result = result * 1 if any(result is each for each in inputs) else result
        self._know(result, known)
        recorded = self.chance.random() >= self.style.unrecorded
        if recorded:
            self.records.append(
                Record(
                    self.style.names.get(name, name),
                    [(f"arg{i}", self._array(each), self.labels.get(id(each), frozenset())) for i, each in enumerate(inputs)],
                    [("result", self._array(result), known)],
                )
            )
        for each in inputs:
            self.users.setdefault(id(each), []).append((name, result, list(inputs)))
        if result.requires_grad:
            result.register_hook(lambda g, r=result: self._record_gradient(r, g))
        return result

    def look(self, view: torch.Tensor, of: torch.Tensor, labels: Optional[Sequence[str]] = None) -> torch.Tensor:
        """A view, which recorders leave out."""
        self._know(view, self.labels[id(of)] if labels is None else frozenset(labels))
        self.users.setdefault(id(of), []).append(("", view, []))
        if view.requires_grad:
            view.register_hook(lambda g, v=view: self.gradients.__setitem__(id(v), self._array(g)))
        return view

    def _record_gradient(self, value: torch.Tensor, grad: torch.Tensor) -> None:
        array = self._array(grad)
        self.gradients[id(value)] = array
        name, result, inputs = next((u for u in self.users.get(id(value), []) if u[0]), ("view", value, []))
        taken = []
        if id(result) in self.gradients and result is not value:
            taken.append(("grad", self.gradients[id(result)], gradient(self.labels[id(result)])))
        for i, each in enumerate(inputs):
            if each is not value:
                taken.append((f"arg{i}", self._array(each), self.labels.get(id(each), frozenset())))
        labels = gradient(self.labels[id(value)])
        if labels:
            self.records.append(Record(self.style.names.get(name, name) + "_backward", taken, [("result", array, labels)]))

    @staticmethod
    def _array(value: torch.Tensor) -> np.ndarray:
        return value.detach().to(torch.float32).contiguous().numpy().copy()

    def write(self, path: Path) -> Dict[str, Labels]:
        """A dump; the labels of all its tensors by their paths."""
        labels: Dict[str, Labels] = {}
        with h5py.File(path, "w") as file:
            for number, record in enumerate(self.records, 1):
                name = record.name.replace("/", "_")
                for direction, tensors in (("input", record.inputs), ("output", record.outputs)):
                    for argument, array, known in tensors:
                        place = f"/{name}/{number}/{direction}/{argument}"
                        dataset = file.create_dataset(place, data=array)
                        for key, value in (("DeviceType", 0), ("DataType", 1), ("FormatType", 0), ("Type", 0)):
                            dataset.attrs[key] = np.int32(value)
                        strides = np.array(array.strides, dtype="i8") // array.itemsize
                        dataset.attrs["Stride"] = strides
                        labels[place] = known
        return labels
