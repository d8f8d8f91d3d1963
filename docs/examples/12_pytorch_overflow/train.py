"""Mixed precision with a loss scale that is right, and one that is too large: which op overflows, in which step?"""

import sys

import numpy as np
import torch
from torch import nn

import npuscope.torch

npuscope.torch.install()
loss_scale = float(sys.argv[1])

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = npuscope.torch.LossScale(loss_scale)
digits = np.load("digits_test.npz")
images = torch.from_numpy(digits["in_input"])
labels = torch.from_numpy(digits["out_label"]).long()

check_overflow = True
with npuscope.torch.npu("910A", quiet=True) as chip:
    # check_overflow is the detection's switch, dump_path the dump's folder or name.
    with torch.utils.dumper(
        check_overflow=check_overflow, dump_path="overflow.h5", load_file_path=""
    ) as dump:
        for step in range(3):
            chosen = slice(64 * step, 64 * (step + 1))
            optimizer.zero_grad()
            with npuscope.torch.autocast("O1"):
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
            with scaler.scale(loss, optimizer) as scaled_loss:
                scaled_loss.backward()
            optimizer.step()
            npuscope.torch.step()
            print(f"step {step}: loss {loss.item():.3f}, gradients finite: {scaler.last_finite}")

print("dump:", dump.summary.path.split("/")[-1] if dump.summary.path else "nothing overflowed")
if dump.summary.path:
    first = npuscope.open_dump(dump.summary.path).ops()[0]
    print(first.path, "in step", first.facts["step"], "of", first.facts["autograd"])
