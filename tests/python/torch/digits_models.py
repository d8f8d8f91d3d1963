"""Small networks for tests, with seeded weights: a residual one with batch norm, and a transformer."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.norm(self.conv(x)) + x)


class SmallResNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.block = Block(width)
        self.fc = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.stem(x)))
        x = self.block(x)
        return self.fc(x.mean((2, 3)))


class SmallTransformer(nn.Module):
    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.head = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.embed(x.flatten(1, 2))
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        attention = torch.softmax(q @ k.transpose(1, 2) / 4.0, dim=-1)
        x = x + attention @ v
        return self.head((x + self.mlp(x)).mean(1))


def batch(count: int = 8, seed: int = 5):
    generator = torch.Generator().manual_seed(seed)
    images = torch.randn(count, 1, 8, 8, generator=generator)
    return images, torch.randint(0, 10, (count,), generator=generator)


def seeded(model: type, seed: int = 7) -> nn.Module:
    torch.manual_seed(seed)
    return model()


def train_step(model: nn.Module, optimizer: torch.optim.Optimizer, images, labels) -> float:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return float(loss.detach())
