"""Whole-network checks of the users' guide: module by module, with hooks, with statistics."""

import numpy as np
import torch
from torch import nn

import npuscope.torch

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 10)
)
digits = np.load("digits_test.npz")
input_tensor = torch.from_numpy(digits["in_input"][:8])
labels = torch.from_numpy(digits["out_label"][:8]).long()

# 1. Module by module: generally not higher than 1e-4 is normal.
comparison = npuscope.torch.compare_models(model, model, input_tensor)
print(comparison)
print("all within 1e-4:", comparison.ok)


# 2. PyTorch's own hooks, on what the chip computes.
def hook_func(name, module):
    def hook_function(module, inputs, outputs):
        print(name, "outputs", tuple(outputs.shape))

    return hook_function


handles = [
    module.register_forward_hook(hook_func("[forward]: " + name, module))
    for name, module in model.named_modules()
    if name
]
with npuscope.torch.npu("910A"):
    model(input_tensor)
for handle in handles:
    handle.remove()

# 3. Gradients before the optimizer's step and running statistics, recorded on both sides.
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
state = {name: value.clone() for name, value in model.state_dict().items()}
for side in ("cpu", "npu"):
    model.load_state_dict(state)
    optimizer.zero_grad(set_to_none=True)  # so that both sides run the same ops
    block = npuscope.torch.npu("910A", quiet=True) if side == "npu" else torch.enable_grad()
    with block, npuscope.torch.watch(model, optimizer) as watch:
        nn.functional.cross_entropy(model(input_tensor), labels).backward()
        optimizer.step()
    watch.save(f"{side}.npz")
    print(f"{side}.npz: {len(watch.records)} tensors; at fault: {watch.faults}")

# 4. What a step uses, and what the chip has of it.
profile = npuscope.torch.profile_ops(lambda: model(input_tensor).sum().backward())
print("on the chip:", ", ".join(sorted(profile.names("native"))))
