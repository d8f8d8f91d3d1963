"""One training step, dumped and loaded, in the users' guide's own words.

    train.py gpu     dumps model_gpu.h5 by PyTorch alone, on the GPU if there is one
    train.py npu     loads it into the emulated chip and dumps model_npu.h5
"""

import sys

import numpy as np
import torch
from torch import nn

import npuscope.torch

npuscope.torch.install()  # gives torch.utils.dumper and torch.npu

side = sys.argv[1]
device = "cuda" if side == "gpu" and torch.cuda.is_available() else "cpu"

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10)
).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
digits = np.load("digits_test.npz")
images = torch.from_numpy(digits["in_input"][:8]).to(device)
labels = torch.from_numpy(digits["out_label"][:8]).long().to(device)

if side == "gpu":
    with torch.utils.dumper(use_dump=True, dump_path="./model_gpu.h5") as dump:
        loss = criterion(model(images), labels)
        loss.backward()
else:
    with npuscope.torch.npu("910A"):
        with torch.utils.dumper(
            use_dump=True, load_file_path="./model_gpu.h5", dump_path="./model_npu.h5"
        ) as dump:
            loss = criterion(model(images), labels)
            loss.backward()
optimizer.step()  # outside of the block, as the guide advises
print(f"{dump.summary.path.split('/')[-1]}: {dump.summary.ops_written} ops, "
      f"{dump.summary.unmatched} without a counterpart")
