"""Runs PyTorch functions and writes what they took and gave as msprobe's tensor dump does: dump.json, stack.json,
construct.json and dump_tensor_data/. Gradients are what the last autograd node of a result was given and made."""

import json
from pathlib import Path

import numpy as np
import torch


def statistics(tensor):
    wide = tensor.detach().double()
    if wide.numel() == 0 or tensor.dtype == torch.bool:
        return {"Max": None, "Min": None, "Mean": None, "Norm": None}
    return {
        "Max": wide.max().item(),
        "Min": wide.min().item(),
        "Mean": wide.mean().item(),
        "Norm": wide.norm().item(),
    }


class Tree:
    """`form`: "pt" or "npy"."""

    def __init__(self, folder, form="pt"):
        self.folder = Path(folder)
        self.form = form
        self.data = {}
        self.counts = {}
        self.tensors = self.folder / "dump_tensor_data"
        self.tensors.mkdir(parents=True)

    def describe(self, value, file):
        if isinstance(value, torch.Tensor):
            name = f"{file}.{self.form}"
            kept = value.detach().clone().contiguous()
            if self.form == "pt":
                torch.save(kept, self.tensors / name)
            else:
                np.save(self.tensors / name, kept.numpy())
            return {
                "type": "torch.Tensor",
                "dtype": str(value.dtype),
                "shape": list(value.shape),
                **statistics(value),
                "requires_grad": value.requires_grad,
                "data_name": name,
            }
        if isinstance(value, torch.Size):
            return {"type": "torch.Size", "value": list(value)}
        if isinstance(value, (list, tuple)):
            return [self.describe(each, f"{file}.{i}") for i, each in enumerate(value)]
        if isinstance(value, torch.dtype):
            return {"type": "torch.dtype", "value": str(value)} if file.endswith(".dtype") else {}
        if isinstance(value, (bool, int, float, str)):
            return {"type": type(value).__name__, "value": value}
        return None

    def call(self, api, *args, function=None, **kwargs):
        """`api`: "Functional.conv2d", "Tensor.__add__", "Torch.matmul"; `function` where it is called otherwise."""
        number = self.counts.get(api, 0)
        self.counts[api] = number + 1
        name = f"{api}.{number}"
        forward = f"{name}.forward"
        record = {
            "input_args": self.describe(args, f"{forward}.input"),
            "input_kwargs": {k: self.describe(v, f"{forward}.input.{k}") for k, v in kwargs.items()},
            "is_recompute": False,
        }
        self.data[forward] = record
        module, _, own = api.partition(".")
        if function is None:
            function = {
                "Functional": lambda: getattr(torch.nn.functional, own),
                "Torch": lambda: eval(f"torch.{own}"),
                "Tensor": lambda: getattr(torch.Tensor, own),
            }[module]()
        result = function(*args, **kwargs)
        results = result if isinstance(result, tuple) else (result,)
        record["output"] = self.describe(results, f"{forward}.output")
        first = results[0][0] if isinstance(results[0], list) else results[0]
        if first.grad_fn is not None:
            first.grad_fn.register_hook(lambda made, given: self.backward(name, made, given))
        return result

    def backward(self, name, made, given):
        name = f"{name}.backward"
        self.data[name] = {
            "input": self.describe(given, f"{name}.input"),
            "output": self.describe(made, f"{name}.output"),
        }

    def write(self):
        root = {
            "task": "tensor",
            "level": "L1",
            "framework": "pytorch",
            "dump_data_dir": str(self.tensors),
            "data": self.data,
        }
        (self.folder / "dump.json").write_text(json.dumps(root))
        (self.folder / "stack.json").write_text("{}")
        (self.folder / "construct.json").write_text("{}")


def leaf(*shape, dtype=torch.float32, low=-1.0):
    return (torch.rand(*shape) * (1 - low) + low).to(dtype).requires_grad_()


def backward(results):
    total = 0
    for each in results:
        while isinstance(each, (list, tuple)):
            each = each[0]
        if each.requires_grad:
            total = total + (each.float() * torch.randn(each.shape)).sum()
    total.backward()
