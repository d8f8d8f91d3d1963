#!/usr/bin/python3
"""Trains the digits networks on the CPU in float32 and inside npu("910A") in mixed precision with a
static loss scale, and draws both loss curves.

    docs/training_curves.py OUT.svg [--steps N] [--chip C] [--scale S]

docs/training_curves.svg is made with 60 steps. The same seeds, images and order on both sides.
"""

import argparse
import contextlib
import sys
from html import escape
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import torch
from torch.nn import functional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "data"))
sys.path.insert(0, str(ROOT / "build" / "release" / "python"))

import train_digits  # noqa: E402

import npuscope.torch as nt  # noqa: E402

BATCH = 32
WIDTH, HEIGHT, MARGIN = 420, 260, 46
NETWORKS = {"ResNet": train_digits.ResNet, "ViT": train_digits.VisionTransformer}
COLORS = {"cpu": "#57606a", "npu": "#cf222e"}


def losses(network: type, images, labels, steps: int, chip: Optional[str], scale: float) -> List[float]:
    torch.manual_seed(1)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(2))
    scaler = nt.LossScale(scale)
    found = []
    on_chip = nt.npu(chip, check_overflow=True, quiet=True) if chip else None
    with on_chip or contextlib.nullcontext():
        for step in range(steps):
            first = step * BATCH % (len(order) - BATCH)
            chosen = order[first : first + BATCH]
            optimizer.zero_grad()
            with nt.autocast() if chip else contextlib.nullcontext():
                loss = functional.cross_entropy(model(images[chosen]), labels[chosen])
            if chip:
                with scaler.scale(loss, optimizer) as scaled:
                    scaled.backward()
                on_chip.step()
            else:
                loss.backward()
            optimizer.step()
            found.append(float(loss.detach()))
    if on_chip is not None and on_chip.overflows:
        print(f"{network.__name__}: first overflow {on_chip.overflows[0]['path']}")
    return found


def curve(rows: List[float], top: float, left: int, color: str, dashed: bool) -> str:
    points = []
    for i, value in enumerate(rows):
        x = left + MARGIN + (WIDTH - MARGIN - 12) * i / max(1, len(rows) - 1)
        y = 36 + (HEIGHT - 76) * (1 - value / top)
        points.append(f"{x:.1f},{y:.1f}")
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    return f'<polyline fill="none" stroke="{color}" stroke-width="2"{dash} points="{" ".join(points)}"/>'


def picture(runs: Dict[str, Tuple[List[float], List[float]]], chip: str, scale: float) -> str:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(runs)}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for i, (name, (cpu, npu)) in enumerate(runs.items()):
        left, top = i * WIDTH, 1.1 * max(max(cpu), max(npu))
        bottom = HEIGHT - 40
        parts.append(f'<text x="{left + MARGIN}" y="22" font-weight="bold">digits {escape(name)}</text>')
        parts.append(
            f'<path d="M{left + MARGIN},36 V{bottom} H{left + WIDTH - 12}" fill="none" stroke="#8c959f"/>'
        )
        for k in range(4):
            value, y = top * k / 4, 36 + (HEIGHT - 76) * (1 - k / 4)
            parts.append(f'<text x="{left + MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{value:.2f}</text>')
        parts.append(f'<text x="{left + WIDTH - 12}" y="{bottom + 16}" text-anchor="end">step {len(cpu)}</text>')
        parts.append(f'<text x="{left + MARGIN}" y="{bottom + 16}">loss</text>')
        parts.append(curve(cpu, top, left, COLORS["cpu"], False))
        parts.append(curve(npu, top, left, COLORS["npu"], True))
    legend = (("cpu", "CPU, float32"), ("npu", f"emulated {chip}, O1, loss scale {scale:g}"))
    for i, (key, text) in enumerate(legend):
        x = MARGIN + 170 * i
        parts.append(f'<rect x="{x}" y="{HEIGHT - 16}" width="18" height="3" fill="{COLORS[key]}"/>')
        parts.append(f'<text x="{x + 24}" y="{HEIGHT - 10}">{escape(text)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--chip", default="910A")
    parser.add_argument("--scale", type=float, default=1024.0)
    options = parser.parse_args()
    images, labels, _, _ = train_digits.load_images(train_digits.TEST_FILE)
    images, labels = torch.from_numpy(images), torch.from_numpy(labels)
    runs = {}
    for name, network in NETWORKS.items():
        cpu = losses(network, images, labels, options.steps, None, options.scale)
        npu = losses(network, images, labels, options.steps, options.chip, options.scale)
        runs[name] = cpu, npu
        worst = max(abs(a - b) for a, b in zip(cpu, npu))
        print(f"{name}: loss {cpu[0]:.4f} -> CPU {cpu[-1]:.4f}, {options.chip} {npu[-1]:.4f}; "
              f"largest difference {worst:.4f}")
    options.output.write_text(picture(runs, options.chip, options.scale))


if __name__ == "__main__":
    main()
