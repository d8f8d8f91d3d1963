#!/usr/bin/env python3
"""Makes a step as msprobe records it: dump.json, construct.json and stack.json, with elements or statistics.

    bench/msprobe_tree.py FOLDER [--ops 100000] [--elements BYTES] [--noise 0]

Layers of a convolution, its normalisation and a relu, forward, then backward; each API stands in a module. With
--elements the tensors lie in dump_tensor_data/*.pt, of 16 MiB each, as many as the bytes hold (2 an op), and --ops
does not count. --noise is the relative size of what all statistics, or elements, are off by.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any, Dict, List

APIS = ("conv2d", "batch_norm", "relu")
TENSOR_BYTES = 16 << 20


class Step:
    def __init__(self, noise: float) -> None:
        self.values = random.Random(5)
        self.errors = random.Random(6)
        self.noise = noise
        self.data: Dict[str, Any] = {}
        self.construct: Dict[str, Any] = {}
        self.stack: List[Any] = []

    def tensor(self, shape: List[int]) -> Dict[str, Any]:
        size = self.values.uniform(0.5, 1)
        numbers = (size, -size * self.values.random(), size * 1e-3, size * 40)
        off = [number * (1 + self.noise * self.errors.uniform(-1, 1)) for number in numbers]
        return {
            "type": "torch.Tensor", "dtype": "torch.float32", "shape": shape,
            "Max": off[0], "Min": off[1], "Mean": off[2], "Norm": off[3], "requires_grad": True,
        }

    def place(self, names: List[str], layer: int) -> None:
        lib = "/usr/lib/python3/site-packages"
        frames = [f"File {lib}/torch/nn/modules/module.py, line {18 + i}, in _call_impl, \n return forward_call(*args)"
                  for i in range(8)]
        frames.insert(4, f"File /home/user/net.py, line {layer % 500}, in forward, \n x = self.layer(x)")
        self.stack.append([names, frames])

    def forward(self, layer: int, api: str, taken: Dict[str, Any]) -> Dict[str, Any]:
        weight = self.tensor([64, 64, 3, 3])
        made = self.tensor([32, 64, 56, 56])
        pair = {"type": "int", "value": 1}
        call = f"Functional.{api}.{layer}.forward"
        module = f"Module.layer{layer}.{api}.Layer.forward.0"
        self.data[call] = {
            "input_args": [taken, weight, None, [pair, pair]], "input_kwargs": {}, "is_recompute": False, "output": [made],
        }
        self.data[module] = {
            "input_args": [taken], "input_kwargs": {}, "output": [made], "parameters": {"weight": weight},
            "is_recompute": False,
        }
        self.construct[call] = module
        self.construct[module] = None
        self.place([call, module], layer)
        return made

    def backward(self, layer: int, api: str, taken: Dict[str, Any]) -> Dict[str, Any]:
        made, weight = self.tensor([32, 64, 56, 56]), self.tensor([64, 64, 3, 3])
        self.data[f"Functional.{api}.{layer}.backward"] = {"input": [taken], "output": [made, weight, None]}
        self.data[f"Module.layer{layer}.{api}.Layer.parameters_grad.0"] = {"weight": [weight]}
        return made

    def make(self, ops: int) -> None:
        layers = max(1, ops // (4 * len(APIS)))
        flow = self.tensor([32, 3, 224, 224])
        for layer in range(layers):
            for api in APIS:
                flow = self.forward(layer, api, flow)
        for layer in reversed(range(layers)):
            for api in reversed(APIS):
                flow = self.backward(layer, api, flow)


def make_elements(step: Step, folder: Path, nbytes: int) -> None:
    import torch

    values = torch.Generator().manual_seed(5)
    errors = torch.Generator().manual_seed(6)
    shape = [64, TENSOR_BYTES // 4 // 64]
    (folder / "dump_tensor_data").mkdir(parents=True, exist_ok=True)

    def tensor(name: str) -> Dict[str, Any]:
        data = torch.randn(shape, generator=values)
        if step.noise:
            data += step.noise * data * torch.rand(shape, generator=errors)
        torch.save(data, folder / "dump_tensor_data" / name)
        return {
            "type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": data.max().item(),
            "Min": data.min().item(), "Mean": data.mean().item(), "Norm": data.norm().item(), "data_name": name,
        }

    for k in range(nbytes // TENSOR_BYTES // 2):
        call = f"Functional.gelu_like.{k}.forward"
        step.data[call] = {
            "input_args": [tensor(f"{call}.input.0.pt")], "input_kwargs": {}, "output": [tensor(f"{call}.output.0.pt")],
        }
        step.place([call], k)


def write_step(folder: Path, ops: int, nbytes: int, noise: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    step = Step(noise)
    if nbytes:
        make_elements(step, folder, nbytes)
    else:
        step.make(ops)
    head = {"task": "tensor" if nbytes else "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None}
    for name, content in (
        ("dump.json", {**head, "data": step.data}),
        ("construct.json", step.construct),
        ("stack.json", {str(i): entry for i, entry in enumerate(step.stack)}),
    ):
        (folder / name).write_text(json.dumps(content, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--elements", type=int, default=0)
    parser.add_argument("--noise", type=float, default=0.0)
    arguments = parser.parse_args()
    write_step(arguments.folder, arguments.ops, arguments.elements, arguments.noise)


if __name__ == "__main__":
    main()
