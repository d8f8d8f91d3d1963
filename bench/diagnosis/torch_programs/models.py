"""Small programs of PyTorch, one training step each, drawn by a seed."""

import math
import random
from typing import Any, Callable, NamedTuple, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WORDS, TOKENS, WIDTH, HEADS = 50, 10, 32, 4


class Cnn(nn.Module):
    def __init__(self, activation: Callable) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.groups, self.group_norm = nn.Conv2d(8, 16, 3, stride=2, padding=1, groups=2), nn.GroupNorm(4, 16)
        self.by_channel, self.by_point = nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.Conv2d(16, 24, 1)
        self.last, self.activation = nn.Linear(24, 10), activation

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(self.activation(self.norm(self.first(x))), 2)
        x = self.activation(self.group_norm(self.groups(x)))
        x = self.activation(self.by_point(self.by_channel(x)))
        return self.last(F.adaptive_avg_pool2d(x, 1).flatten(1))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down, self.middle = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.up, self.last = nn.ConvTranspose2d(8, 6, 2, stride=2), nn.Conv2d(9, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = F.leaky_relu(self.down(x), 0.1)
        y = F.interpolate(y + F.leaky_relu(self.middle(y), 0.1), scale_factor=1, mode="nearest")
        return self.last(torch.cat([F.silu(self.up(y)), x], 1))


def heads(x: Tensor, count: int) -> Tensor:
    return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, activation: Callable) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm, self.norm_of_wide = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.wide, self.narrow, self.activation = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), activation

    def forward(self, x: Tensor, mask: Optional[Tensor]) -> Tensor:
        y = self.norm(x)
        query, key, value = (heads(part(y), HEADS) for part in (self.query, self.key, self.value))
        weights = query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        if mask is not None:
            weights = weights.masked_fill(mask, -1e9)
        x = x + self.out((weights.softmax(-1) @ value).transpose(1, 2).reshape(x.shape))
        return x + self.narrow(self.activation(self.wide(self.norm_of_wide(x))))


class Transformer(nn.Module):
    def __init__(self, is_causal: bool, activation: Callable, layers: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Parameter(torch.randn(TOKENS, WIDTH) * 0.1)
        self.blocks = nn.ModuleList([Block(activation) for _ in range(layers)])
        self.norm, self.last, self.is_causal = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS), is_causal

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places
        mask = torch.ones(TOKENS, TOKENS, device=x.device).triu(1).bool() if self.is_causal else None
        for block in self.blocks:
            x = block(x, mask)
        return self.last(self.norm(x))


class RmsNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH) + 0.1 * torch.randn(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def places(count: int, like: Tensor) -> Tensor:
    return torch.arange(count, device=like.device).float()


class Llama(nn.Module):
    """One block with rotary places and two heads of keys for four of queries."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.norm, self.norm_of_wide = nn.Embedding(WORDS, WIDTH), RmsNorm(), RmsNorm()
        self.query, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(WIDTH, WIDTH // 2, bias=False) for _ in range(2))
        self.gate, self.wide = (nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(2))
        self.narrow, self.last = nn.Linear(3 * WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WORDS, bias=False)

    @staticmethod
    def turned(x: Tensor) -> Tensor:
        half = x.shape[-1] // 2
        angles = places(x.shape[-2], x)[:, None] / 100 ** (places(half, x) / half)
        angles = torch.cat([angles, angles], -1)
        return x * angles.cos() + torch.cat([-x[..., half:], x[..., :half]], -1) * angles.sin()

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens)
        y = self.norm(x)
        query, key, value = heads(self.query(y), HEADS), heads(self.key(y), HEADS // 2), heads(self.value(y), HEADS // 2)
        query, key = self.turned(query), self.turned(key)
        key, value = key.repeat_interleave(2, 1), value.repeat_interleave(2, 1)
        weights = query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        weights = weights + torch.full((TOKENS, TOKENS), float("-inf"), device=x.device).triu(1)
        x = x + self.out((weights.softmax(-1) @ value).transpose(1, 2).reshape(x.shape))
        y = self.norm_of_wide(x)
        return self.last(x + self.narrow(F.silu(self.gate(y)) * self.wide(y)))


class Recurrent(nn.Module):
    """An LSTM or GRU, step by step."""

    def __init__(self, is_lstm: bool, width: int = 20) -> None:
        super().__init__()
        gates = (4 if is_lstm else 3) * width
        self.of_input, self.of_state, self.last = nn.Linear(12, gates), nn.Linear(width, gates), nn.Linear(width, 5)
        self.is_lstm, self.width = is_lstm, width

    def forward(self, x: Tensor) -> Tensor:
        state = cell = torch.zeros(x.shape[0], self.width, device=x.device)
        for step in range(x.shape[1]):
            of_input, of_state = self.of_input(x[:, step]), self.of_state(state)
            if self.is_lstm:
                taken, kept, new, out = (of_input + of_state).chunk(4, 1)
                cell = torch.sigmoid(kept) * cell + torch.sigmoid(taken) * torch.tanh(new)
                state = torch.sigmoid(out) * torch.tanh(cell)
            else:
                ours, theirs = of_input.chunk(3, 1), of_state.chunk(3, 1)
                kept, reset = torch.sigmoid(ours[0] + theirs[0]), torch.sigmoid(ours[1] + theirs[1])
                state = (1 - kept) * torch.tanh(ours[2] + reset * theirs[2]) + kept * state
        return self.last(state)


class Mlp(nn.Module):
    def __init__(self, activations: list, width: int = 40) -> None:
        super().__init__()
        widths = [16] + [width] * len(activations) + [4]
        self.layers = nn.ModuleList(nn.Linear(one, other) for one, other in zip(widths, widths[1:]))
        self.activations, self.norm = activations, nn.BatchNorm1d(width)

    def forward(self, x: Tensor) -> Tensor:
        for at, activation in enumerate(self.activations):
            x = activation(self.layers[at](x))
            x = self.norm(x) if at == 0 else x
        return self.layers[-1](x)


def gelu_by_tanh(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


GELUS = [F.gelu, F.relu, gelu_by_tanh]
ACTIVATIONS = [*GELUS, torch.tanh, F.silu, F.softplus, F.elu, torch.sigmoid, F.hardswish, F.leaky_relu, F.mish, F.selu, F.hardtanh]
KINDS = ("cnn", "unet", "bert", "gpt", "llama", "lstm", "gru", "mlp")


class Scene(NamedTuple):
    kind: str
    model: nn.Module
    x: Tensor
    loss: Callable[[Tensor, Tensor], Tensor]  # of what the model gives and `wanted`
    wanted: Tensor
    optimizer: Optional[Callable[[Any], torch.optim.Optimizer]]

    def on(self, device: str) -> "Scene":
        return self._replace(model=self.model.to(device), x=self.x.to(device), wanted=self.wanted.to(device))


def disturb(model: nn.Module) -> None:
    """So that no parameter is zeros or ones."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)


def scene_of(seed: int) -> Scene:
    chance = random.Random(seed)
    torch.manual_seed(seed)
    kind, batch = chance.choice(KINDS), chance.choice([2, 4, 8])
    if kind in ("cnn", "unet"):
        model: nn.Module = Cnn(chance.choice([F.relu, F.silu, F.elu])) if kind == "cnn" else UNet()
        x = torch.randn(batch, 3, 12, 12)
    elif kind in ("bert", "gpt", "llama"):
        model = Llama() if kind == "llama" else Transformer(kind == "gpt", chance.choice(GELUS), chance.choice([1, 2]))
        x = torch.randint(WORDS, (batch, TOKENS))
    elif kind in ("lstm", "gru"):
        model, x = Recurrent(kind == "lstm"), torch.randn(batch, 5, 12)
    else:
        model, x = Mlp([chance.choice(ACTIVATIONS) for _ in range(chance.choice([2, 3, 4]))]), torch.randn(batch, 16)
    disturb(model)
    learn = chance.choice(
        [
            None,
            lambda each: torch.optim.SGD(each, lr=0.1, momentum=0.9, foreach=False),
            lambda each: torch.optim.Adam(each, lr=1e-3, foreach=False),
        ]
    )
    return Scene(kind, model, x, *loss_of(kind, batch, chance), learn)


def loss_of(kind: str, batch: int, chance: random.Random) -> Tuple[Callable[[Tensor, Tensor], Tensor], Tensor]:
    if kind == "cnn":
        return F.cross_entropy, torch.randint(10, (batch,))
    if kind == "unet":
        return F.binary_cross_entropy_with_logits, (torch.rand(batch, 1, 12, 12) > 0.5).float()
    if kind in ("bert", "gpt", "llama"):
        return lambda y, words: F.cross_entropy(y.reshape(-1, WORDS), words), torch.randint(WORDS, (batch * TOKENS,))
    wanted = torch.randn(batch, 5 if kind in ("lstm", "gru") else 4)
    return chance.choice([F.mse_loss, F.smooth_l1_loss, divergence]), wanted


def divergence(y: Tensor, wanted: Tensor) -> Tensor:
    return F.kl_div(y.log_softmax(-1), wanted.softmax(-1), reduction="batchmean")
