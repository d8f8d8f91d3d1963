#!/usr/bin/python3
"""What observing costs: a training step of a ResNet-18-sized network bare and inside with-blocks.

    bench/torch_overhead.py [--batch 8] [--size 224] [--runs 5] [--folder DIR]

Bare, with all outputs dumped, with statistics of the outputs only, inside npu("910A") bare and with the
overflow check; the fastest of RUNS. Goals: 2.5 times the bare step for outputs, 1.5 for statistics, and 1.3
times the emulated step for the overflow check, which has no meaning without the chip.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Callable, Tuple

import torch
from torch import nn
from torch.nn import functional

import npuscope.torch as nt


class Block(nn.Module):
    def __init__(self, channels_in: int, channels: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


def resnet18() -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        layers.append(Block(before, channels, stride))
        before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def fastest(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def training(batch: int, size: int) -> Callable[[], None]:
    torch.manual_seed(1)
    model = resnet18()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,))

    def step() -> None:
        optimizer.zero_grad()
        functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    step()
    return step


def dumped(step: Callable[[], None], folder: Path, **options: object) -> Tuple[Callable[[], None], list]:
    sizes: list = []

    def work() -> None:
        path = folder / "step.h5"
        with nt.dumper(use_dump=True, dump_path=path, **options):
            step()
        sizes.append(os.path.getsize(path))
        path.unlink()

    return work, sizes


def emulated(step: Callable[[], None], check: bool) -> Callable[[], None]:
    def work() -> None:
        with nt.npu("910A", quiet=True, check_overflow=check):
            step()

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--no-chip", action="store_true", help="leave out the emulated steps")
    options = parser.parse_args()
    step = training(options.batch, options.size)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        bare = fastest(step, options.runs)
        print(f"bare                  {bare:8.3f} s")
        for name, goal, keywords in (
            ("outputs", 2.5, {"inputs": False}),
            ("inputs and outputs", None, {}),
            ("statistics of outputs", 1.5, {"inputs": False, "statistics": True}),
        ):
            work, sizes = dumped(step, Path(folder), **keywords)
            took = fastest(work, options.runs)
            text = f"(goal {goal})" if goal else ""
            print(f"{name:21} {took:8.3f} s  x{took / bare:.2f} {text}  {max(sizes) / 1e6:.0f} MB")
    if options.no_chip:
        return
    plain = fastest(emulated(step, False), max(1, options.runs // 2))
    checked = fastest(emulated(step, True), max(1, options.runs // 2))
    print(f"npu(\"910A\")           {plain:8.3f} s")
    print(f"overflow check        {checked:8.3f} s  x{checked / plain:.2f} (goal 1.3)")


if __name__ == "__main__":
    main()
