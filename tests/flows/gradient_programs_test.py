"""Gradients that take several ops are computed again as programs of them, against PyTorch's autograd."""

import sys
import tempfile
import unittest
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from msprobe_tree import Tree, backward, leaf  # noqa: E402
from recomputed import recompute, words  # noqa: E402


def attention_by_products(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False):
    """PyTorch's attention by matrix products and a softmax, which autograd takes apart."""
    if not hasattr(F, "scaled_dot_product_attention"):  # before PyTorch 2.0
        return F._scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, False, is_causal)[0]
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)


class FusedAttention(torch.autograd.Function):
    """One autograd node, as fused kernels have."""

    @staticmethod
    def forward(ctx, q, k, v, mask, causal):
        ctx.save_for_backward(q, k, v)
        ctx.rest = mask, causal
        return attention_by_products(q, k, v, mask, is_causal=causal)

    @staticmethod
    def backward(ctx, gradient):
        inputs = [x.detach().requires_grad_() for x in ctx.saved_tensors]
        with torch.enable_grad():
            result = attention_by_products(*inputs, ctx.rest[0], is_causal=ctx.rest[1])
        return (*torch.autograd.grad(result, inputs, gradient), None, None)


def fused(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False):
    return FusedAttention.apply(q, k, v, attn_mask, is_causal)


def shared_heads(q, k, v, heads, layout, **_):
    """npu_fusion_attention, whose gradients are by one node: BSH, heads of keys shared by two."""

    class Node(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return computed(*tensors)

        @staticmethod
        def backward(ctx, gradient):
            inputs = [x.detach().requires_grad_() for x in ctx.saved_tensors]
            with torch.enable_grad():
                result = computed(*inputs)
            return torch.autograd.grad(result, inputs, gradient)

    def computed(q, k, v):
        q, k, v = (x.view(x.shape[0], x.shape[1], -1, 8).transpose(1, 2) for x in (q, k, v))
        k, v = (x.repeat_interleave(heads // x.shape[1], 1) for x in (k, v))
        result = torch.softmax(q @ k.transpose(-1, -2) * 0.35, -1) @ v
        return result.transpose(1, 2).reshape(result.shape[0], result.shape[2], -1)

    return Node.apply(q, k, v)


def programs(tree, dtype=torch.float32):
    """Functions whose gradients take several ops."""

    def own(*shape, low=-1.0):
        return leaf(*shape, low=low, dtype=dtype)

    equal = own(4, 3)
    with_zeros = F.relu(own(40, 3))
    yield from (
        tree.call("Torch.div", own(4, 3), own(4, 3, low=0.5)),
        tree.call("Torch.div", own(4, 3), own(3, low=0.5)),
        tree.call("Tensor.__truediv__", own(4, 1), own(2, 4, 3, low=0.5)),
        tree.call("Tensor.__mul__", own(4, 3), own(3)),
        tree.call("Tensor.mul", own(1, 3), own(4, 1)),
        tree.call("Tensor.__sub__", own(4, 3), own(4, 1)),
        tree.call("Torch.add", own(4, 3), own(3), alpha=0.5),
        tree.call("Torch.sub", own(4, 3), own(4, 3), alpha=2),
        tree.call("Torch.where", torch.rand(4, 3) > 0.5, own(3), own(4, 1)),
        tree.call("Torch.maximum", own(4, 3), own(3)),
        tree.call("Torch.minimum", own(4, 3), own(4, 3)),
        tree.call("Torch.maximum", equal, equal.detach().clone().requires_grad_()),
        tree.call("Torch.max", own(4, 3)),
        tree.call("Torch.min", own(4, 3)),
        tree.call("Torch.amax", own(4, 3), 1),
        tree.call("Torch.rsqrt", own(4, 3, low=0.5)),
        tree.call("Torch.reciprocal", own(4, 3, low=0.5)),
        tree.call("Torch.sin", own(4, 3)),
        tree.call("Torch.cos", own(4, 3)),
        tree.call("Torch.log1p", own(4, 3, low=0.5)),
        tree.call("Torch.log2", own(4, 3, low=0.5)),
        tree.call("Torch.expm1", own(4, 3)),
        tree.call("Torch.erf", own(4, 3)),
        tree.call("Tensor.pow", own(4, 3, low=0.5), 3),
        tree.call("Tensor.__pow__", own(4, 3, low=0.5), -0.5),
        tree.call("Torch.cumsum", own(4, 30), dim=1),
        tree.call("Torch.logsumexp", own(4, 30), 1),
        tree.call("Torch.norm", own(4, 3)),
        tree.call("Torch.norm", own(4, 3), dim=1),
        tree.call("Torch.linalg.vector_norm", own(4, 3)),
        tree.call("Torch.norm", own(4, 3), p=1),
        tree.call("Torch.norm", own(4, 3), p=float("inf"), dim=1),
        tree.call("Torch.norm", own(4, 3), p=3, dim=0),
        tree.call("Torch.linalg.vector_norm", own(4, 3), 1.5),
        tree.call("Torch.linalg.vector_norm", own(4, 3), float("-inf")),
        tree.call("Torch.var", own(4, 30)),
        tree.call("Torch.var", own(4, 30), 1, unbiased=False),
        tree.call("Torch.std", own(4, 30), 1),
        tree.call("Tensor.std", own(4, 30), 0, keepdim=True),
        tree.call("Functional.selu", own(4, 3)),
        tree.call("Functional.celu", own(4, 3), alpha=0.7),
        tree.call("Tensor.chunk", own(4, 3), 2),
        tree.call("Functional.l1_loss", own(4, 3), own(4, 3)),
        tree.call("Functional.l1_loss", own(4, 3), own(4, 3), reduction="none"),
        tree.call("Functional.l1_loss", own(4, 3), own(4, 3), reduction="sum"),
        tree.call("Functional.kl_div", own(4, 3), torch.rand(4, 3).to(dtype), reduction="batchmean"),
        tree.call("Functional.kl_div", own(4, 3), torch.rand(4, 3).to(dtype), reduction="none"),
        tree.call("Functional.kl_div", own(4, 3), own(4, 3, low=0.2), reduction="none"),
        tree.call("Functional.kl_div", own(4, 3), own(4, 3), reduction="none", log_target=True),
        tree.call("Torch.baddbmm", own(3, 4, 2), own(3, 4, 8), own(3, 8, 2), beta=0.5, alpha=0.25),
        tree.call("Functional.dropout", with_zeros.detach().requires_grad_(), p=0.25),
    )
    if dtype != torch.float32:
        return

    def probabilities():
        return (torch.rand(4, 3) * 0.8 + 0.1).requires_grad_()

    labels = torch.tensor([1, 0, 4, 2])
    shares = torch.softmax(torch.rand(4, 5), 1)
    logits = "Functional.binary_cross_entropy_with_logits"
    attention = "Functional.scaled_dot_product_attention"
    heads = [leaf(2, 3, n, 8) for n in (5, 6, 6)]
    yield from (
        tree.call("Functional.mse_loss", leaf(4, 3), leaf(4, 3)),
        tree.call("Functional.mse_loss", leaf(4, 3), leaf(4, 3), reduction="none"),
        tree.call("Functional.smooth_l1_loss", leaf(4, 3), leaf(4, 3), beta=0.4),
        tree.call("Functional.huber_loss", leaf(4, 3), leaf(4, 3), reduction="sum", delta=0.3),
        tree.call(logits, leaf(4, 3), torch.rand(4, 3)),
        tree.call(logits, leaf(4, 3), torch.rand(4, 3), torch.rand(3), pos_weight=torch.rand(3)),
        tree.call(logits, leaf(4, 3), torch.rand(4, 3), reduction="none"),
        tree.call(logits, leaf(4, 3), leaf(4, 3, low=0.1)),
        tree.call(logits, leaf(4, 3), leaf(4, 3, low=0.1), torch.rand(3), pos_weight=torch.rand(3)),
        tree.call("Functional.binary_cross_entropy", probabilities(), probabilities()),
        tree.call("Functional.binary_cross_entropy", probabilities(), probabilities(), torch.rand(3), reduction="sum"),
        tree.call("Functional.cross_entropy", leaf(4, 5), labels, label_smoothing=0.1),
        tree.call("Functional.cross_entropy", leaf(4, 5), labels, reduction="none", label_smoothing=0.1),
        tree.call(
            "Functional.cross_entropy",
            leaf(4, 5),
            torch.tensor([1, -100, 4, 2]),
            torch.rand(5),
            label_smoothing=0.1,
        ),
        tree.call("Functional.cross_entropy", leaf(4, 5), shares),
        tree.call("Functional.cross_entropy", leaf(4, 5), shares, torch.rand(5), reduction="sum"),
        tree.call("Functional.cross_entropy", leaf(4, 5), shares, reduction="none", label_smoothing=0.1),
        tree.call("Functional.cross_entropy", leaf(2, 5, 3), torch.randint(0, 5, (2, 3))),
        tree.call("Functional.cross_entropy", leaf(2, 5, 3), torch.randint(0, 5, (2, 3)), reduction="none"),
        tree.call("Functional.unfold", leaf(2, 3, 5, 5), 3, padding=1),
        tree.call("Functional.fold", leaf(2, 27, 9), (5, 5), 3),
        tree.call(attention, *heads, function=attention_by_products),
        tree.call(attention, *heads, torch.rand(5, 6) > 0.3, function=fused),
        tree.call(attention, *heads, torch.rand(3, 5, 6), function=fused),
        tree.call(attention, *[leaf(2, 3, 5, 8) for _ in range(3)], is_causal=True, function=fused),
        tree.call(
            "NPU.npu_fusion_attention",
            leaf(2, 5, 32),
            leaf(2, 6, 16),
            leaf(2, 6, 16),
            4,
            "BSH",
            scale=0.35,
            function=shared_heads,
        ),
    )


def plain(tree):
    """What tells the arithmetic."""
    return [tree.call("Functional.softmax", leaf(4, 8), dim=-1) for _ in range(4)]


class GradientPrograms(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "tree"

    def tearDown(self):
        self.temporary.cleanup()

    def record(self, *parts):
        tree = Tree(self.folder)
        backward([each for part in parts for each in part(tree)])
        tree.write()
        return self.folder

    def test_gradients_by_several_ops_are_as_expected(self):
        code, report = recompute(self.record(programs), "--device", "cpu", "--reference", "fp32")
        skipped = {op["path"]: op["skipped"] for op in report["ops"] if op["skipped"]}
        self.assertEqual(skipped, {"Functional.dropout.0.forward": "random"})
        worse = [op for op in report["ops"] for r in op["results"] if not r["within"]]
        self.assertEqual(worse, [])
        self.assertEqual(code, 0)

    def test_their_steps_may_round_in_16_bits(self):
        def half(tree):
            return programs(tree, torch.bfloat16)

        code, report = recompute(self.record(half), "--chip", "910B")
        worse = [op for op in report["ops"] for r in op["results"] if not r["within"]]
        self.assertEqual(worse, [])
        self.assertEqual(code, 0)

    def test_a_mistake_in_any_of_them_is_named(self):
        folder = self.record(plain, programs)
        _, report = recompute(folder)
        spoiled = {
            (op["path"], result["name"])
            for op in report["ops"]
            for result in op["results"]
            if op["computed_as"].startswith("gradient_of_")
            # Of equal elements the gradient jumps: it could be any.
            and op["path"] != "Torch.maximum.1.backward"
        }
        self.assertGreater(len(spoiled), 40)
        for path, place in spoiled:
            file = folder / "dump_tensor_data" / f"{path}.output.{place}.pt"
            torch.save(torch.load(file) * 1.001, file)
        code, report = recompute(folder)
        worse = {where for where, word in words(report).items() if word == "worse than the arithmetic allows"}
        self.assertEqual(worse, spoiled)
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
