"""The training step that data/recordings/resnet_step_gpu.h5 holds from a GPU, as a program of our own.

Its recording is the golden file of a pair; the target is what the recorder makes of the same weights and batch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import h5py
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from diagnosis.arithmetic import Arithmetic
from diagnosis.program import Program
from diagnosis.recording import Recorder

_DATA = Path(__file__).resolve().parents[2] / "data" / "recordings"
RECORDING = _DATA / "resnet_step_gpu.h5"


class Digits(Program):
    """A residual network of 16, 32 and 64 channels with batch normalisation in training mode."""

    kind = "digits resnet"
    training = True

    def build(self) -> None:
        self.optimizer = "none"
        for name, data in np.load(_DATA / "resnet_step.npz").items():
            key = name[2:] if name.startswith("w_") else name
            self.given[key] = torch.from_numpy(data.copy())
            if name.startswith("w_") and key.endswith(("weight", "bias")):
                self.trained.append(key)
        self._take_buffers()

    def _take_buffers(self) -> None:
        """The archive has the buffers as a later step left them; the recording shows them as this step found them."""
        names = ["b", *(f"l.{i}.{part}" for i in range(3) for part in ("b1", "b2", "sc.1") if f"l.{i}.{part}.weight" in self.given)]
        with h5py.File(RECORDING, "r") as file:
            norms, counters = file["cudnn_batch_norm"], file["add__Tensor"]
            for name, norm, counter in zip(names, sorted(norms, key=int), sorted(counters, key=int)):
                for buffer in ("running_mean", "running_var"):
                    self.given[f"{name}.{buffer}"] = torch.from_numpy(norms[norm]["input"][buffer][()])
                count = int(counters[counter]["input"]["self"][()])
                self.given[name + ".num_batches_tracked"] = torch.tensor(count)

    def _conv(self, name: str, x: Tensor, stride: int = 1) -> Tensor:
        weight = self.given[name + ".weight"]
        return self.part(name, lambda x: F.conv2d(x, weight, None, stride, weight.shape[2] // 2), x)

    def _norm(self, name: str, x: Tensor) -> Tensor:
        g = self.given

        def norm(x: Tensor) -> Tensor:
            g[name + ".num_batches_tracked"].add_(1)
            return torch.batch_norm(x, g[name + ".weight"], g[name + ".bias"], g[name + ".running_mean"],
                                    g[name + ".running_var"], True, 0.1, 1e-5, False)

        return self.part(name, norm, x)

    def _block(self, name: str, x: Tensor, stride: int) -> Tensor:
        y = F.relu(self._norm(name + ".b1", self._conv(name + ".c1", x, stride)))
        y = self._norm(name + ".b2", self._conv(name + ".c2", y))
        if name + ".sc.0.weight" in self.given:
            x = self._norm(name + ".sc.1", self._conv(name + ".sc.0", x, stride))
        return F.relu(y + x)

    def loss(self) -> Tensor:
        x = F.relu(self._norm("b", self._conv("c", self.given["x"])))
        for i, stride in enumerate((1, 2, 2)):
            x = self._block(f"l.{i}", x, stride)
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return F.cross_entropy(self.linear("fc", x), self.given["y"])


def gpu_paths() -> Dict[str, List[str]]:
    """Path of an op as a recorder here numbers them -> its path in the GPU's recording, by its turn among ops of its name."""
    own = Recorder(Arithmetic("fp32"))
    Digits(0).step(own)
    theirs: Dict[str, List[str]] = {}
    with h5py.File(RECORDING, "r") as file:
        for seqid, op in sorted((int(seqid), op) for op in file for seqid in file[op]):
            theirs.setdefault(op.replace("cudnn_batch_norm", "native_batch_norm"), []).append(f"/{op}/{seqid}")
    turns: Dict[str, int] = {}
    paths = {}
    for run in own.runs:
        name = run.call.schema.name
        turn = turns[name] = turns.get(name, -1) + 1
        paths[run.path] = theirs.get(name, [])[turn : turn + 1]
    return paths
