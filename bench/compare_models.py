#!/usr/bin/python3
"""Forward runs of whole models beside PyTorch, in turn, on the same cores.

    bench/compare_models.py FOLDER [--bin build/release/bin] [--runs 5] [--models resnet18,resnet50,gpt2] [--chip 910A]

Makes the models in FOLDER unless they are there, with random weights: residual networks of 18 and 50 layers
(batch 4 and 1, 224x224 images) and a GPT-2-small-sized transformer (12 layers of width 768, 64 tokens of 1). Checks that the
fp32 reference gives PyTorch's outputs, then prints medians, the ratio of PyTorch's time to ours (of the wall, and of
processors, which other programs disturb less; PyTorch's threads spin), and peak memory. Needs
Debian's python3-torch and python3-onnx, and `ninja -C build/release bench_model_forward npuscope`.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn


class Block(nn.Module):
    """Basic (18 layers) or bottleneck (50 layers) block of He et al., 2016."""

    def __init__(self, inputs: int, width: int, stride: int, bottleneck: bool):
        super().__init__()
        outputs = width * 4 if bottleneck else width
        if bottleneck:
            layers = [nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                      nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                      nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)]
        else:
            layers = [nn.Conv2d(inputs, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                      nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)]
        self.body = nn.Sequential(*layers)
        self.skip = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


def resnet(depths, bottleneck: bool) -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for stage, depth in enumerate(depths):
        for i in range(depth):
            width = 64 * 2**stage
            layers.append(Block(inputs, width, 2 if i == 0 and stage > 0 else 1, bottleneck))
            inputs = width * 4 if bottleneck else width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, tokens, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads) + mask
        x = x + self.out((scores.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(batch, tokens, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    """GPT-2 small: 12 layers of width 768 with 12 heads, 50257 words."""

    def __init__(self, tokens: int, words: int = 50257, width: int = 768, layers: int = 12, heads: int = 12):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((tokens, tokens), -1e9), 1))
        self.register_buffer("order", torch.arange(tokens))

    def forward(self, tokens):
        x = self.words(tokens) + self.places(self.order)
        for layer in self.layers:
            x = layer(x, self.mask)
        return self.head(self.norm(x))


def build(name: str):
    """Module and input."""
    torch.manual_seed(1)
    if name == "gpt2":
        return Gpt(64).eval(), torch.randint(0, 50257, (1, 64))
    deep = name == "resnet50"
    model = resnet([3, 4, 6, 3] if deep else [2, 2, 2, 2], deep).eval()
    with torch.no_grad():
        # Statistics that keep the signal's size through the layers, as training would.
        model.train()(torch.randn(4, 3, 96, 96))
    return model.eval(), torch.randn(1 if deep else 4, 3, 224, 224)


def make(folder: Path, name: str, model: nn.Module, x: torch.Tensor):
    onnx, arrays = folder / f"{name}.onnx", folder / f"{name}.npz"
    with torch.no_grad():
        expected = model(x)
    if not onnx.exists():
        print(f"making {onnx}", file=sys.stderr)
        unfinished = onnx.with_suffix(".part")
        torch.onnx.export(model, x, str(unfinished), input_names=["input"], output_names=["output"], opset_version=13)
        unfinished.rename(onnx)
    np.savez(arrays, in_input=x.numpy(), out_output=expected.numpy())
    return onnx, arrays


def torch_seconds(model: nn.Module, x: torch.Tensor):
    """Wall and processor seconds."""
    with torch.no_grad():
        start, before = time.perf_counter(), time.process_time()
        model(x)
        return time.perf_counter() - start, time.process_time() - before


def rounds(command, options, model: nn.Module, x: torch.Tensor):
    """Both in turn: seconds of PyTorch, rows of ours."""
    torch_seconds(model, x)
    peers, rows = [], []
    for _ in range(options.runs):
        peers.append(torch_seconds(model, x))
        out = subprocess.run(command + ["1", str(options.threads)], stdout=subprocess.PIPE, text=True, check=True).stdout
        rows.append(json.loads(out))
    return peers, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bin", type=Path, default=Path(__file__).parent.parent / "build" / "release" / "bin")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--models", default="resnet18,resnet50,gpt2")
    parser.add_argument("--chip", help="time this chip, too")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(options.threads)
    print(f"PyTorch {torch.__version__}, {options.threads} threads")
    for name in options.models.split(","):
        model, x = build(name)
        onnx, arrays = make(options.folder, name, model, x)
        checked = subprocess.run([options.bin / "npuscope", "run", onnx, "--device", "cpu", "--reference", "fp32", "--input",
                                  arrays, "--expect", arrays], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{name}: outputs {'as' if checked.returncode == 0 else 'NOT as'} PyTorch's")
        if checked.returncode != 0:
            print(checked.stdout)
        for device in ["cpu"] + ([options.chip] if options.chip else []):
            command = [options.bin / "bench_model_forward", onnx, arrays, device]
            peers, rows = rounds(command, options, model, x)
            seconds = [row["median_s"] for row in rows]
            ratio = statistics.median(peer[0] / own for peer, own in zip(peers, seconds))
            print(f"  {rows[0]['device']}: {statistics.median(seconds):.3f} s, "
                  f"PyTorch {statistics.median(peer[0] for peer in peers):.3f} s, "
                  f"ratio {ratio:.2f}, peak {max(row['peak_mb'] for row in rows):.0f} MB")
            processor = statistics.median(peer[1] / row["processor_s"] for peer, row in zip(peers, rows))
            print(f"    processor time: {statistics.median(row['processor_s'] for row in rows):.3f} s, "
                  f"PyTorch {statistics.median(peer[1] for peer in peers):.3f} s, ratio {processor:.2f}")
            for op, spent in list(rows[-1]["ops_s"].items())[:6]:
                print(f"    {op}: {spent:.3f} s")


if __name__ == "__main__":
    main()
