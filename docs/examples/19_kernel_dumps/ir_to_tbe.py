"""Which kernels did one op of a PyTorch program become? The op is taken from a dump of the CPU."""

import torch
from torch import nn

import npuscope.torch

npuscope.torch.install("910A")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
x = torch.randn(3, 8)

with torch.utils.dumper(use_dump=True, dump_path="./input.h5"):
    model(x).sum().backward()
first = npuscope.open_dump("input.h5").ops("addmm")[0]
npuscope.extract("input.h5", "output.h5", [f"/addmm/{first.seqid}"])

# acl.json lies in this folder.
with npuscope.torch.npu("910A"), torch.utils.dumper(
    use_load=True,
    dump_path="./",
    load_file_path="./output.h5",
    load_with_acl_dump=True,
    quiet=True,
) as dump:
    model(x).sum().backward()

for kernel in dump.kernels.kernels:
    print(f"{kernel.op} {kernel.type} task {kernel.task_id}")
