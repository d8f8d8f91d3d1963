"""The recorded training step again, by this machine's PyTorch, each op on the GPU's inputs.

    step.py cpu      writes step_cpu.h5
    step.py 910A     writes step_910A.h5: the emulated chip computes the ops
"""

import contextlib
import sys

import numpy as np
import torch
from torch.nn import functional

import npuscope.torch
from train_digits import ResNet

side = sys.argv[1]
step = np.load("resnet_step.npz")
model = ResNet()
weights = [torch.from_numpy(step[name]) for name in step if name.startswith("w_")]
model.load_state_dict(dict(zip(model.state_dict(), weights, strict=True)))
model.train()
chip = contextlib.nullcontext() if side == "cpu" else npuscope.torch.npu(side)
with chip, npuscope.torch.dumper(
    use_load=True, load_file_path="resnet_step_gpu.h5", dump_path=f"step_{side}.h5"
) as dump:
    loss = functional.cross_entropy(model(torch.from_numpy(step["x"])), torch.from_numpy(step["y"]))
    loss.backward()
print(f"{dump.summary.ops_written} ops, {dump.summary.unmatched} without a counterpart")
