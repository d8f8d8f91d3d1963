"""Six blocks as their papers draw them, in plain PyTorch: each takes tokens or images and gives logits."""

import math

import torch
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, LENGTH, WORDS = 32, 4, 12, 20


def attend(q, k, v, mask=None, causal=False):
    """Attention of [batch, heads, length, width]; PyTorch's own where there is one."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


def heads_of(x, count):
    return x.unflatten(-1, (count, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)


class RootMeanSquare(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Bert(nn.Module):
    """Encoder: norms behind the sums, a mask of padding, GELU, words, places and segments."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.pool, self.head = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        segments = (torch.arange(LENGTH) >= LENGTH // 2).long()
        x = self.norms[0](self.words(tokens) + self.places.weight + self.segments(segments))
        mask = (1.0 - (tokens != 0).float())[:, None, None, :] * -10000.0
        y = attend(*(heads_of(f(x), HEADS) for f in (self.q, self.k, self.v)), mask=mask)
        x = self.norms[1](x + self.out(joined(y)))
        x = self.norms[2](x + self.down(F.gelu(self.up(x))))
        return self.head(torch.tanh(self.pool(x)))


class Gpt2(nn.Module):
    """Decoder: norms before, one product for query, key and value, GELU by tanh, the head tied to the words."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(LENGTH))
        q, k, v = self.qkv(self.norms[0](x)).split(WIDTH, dim=-1)
        x = x + self.out(joined(attend(*(heads_of(t, HEADS) for t in (q, k, v)), causal=True)))
        x = x + self.down(F.gelu(self.up(self.norms[1](x)), approximate="tanh"))
        return self.norms[2](x) @ self.words.weight.t()


class Llama(nn.Module):
    """Decoder: root mean squares, turned queries and keys, two heads of keys for four of queries, SwiGLU."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.norms = nn.ModuleList(RootMeanSquare(WIDTH) for _ in range(3))
        self.q, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.k, self.v = (nn.Linear(WIDTH, WIDTH // 2, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(2))
        self.down, self.head = nn.Linear(3 * WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WORDS, bias=False)
        half = WIDTH // HEADS // 2
        angles = torch.arange(LENGTH)[:, None] * 10000.0 ** (-torch.arange(half) / half)
        self.register_buffer("cosines", torch.cat([angles, angles], -1).cos())
        self.register_buffer("sines", torch.cat([angles, angles], -1).sin())

    def turned(self, x):
        first, second = x.chunk(2, dim=-1)
        return x * self.cosines + torch.cat([-second, first], dim=-1) * self.sines

    def forward(self, tokens):
        x = self.words(tokens)
        y = self.norms[0](x)
        q, k, v = heads_of(self.q(y), HEADS), heads_of(self.k(y), HEADS // 2), heads_of(self.v(y), HEADS // 2)
        k, v = (t[:, :, None].expand(-1, -1, 2, -1, -1).flatten(1, 2) for t in (self.turned(k), v))
        x = x + self.out(joined(attend(self.turned(q), k, v, causal=True)))
        y = self.norms[1](x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return self.head(self.norms[2](x))


class Vit(nn.Module):
    """Images in patches, a token for the class, learnt places."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, 4, stride=4)
        self.token = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.places = nn.Parameter(torch.randn(1, 17, WIDTH) * 0.02)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, eps=1e-6) for _ in range(3))
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], dim=1) + self.places
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + self.out(joined(attend(q, k, v)))
        x = x + self.mlp(self.norms[1](x))
        return self.head(self.norms[2](x)[:, :1])


class T5(nn.Module):
    """Encoder and decoder that reads it: a learnt bias by distance, no scale, root mean squares, gated GELU."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.distances = nn.Embedding(8, HEADS)
        self.norms = nn.ModuleList(RootMeanSquare(WIDTH) for _ in range(5))
        self.products = nn.ModuleList(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(12))
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def bias(self, causal):
        places = torch.arange(LENGTH)
        apart = places[None, :] - places[:, None]
        far = (apart.abs().clamp(min=1).float().log2().long() + 1) * (apart != 0) + 4 * (apart > 0)
        bias = self.distances(far.clamp(max=7)).permute(2, 0, 1)[None]
        return bias.masked_fill(apart > 0, torch.finfo(bias.dtype).min) if causal else bias

    def attention(self, number, x, source, bias=None):
        q, k, v, out = self.products[4 * number : 4 * number + 4]
        scores = heads_of(q(x), HEADS) @ heads_of(k(source), HEADS).transpose(3, 2)
        scores = scores if bias is None else scores + bias
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        return out(joined(weights @ heads_of(v(source), HEADS)))

    def forward(self, tokens):
        x = self.words(tokens)
        y = self.norms[0](x)
        x = x + self.attention(0, y, y, self.bias(False))
        y = self.norms[1](x)
        source = x + self.down(F.gelu(self.gate(y), approximate="tanh") * self.up(y))
        x = self.words(tokens.flip(1))
        y = self.norms[2](x)
        x = x + self.attention(1, y, y, self.bias(True))
        x = x + self.attention(2, self.norms[3](x), source)
        return (self.norms[4](x) * WIDTH**-0.5) @ self.words.weight.t()


class Mamba(nn.Module):
    """A scan over a state whose step sizes the input chooses, behind a causal convolution by channel."""

    def __init__(self, states=4):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.norm = RootMeanSquare(WIDTH)
        self.into = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.convolution = nn.Conv1d(2 * WIDTH, 2 * WIDTH, 4, groups=2 * WIDTH, padding=3)
        self.choices = nn.Linear(2 * WIDTH, 2 + 2 * states, bias=False)
        self.step = nn.Linear(2, 2 * WIDTH)
        self.decay = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(2 * WIDTH, 1))
        self.skip = nn.Parameter(torch.ones(2 * WIDTH))
        self.out, self.head = nn.Linear(2 * WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens):
        words = self.words(tokens)
        x, gate = self.into(self.norm(words)).chunk(2, dim=-1)
        x = F.silu(self.convolution(x.transpose(1, 2))[..., :LENGTH].transpose(1, 2))
        step, into, out = self.choices(x).split([2, self.decay.shape[1], self.decay.shape[1]], dim=-1)
        step = F.softplus(self.step(step))
        kept = torch.exp(step[..., None] * -torch.exp(self.decay))
        added = step[..., None] * into[:, :, None] * x[..., None]
        state, made = torch.zeros_like(added[:, 0]), []
        for place in range(LENGTH):
            state = kept[:, place] * state + added[:, place]
            made.append((state * out[:, place, None]).sum(-1))
        y = (torch.stack(made, dim=1) + x * self.skip) * F.silu(gate)
        return self.head(words + self.out(y))


BLOCKS = (Bert, Gpt2, Llama, Vit, T5, Mamba)


def batch_of(block):
    """(inputs, labels by place)"""
    generator = torch.Generator().manual_seed(11)
    if block is Vit:
        return torch.randn(3, 3, 16, 16, generator=generator), torch.randint(0, WORDS, (3, 1), generator=generator)
    tokens = torch.randint(0, WORDS, (3, LENGTH), generator=generator)
    return tokens, tokens.roll(-1, 1)


def made(block):
    torch.manual_seed(4)
    return block()


def train_step(model, optimizer, inputs, labels):
    """Loss of one step."""
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())
    loss.backward()
    optimizer.step()
    return float(loss.detach())
