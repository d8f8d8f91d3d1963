"""Small networks, each computed in the way that a Style says: CNN, BERT-, GPT- and Llama-like, forward and backward."""

import math
from typing import Callable, Dict, List, Sequence, Tuple

import torch
import torch.nn.functional as F
from recorder import Side

Weights = Dict[str, torch.Tensor]


class Layers:
    """What the networks are made of. Hidden states are [B,S,H], or [S,B,H] where the style says so."""

    def __init__(self, side: Side, weights: Weights):
        self.side = side
        self.style = side.style
        self.weights = weights
        self.parameters: Dict[str, torch.Tensor] = {}

    def parameter(self, name: str, transposed: bool = False) -> torch.Tensor:
        if name not in self.parameters:
            value = self.weights[name]
            self.parameters[name] = self.side.given(value.t() if transposed else value, name)
        return self.parameters[name]

    def joined(self, names: Sequence[str], transposed: bool = False) -> torch.Tensor:
        key = "+".join(names)
        if key not in self.parameters:
            value = torch.cat([self.weights[name] for name in names])
            self.parameters[key] = self.side.given(value.t() if transposed and value.ndim == 2 else value, *names)
        return self.parameters[key]

    def linear(self, x: torch.Tensor, names: Sequence[str], labels: Sequence[str], bias: bool = True) -> torch.Tensor:
        """Of one weight, or of several fused into one, whose results stand beside each other."""
        side, style = self.side, self.style
        weight = self.joined([n + ".w" for n in names], style.weights_transposed)
        matrix = weight.t() if style.weights_transposed else weight
        if not bias:
            return side.op("mm", labels, F.linear(x, matrix), [x, weight])
        vector = self.joined([n + ".b" for n in names])
        if style.bias_apart:
            product = side.op("mm", [label + ".product" for label in labels], F.linear(x, matrix), [x, weight])
            return side.op("add_Tensor", labels, product + vector, [product, vector])
        return side.op("addmm", labels, F.linear(x, matrix, vector), [vector, x, weight])

    def layer_norm(self, x: torch.Tensor, name: str, label: str) -> torch.Tensor:
        side = self.side
        w, b = self.parameter(name + ".w"), self.parameter(name + ".b")
        if not self.style.decomposed_norm:
            return side.op("native_layer_norm", [label], F.layer_norm(x, x.shape[-1:], w, b), [x, w, b])
        mean = side.op("mean_dim", [label + ".mean"], x.mean(-1, keepdim=True), [x])
        centred = side.op("sub_Tensor", [label + ".centred"], x - mean, [x, mean])
        var = side.op("var", [label + ".var"], centred.pow(2).mean(-1, keepdim=True), [centred])
        rstd = side.op("rsqrt", [label + ".rstd"], torch.rsqrt(var + 1e-5), [var])
        normal = side.op("mul_Tensor", [label + ".normal"], centred * rstd, [centred, rstd])
        scaled = side.op("mul_Tensor", [label + ".scaled"], normal * w, [normal, w])
        return side.op("add_Tensor", [label], scaled + b, [scaled, b])

    def rms_norm(self, x: torch.Tensor, name: str, label: str) -> torch.Tensor:
        side = self.side
        w = self.parameter(name + ".w")
        rstd = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        if not self.style.decomposed_norm:
            return side.op("npu_rms_norm", [label], x * rstd * w, [x, w])
        square = side.op("pow_Tensor_Scalar", [label + ".square"], x.pow(2), [x])
        mean = side.op("mean_dim", [label + ".mean"], square.mean(-1, keepdim=True), [square])
        rstd = side.op("rsqrt", [label + ".rstd"], torch.rsqrt(mean + 1e-5), [mean])
        normal = side.op("mul_Tensor", [label + ".normal"], x * rstd, [x, rstd])
        return side.op("mul_Tensor", [label], normal * w, [normal, w])

    def gelu(self, x: torch.Tensor, label: str) -> torch.Tensor:
        side = self.side
        if not self.style.decomposed_gelu:
            return side.op("gelu", [label], F.gelu(x), [x])
        scaled = side.op("mul_Scalar", [label + ".scaled"], x / math.sqrt(2), [x])
        erf = side.op("erf", [label + ".erf"], torch.erf(scaled), [scaled])
        plus = side.op("add_Scalar", [label + ".plus"], erf + 1, [erf])
        half = side.op("mul_Scalar", [label + ".half"], x * 0.5, [x])
        return side.op("mul_Tensor", [label], half * plus, [half, plus])

    def query_key_value(self, x: torch.Tensor, at: str, sizes: Sequence[int], bias: bool) -> List[torch.Tensor]:
        names, labels = [f"{at}.{p}" for p in "qkv"], [f"{at}.{p}.out" for p in "qkv"]
        if self.style.fuse_qkv:
            fused = self.linear(x, names, labels, bias)
            return [self.side.look(part, fused, [label]) for part, label in zip(fused.split(list(sizes), -1), labels)]
        made: Dict[str, torch.Tensor] = {}
        order = list(range(3))
        if self.style.shuffled:
            self.side.chance.shuffle(order)
        for i in order:
            made[labels[i]] = self.linear(x, [names[i]], [labels[i]], bias)
        return [made[label] for label in labels]

    def heads(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        """[B,heads,S,D]"""
        split = x.unflatten(-1, (heads, x.shape[-1] // heads))
        return split.permute(1, 2, 0, 3) if self.style.seq_first else split.permute(0, 2, 1, 3)

    def attention(self, qkv: Sequence[torch.Tensor], at: str, heads: int, kv_heads: int, rope: bool) -> torch.Tensor:
        side = self.side
        q, k, v = (side.look(self.heads(t, n), t) for t, n in zip(qkv, (heads, kv_heads, kv_heads)))
        if rope:
            q = self.rotated(q, f"{at}.q.rope")
            k = self.rotated(k, f"{at}.k.rope")
        if kv_heads != heads:
            k = side.op("repeat_interleave", [f"{at}.k.repeated"], k.repeat_interleave(heads // kv_heads, 1), [k])
            v = side.op("repeat_interleave", [f"{at}.v.repeated"], v.repeat_interleave(heads // kv_heads, 1), [v])
        size = q.shape[-1]
        mask = torch.full((q.shape[2], q.shape[2]), -1e9).triu(1)
        if self.style.fused_attention:
            probs = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(size) + mask, -1)
            context = side.op("_scaled_dot_product_attention", [f"{at}.context"], probs @ v, [q, k, v])
        else:
            if self.style.scale_query:
                q = side.op("mul_Scalar", [f"{at}.q.scaled"], q / math.sqrt(size), [q])
                scaled = side.op("bmm", [f"{at}.scaled"], q @ k.transpose(-1, -2), [q, k])
            else:
                scores = side.op("bmm", [f"{at}.scores"], q @ k.transpose(-1, -2), [q, k])
                scaled = side.op("div_Scalar", [f"{at}.scaled"], scores / math.sqrt(size), [scores])
            masked = side.op("add_Tensor", [f"{at}.masked"], scaled + mask, [scaled])
            probs = side.op("_softmax", [f"{at}.probs"], torch.softmax(masked, -1), [masked])
            context = side.op("bmm", [f"{at}.context"], probs @ v, [probs, v])
        merged = context.permute(2, 0, 1, 3) if self.style.seq_first else context.permute(0, 2, 1, 3)
        return side.look(merged.flatten(-2), context)

    def rotated(self, x: torch.Tensor, label: str) -> torch.Tensor:
        side = self.side
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[2])[:, None] / 100 ** (torch.arange(half) / half)
        cos, sin = (torch.cat([part, part], -1) for part in (angle.cos(), angle.sin()))
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        if self.style.decomposed_norm:
            one = side.op("mul_Tensor", [label + ".cos"], x * cos, [x])
            other = side.op("mul_Tensor", [label + ".sin"], turned * sin, [x])
            return side.op("add_Tensor", [label], one + other, [one, other])
        return side.op("npu_rotary_mul", [label], x * cos + turned * sin, [x])

    def swiglu(self, x: torch.Tensor, at: str) -> torch.Tensor:
        side = self.side
        labels = [f"{at}.gate.out", f"{at}.up.out"]
        if self.style.fuse_gate:
            fused = self.linear(x, [f"{at}.gate", f"{at}.up"], labels, bias=False)
            gate, up = (side.look(part, fused, [label]) for part, label in zip(fused.chunk(2, -1), labels))
        else:
            gate = self.linear(x, [f"{at}.gate"], labels[:1], bias=False)
            up = self.linear(x, [f"{at}.up"], labels[1:], bias=False)
        active = side.op("silu", [f"{at}.silu"], F.silu(gate), [gate])
        return side.op("mul_Tensor", [f"{at}.act"], active * up, [active, up])

    def add(self, a: torch.Tensor, b: torch.Tensor, label: str) -> torch.Tensor:
        return self.side.op("add_Tensor", [label], a + b, [a, b])

    def embed(self, tokens: torch.Tensor, sizes: int) -> torch.Tensor:
        side = self.side
        table = self.parameter("embed.w")
        if self.style.pad_tokens:
            tokens = F.pad(tokens, (0, self.style.pad_tokens), value=1)
        x = side.op("embedding", ["embed"], F.embedding(tokens, table), [table])
        place = self.parameter("place.w")
        positions = torch.arange(tokens.shape[1]).clamp(max=sizes - 1)
        x = side.op("add_Tensor", ["hidden"], x + F.embedding(positions, place), [x, place])
        return side.look(x.transpose(0, 1), x) if self.style.seq_first else x


def transformer_weights(hidden: int, inner: int, layers: int, kv: int, vocabulary: int, tokens: int) -> Weights:
    weights: Weights = {"embed.w": torch.randn(vocabulary, hidden), "place.w": torch.randn(tokens, hidden) * 0.3}
    for layer in range(layers):
        sizes = {"q": hidden, "k": kv, "v": kv, "o": hidden}
        for name, size in sizes.items():
            weights[f"{layer}.{name}.w"] = torch.randn(size, hidden) / math.sqrt(hidden)
            weights[f"{layer}.{name}.b"] = torch.randn(size) * 0.1
        for name, (out, into) in {"up": (inner, hidden), "gate": (inner, hidden), "down": (hidden, inner)}.items():
            weights[f"{layer}.{name}.w"] = torch.randn(out, into) / math.sqrt(into)
            weights[f"{layer}.{name}.b"] = torch.randn(out) * 0.1
        for name in ("norm1", "norm2"):
            weights[f"{layer}.{name}.w"] = 1 + 0.2 * torch.randn(hidden)
            weights[f"{layer}.{name}.b"] = 0.1 * torch.randn(hidden)
    weights["norm.w"], weights["norm.b"] = 1 + 0.2 * torch.randn(hidden), 0.1 * torch.randn(hidden)
    weights["head.w"] = torch.randn(vocabulary, hidden) / math.sqrt(hidden)
    return weights


def transformer(kind: str, layers: int) -> Callable[[Side, Weights, torch.Tensor], torch.Tensor]:
    llama, bert = kind == "llama", kind == "bert"

    def run(side: Side, weights: Weights, tokens: torch.Tensor) -> torch.Tensor:
        net = Layers(side, weights)
        norm = net.rms_norm if llama else net.layer_norm
        hidden = weights["embed.w"].shape[1]
        kv = weights["0.k.w"].shape[0]
        x = net.embed(tokens, weights["place.w"].shape[0])
        for layer in range(layers):
            at = str(layer)
            taken = x if bert else norm(x, f"{at}.norm1", f"{at}.norm1")
            qkv = net.query_key_value(taken, at, (hidden, kv, kv), bias=not llama)
            context = net.attention(qkv, at, hidden // 8, kv // 8, rope=llama)
            mixed = net.linear(context, [f"{at}.o"], [f"{at}.o.out"], bias=not llama)
            x = net.add(x, mixed, f"{at}.middle")
            if bert:
                x = norm(x, f"{at}.norm1", f"{at}.norm1")
            taken = x if bert else norm(x, f"{at}.norm2", f"{at}.norm2")
            inner = net.swiglu(taken, at) if llama else net.gelu(net.linear(taken, [f"{at}.up"], [f"{at}.up.out"]), f"{at}.act")
            x = net.add(x, net.linear(inner, [f"{at}.down"], [f"{at}.down.out"], bias=not llama), f"{at}.hidden")
            if bert:
                x = norm(x, f"{at}.norm2", f"{at}.norm2")
        x = norm(x, "norm", "norm")
        logits = net.linear(x, ["head"], ["logits"], bias=False)
        wanted = logits.transpose(0, 1) if side.style.seq_first else logits
        return side.look(wanted[:, : tokens.shape[1]], logits)

    return run


def cnn_weights(channels: Tuple[int, ...]) -> Weights:
    weights: Weights = {}
    before = 3
    for i, size in enumerate(channels):
        for name, into in ((f"{i}.a", before), (f"{i}.b", size)):
            weights[f"{name}.w"] = torch.randn(size, into, 3, 3) / math.sqrt(9 * into)
            weights[f"{name}.bn.w"], weights[f"{name}.bn.b"] = 1 + 0.2 * torch.randn(size), 0.1 * torch.randn(size)
            weights[f"{name}.bn.m"], weights[f"{name}.bn.v"] = 0.1 * torch.randn(size), 1 + 0.2 * torch.rand(size)
        weights[f"{i}.s.w"] = torch.randn(size, before, 1, 1) / math.sqrt(before)
        before = size
    weights["fc.w"], weights["fc.b"] = torch.randn(10, before) / math.sqrt(before), torch.randn(10) * 0.1
    return weights


def cnn(side: Side, weights: Weights, images: torch.Tensor) -> torch.Tensor:
    net = Layers(side, weights)
    last = side.style.channels_last

    def shown(x: torch.Tensor) -> torch.Tensor:
        return x.permute(0, 2, 3, 1).contiguous() if last else x

    def hidden(x: torch.Tensor) -> torch.Tensor:
        return x.permute(0, 3, 1, 2) if last else x

    def conv(x: torch.Tensor, name: str) -> torch.Tensor:
        key = name + ".w"
        if key not in net.parameters:
            value = weights[key]
            net.parameters[key] = side.given(value.permute(2, 3, 1, 0) if last else value, key)
        weight = net.parameters[key]
        kernel = weight.permute(3, 2, 0, 1) if last else weight
        made = F.conv2d(hidden(x), kernel, padding=kernel.shape[-1] // 2)
        return side.op("convolution", [name + ".conv"], shown(made), [x, weight])

    def batch_norm(x: torch.Tensor, name: str) -> torch.Tensor:
        w, b, m, v = (net.parameter(f"{name}.bn.{part}") for part in "wbmv")
        if net.style.decomposed_norm:
            axes = (lambda t: t) if last else (lambda t: t[:, None, None])
            centred = side.op("sub_Tensor", [name + ".centred"], x - axes(m), [x, m])
            normal = side.op("mul_Tensor", [name + ".normal"], centred * axes(torch.rsqrt(v + 1e-5)), [centred, v])
            scaled = side.op("mul_Tensor", [name + ".scaled"], normal * axes(w), [normal, w])
            return side.op("add_Tensor", [name + ".bn"], scaled + axes(b), [scaled, b])
        made = F.batch_norm(hidden(x), m.detach(), v.detach(), w, b)
        return side.op("native_batch_norm", [name + ".bn"], shown(made), [x, w, b, m, v])

    x = side.given(shown(images), "images", needs_gradient=False)
    for i in range(sum(1 for key in weights if key.endswith(".s.w"))):
        short = conv(x, f"{i}.s") if side.style.shuffled else None
        y = side.op("relu", [f"{i}.relu1"], torch.relu(batch_norm(conv(x, f"{i}.a"), f"{i}.a")), [side.kept[-1]])
        y = batch_norm(conv(y, f"{i}.b"), f"{i}.b")
        short = conv(x, f"{i}.s") if short is None else short
        total = net.add(y, short, f"{i}.sum")
        x = side.op("relu", [f"{i}.relu2"], torch.relu(total), [total])
        x = side.op("avg_pool2d", [f"{i}.pool"], shown(F.avg_pool2d(hidden(x), 2)), [x])
    flat = side.op("mean_dim", ["features"], hidden(x).mean((2, 3)), [x])
    return net.linear(flat, ["fc"], ["logits"])
