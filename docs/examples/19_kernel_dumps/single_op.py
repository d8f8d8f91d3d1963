"""One operator on the device, its kernels dumped between set_dump and finalize_dump."""

import json
from pathlib import Path

import torch

import npuscope.torch

npuscope.torch.install("910A")
Path("dump.json").write_text(
    json.dumps(
        {
            "dump": {
                "dump_list": [],
                "dump_path": "single_op",
                "dump_mode": "all",
                "dump_op_switch": "on",
            }
        }
    )
)

torch.npu.set_device("npu:0")
torch.npu.init_dump()
torch.npu.set_dump("dump.json")
a = torch.tensor([2, 2]).to("npu:0")
a.add_(1)
torch.npu.finalize_dump()

for path in Path("single_op").glob("*/0/*"):
    print(path.name.rsplit(".", 1)[0])
