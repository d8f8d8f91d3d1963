"""Programs for devices: modules that a device's libraries compute by kernels of their own (attention, LSTM and GRU, Winograd, convolutions
of channels last), and several tensors at a time in the optimizers."""

import random
from typing import Callable, List

import torch
import torch.nn.functional as F
from models import GELUS, HEADS, TOKENS, WIDTH, WORDS, Scene, disturb, gelu_by_tanh, heads, loss_of, scene_of
from torch import Tensor, nn

STATE = 24


class Attention(nn.Module):
    def __init__(self, is_causal: bool, activation: Callable) -> None:
        super().__init__()
        self.three, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norm, self.norm_of_wide = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.is_causal, self.activation = is_causal, activation

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (heads(part, HEADS) for part in self.three(self.norm(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(query, key, value, is_causal=self.is_causal)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        return x + self.narrow(self.activation(self.wide(self.norm_of_wide(x))))


class FusedTransformer(nn.Module):
    def __init__(self, is_causal: bool, activation: Callable) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(TOKENS, WIDTH)
        self.blocks = nn.Sequential(Attention(is_causal, activation), Attention(is_causal, activation))
        self.norm, self.last = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places(torch.arange(TOKENS, device=tokens.device))
        return self.last(self.norm(self.blocks(x)))


class FusedRecurrent(nn.Module):
    def __init__(self, is_lstm: bool, both_ways: bool) -> None:
        super().__init__()
        self.cells = (nn.LSTM if is_lstm else nn.GRU)(12, STATE, batch_first=True, bidirectional=both_ways)
        self.last = nn.Linear(STATE * (1 + both_ways), 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.cells(x)[0][:, -1])


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm, self.norm_of_second = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.norm_of_second(self.second(F.relu(self.norm(self.first(x))))))


class WideCnn(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.stem, self.blocks = nn.Conv2d(3, channels, 5, stride=2, padding=2), Residual(channels)
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm, self.last = nn.LayerNorm(channels), nn.Linear(channels, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(F.relu6(self.stem(x)))
        x = x + F.gelu(self.norm(self.depthwise(x).permute(0, 2, 3, 1))).permute(0, 3, 1, 2)
        return self.last(F.avg_pool2d(x, 2).mean((2, 3)))


class Dropped(nn.Module):
    def __init__(self, activation: Callable) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(16, 48), nn.Linear(48, 48), nn.Linear(48, 4)
        self.norm, self.activation = nn.BatchNorm1d(48), activation

    def forward(self, x: Tensor) -> Tensor:
        x = F.dropout(self.activation(self.norm(self.first(x))), 0.2)
        return self.last(F.dropout(self.activation(self.second(x)), 0.1))


KINDS = ("fused bert", "fused gpt", "fused lstm", "fused gru", "wide cnn", "wide cnn", "dropped")


def device_scene_of(seed: int) -> Scene:
    """Every third one is of models.py."""
    if seed % 3 == 2:
        return scene_of(seed)
    chance = random.Random(f"device {seed}")
    torch.manual_seed(seed)
    kind, batch = chance.choice(KINDS), chance.choice([2, 4, 8])
    if kind in ("fused bert", "fused gpt"):
        model: nn.Module = FusedTransformer(kind == "fused gpt", chance.choice(GELUS))
        x, like = torch.randint(WORDS, (batch, TOKENS)), "gpt"
    elif kind in ("fused lstm", "fused gru"):
        model, x, like = FusedRecurrent(kind == "fused lstm", chance.choice([True, False])), torch.randn(batch, 6, 12), "lstm"
    elif kind == "wide cnn":
        model, x, like = WideCnn(chance.choice([16, 24])), torch.randn(batch, 3, 16, 16), "cnn"
    else:
        model, x, like = Dropped(chance.choice([F.relu, gelu_by_tanh, torch.tanh])), torch.randn(4 * batch, 16), "mlp"
    disturb(model)
    return Scene(kind, model, x, *loss_of(like, len(x), chance), optimizer_of(chance))


def optimizer_of(chance: random.Random) -> Callable[[List[Tensor]], torch.optim.Optimizer]:
    return chance.choice(
        [
            lambda each: torch.optim.SGD(each, lr=0.1, momentum=0.9),
            lambda each: torch.optim.SGD(each, lr=0.1, momentum=0.9, foreach=False),
            lambda each: torch.optim.AdamW(each, lr=1e-3),
            lambda each: torch.optim.AdamW(each, lr=1e-3, foreach=False),
        ]
    )
