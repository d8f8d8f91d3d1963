#!/usr/bin/python3
"""Trains a small network on scikit-learn's 8x8 digits and writes it as ONNX.

    data/train_digits.py resnet -o DIR [--epochs N] [--seed N]

Writes DIR/digits_<network>.onnx (opset 17, batch 64) and DIR/digits_<network>.io.npz, which holds
`in_input` and the `out_logits` that PyTorch computes for it in eval mode. The images of
digits_test.npz are kept out of the training and give the accuracy that is printed at the end.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional

BATCH = 64
OPSET = 17
DEFAULT_EPOCHS = {"resnet": 40, "vit": 150}
TEST_FILE = Path(__file__).resolve().parent / "models" / "digits_test.npz"


class ResidualBlock(nn.Module):
    def __init__(self, channels_in: int, channels_out: int, stride: int) -> None:
        super().__init__()
        self.c1 = nn.Conv2d(channels_in, channels_out, 3, stride, 1, bias=False)
        self.b1 = nn.BatchNorm2d(channels_out)
        self.c2 = nn.Conv2d(channels_out, channels_out, 3, 1, 1, bias=False)
        self.b2 = nn.BatchNorm2d(channels_out)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels_out, 1, stride, bias=False),
                nn.BatchNorm2d(channels_out),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu(self.b1(self.c1(x)))
        return functional.relu(self.b2(self.c2(y)) + self.shortcut(x))


class ResNet(nn.Module):
    """A stem, three residual blocks (16, 32, 64 channels), average pooling, one linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(
            ResidualBlock(16, 16, 1), ResidualBlock(16, 32, 2), ResidualBlock(32, 64, 2)
        )
        self.fc = nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.blocks(functional.relu(self.norm(self.stem(x))))
        return self.fc(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class TransformerBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.n1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.o = nn.Linear(width, width)
        self.n2 = nn.LayerNorm(width)
        self.f1 = nn.Linear(width, 4 * width)
        self.f2 = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        qkv = self.qkv(self.n1(x)).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.o(mixed)
        return x + self.f2(functional.gelu(self.f1(self.n2(x))))


class VisionTransformer(nn.Module):
    """Eight tokens (the rows of the image), width 64, four heads, three blocks."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.p = nn.Linear(8, width)
        self.pos = nn.Parameter(0.02 * torch.randn(1, 8, width))
        self.blocks = nn.Sequential(*(TransformerBlock(width, 4) for _ in range(3)))
        self.n = nn.LayerNorm(width)
        self.fc = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.blocks(self.p(x.squeeze(1)) + self.pos)
        return self.fc(self.n(x).mean(1))


def load_images(test_file: Path) -> tuple:
    """Training images and labels (those not in test_file), then the test ones."""
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    with np.load(test_file) as held_out:
        test_images, test_labels = held_out["in_input"], held_out["out_label"]
    known = {image.tobytes() for image in test_images}
    keep = np.array([image.tobytes() not in known for image in images])
    if len(images) - keep.sum() != len(test_images):
        raise SystemExit(f"{test_file}: its images are not those of scikit-learn's digits")
    return images[keep], digits.target[keep], test_images, test_labels


def shifted(images: torch.Tensor) -> torch.Tensor:
    """Each image moved by at most one pixel, which keeps so small a data set from being learned
    by heart."""
    padded = functional.pad(images, (1, 1, 1, 1))
    moved = torch.empty_like(images)
    for i, (row, column) in enumerate(torch.randint(0, 3, (len(images), 2)).tolist()):
        moved[i] = padded[i, :, row : row + 8, column : column + 8]
    return moved


def train(network: nn.Module, images: torch.Tensor, labels: torch.Tensor, epochs: int) -> None:
    steps = epochs * (len(images) // BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
    network.train()
    for _ in range(epochs):
        order = torch.randperm(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            optimizer.zero_grad()
            loss = functional.cross_entropy(network(shifted(images[chosen])), labels[chosen])
            loss.backward()
            optimizer.step()
            schedule.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("network", choices=["resnet", "vit"])
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write to")
    parser.add_argument("--epochs", type=int, help="default: 40 for resnet, 150 for vit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", type=Path, default=TEST_FILE, help="images to keep out")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    network = ResNet() if options.network == "resnet" else VisionTransformer()
    images, labels, test_images, test_labels = load_images(options.test)
    epochs = DEFAULT_EPOCHS[options.network] if options.epochs is None else options.epochs
    if epochs > 0:
        train(network, torch.from_numpy(images), torch.from_numpy(labels), epochs)

    network.eval()
    with torch.no_grad():
        predicted = network(torch.from_numpy(test_images)).argmax(1).numpy()
        sample = torch.from_numpy(test_images[:BATCH])
        logits = network(sample).numpy()
        options.output.mkdir(parents=True, exist_ok=True)
        name = options.output / f"digits_{options.network}"
        torch.onnx.export(
            network,
            sample,
            f"{name}.onnx",
            opset_version=OPSET,
            input_names=["input"],
            output_names=["logits"],
        )
    np.savez_compressed(f"{name}.io.npz", in_input=sample.numpy(), out_logits=logits)
    right = int((predicted == test_labels).sum())
    print(f"accuracy {right}/{len(test_labels)} {100 * right / len(test_labels):.2f} %")


if __name__ == "__main__":
    main()
