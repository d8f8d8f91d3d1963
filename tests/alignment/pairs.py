"""Makes pairs of recordings whose truth is known by construction, and scores what paired them."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Collection, Dict, List, Optional, Set, Tuple, Union

import numpy as np
import torch
from networks import cnn, cnn_weights, transformer, transformer_weights
from recorder import Labels, Side, Style
from sharded import LAYERS, VOCABULARY, run_ranks, sharded_weights

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
        x = x.contiguous()
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
        "shifted": lambda x: torch.roll(x, 1),
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


Elements = List[Tuple[str, np.ndarray, Labels]]

# Of a side's Style what makes it another program, in the words of the tables.
CHANGES = {
    "fuse": ("fuse_qkv", "fuse_gate", "fused_attention"),
    "split": ("decomposed_norm", "decomposed_gelu", "bias_apart", "scale_query"),
    "permute": ("weights_transposed", "seq_first", "channels_last"),
    "pad": ("pad_tokens",),
    "reorder": ("shuffled",),
    "rename": ("names",),
    "round": ("rounding",),
    "drop": ("unrecorded",),
}
RANKS = (2, 4, 8)


def ranks_of(seed: int) -> int:
    """On how many ranks the target runs; every fifth pair is one of shards."""
    return RANKS[seed // 5 % len(RANKS)] if seed % 5 == 4 else 1


@dataclass
class Pair:
    kind: str
    fault: str  # "none", or what it is and where
    changes: Tuple[str, ...]
    faulty_rank: str  # "rank1"; "" where the target is not sharded, or has no fault
    target_file: Path  # a folder of a file a rank where it is sharded
    golden_file: Path
    target: Dict[str, Labels]
    golden: Dict[str, Labels]
    target_elements: Elements
    golden_elements: Elements
    clean: Dict[str, np.ndarray]  # of a sharded target the elements without the fault


def run_side(kind: str, style: Style, fault: Optional[Tuple[str, Callable]], seed: int, sharded: bool = False) -> Side:
    """On one rank; with the weights and inputs of run_ranks() where the other side is `sharded`."""
    torch.manual_seed(seed)
    side = Side(style, fault)
    if kind == "cnn":
        weights = sharded_weights(kind) if sharded else cnn_weights((8, 12))
        logits = cnn(side, weights, torch.randn(8 if sharded else 2, 3, 12, 12))
    else:
        layers = LAYERS if sharded else 2 + seed % 2
        weights = sharded_weights(kind) if sharded else transformer_weights(32, 80, layers, 16 if kind == "llama" else 32, 40, 16)
        tokens = torch.randint(0, VOCABULARY if sharded else 40, (2, 11))
        logits = transformer(kind, layers)(side, weights, tokens)
    torch.manual_seed(seed + 1)
    (logits * torch.randn(logits.shape)).sum().backward()
    return side


def changes_of(target: Style, golden: Style, kind: str) -> Tuple[str, ...]:
    """What the two differ in, of what the network has; what is not recorded may lack on either."""
    absent = {"cnn": ("seq_first", "pad_tokens", "decomposed_gelu", "scale_query"), "llama": ("decomposed_gelu", "bias_apart")}
    found = []
    for name, fields in CHANGES.items():
        known = [each for each in fields if each not in absent.get(kind, ()) and (kind != "cnn" or not each.startswith("fuse"))]
        known = [each for each in known if kind == "cnn" or each != "channels_last"]
        known = [each for each in known if kind == "llama" or each != "fuse_gate"]
        if any(getattr(target, each) != getattr(golden, each) or (name == "drop" and getattr(target, each)) for each in known):
            found.append(name)
    return tuple(found)


def make_pair(seed: int, folder: Path, faulty: bool = True) -> Pair:
    """Writes golden.h5 and target.h5, or the folder target of rank0.h5, rank1.h5, …"""
    chance = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    ranks = ranks_of(seed)
    golden = run_side(kind, random_style(kind, chance), None, seed, ranks > 1)
    style = random_style(kind, chance)

    def run(fault: Optional[Tuple[str, Callable]], rank: int = 0) -> List[Side]:
        if ranks == 1:
            return [run_side(kind, style, fault, seed)]
        return run_ranks(kind, style, fault, rank, seed, ranks)

    plan = run(None)
    told, fault, faulty_rank = "none", None, 0
    if faulty:
        records = plan[0].records
        known = sorted({label for r in records for _, _, labels in r.outputs for label in labels if not label.startswith("d.")})
        label = known[int(chance.integers(len(known)))]
        kinds = faults(chance)
        told = sorted(kinds)[int(chance.integers(len(kinds)))]
        fault = (label, kinds[told])
        told += " in " + label
        faulty_rank = int(chance.integers(ranks)) if ranks > 1 else 0
    style.seed = plan[0].style.seed
    sides = run(fault, faulty_rank)
    changes = changes_of(style, golden.style, kind)
    clean: Dict[str, np.ndarray] = {}
    if ranks == 1:
        target_file = folder / "target.h5"
        target = sides[0].write(target_file)
        elements = tensors_of(sides[0])
    else:
        target_file = folder / "target"
        target_file.mkdir(exist_ok=True)
        for old in target_file.iterdir():
            old.unlink()
        target, elements = {}, []
        for rank, side in enumerate(plan):
            clean.update({f"rank{rank}:{path}": array for path, array, _ in tensors_of(side)})
        for rank, side in enumerate(sides):
            known_there = side.write(target_file / f"rank{rank}.h5")
            target.update({f"rank{rank}:{path}": labels for path, labels in known_there.items()})
            elements += [(f"rank{rank}:{path}", array, labels) for path, array, labels in tensors_of(side)]
        changes += (f"shard {ranks}",)
    return Pair(
        kind,
        told,
        changes,
        f"rank{faulty_rank}" if faulty and ranks > 1 else "",
        target_file,
        folder / "golden.h5",
        target,
        golden.write(folder / "golden.h5"),
        elements,
        tensors_of(golden),
        clean,
    )


def tensors_of(side: Side) -> Elements:
    """Results, and the first use of what was given: path, elements, labels."""
    found = []
    seen = set()
    for number, record in enumerate(side.records, 1):
        for direction, tensors in (("input", record.inputs), ("output", record.outputs)):
            for argument, array, labels in tensors:
                path = f"/{record.name}/{number}/{direction}/{argument}"
                if direction == "output" or (labels and not labels & seen):
                    found.append((path, array, labels))
                seen |= labels
    return found


def paths_of(entry: dict) -> List[Tuple[str, str]]:
    """The pairs that an entry of a mapping file speaks of. Only what ranks hold terms of is a pair for each term."""
    found = [(entry["target"], entry["golden"])]
    if "ranks" in entry.get("text", ""):
        found += [(mine, entry["golden"]) for mine in entry.get("more_target", [])]
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


def rank_in(path: str) -> str:
    return path.split("/", 1)[0]


def seen_through(view: Optional[dict], array: np.ndarray) -> np.ndarray:
    if view is None:
        return array
    item = array.itemsize
    extents, strides = zip(*view["loops"]) if view["loops"] else ((), ())
    flat = np.ascontiguousarray(array).reshape(-1)[view["offset"] :]
    return np.lib.stride_tricks.as_strided(flat, extents, [stride * item for stride in strides]).reshape(view["shape"])


# Softmax does not change where all keys are shifted alike: the gradient of a key's bias is zero, and what stands there rounding.
ROUNDING_ONLY = re.compile(r"d\.\d+\.k\.b")


def misplaced_shards(pair: Pair, entries: List[dict]) -> Set[Tuple[str, str]]:
    """Of the mapping's entries those whose views show other elements than a run without fault has there; of tensors that
    hold nothing but rounding no elements can tell."""
    golden = {path: array for path, array, _ in pair.golden_elements}
    found = set()
    for entry in entries:
        mine, theirs = entry["target"], entry["golden"]
        if entry["relation"] != "part" or mine not in pair.clean or theirs not in golden:
            continue
        if any(all(map(ROUNDING_ONLY.fullmatch, labels)) for labels in (pair.target[mine], pair.golden.get(theirs, {""}))):
            continue
        # Masks are no numbers.
        one = np.clip(seen_through(entry.get("target_view"), pair.clean[mine]).reshape(-1), -1e6, 1e6)
        other = np.clip(seen_through(entry.get("golden_view"), golden[theirs]).reshape(-1), -1e6, 1e6)
        if one.size != other.size or np.linalg.norm(one - other) > 0.3 * np.linalg.norm(other):
            found.add((mine, theirs))
    return found


def score(pair: Pair, found: List[Tuple[str, str]], misplaced: Collection[Tuple[str, str]] = ()) -> Score:
    """`found` are pairs of paths. Tensors of a side that equal each other bit for bit may swap; `misplaced` pairs are wrong."""
    result = Score(said=len(found), wrong_pairs=[], missed=[])
    target = {path: (array, labels) for path, array, labels in pair.target_elements}
    by_label: Dict[str, List[str]] = {}
    elements = {}
    for path, array, labels in pair.golden_elements:
        elements[path] = bits(array)
        for label in labels:
            by_label.setdefault(label, []).append(path)
    same: Dict[bytes, List[str]] = {}
    for path, (array, _) in target.items():
        same.setdefault(bits(array), []).append(path)
    twins = {path: group for group in same.values() for path in group}
    golden_twins: Dict[bytes, List[str]] = {}
    for path, held in elements.items():
        golden_twins.setdefault(held, []).append(path)

    def meant_at(path: str) -> Set[str]:
        """What the golden's tensors mean that equal this one bit for bit."""
        there = golden_twins.get(elements[path], []) if path in elements else []
        return set().union(*(pair.golden.get(each, frozenset()) for each in [path, *there]))

    right = set()
    found = [each for each in found if each[0] in target]
    for mine, theirs in found:
        labels = pair.target[mine]
        partners = [path for label in labels for path in by_label.get(label, [])]
        there = pair.golden.get(theirs, frozenset())
        if (mine, theirs) not in misplaced and (
            labels & there
            or (theirs in elements and any(elements[theirs] == elements[path] for path in partners))
            or any(pair.target[path] & meant_at(theirs) for path in twins[mine])
        ):
            right.add(mine)
        else:
            result.wrong += 1
            result.wrong_pairs.append((mine, theirs))
    given = {(rank_in(path), label) for path in right for label in pair.target[path] if "/input/" in path}
    golden_of: Dict[str, List[str]] = {}
    for mine, theirs in found:
        if mine in right:
            golden_of.setdefault(mine, []).append(theirs)
    for path, (_, labels) in target.items():
        if not any(label in by_label for label in labels):
            continue
        result.partners += 1
        swapped = any(meant_at(theirs) & labels for twin in twins[path] for theirs in golden_of.get(twin, []))
        if path in right or swapped or ("/input/" in path and any((rank_in(path), label) in given for label in labels)):
            result.right += 1
        else:
            result.missed.append(path)
    return result


def ops_of(places: Dict[str, Labels], label: str) -> Set[str]:
    """The ops whose results mean `label`."""
    return {path.rsplit("/", 2)[0] for path, labels in places.items() if label in labels and "/output/" in path}


def first_culprit(pair: Pair, npuscope: Union[str, Path]) -> Tuple[str, bool, bool]:
    """Its path, "" without one; whether it is the op with the fault, or the first that tells of that op; and its rank."""
    sides = ["-m", pair.target_file, "-g", pair.golden_file]
    done = subprocess.run([npuscope, "compare", "-q", "--align", "--json", *sides], capture_output=True, text=True, check=False)
    culprit = json.loads(done.stdout)["first_culprit"] or {}
    path = culprit.get("path") or ""
    label = pair.fault.split(" in ")[-1]
    wrong = ops_of(pair.target, label) | ops_of(pair.golden, label)
    told = set(re.findall(r"(?:rank\d+:)?/\w+/\d+", culprit.get("why") or ""))
    is_right = path in wrong or culprit.get("golden") in wrong or bool(told & wrong)
    return path or ("some" if done.returncode == 1 else ""), is_right, rank_in(path).rstrip(":") == pair.faulty_rank
