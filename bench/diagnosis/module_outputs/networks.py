"""Networks of modules as people write them, drawn by a seed, and the ways in which their products are computed."""

import random
from typing import Callable, Dict, NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WORDS = 60


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, fused: bool) -> None:
        super().__init__()
        self.heads, self.fused = heads, fused
        if fused:
            self.qkv = nn.Linear(width, 3 * width)
        else:
            self.q_proj, self.k_proj, self.v_proj = (nn.Linear(width, width) for _ in range(3))
        self.o_proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        parts = self.qkv(x).chunk(3, -1) if self.fused else (self.q_proj(x), self.k_proj(x), self.v_proj(x))
        q, k, v = (part.view(*part.shape[:2], self.heads, -1).transpose(1, 2) for part in parts)
        weights = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        weights = weights.masked_fill(mask, -1e4).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, width: int, heads: int, fused: bool, act: nn.Module) -> None:
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), Attention(width, heads, fused), nn.LayerNorm(width)
        self.c_fc, self.act, self.c_proj = nn.Linear(width, 4 * width), act, nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(self.act(self.c_fc(self.ln_2(x))))


class Transformer(nn.Module):
    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        width = chance.choice([32, 48, 64])
        act = chance.choice([nn.GELU, nn.ReLU, nn.SiLU])
        fused = chance.random() < 0.5
        self.embed_tokens = nn.Embedding(WORDS, width)
        self.layers = nn.ModuleList(Block(width, 4, fused, act()) for _ in range(chance.choice([2, 4, 8])))
        self.norm, self.lm_head = nn.LayerNorm(width), nn.Linear(width, WORDS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))


class Residual(nn.Module):
    def __init__(self, width: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(width, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.bn2, self.relu = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU()
        self.downsample = nn.Sequential(nn.Conv2d(width, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Tensor) -> Tensor:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        widths = [8, 8, 16, 16, 24][: chance.choice([3, 5])]
        self.conv1, self.bn1, self.maxpool = nn.Conv2d(3, widths[0], 3, 1, 1), nn.BatchNorm2d(widths[0]), nn.MaxPool2d(2)
        pairs = list(zip(widths, widths[1:]))
        self.layer = nn.Sequential(*(Residual(one, other, 1 if one == other else 2) for one, other in pairs))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(widths[-1], 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        return self.fc(self.avgpool(self.layer(x)).flatten(1))


def plain_cnn(chance: random.Random) -> nn.Module:
    parts = []
    width = 3
    for out in [8, 12, 16, 16][: chance.choice([2, 4])]:
        parts += [nn.Conv2d(width, out, 3, padding=1), nn.GroupNorm(4, out), chance.choice([nn.ReLU, nn.SiLU, nn.ELU])()]
        width = out
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * width, 10))


def mlp(chance: random.Random) -> nn.Module:
    parts = []
    width = 24
    for _ in range(chance.choice([2, 4, 10])):
        parts += [nn.Linear(width, 40), chance.choice([nn.ReLU, nn.Tanh, nn.GELU])()]
        width = 40
    return nn.Sequential(*parts, nn.Linear(width, 6))


class Scene(NamedTuple):
    kind: str
    model: nn.Module
    x: Tensor


def scene_of(seed: int) -> Scene:
    chance = random.Random(f"scene {seed}")
    torch.manual_seed(seed)
    kind = chance.choice(["transformer", "transformer", "resnet", "cnn", "mlp"])
    made: Dict[str, Callable[[random.Random], nn.Module]] = {
        "transformer": Transformer,
        "resnet": ResNet,
        "cnn": plain_cnn,
        "mlp": mlp,
    }
    model = made[kind](chance)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
        for name, buffer in model.named_buffers():
            if buffer.is_floating_point():
                buffer.add_(torch.rand_like(buffer) * 0.5)
    x = torch.randint(WORDS, (2, 16)) if kind == "transformer" else torch.randn(4, 24) if kind == "mlp" else torch.randn(4, 3, 16, 16)
    return Scene(kind, model.train(chance.random() < 0.5), x)


def to_significand(x: Tensor, bits: int) -> Tensor:
    mantissa, exponent = torch.frexp(x.double())
    return torch.ldexp(torch.round(mantissa * 2.0**bits) / 2.0**bits, exponent).to(x.dtype)


def in_other_order(module: nn.Module, x: Tensor) -> Tensor:
    """A sum in another order: from the last term to the first."""
    if isinstance(module, nn.Linear):
        return F.linear(x.flip(-1), module.weight.flip(-1), module.bias)
    return F.conv2d(x.flip(1), module.weight.flip(1), module.bias, module.stride, module.padding)


def with_operands(round_to: Callable[[Tensor], Tensor]) -> Callable[[nn.Module, Tensor], Tensor]:
    def compute(module: nn.Module, x: Tensor) -> Tensor:
        if isinstance(module, nn.Linear):
            return F.linear(round_to(x), round_to(module.weight), module.bias)
        return F.conv2d(round_to(x), round_to(module.weight), module.bias, module.stride, module.padding)

    return compute


# What products do; None: as PyTorch does.
WAYS: Dict[str, Optional[Callable[[nn.Module, Tensor], Tensor]]] = {
    "fp32": None,
    "fp32, other order": in_other_order,
    "TF32 inputs": with_operands(lambda x: to_significand(x, 11)),
    "bf16 inputs": with_operands(lambda x: x.to(torch.bfloat16).to(x.dtype)),
    "fp16 inputs": with_operands(lambda x: x.to(torch.float16).to(x.dtype)),
    "fp16 throughout": with_operands(lambda x: x.to(torch.float16).to(x.dtype)),
    "bf16 autocast": None,
    "bf16 throughout": None,
}
