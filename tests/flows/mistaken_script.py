"""A training step of a small network, as it should be or with one mistake of its author."""

import math
from typing import Any, Dict

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    """One head of width 16 over causal tokens [N,9,16]."""

    def __init__(self, mistake: str) -> None:
        super().__init__()
        self.query = nn.Linear(16, 16)
        self.key = nn.Linear(16, 16)
        self.value = nn.Linear(16, 16, bias=mistake != "missing bias")
        self.out = nn.Linear(16, 16)
        mask = torch.ones(9, 9, dtype=torch.bool)
        hidden = mask.tril(-1) if mistake == "wrong mask" else mask.triu(1)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(16)
        weights = scores.masked_fill(self.hidden, -1e4).softmax(-1)
        return self.out(weights @ self.value(x))


class Net(nn.Module):
    """Images [N,3,6,6] to 5 classes: convolutions, a frozen batch norm and one that learns, attention."""

    def __init__(self, mistake: str = "") -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.frozen = nn.BatchNorm2d(8)
        self.wide = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.learns = nn.BatchNorm2d(16)
        self.norm = nn.LayerNorm(16, eps=1e-3 if mistake == "other eps" else 1e-5)
        self.attention = Attention(mistake)
        self.extra = nn.Linear(16, 16) if mistake == "extra layer" else nn.Identity()
        self.hidden = nn.Linear(16, 16)
        self.head = nn.Linear(16, 5)
        self.frozen.eval()

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.frozen(self.stem(images)))
        x = F.relu(self.learns(self.wide(x)))
        tokens = x.flatten(2).transpose(1, 2)
        tokens = tokens + self.attention(self.norm(tokens))
        return self.head(self.extra(F.gelu(self.hidden(tokens.mean(1)))))


def seeded_state(seed: int) -> Dict[str, Any]:
    """The parameters and buffers of a trained network."""
    torch.manual_seed(seed)
    state = Net().state_dict()
    for name, value in state.items():
        if name.endswith("running_mean"):
            value.normal_(0, 0.3)
        elif name.endswith("running_var"):
            value.uniform_(0.3, 1.5)
    return state


def network(mistake: str) -> Net:
    model = Net(mistake)
    state = seeded_state(1)
    if mistake == "stale buffer":
        state["frozen.running_mean"] = seeded_state(2)["frozen.running_mean"]
    model.load_state_dict(state, strict=False)
    with torch.no_grad():
        if mistake == "transposed weight":
            model.hidden.weight.copy_(model.hidden.weight.t().clone())
        elif mistake == "scaled weight":
            model.attention.out.weight.mul_(1.02)
    return model


def batch(mistake: str) -> Any:
    torch.manual_seed(3)
    images = torch.randn(4, 3, 6, 6) + torch.arange(3.0).reshape(3, 1, 1) / 4
    if mistake == "flipped channels":
        images = images.flip(1)
    return images, torch.tensor([0, 3, 1, 4])


def built(mistake: str = "") -> Any:
    """The network, its images and labels."""
    return (network(mistake), *batch(mistake))


def step(model: Net, images: torch.Tensor, labels: torch.Tensor) -> None:
    """Forward and backward."""
    F.cross_entropy(model(images), labels).backward()
