"""Records of PyTorch's functions are computed again as ops: honest ones are as expected, a planted mistake is named."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from msprobe_tree import Tree, backward, leaf  # noqa: E402
from recomputed import NPUSCOPE, recompute, words  # noqa: E402


def network(tree):
    """The functions of a ResNet's step."""
    x, w, b = leaf(4, 3, 9, 9), leaf(8, 3, 3, 3), leaf(8)
    results = [
        tree.call("Functional.conv2d", x, w, None, (2, 2), (1, 1), (1, 1), 1),
        tree.call("Functional.conv2d", leaf(4, 8, 5, 5), leaf(8, 4, 3, 3), b, padding=1, groups=2),
        tree.call(
            "Functional.batch_norm",
            leaf(4, 8, 5, 5),
            torch.zeros(8),
            torch.ones(8),
            leaf(8, low=0.5),
            leaf(8),
            True,
            0.1,
            1e-05,
        ),
        tree.call("Functional.batch_norm", leaf(4, 8), torch.rand(8), torch.rand(8) + 0.5, leaf(8), leaf(8)),
        tree.call("Functional.relu", leaf(4, 8, 5, 5) * 1, inplace=True),
        tree.call(
            "Functional.max_pool2d", leaf(4, 8, 6, 6), 3, 2, 1, 1, ceil_mode=False, return_indices=False
        ),
        tree.call("Functional.adaptive_avg_pool2d", leaf(4, 8, 6, 6), (1, 1)),
        tree.call("Tensor.__iadd__", leaf(4, 8) * 1, leaf(4, 8)),
        tree.call("Functional.linear", leaf(4, 8), leaf(5, 8), leaf(5)),
        tree.call(
            "Functional.cross_entropy",
            leaf(4, 5),
            torch.tensor([0, 4, 2, 2]),
            weight=None,
            ignore_index=-100,
            reduction="mean",
            label_smoothing=0.0,
        ),
    ]
    tree.call("Tensor.add_", torch.tensor(3), 1)
    return results


def transformer(tree):
    """The functions of an attention block, and what surrounds one."""
    results = [
        tree.call("Functional.embedding", torch.tensor([[1, 2], [0, 2]]), leaf(5, 8), 0),
        tree.call("Functional.layer_norm", leaf(2, 3, 8), (8,), leaf(8), leaf(8), 1e-05),
        tree.call("Functional.linear", leaf(2, 3, 8), leaf(4, 8)),
        tree.call("Functional.linear", leaf(6, 8), leaf(4, 8)),
        tree.call("Torch.matmul", leaf(2, 3, 4, 8), leaf(2, 3, 8, 4)),
        tree.call("Torch.matmul", leaf(2, 3, 8), leaf(2, 8, 3)),
        tree.call("Torch.matmul", leaf(2, 4, 4), leaf(2, 4, 4)),
        tree.call("Torch.bmm", leaf(2, 4, 4), leaf(2, 4, 4)),
        tree.call("Torch.matmul", leaf(6, 8), leaf(8, 4)),
        tree.call("Torch.matmul", leaf(2, 6, 8), leaf(8, 4)),
        tree.call("Tensor.__matmul__", leaf(8), leaf(8)),
        tree.call("Torch.bmm", leaf(3, 4, 8), leaf(3, 8, 2)),
        tree.call("Torch.baddbmm", leaf(3, 4, 2), leaf(3, 4, 8), leaf(3, 8, 2)),
        tree.call("Torch.addmm", leaf(4), leaf(3, 8), leaf(8, 4)),
        tree.call("Tensor.__truediv__", leaf(2, 3, 4), 8.0),
        tree.call("Tensor.__mul__", leaf(2, 3, 4), 0.5),
        tree.call("Tensor.__rsub__", leaf(2, 3), 1.0),
        tree.call("Tensor.masked_fill", leaf(2, 3), torch.tensor([[True, False, True]] * 2), -1e9),
        tree.call("Functional.softmax", leaf(2, 3, 4), dim=-1),
        tree.call("Torch.softmax", leaf(2, 3, 4), -1),
        tree.call("Functional.log_softmax", leaf(2, 3), 1),
        tree.call("Functional.gelu", leaf(2, 3)),
        tree.call("Functional.gelu", leaf(2, 3), approximate="tanh"),
        tree.call("Functional.silu", leaf(2, 3)),
        tree.call("Torch.sigmoid", leaf(2, 3)),
        tree.call("Torch.tanh", leaf(2, 3)),
        tree.call("Tensor.transpose", leaf(2, 3, 4), 1, 2),
        tree.call("Tensor.permute", leaf(2, 3, 4), 2, 0, 1),
        tree.call("Tensor.view", leaf(2, 3, 4), 6, 4),
        tree.call("Tensor.reshape", leaf(2, 3, 4), -1),
        tree.call("Torch.cat", [leaf(2, 3), leaf(1, 3)], 0),
        tree.call("Torch.stack", [leaf(2, 3), leaf(2, 3)], dim=1),
        tree.call("Tensor.float", leaf(2, 3, dtype=torch.float16)),
        tree.call("Tensor.half", leaf(2, 3)),
        tree.call("Tensor.pow", leaf(2, 3), 2),
        tree.call("Tensor.mean", leaf(2, 3), -1, keepdim=True),
        tree.call("Torch.mean", leaf(2, 3)),
        tree.call("Torch.sum", leaf(2, 3), dim=0),
        tree.call("Torch.rsqrt", leaf(2, 3, low=0.5)),
        tree.call("Tensor.__add__", leaf(2, 3), leaf(3)),
        tree.call("Tensor.sub", leaf(2, 3), leaf(2, 3), alpha=1),
        tree.call("Tensor.mul", leaf(2, 3), leaf(2, 3)),
        tree.call("Torch.exp", leaf(2, 3)),
        tree.call("Torch.log", leaf(2, 3, low=0.5)),
        tree.call("Torch.sqrt", leaf(2, 3, low=0.5)),
        tree.call("Torch.square", leaf(2, 3)),
        tree.call("Torch.where", torch.tensor([True, False]), leaf(2), leaf(2)),
        tree.call("Torch.split", leaf(4, 3), 2),
        tree.call("Tensor.chunk", leaf(4, 3), 2),
        tree.call("Torch.max", leaf(4, 3), 1),
        tree.call("Torch.max", leaf(4, 3)),
        tree.call("Torch.maximum", leaf(4, 3), leaf(4, 3)),
        tree.call("Torch.clamp", leaf(4, 3), min=-0.5, max=0.5),
        tree.call("Torch.norm", leaf(4, 3)),
        tree.call("Tensor.tril", leaf(4, 4)),
        tree.call("Torch.topk", leaf(4, 8), 2),
        tree.call("Tensor.squeeze", leaf(4, 1), 1),
        tree.call("Tensor.unsqueeze", leaf(4), 0),
        tree.call("Tensor.expand", leaf(1, 4), 3, 4),
        tree.call("Tensor.flatten", leaf(2, 2, 4), 1),
        tree.call("Torch.flip", leaf(2, 4), [0]),
        tree.call("Torch.gather", leaf(2, 4), 1, torch.tensor([[0], [3]])),
        tree.call("Torch.index_select", leaf(2, 4), 0, torch.tensor([1])),
        tree.call("Torch.cumsum", leaf(2, 4), dim=1),
        tree.call("Torch.abs", leaf(2, 4)),
        tree.call("Torch.neg", leaf(2, 4)),
        tree.call("Torch.div", leaf(2, 4), leaf(2, 4, low=0.5)),
    ]
    tree.call("Tensor.__gt__", torch.rand(4), 0.5)
    tree.call("Torch.eq", torch.tensor([1, 2]), torch.tensor([1, 3]))
    tree.call("Tensor.__pow__", torch.rand(4), 2)
    tree.call("Tensor.__rpow__", torch.rand(4), 10000)
    tree.call("Torch.argmax", torch.rand(4, 3), dim=1)
    tree.call("Tensor.__and__", torch.tensor([True, False]), torch.tensor([True, True]))
    tree.call("Torch.arange", 5, dtype=torch.float32)
    return results


def losses_and_images(tree):
    """Losses, resizes, pads, pools, activations."""
    probability = torch.rand(4, 3)
    results = [
        tree.call("Functional.nll_loss", torch.log_softmax(leaf(4, 5), 1), torch.tensor([1, 0, 4, 2])),
        tree.call("Functional.mse_loss", leaf(4, 3), torch.rand(4, 3)),
        tree.call("Functional.mse_loss", leaf(4, 3), torch.rand(4, 3), reduction="sum"),
        tree.call("Functional.l1_loss", leaf(4, 3), torch.rand(4, 3)),
        tree.call("Functional.smooth_l1_loss", leaf(4, 3), torch.rand(4, 3), beta=0.5),
        tree.call("Functional.huber_loss", leaf(4, 3), torch.rand(4, 3)),
        tree.call("Functional.kl_div", leaf(4, 3), probability, reduction="sum"),
        tree.call("Functional.binary_cross_entropy", leaf(4, 3, low=0.1), probability),
        tree.call("Functional.binary_cross_entropy_with_logits", leaf(4, 3), probability),
        tree.call("Functional.cross_entropy", leaf(2, 5, 3, 3), torch.randint(0, 5, (2, 3, 3))),
        tree.call("Functional.cross_entropy", leaf(4, 5), torch.tensor([1, -100, 4, 2]), torch.rand(5)),
        tree.call("Functional.cross_entropy", leaf(4, 5), torch.tensor([1, 0, 4, 2]), label_smoothing=0.1),
        tree.call("Functional.pad", leaf(2, 3, 4), (1, 2), "constant", 0.5),
        tree.call("Functional.pad", leaf(2, 3, 4, 4), (1, 2, 1, 1), mode="reflect"),
        tree.call("Functional.interpolate", leaf(2, 3, 4, 4), scale_factor=2.0, mode="nearest"),
        tree.call(
            "Functional.interpolate", leaf(2, 3, 4, 4), size=(8, 8), mode="bilinear", align_corners=False
        ),
        tree.call("Functional.avg_pool2d", leaf(2, 3, 6, 6), 2),
        tree.call("Functional.conv1d", leaf(2, 3, 9), leaf(4, 3, 3), leaf(4), 2),
        tree.call("Functional.conv_transpose2d", leaf(2, 3, 5, 5), leaf(3, 4, 3, 3), None, 2, 1, 1),
        tree.call("Functional.conv3d", leaf(2, 3, 5, 5, 5), leaf(4, 3, 3, 3, 3)),
        tree.call("Functional.group_norm", leaf(2, 4, 5), 2, leaf(4), leaf(4), 1e-05),
        tree.call("Functional.elu", leaf(2, 3), 1.0),
        tree.call("Functional.leaky_relu", leaf(2, 3), 0.1),
        tree.call("Functional.hardtanh", leaf(2, 3), -0.5, 0.5),
        tree.call("Functional.relu6", leaf(2, 3) * 10),
        tree.call("Functional.hardswish", leaf(2, 3)),
        tree.call("Functional.hardsigmoid", leaf(2, 3)),
        tree.call("Functional.softplus", leaf(2, 3)),
        tree.call("Functional.mish", leaf(2, 3)),
        tree.call("Functional.logsigmoid", leaf(2, 3)),
        tree.call("Functional.glu", leaf(2, 4), -1),
        tree.call("Functional.prelu", leaf(2, 4), leaf(1, low=0.1)),
        tree.call("Functional.pixel_shuffle", leaf(2, 4, 3, 3), 2),
        tree.call("Functional.unfold", leaf(2, 3, 5, 5), 3),
        *(
            tree.call(
                "Functional.grid_sample",
                leaf(2, 3, 5, 4),
                leaf(2, 3, 3, 2) * 1.5,
                mode=mode,
                padding_mode=padding,
                align_corners=corners,
            )
            for mode in ("bilinear", "nearest", "bicubic")
            for padding in ("zeros", "border", "reflection")
            for corners in (False, True)
        ),
    ]
    return results


def fused_attention(q, k, v, heads, layout, *, atten_mask=None, scale=1.0, sparse_mode=0):
    """npu_fusion_attention of BSH and BNSD as a chip makes it: float16 operands, float32 sums and softmax."""
    if layout == "BSH":
        q, k, v = (x.view(x.shape[0], x.shape[1], -1, 8).transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(heads // x.shape[1], 1) for x in (k, v))
    scores = q.float() @ k.float().transpose(-1, -2) * scale
    if sparse_mode == 2:
        atten_mask = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    if atten_mask is not None:
        scores = scores.masked_fill(atten_mask.bool(), -torch.inf)
    result = (torch.softmax(scores, -1).half().float() @ v.float()).half()
    result = result.transpose(1, 2).reshape(result.shape[0], result.shape[2], -1) if layout == "BSH" else result
    return result, torch.zeros(1), torch.zeros(1)


def attention(tree):
    for heads, places in ((2, 4), (4, 16), (4, 9)):
        q, k, v = (torch.randn(2, places, n * 8).half() for n in (heads, heads // 2, heads // 2))
        mask = torch.ones(places, places, dtype=torch.bool).triu(1)
        call = {"function": fused_attention, "scale": 0.35}
        tree.call("NPU.npu_fusion_attention", q, k, v, heads, "BSH", atten_mask=mask, **call)
        tree.call("NPU.npu_fusion_attention", q, k, v, heads, "BSH", sparse_mode=2, **call)
        q, k, v = (torch.randn(2, heads, places, 8).half() for _ in range(3))
        tree.call("NPU.npu_fusion_attention", q, k, v, heads, "BNSD", **call)
    return []


def in_half(tree):
    """As a chip that multiplies in float16 and adds in float32 makes it."""

    def wide(function):
        return lambda *a, **k: function(*(x.float() if isinstance(x, torch.Tensor) else x for x in a), **k).half()

    half = {"dtype": torch.float16}
    for size in (8, 16, 32):
        a, b = leaf(4, size, **half).detach(), leaf(size, 6, **half).detach()
        tree.call("Torch.matmul", a, b, function=wide(torch.matmul))
        tree.call("Functional.linear", a, leaf(5, size, **half).detach(), function=wide(F.linear))
        tree.call("Functional.softmax", a, dim=-1, function=wide(F.softmax))
        tree.call("Tensor.__add__", a, a, function=wide(torch.add))
        tree.call("Functional.relu", a, function=wide(F.relu))
    return []


def mindspore(tree):
    """MindSpore's functions and primitives; what a primitive was made with is not recorded."""
    square = leaf(4, 4)
    return [
        tree.call("Mint.add_ex", leaf(4, 3), leaf(4, 3), function=torch.add),
        tree.call("MintFunctional.gelu", leaf(4, 3), function=F.gelu),
        tree.call("MintFunctional.bce_with_logits", leaf(4, 3), torch.rand(4, 3), function=F.binary_cross_entropy_with_logits),
        tree.call("Primitive.fc.MatMul", leaf(4, 3), leaf(5, 3), function=lambda a, b: a @ b.T),
        tree.call("Primitive.matmul.MatMul", leaf(4, 3), leaf(3, 5), function=torch.matmul),
        tree.call("Primitive.qk.BatchMatMul", leaf(2, 3, 4, 8), leaf(2, 3, 5, 8), function=lambda a, b: a @ b.mT),
        tree.call("Primitive.matmul.MatMul", square, square, function=torch.matmul),
        tree.call("Primitive.bias.BiasAdd", leaf(2, 3, 4), leaf(3), function=lambda x, b: x + b[:, None]),
        tree.call("Primitive.sum.ReduceSum", leaf(4, 3), (0,), function=torch.sum),
        tree.call("Primitive.mean.ReduceMean", leaf(4, 3), (1,), function=lambda x, d: x.mean(d, keepdim=True)),
        tree.call("Primitive.rows.Gather", leaf(5, 3), torch.tensor([[1, 4]]), 0, function=lambda w, i, _: w[i]),
        tree.call("Primitive.tanh.Tanh", leaf(4, 3), function=torch.tanh),
        tree.call("Primitive.x.Transpose", leaf(4, 3, 2), (2, 0, 1), function=torch.permute),
        tree.call("Primitive.softmax.Softmax", leaf(4, 3), function=lambda x: x.softmax(-1)),
    ]


class RecomputeTree(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def record(self, *parts, form="pt", name="tree"):
        tree = Tree(self.folder / name, form)
        results = [each for part in parts for each in part(tree)]
        if results:
            backward(results)
        tree.write()
        return self.folder / name

    def spoil(self, folder, file, change):
        path = folder / "dump_tensor_data" / f"{file}.pt"
        torch.save(change(torch.load(path)), path)

    def test_honest_runs_of_a_network_are_as_expected_on_a_like_device(self):
        code, report = recompute(self.record(network), "--device", "cpu", "--reference", "fp32")
        self.assertEqual([op["path"] for op in report["ops"] if op["skipped"]], [])
        self.assertEqual(set(words(report).values()), {"as expected"})
        self.assertEqual(code, 0)
        # Nine functions, forward and, but for a whole number, backward.
        self.assertEqual(len({op["path"].rsplit(".", 2)[0] for op in report["ops"]}), 9)
        gradients = {op["path"] for op in report["ops"] if op["path"].endswith("backward")}
        self.assertEqual(len(gradients), 10)
        made = {op["path"]: [result["name"] for result in op["results"]] for op in report["ops"]}
        self.assertEqual(made["Functional.linear.0.backward"], ["0", "1", "2"])
        self.assertEqual(made["Functional.conv2d.1.backward"], ["0", "1", "2"])
        self.assertEqual(made["Functional.batch_norm.0.backward"], ["0", "1", "2"])

    def test_float32_is_better_than_a_chip_that_multiplies_in_float16(self):
        code, report = recompute(self.record(network), "--chip", "910A")
        found = words(report)
        self.assertEqual(found["Functional.conv2d.0.forward", "0"], "better than the device")
        self.assertEqual(found["Functional.relu.0.forward", "0"], "as expected")
        self.assertEqual(code, 0)

    def test_honest_runs_of_many_functions_pass(self):
        code, report = recompute(self.record(transformer, losses_and_images))
        self.assertEqual({op["path"]: op["skipped"] for op in report["ops"] if op["skipped"]}, {})
        failed = [(op["path"], r) for op in report["ops"] for r in op["results"] if not r["within"]]
        self.assertEqual(failed, [])
        self.assertEqual(code, 0)

    def test_wrong_gradients_of_a_sampled_grid_are_named(self):
        for place, change in ((0, lambda x: x * 1.01), (1, lambda x: x + 0.01)):
            folder = self.record(losses_and_images, name=f"tree{place}")
            self.spoil(folder, f"Functional.grid_sample.4.backward.output.{place}", change)
            code, report = recompute(folder)
            bad = [(op["path"], r["name"]) for op in report["ops"] for r in op["results"] if not r["within"]]
            self.assertEqual(bad, [("Functional.grid_sample.4.backward", str(place))])
            self.assertEqual(code, 1)

    def test_mindspore_names_come_to_the_same_ops(self):
        code, report = recompute(self.record(mindspore), "--device", "cpu", "--reference", "fp32")
        skipped = {op["path"]: op["skipped"] for op in report["ops"] if op["skipped"] and "forward" in op["path"]}
        self.assertEqual(
            skipped,
            {
                "Primitive.matmul.MatMul.1.forward": "which of its factors it transposes is not recorded",
                "Primitive.softmax.Softmax.0.forward": "there is no op that computes the primitive Softmax",
            },
        )
        self.assertEqual(set(words(report).values()), {"as expected"})
        self.assertEqual(code, 0)

    def test_float16_of_a_chip_is_as_expected(self):
        folder = self.record(in_half, form="npy")
        code, report = recompute(folder, "--chip", "910B")
        self.assertEqual(set(words(report).values()), {"as expected"})
        self.assertEqual(code, 0)

    def test_fused_attention_is_as_expected_and_a_wrong_scale_is_worse(self):
        folder = self.record(attention)
        code, report = recompute(folder, "--chip", "910B")
        self.assertEqual([op["skipped"] for op in report["ops"] if op["skipped"]], [])
        self.assertEqual(set(words(report).values()), {"as expected"}, report)
        self.assertEqual(code, 0)
        root = json.loads((folder / "dump.json").read_text())
        root["data"]["NPU.npu_fusion_attention.4.forward"]["input_kwargs"]["scale"]["value"] = 0.3
        (folder / "dump.json").write_text(json.dumps(root))
        code, report = recompute(folder, "--chip", "910B")
        worse = [path for (path, _), word in words(report).items() if word != "as expected"]
        self.assertEqual(worse, ["NPU.npu_fusion_attention.4.forward"])
        self.assertEqual(code, 1)

    def test_a_planted_mistake_is_named(self):
        folder = self.record(network, transformer, losses_and_images)

        def one_more(tensor):
            tensor.view(-1)[3] += 1e-3 * tensor.abs().max()
            return tensor

        planted = {
            ("Functional.conv2d.0.forward", "0"): "Functional.conv2d.0.forward.output.0",
            ("Functional.linear.0.backward", "2"): "Functional.linear.0.backward.output.2",
            ("Functional.max_pool2d.0.backward", "0"): "Functional.max_pool2d.0.backward.output.0",
        }
        for file in planted.values():
            self.spoil(folder, file, one_more)
        code, report = recompute(folder)
        worse = {where for where, word in words(report).items() if word == "worse than the arithmetic allows"}
        self.assertEqual(worse, set(planted))
        self.assertEqual(code, 1)

    def test_compare_tells_who_introduced_a_difference(self):
        golden = self.record(network, name="golden")
        torch.manual_seed(5)
        target = self.record(network, name="target")
        self.spoil(target, "Functional.linear.0.backward.output.1", lambda t: t * 1.01)
        done = subprocess.run(
            [NPUSCOPE, "compare", "-m", str(target), "-g", str(golden), "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Functional.linear.0.backward", report["first_culprit"]["path"])
        (op,) = [op for op in report["ops"] if op["path"].endswith("Functional.linear.0.backward")]
        self.assertGreater(op["introduced"], 1000)
        self.assertIn("beyond what fp32 makes", op["rule"])

    def test_computes_every_step_and_rank_of_a_tree(self):
        for run in ("step0/rank0", "step0/rank1", "step1/rank0"):
            self.record(in_half, name=f"tree/{run}")
        tree = self.folder / "tree"
        self.spoil(tree / "step1/rank0", "Torch.matmul.1.forward.output.0", lambda t: t * 1.25)
        (tree / "step0/rank1/dump.json").write_text("{")
        code, report = recompute(tree, "--chip", "910B")
        self.assertEqual(code, 1)
        self.assertEqual(report["tree"], str(tree))
        found = [(run["step"], run["rank"], run["first"]) for run in report["runs"]]
        self.assertEqual(
            found, [(0, "rank0", None), (0, "rank1", None), (1, "rank0", "Torch.matmul.1.forward")]
        )
        self.assertIn("dump.json", report["runs"][1]["problem"])
        self.assertIsNone(report["runs"][1]["result"])
        self.assertEqual(report["runs"][0]["result"]["failed"], 0)
        self.assertEqual(report["runs"][2]["result"]["failed"], 1)
        done = subprocess.run(
            [NPUSCOPE, "recompute", str(tree), "--chip", "910B"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("== step 0, rank0 ==\ndevice ", done.stdout)
        self.assertIn(
            "== 3 runs ==\n"
            "step 0, rank0: 15 pass, 0 fail, 0 skipped\n"
            "step 0, rank1: not computed\n"
            "step 1, rank0: 14 pass, 1 fail, 0 skipped, first Torch.matmul.1.forward\n",
            done.stdout,
        )
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("npuscope: step 0, rank1: ", done.stderr)
        # One that is named is one report; without failures a run that cannot be read makes it 2.
        self.assertEqual(recompute(tree / "step0/rank0", "--chip", "910B")[1]["passed"], 15)
        self.assertEqual(recompute(tree / "step0", "--chip", "910B")[0], 2)

    def test_says_what_is_missing(self):
        folder = self.record(network)
        root = json.loads((folder / "dump.json").read_text())
        del root["data"]["Functional.linear.0.forward"]
        root["data"]["Functional.hinge.0.forward"] = root["data"].pop("Tensor.__iadd__.0.forward")
        (folder / "dump.json").write_text(json.dumps(root))
        _, report = recompute(folder)
        skipped = {op["path"]: op["skipped"] for op in report["ops"] if op["skipped"]}
        self.assertEqual(
            skipped,
            {
                "Functional.linear.0.backward": "its forward run is not recorded",
                "Functional.hinge.0.forward": "there is no op that computes hinge",
                "Tensor.__iadd__.0.backward": "its forward run is not recorded",
            },
        )

    def test_rejects_a_tree_without_tensors(self):
        folder = self.record(network)
        for file in (folder / "dump_tensor_data").iterdir():
            file.unlink()
        done = subprocess.run([NPUSCOPE, "recompute", str(folder)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertIn("no op could be computed again", done.stderr)

    def test_leaves_records_of_modules_to_those_of_their_functions(self):
        folder = self.record(network)
        root = json.loads((folder / "dump.json").read_text())
        root["data"]["Module.conv1.Conv2d.forward.0"] = root["data"]["Functional.conv2d.0.forward"]
        (folder / "dump.json").write_text(json.dumps(root))
        code, report = recompute(folder)
        self.assertEqual([op["path"] for op in report["ops"] if op["path"].startswith("Module")], [])
        self.assertIn("1 record of modules", " ".join(report["notes"]))
        self.assertEqual(code, 0)

    def test_says_how_to_record_what_statistics_lack(self):
        folder = self.record(network)
        root = json.loads((folder / "dump.json").read_text())
        text = json.dumps(root).replace('"data_name"', '"name"')
        (folder / "dump.json").write_text(text)
        done = subprocess.run([NPUSCOPE, "recompute", str(folder)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn('"task": "tensor"', done.stderr)
        self.assertEqual(done.stdout, "")

    def test_rejects_a_truncated_tensor(self):
        folder = self.record(network)
        path = folder / "dump_tensor_data" / "Functional.relu.0.forward.output.0.pt"
        path.write_bytes(path.read_bytes()[:100])
        code, report = recompute(folder)
        (relu,) = [op for op in report["ops"] if op["path"] == "Functional.relu.0.forward"]
        self.assertEqual(relu["results"], [])
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
