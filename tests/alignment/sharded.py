"""The networks on several ranks: heads, inner sizes and vocabulary cut (tensor parallel), or the batch (data parallel).

Ranks share no parameter. What enters a cut layer has the gradients of all ranks, what leaves it is added up, as if they
had sent each other messages; the sum is an op of its own, `all_reduce`.
"""

import math
from typing import Callable, List, Optional, Tuple

import torch
import torch.nn.functional as F
from networks import Layers, Weights, cnn, cnn_weights, transformer_weights
from recorder import Side, Style

BY_ROWS = ("q", "k", "v", "gate", "up", "head")  # of the weight [out, in] and of the bias
BY_COLUMNS = ("o", "down")  # of the weight alone
HIDDEN, INNER, LAYERS, VOCABULARY, HEAD = 64, 96, 2, 40, 8

Fault = Tuple[str, Callable[[torch.Tensor], torch.Tensor]]


class Reduced(torch.autograd.Function):
    """The sum of all, for each of them."""

    @staticmethod
    def forward(_, *terms: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        total = torch.stack(terms).sum(0)
        return tuple(total.clone() for _ in terms)

    @staticmethod
    def backward(_, *gradients: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        return gradients


class Entered(torch.autograd.Function):
    """Each as it is; the gradients are added up."""

    @staticmethod
    def forward(_, *each: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        return tuple(one.clone() for one in each)

    @staticmethod
    def backward(_, *gradients: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        return Reduced.forward(None, *gradients)


def shard(weights: Weights, rank: int, ranks: int) -> Weights:
    found: Weights = {}
    for name, value in weights.items():
        layer, part = name.split(".")[-2:]
        axis = 0 if layer in BY_ROWS else 1 if layer in BY_COLUMNS and part == "w" else None
        found[name] = value if axis is None else value.chunk(ranks, axis)[rank]
    return found


class Ranks:
    """The layers of all ranks, side by side."""

    def __init__(self, sides: List[Side], weights: Weights):
        self.nets = [Layers(side, shard(weights, rank, len(sides))) for rank, side in enumerate(sides)]
        self.heads = HIDDEN // HEAD // len(sides)

    def entered(self, each: List[torch.Tensor]) -> List[torch.Tensor]:
        return [net.side.look(copy, one) for net, copy, one in zip(self.nets, Entered.apply(*each), each)]

    def left(self, each: List[torch.Tensor], name: str, bias: bool) -> List[torch.Tensor]:
        """Through the layer whose weight is cut along what goes in."""
        label = f"{name}.out"
        product = label + ".product" if bias else label
        terms = [net.linear(one, [name], [product], bias=False) for net, one in zip(self.nets, each)]
        found = []
        for net, total, term in zip(self.nets, Reduced.apply(*terms), terms):
            made = net.side.op("all_reduce", [product], total, [term])
            if bias:
                vector = net.parameter(name + ".b")
                made = net.side.op("add_Tensor", [label], made + vector, [made, vector])
            found.append(made)
        return found

    def attended(self, each: List[torch.Tensor], at: str, llama: bool) -> List[torch.Tensor]:
        size = self.heads * HEAD
        found = []
        for net, one in zip(self.nets, self.entered(each)):
            qkv = net.query_key_value(one, at, (size, size, size), bias=not llama)
            found.append(net.attention(qkv, at, self.heads, self.heads, rope=llama))
        return self.left(found, f"{at}.o", not llama)

    def fed_forward(self, each: List[torch.Tensor], at: str, llama: bool) -> List[torch.Tensor]:
        found = []
        for net, one in zip(self.nets, self.entered(each)):
            if llama:
                found.append(net.swiglu(one, at))
            else:
                found.append(net.gelu(net.linear(one, [f"{at}.up"], [f"{at}.up.out"]), f"{at}.act"))
        return self.left(found, f"{at}.down", not llama)

    def normed(self, each: List[torch.Tensor], name: str, llama: bool) -> List[torch.Tensor]:
        return [(net.rms_norm if llama else net.layer_norm)(one, name, name) for net, one in zip(self.nets, each)]

    def added(self, each: List[torch.Tensor], others: List[torch.Tensor], label: str) -> List[torch.Tensor]:
        return [net.add(one, other, label) for net, one, other in zip(self.nets, each, others)]


def tensor_parallel(kind: str, sides: List[Side], weights: Weights, tokens: torch.Tensor) -> List[torch.Tensor]:
    """As networks.transformer(); each rank's part of the logits."""
    ranks = Ranks(sides, weights)
    llama, bert = kind == "llama", kind == "bert"
    x = [net.embed(tokens, weights["place.w"].shape[0]) for net in ranks.nets]
    for layer in range(LAYERS):
        at = str(layer)
        taken = x if bert else ranks.normed(x, f"{at}.norm1", llama)
        x = ranks.added(x, ranks.attended(taken, at, llama), f"{at}.middle")
        if bert:
            x = ranks.normed(x, f"{at}.norm1", llama)
        taken = x if bert else ranks.normed(x, f"{at}.norm2", llama)
        x = ranks.added(x, ranks.fed_forward(taken, at, llama), f"{at}.hidden")
        if bert:
            x = ranks.normed(x, f"{at}.norm2", llama)
    found = []
    for net, one in zip(ranks.nets, ranks.entered(ranks.normed(x, "norm", llama))):
        logits = net.linear(one, ["head"], ["logits"], bias=False)
        wanted = logits.transpose(0, 1) if net.style.seq_first else logits
        found.append(net.side.look(wanted[:, : tokens.shape[1]], logits))
    return found


def sharded_weights(kind: str) -> Weights:
    return cnn_weights((8, 12)) if kind == "cnn" else transformer_weights(HIDDEN, INNER, LAYERS, HIDDEN, VOCABULARY, 16)


def run_ranks(kind: str, style: Style, fault: Optional[Fault], faulty_rank: int, seed: int, count: int) -> List[Side]:
    """Forward and backward on `count` ranks; `fault` is one of `faulty_rank`."""
    torch.manual_seed(seed)
    sides = [Side(style, fault if rank == faulty_rank else None) for rank in range(count)]
    weights = sharded_weights(kind)
    if kind == "cnn":
        images = torch.randn(8, 3, 12, 12)
        logits = [cnn(side, weights, part) for side, part in zip(sides, images.chunk(count))]
    else:
        logits = tensor_parallel(kind, sides, weights, torch.randint(0, VOCABULARY, (2, 11)))
    torch.manual_seed(seed + 1)
    axis = 0 if kind == "cnn" else -1
    whole = list(logits[0].shape)
    whole[axis] *= count
    parts = torch.randn(whole).chunk(count, axis)
    sum((one * part).sum() for one, part in zip(logits, parts)).backward()
    return sides
