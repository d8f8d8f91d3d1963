"""A small language model in NumPy whose training can be changed on purpose.

Four tokens of a Markov chain predict the next: embedding, two residual layers with normalisation, softmax. Every
sum can be taken in another order, in bfloat16 or in float16, so that two runs differ as two machines do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Tuple

import numpy as np

VOCABULARY, CONTEXT, WIDTH, HIDDEN = 48, 4, 32, 96


@dataclass
class Run:
    """How to train. The defaults are the golden run of a seed."""

    seed: int = 0
    data_seed: Optional[int] = None  # of the batches; None: as seed
    weights_seed: Optional[int] = None  # of the first weights; None: as seed
    steps: int = 160
    batch: int = 64
    micro_batches: int = 1
    optimizer: str = "adam"
    lr: float = 3e-3
    warmup: int = 0
    fade: float = 1.0  # the rate shrinks by this factor a step, after the first tenth
    clip: float = 0.0  # 0: none
    dtype: str = "float32"  # of the inputs of matrix products: float32 or bfloat16
    order: int = 0  # of the additions in a product; another number is another machine
    accumulate: str = ""  # "bfloat16" or "float16": sums of products
    accumulate_backward: str = ""
    loss_scale: float = 1.0
    unscale: bool = True
    layer_seed: Optional[int] = None  # of one layer's first weights alone
    skip: int = -1  # the step whose update is left out
    spoil: Dict[int, str] = field(default_factory=dict)  # step -> "batch", "weights", "nan", "rate"


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    bits = bits + 0x7FFF + ((bits >> 16) & 1)
    return (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)


def to_float16(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float16).astype(np.float32)


ROUNDED: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bfloat16": to_bfloat16,
    "float16": to_float16,
}


def product(a: np.ndarray, b: np.ndarray, run: Run, accumulate: str) -> np.ndarray:
    """a @ b: inputs rounded, sums in the run's order and precision."""
    if run.dtype == "bfloat16":
        a, b = to_bfloat16(a), to_bfloat16(b)
    if not accumulate and run.order == 0:
        return a @ b
    rounded = ROUNDED.get(accumulate, lambda x: x)
    size = a.shape[1]
    parts = min(size, 32) if accumulate else 3
    cuts = [size * i // parts for i in range(parts + 1)]
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    order = list(range(parts))
    if run.order:
        order = list(np.random.default_rng(run.order).permutation(parts))
    for i in order:
        total = rounded(total + a[:, cuts[i] : cuts[i + 1]] @ b[cuts[i] : cuts[i + 1]])
    return total


def chain(seed: int) -> np.ndarray:
    """Cumulated probabilities of the next token after each."""
    rng = np.random.default_rng([7, seed])
    logits = rng.normal(0, 2.0, (VOCABULARY, VOCABULARY))
    p = np.exp(logits - logits.max(1, keepdims=True))
    return np.cumsum(p / p.sum(1, keepdims=True), 1)


def tokens_of(cumulated: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    tokens = np.empty((count, CONTEXT + 1), np.int64)
    tokens[:, 0] = rng.integers(0, VOCABULARY, count)
    for i in range(CONTEXT):
        tokens[:, i + 1] = (rng.random(count)[:, None] > cumulated[tokens[:, i]]).sum(1)
    return np.minimum(tokens, VOCABULARY - 1)


def first_weights(run: Run) -> Dict[str, np.ndarray]:
    seed = run.seed if run.weights_seed is None else run.weights_seed
    rng = np.random.default_rng([1, seed])

    def normal(rows: int, columns: int, scale: float) -> np.ndarray:
        return rng.normal(0, scale, (rows, columns)).astype(np.float32)

    width = CONTEXT * WIDTH
    weights = {
        "embed": normal(VOCABULARY, WIDTH, 0.5),
        "in1": normal(width, HIDDEN, width**-0.5),
        "out1": normal(HIDDEN, width, HIDDEN**-0.5),
        "in2": normal(width, HIDDEN, width**-0.5),
        "out2": normal(HIDDEN, width, HIDDEN**-0.5),
        "head": normal(width, VOCABULARY, width**-0.5 * 0.7),
    }
    if run.layer_seed is not None:
        other = np.random.default_rng([1, run.layer_seed])
        weights["in2"] = other.normal(0, width**-0.5, (width, HIDDEN)).astype(np.float32)
    return weights


def normalised(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    inverse = 1 / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(1e-6))
    return x * inverse, inverse


def normalised_back(y: np.ndarray, inverse: np.ndarray, dy: np.ndarray) -> np.ndarray:
    return inverse * (dy - y * (dy * y).mean(1, keepdims=True))


def gradients(
    w: Dict[str, np.ndarray], tokens: np.ndarray, run: Run, scale: float
) -> Tuple[float, Dict[str, np.ndarray]]:
    """Mean loss of a batch, and the gradients of loss * scale."""
    x, y = tokens[:, :-1], tokens[:, -1]
    n = len(y)
    h = w["embed"][x].reshape(n, -1)
    kept = []
    for layer in ("1", "2"):
        z, inverse = normalised(h)
        u = product(z, w["in" + layer], run, run.accumulate)
        a = np.tanh(u)
        kept.append((z, inverse, a))
        h = h + product(a, w["out" + layer], run, run.accumulate)
    z, inverse = normalised(h)
    logits = product(z, w["head"], run, run.accumulate)
    logits = logits - logits.max(1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    loss = float(-log_p[np.arange(n), y].astype(np.float64).mean())
    back = run.accumulate_backward
    d = np.exp(log_p)
    d[np.arange(n), y] -= 1
    d *= np.float32(scale / n)
    g = {"head": product(z.T, d, run, back)}
    dh = normalised_back(z, inverse, product(d, w["head"].T, run, back))
    for layer, (z, inverse, a) in (("2", kept[1]), ("1", kept[0])):
        g["out" + layer] = product(a.T, dh, run, back)
        du = product(dh, w["out" + layer].T, run, back) * (1 - a * a)
        g["in" + layer] = product(z.T, du, run, back)
        dh = dh + normalised_back(z, inverse, product(du, w["in" + layer].T, run, back))
    g["embed"] = np.zeros_like(w["embed"])
    np.add.at(g["embed"], x.reshape(-1), dh.reshape(-1, WIDTH))
    return loss, g


def rate(run: Run, step: int) -> float:
    warm = min(1.0, (step - 1) / run.warmup) if run.warmup else 1.0
    return run.lr * warm * run.fade ** max(0, step - run.steps // 10)


def update(
    w: Dict[str, np.ndarray],
    g: Dict[str, np.ndarray],
    state: Dict[str, np.ndarray],
    run: Run,
    step: int,
    lr: float,
) -> None:
    for name in w:
        if run.optimizer == "sgd":
            m = state[name] = np.float32(0.9) * state.get(name, np.float32(0)) + g[name]
            w[name] -= np.float32(lr) * m
            continue
        m = state["m" + name] = np.float32(0.9) * state.get("m" + name, np.float32(0)) + np.float32(
            0.1
        ) * g[name]
        v = state["v" + name] = np.float32(0.98) * state.get(
            "v" + name, np.float32(0)
        ) + np.float32(0.02) * g[name] ** 2
        w[name] -= np.float32(lr) * (m / np.float32(1 - 0.9**step)) / (
            np.sqrt(v / np.float32(1 - 0.98**step)) + np.float32(1e-8)
        )


def train(run: Run) -> List[Dict[str, float]]:
    """One row a step: step, loss, lr, grad_norm, and whether the gradient was clipped."""
    data_seed = run.seed if run.data_seed is None else run.data_seed
    cumulated, rng = chain(run.seed), np.random.default_rng([3, data_seed])
    spoiler = np.random.default_rng([5, run.seed])
    w, state, rows = first_weights(run), {}, []
    lr_factor = 1.0
    for step in range(1, run.steps + 1):
        tokens = tokens_of(cumulated, rng, run.batch * run.micro_batches)
        spoilt = run.spoil.get(step, "")
        if spoilt == "batch":
            tokens[:, -1] = spoiler.integers(0, VOCABULARY, len(tokens))
        if spoilt == "weights":
            w["in2"] += spoiler.normal(0, 1.5, w["in2"].shape).astype(np.float32)
            w["head"] += spoiler.normal(0, 0.35, w["head"].shape).astype(np.float32)
        if spoilt == "nan":
            w["out1"][0, 0] = np.nan
        if spoilt == "rate":
            lr_factor = 60.0
        losses, total = [], None
        for part in np.split(tokens, run.micro_batches):
            loss, g = gradients(w, part, run, run.loss_scale)
            losses.append(loss)
            total = g if total is None else {k: total[k] + g[k] for k in g}
        scale = np.float32(1 / run.micro_batches / (run.loss_scale if run.unscale else 1.0))
        g = {k: v * scale for k, v in total.items()}
        norm = float(np.sqrt(sum(float((v.astype(np.float64) ** 2).sum()) for v in g.values())))
        clipped = bool(run.clip and norm > run.clip)
        if clipped:
            g = {k: v * np.float32(run.clip / norm) for k, v in g.items()}
        lr = rate(run, step) * lr_factor
        rows.append(
            {
                "step": step,
                "loss": float(np.mean(losses)),
                "lr": rate(run, step),
                "grad_norm": norm,
                "clipped": float(clipped),
            }
        )
        if step != run.skip:
            update(w, g, state, run, step, lr)
    return rows
