#!/usr/bin/python3
"""Records training steps of three small networks, on the CPU and on an emulated chip.

    PYTHONPATH=build/release/python data/record_steps.py -o data/recordings/steps

Writes NAME_cpu.h5, NAME_910A.h5 (dumps of npuscope.torch) and NAME_cpu.json: for each input of each op of the
CPU's step, which op last wrote the memory that it lies in, as PyTorch had it: {"/mm/9/input/self": "/relu/8"},
null for what no op wrote.
"""

import argparse
import contextlib
import json
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

import torch
from torch import nn
from torch.nn import functional as F

import npuscope.torch as nt
from npuscope.torch import private
from npuscope.torch.plans import plan_of
from npuscope.torch.session import seqids


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(20, 16)
        self.norm = nn.LayerNorm(16)
        self.square = nn.Linear(16, 16)
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.wide(x.flatten(1))))
        return self.head(F.gelu(self.square(x)))


class Attention(nn.Module):
    """Two heads of width 8 over five tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(4, 48)
        self.out = nn.Linear(16, 16)
        self.head = nn.Linear(16, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        split = self.qkv(x.squeeze(1)).reshape(-1, 5, 3, 2, 8).permute(2, 0, 3, 1, 4)
        q, k, v = split.unbind(0)
        shares = torch.softmax(q @ k.transpose(-2, -1) * 8**-0.5, dim=-1)
        mixed = (shares @ v).transpose(1, 2).reshape(-1, 5, 16)
        return self.head(self.out(mixed)[:, 0])


class Convolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(torch.relu(self.norm(self.conv(x))), 2)
        return self.head(x.flatten(1)[:, ::2][:, :8])


MODELS = {"mlp": Mlp, "attention": Attention, "convolution": Convolution}
STEPS = {"mlp": 2, "attention": 1, "convolution": 1}


def address(tensor: torch.Tensor) -> int:
    return tensor.storage().data_ptr()


def tensors_of(names: Sequence[str], values: Sequence[Any]) -> Iterator[Tuple[str, torch.Tensor]]:
    for name, value in zip(names, values):
        items = [value] if isinstance(value, torch.Tensor) else value
        if not isinstance(items, (list, tuple)):
            continue
        for place, item in enumerate(items):
            if isinstance(item, torch.Tensor):
                yield (name if items is not value else f"{name}/{name}_{place}"), item


class Writers(private.TorchDispatchMode):
    """Follows which op last wrote each piece of memory. Keeps all of it, so that no address comes twice."""

    def __init__(self) -> None:
        super().__init__()
        self.made_by: Dict[str, Optional[str]] = {}
        self._writer: Dict[int, str] = {}
        self._kept: list = []

    def __torch_dispatch__(self, op: Any, types: Any, args: Tuple = (), kwargs: Any = None) -> Any:
        plan = plan_of(op)
        kwargs = kwargs or {}
        if plan.passive or plan.describes_storage:
            result = op(*args, **kwargs)
            self._kept.append(result)
            if plan.name in ("_unsafe_view", "reshape") and address(args[0]) in self._writer:
                self._writer[address(result)] = self._writer[address(args[0])]
            return result
        names = [argument.name for argument in plan.arguments]
        inputs = list(tensors_of(names, plan.bind(args, kwargs)))
        writers = [self._writer.get(address(tensor)) for _, tensor in inputs]
        results = op(*args, **kwargs)
        path = f"/{plan.name}/{seqids.last}"
        for (name, tensor), writer in zip(inputs, writers):
            self.made_by[f"{path}/input/{name}"] = writer
            if name.split("/")[0] in (*plan.written, *plan.hidden_writes):
                self._writer[address(tensor)] = path
        several = results if isinstance(results, (tuple, list)) else (results,)
        for _, tensor in tensors_of([str(i) for i in range(len(several))], several):
            self._writer[address(tensor)] = path
        self._kept.append((args, kwargs, results))
        return results


def record(name: str, path: Path, chip: Optional[str]) -> Dict[str, Optional[str]]:
    torch.manual_seed(7)
    model = MODELS[name]()
    images = torch.randn(6, 1, 5, 4)
    labels = torch.randint(0, 5, (6,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    writers = Writers()
    with contextlib.ExitStack() as stack:
        if chip:
            stack.enter_context(nt.npu(chip, quiet=True))
        stack.enter_context(nt.dumper(use_dump=True, dump_path=str(path), compress=9))
        if not chip:
            stack.enter_context(writers)
        for _ in range(STEPS[name]):
            optimizer.zero_grad()
            F.cross_entropy(model(images), labels).backward()
            optimizer.step()
    return writers.made_by


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", type=Path, default=Path("data/recordings/steps"), metavar="DIR")
    folder = parser.parse_args().o
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        made_by = record(name, folder / f"{name}_cpu.h5", None)
        with open(folder / f"{name}_cpu.json", "w") as file:
            json.dump(made_by, file, indent=0)
            file.write("\n")
        record(name, folder / f"{name}_910A.h5", "910A")


if __name__ == "__main__":
    main()
