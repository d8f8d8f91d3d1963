"""Makes pairs of recordings whose truth is known by construction, and scores what paired them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np
import torch
from networks import cnn, cnn_weights, transformer, transformer_weights
from recorder import Labels, Record, Side, Style

KINDS = ("cnn", "bert", "gpt", "llama")
OTHER_NAMES = {
    "addmm": "linear",
    "mm": "matmul",
    "bmm": "batch_matmul",
    "add_Tensor": "add",
    "mul_Tensor": "mul",
    "_softmax": "softmax",
    "convolution": "conv2d",
    "native_layer_norm": "layer_norm",
    "embedding": "gather",
}


def faults(chance: np.random.Generator) -> Dict[str, Callable[[torch.Tensor], torch.Tensor]]:
    def spot(x: torch.Tensor) -> torch.Tensor:
        flat = x.reshape(-1)
        flat[int(chance.integers(flat.numel()))] += 30 * x.abs().max()
        return x

    def zeroed(x: torch.Tensor) -> torch.Tensor:
        x[..., : max(1, x.shape[-1] // 4)] = 0
        return x

    return {
        "off": lambda x: x * 1.01,
        "noise": lambda x: x + 0.03 * x.std() * torch.from_numpy(chance.standard_normal(tuple(x.shape)).astype("f4")),
        "spot": spot,
        "zeroed": zeroed,
        "shifted": lambda x: torch.roll(x, 1, -1),
        "doubled": lambda x: x * 2,
    }


def random_style(kind: str, chance: np.random.Generator) -> Style:
    def maybe(share: float = 0.5) -> bool:
        return bool(chance.random() < share)

    return Style(
        fuse_qkv=maybe(),
        fuse_gate=maybe(),
        weights_transposed=maybe(),
        seq_first=maybe(0.4),
        fused_attention=maybe(0.4),
        decomposed_norm=maybe(0.4),
        decomposed_gelu=maybe(0.4),
        bias_apart=maybe(0.3),
        channels_last=maybe(),
        scale_query=maybe(0.3),
        pad_tokens=int(chance.integers(1, 4)) if maybe(0.2) else 0,
        shuffled=maybe(0.4),
        names=OTHER_NAMES if maybe() else {},
        rounding=[None, None, torch.float16, torch.bfloat16][int(chance.integers(4))],
        unrecorded=0.1 if maybe(0.3) else 0.0,
        seed=int(chance.integers(1 << 30)),
    )


@dataclass
class Pair:
    kind: str
    fault: str  # "none", or what it is and where
    target: Dict[str, Labels]
    golden: Dict[str, Labels]
    target_records: List[Record]
    golden_records: List[Record]


def run_side(kind: str, style: Style, fault: Optional[Tuple[str, Callable]], seed: int) -> Side:
    torch.manual_seed(seed)
    side = Side(style, fault)
    if kind == "cnn":
        weights = cnn_weights((8, 12))
        logits = cnn(side, weights, torch.randn(2, 3, 12, 12))
    else:
        layers = 2 + seed % 2
        weights = transformer_weights(32, 80, layers, 16 if kind == "llama" else 32, 40, 16)
        tokens = torch.randint(0, 40, (2, 11))
        logits = transformer(kind, layers)(side, weights, tokens)
    torch.manual_seed(seed + 1)
    (logits * torch.randn(logits.shape)).sum().backward()
    return side


def make_pair(seed: int, folder: Path, faulty: bool = True) -> Pair:
    """Writes target.h5 and golden.h5."""
    chance = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    golden = run_side(kind, random_style(kind, chance), None, seed)
    style = random_style(kind, chance)
    plan = run_side(kind, style, None, seed)
    told, fault = "none", None
    if faulty:
        known = sorted({label for r in plan.records for _, _, labels in r.outputs for label in labels if not label.startswith("d.")})
        label = known[int(chance.integers(len(known)))]
        kinds = faults(chance)
        told = sorted(kinds)[int(chance.integers(len(kinds)))]
        fault = (label, kinds[told])
        told += " in " + label
    style.seed = plan.style.seed
    target = run_side(kind, style, fault, seed)
    return Pair(
        kind,
        told,
        target.write(folder / "target.h5"),
        golden.write(folder / "golden.h5"),
        target.records,
        golden.records,
    )


def tensors_of(records: List[Record]) -> List[Tuple[str, np.ndarray, Labels]]:
    """Results, and the first use of what was given: path, elements, labels."""
    found = []
    seen = set()
    for number, record in enumerate(records, 1):
        for direction, tensors in (("input", record.inputs), ("output", record.outputs)):
            for argument, array, labels in tensors:
                path = f"/{record.name}/{number}/{direction}/{argument}"
                if direction == "output" or (labels and not labels & seen):
                    found.append((path, array, labels))
                seen |= labels
    return found


@dataclass
class Score:
    partners: int = 0  # target tensors that have one
    right: int = 0
    wrong: int = 0  # pairs that are not
    said: int = 0
    wrong_pairs: Optional[List[Tuple[str, str]]] = None
    missed: Optional[List[str]] = None


def bits(array: np.ndarray) -> bytes:
    return np.sort(array, axis=None).tobytes()


def score(pair: Pair, found: List[Tuple[str, str]]) -> Score:
    """`found` are pairs of paths. Pairs of tensors that equal a right partner bit for bit are right."""
    result = Score(said=len(found), wrong_pairs=[], missed=[])
    target = {path: (array, labels) for path, array, labels in tensors_of(pair.target_records)}
    golden = tensors_of(pair.golden_records)
    by_label: Dict[str, List[str]] = {}
    elements = {}
    for path, array, labels in golden:
        elements[path] = array
        for label in labels:
            by_label.setdefault(label, []).append(path)
    right = set()
    found = [each for each in found if each[0] in target]
    for mine, theirs in found:
        labels = pair.target.get(mine, frozenset())
        if labels & pair.golden.get(theirs, frozenset()):
            right.add(mine)
            continue
        partners = [path for label in labels for path in by_label.get(label, [])]
        array = elements.get(theirs)
        if array is not None and any(bits(array) == bits(elements[path]) for path in partners):
            right.add(mine)
            continue
        twin = {path for path, (other, _) in target.items() if mine in target and bits(other) == bits(target[mine][0])}
        if any(pair.target[path] & pair.golden.get(theirs, frozenset()) for path in twin):
            right.add(mine)
            continue
        result.wrong += 1
        result.wrong_pairs.append((mine, theirs))
    given = {label for path in right for label in pair.target[path] if "/input/" in path}
    for path, (_, labels) in target.items():
        if not any(label in by_label for label in labels):
            continue
        result.partners += 1
        twins = {other for other in right if bits(target[other][0]) == bits(target[path][0])} if path not in right else set()
        swapped = any(pair.golden[theirs] & labels for mine, theirs in found if mine in twins)
        if path in right or swapped or ("/input/" in path and labels & given):
            result.right += 1
        else:
            result.missed.append(path)
    return result
