#!/usr/bin/python3
"""One training step of a torchvision model on the CPU and on emulated chips, as a line of JSON.

    PYTHONPATH=build/release/python bench/torchvision/train_step.py resnet18 --chips 910A,910B

The chip's ops are judged as they run, and the two watches are compared. Inputs are the smallest that the model takes.
Needs Debian's python3-torchvision.
"""

import argparse
import gc
import json
import os
import tempfile
import time
import warnings

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt

# Edges of images that a model refuses to be smaller than; others take 64.
EDGES = {
    "alexnet": 64, "inception_v3": 96, "googlenet": 64, "densenet": 64, "maxvit_t": 224, "mnasnet": 64,
    "swin_v2": 64, "vit_h_14": 28, "vit_b_32": 64, "vit_l_32": 64, "vit_b_16": 32, "vit_l_16": 32, "vgg": 32,
    "raft": 128, "fasterrcnn": 96, "maskrcnn": 96, "keypointrcnn": 96, "retinanet": 96, "fcos": 96, "ssd300": 96,
    "ssdlite": 96, "s3d": 224, "mvit": 224,
}
# Images of a clip; others take 4.
FRAMES = {"mvit": 16, "s3d": 14}
# What takes large images only gets one of them, others two.
SINGLE = ("maxvit_t", "mvit", "raft", "s3d", "ssd300")
# Classes that the head of a model tells apart.
CLASSES = 10


def kind_of(name: str) -> str:
    """The part of torchvision.models that the model is from."""
    module = torchvision.models.get_model_builder(name).__module__
    part = module[len("torchvision.models.") :].split(".")[0]
    return part if part in ("segmentation", "detection", "video", "optical_flow", "quantization") else "classification"


def names() -> list:
    """Every float model, small ones first as far as torchvision's own numbers tell."""
    found = [name for name in torchvision.models.list_models() if not name.startswith("quantized_")]
    return sorted(found, key=parameters_of)


def parameters_of(name: str) -> int:
    weights = torchvision.models.get_model_weights(name)
    return next((entry.meta.get("num_params", 0) for entry in weights), 0)


def edge_of(name: str) -> int:
    return next((edge for start, edge in EDGES.items() if name.startswith(start)), 64)


def made(name: str) -> nn.Module:
    """The model with seeded weights and the smallest head; none of torchvision's files is loaded."""
    torch.manual_seed(7)
    given = {"weights": None}
    kind = kind_of(name)
    if kind != "optical_flow":
        given["num_classes"] = CLASSES
    if kind in ("segmentation", "detection"):
        given["weights_backbone"] = None
    if kind == "detection" and not name.startswith("ssdlite"):
        given["trainable_backbone_layers"] = 5
    if name.startswith("ssdlite"):
        given["trainable_backbone_layers"] = 6
    if kind == "detection" and "ssd" not in name:
        given.update(min_size=edge_of(name), max_size=edge_of(name))
    if name.startswith("vit_"):
        given["image_size"] = edge_of(name)
    if name in ("googlenet", "inception_v3"):
        given.update(init_weights=False, aux_logits=name == "googlenet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torchvision.models.get_model(name, **given)


def batch_of(name: str) -> tuple:
    """(arguments of the model, shape of one of them)"""
    generator = torch.Generator().manual_seed(5)
    kind, edge, number = kind_of(name), edge_of(name), 1 if name.startswith(SINGLE) else 2
    if kind == "video":
        frames = next((frames for start, frames in FRAMES.items() if name.startswith(start)), 4)
        clip = torch.randn(number, 3, frames, edge, edge, generator=generator)
        return (clip,), clip.shape
    if kind == "optical_flow":
        pair = [torch.randn(number, 3, edge, edge, generator=generator).clamp(-1, 1) for _ in range(2)]
        return (*pair, 2), pair[0].shape
    # ssd300 scales each image to 300×300.
    images = torch.randn(number, 3, edge, edge, generator=generator)
    if kind != "detection":
        return (images,), images.shape
    targets = []
    for _ in images:
        target = {
            "boxes": torch.tensor([[8.0, 8.0, 60.0, 52.0], [30.0, 20.0, 90.0, 88.0]]),
            "labels": torch.tensor([1, 3]),
        }
        if "maskrcnn" in name:
            target["masks"] = torch.ones(2, edge, edge, dtype=torch.uint8)
        if "keypoint" in name:
            target["labels"] = torch.tensor([1, 1])
            target["keypoints"] = torch.full((2, 17, 3), 40.0)
        targets.append(target)
    return (list(images.sigmoid()), targets), images.shape


def loss_of(outputs: object) -> torch.Tensor:
    """One number of whatever the model gives in training."""
    if isinstance(outputs, torch.Tensor):
        if outputs.dim() == 2:
            return F.cross_entropy(outputs, torch.arange(outputs.shape[0]) % outputs.shape[1])
        if outputs.dim() == 4 and outputs.shape[1] == CLASSES:
            return F.cross_entropy(outputs, torch.zeros(outputs.shape[0], *outputs.shape[2:], dtype=torch.int64))
        return outputs.abs().mean()
    rows = list(outputs.values()) if isinstance(outputs, dict) else [item for item in outputs if item is not None]
    return sum((row if row.dim() == 0 else loss_of(row)) for row in rows)


def step(name: str, chip: str, folder: str) -> dict:
    """What happened in one step on `chip`, "" for PyTorch's own arithmetic; saves the watch."""
    model = made(name).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    arguments, shape = batch_of(name)
    began = time.perf_counter()
    torch.manual_seed(3)
    row: dict = {}
    if not chip:
        with nt.watch(model, optimizer) as seen:
            loss = loss_of(model(*arguments))
            loss.backward()
            optimizer.step()
    else:
        with nt.npu(chip, quiet=True) as device, nt.watch(model, optimizer) as seen:
            loss = loss_of(model(*arguments))
            loss.backward()
            optimizer.step()
        row = {
            "native": sum(device.native.values()),
            "fallbacks": {op: count for op, (_, count) in sorted(device.fallbacks.items())},
            "why": {op: why for op, (why, _) in sorted(device.fallbacks.items())},
            "judged": seen.judged,
            "not_judged": seen.not_judged,
            "faults": seen.faults[:5],
        }
    row["seconds"] = round(time.perf_counter() - began, 2)
    row["loss"] = float(loss.detach())
    row["input"] = list(shape)
    row["parameters"] = sum(p.numel() for p in model.parameters())
    seen.save(os.path.join(folder, f"{chip or 'cpu'}.npz"))
    return row


def run(name: str, chips: list) -> dict:
    """All of one model."""
    found: dict = {"model": name, "kind": kind_of(name), "chips": {}}
    with tempfile.TemporaryDirectory() as folder:
        found["cpu"] = step(name, "", folder)
        for chip in chips:
            gc.collect()
            row = step(name, chip, folder)
            result = npuscope.compare(os.path.join(folder, f"{chip}.npz"), os.path.join(folder, "cpu.npz"))
            verdicts = [str(v) for v in result.columns["verdict"]]
            row["verdicts"] = {v: verdicts.count(v) for v in sorted(set(verdicts))}
            row["exit_code"] = result.exit_code
            if result.exit_code:
                row["text"] = result.text[:2000]
            found["chips"][chip] = row
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", nargs="?", help="a name of torchvision.models.list_models(); without: the names")
    parser.add_argument("--chips", default="910A,910B")
    given = parser.parse_args()
    if given.model is None:
        print("\n".join(names()))
        return
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__}
    print(json.dumps({**versions, **run(given.model, given.chips.split(","))}))


if __name__ == "__main__":
    main()
