"""npuscope compare of files as the original dumper writes them: one record for each node of automatic differentiation,
with all gradients that it makes."""

import json
import subprocess
import unittest

import torch
from compared import NPUSCOPE, InFolder, compared
from recording import Recording
from torch.nn import functional as F

BATCH = 8


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Step:
    """A convolution, a norm, a gate, a pool and two layers, forward and backward by PyTorch itself. The target's matrix
    units round what they take in to float16; `spoil` is what it makes of a node's gradients."""

    def __init__(self, path, target=False, spoil=lambda name, made: made):
        self.recording, self.spoil = Recording(path), spoil
        self.narrow = (lambda x: x.half().float()) if target else (lambda x: x)
        self.maker = "Npu" if target else "Cudnn"
        self.run()
        self.recording.close()

    def op(self, name, made, /, **inputs):
        self.recording.op(name, {key: value.numpy() if torch.is_tensor(value) else value for key, value in inputs.items() if value is not None}, result=made.numpy())
        return made

    def node(self, name, given, made, /, **saved):
        made = self.spoil(name, [each for each in made])
        inputs = {"grads/grads_0": given.numpy()}
        inputs.update((key, value.numpy() if torch.is_tensor(value) else value) for key, value in saved.items() if value is not None)
        self.recording.op(name, inputs, **{f"grad_inputs/grad_inputs_{i}": each.numpy() for i, each in enumerate(made) if each is not None})
        return made

    def run(self):
        n = self.narrow
        x, target = drawn(BATCH, 3, 8, 8, seed=1), torch.arange(BATCH) % 5
        w, wb = drawn(4, 3, 3, 3, seed=2) * 0.3, drawn(4, seed=3) * 0.1
        gamma, beta = 1 + drawn(4, seed=4) * 0.1, drawn(4, seed=5) * 0.1
        a, ab = drawn(64, 16, seed=6) * 0.1, drawn(16, seed=7) * 0.1
        b, bb = drawn(16, 5, seed=8) * 0.3, drawn(5, seed=9) * 0.1
        sizes = dict(stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=1)
        c = self.op("conv2d", F.conv2d(n(x), n(w), wb, padding=1), input=x, weight=w, bias=wb, **sizes)
        mean, spread = torch.zeros(4), torch.ones(4)
        normed, save_mean, save_spread = torch.native_batch_norm(c, gamma, beta, mean.clone(), spread.clone(), True, 0.1, 1e-5)
        self.op("batch_norm", normed, input=c, weight=gamma, bias=beta, running_mean=mean, running_var=spread, training=True, momentum=0.1, eps=1e-5, cudnn_enabled=True)
        r = self.op("relu", normed.relu(), self=normed)
        pooled, places = F.max_pool2d(r, 2, return_indices=True)
        flat = self.op("max_pool2d", pooled, self=r, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], dilation=[1, 1], ceil_mode=False).flatten(1)
        h = self.op("addmm", torch.addmm(ab, n(flat), n(a)), self=ab, mat1=flat, mat2=a, beta=1, alpha=1)
        g = self.op("gelu", F.gelu(h), self=h)
        y = self.op("addmm", torch.addmm(bb, n(g), n(b)), self=bb, mat1=g, mat2=b, beta=1, alpha=1)
        logs = self.op("log_softmax_int", y.log_softmax(-1), self=y, dim=-1)
        self.op("nll_loss", F.nll_loss(logs, target), self=logs, target=target, reduction=1, ignore_index=-100)

        one, count = torch.tensor(1.0), torch.tensor(float(BATCH))
        (d,) = self.node("NllLossBackward", one, [torch.ops.aten.nll_loss_backward(one, logs, target, None, 1, -100, count)], self=logs, target=target, reduction=1, ignore_index=-100, total_weight=count)
        (d,) = self.node("LogSoftmaxBackward", d, [torch.ops.aten._log_softmax_backward_data(d, logs, -1, torch.float32)], self=y, dim=-1, result=logs)
        _, e, _ = self.node("AddmmBackward", d, [d.sum(0), n(d) @ n(b).T, n(g).T @ n(d)], mat1=g, mat2=b, alpha=1, beta=1, mat2_sizes=[16, 5])
        (d,) = self.node("GeluBackward", e, [torch.ops.aten.gelu_backward(e, h)], self=h)
        _, e, _ = self.node("AddmmBackward", d, [d.sum(0), n(d) @ n(a).T, n(flat).T @ n(d)], mat1=flat, mat2=a, alpha=1, beta=1, mat2_sizes=[64, 16])
        # The gradient of the pool is left out by the original.
        d = torch.ops.aten.max_pool2d_with_indices_backward(e.view_as(pooled), r, [2, 2], [2, 2], [0, 0], [1, 1], False, places)
        (d,) = self.node("ReluBackward0", d, [torch.ops.aten.threshold_backward(d, normed, 0)], self=normed)
        d, _, _ = self.node(f"{'Native' if self.maker == 'Npu' else 'Cudnn'}BatchNormBackward", d, torch.ops.aten.native_batch_norm_backward(d, c, gamma, mean, spread, save_mean, save_spread, True, 1e-5, [True] * 3), input=c, weight=gamma, running_mean=mean, running_var=spread, training=True, **{"eps" if self.maker == "Npu" else "epsilon": 1e-5}, result1=save_mean, result2=save_spread)
        of_weight = torch.ops.aten.convolution_backward(n(d), n(x), n(w), [4], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])[1]
        self.node(f"{self.maker}ConvolutionBackward", d, [None, of_weight, d.sum((0, 2, 3))], **{"input" if self.maker == "Npu" else "self": x}, weight=w, **sizes)


def tile_lost(node, place):
    def spoil(name, made):
        if name == node:
            made[place] = made[place].clone()
            made[place].flatten()[: 1 + made[place].numel() // 10] = 0
        return made
    return spoil


class AutogradNodes(InFolder):
    def said(self, **target):
        files = [self.folder / "target.h5", self.folder / "golden.h5"]
        Step(files[0], target=True, **target)
        Step(files[1])
        return compared(*files)

    def test_all_that_nodes_make_is_computed(self):
        code, _, report = self.said()
        self.assertEqual(code, 0)
        self.assertIn("target, matrix products (float32): fp16 inputs, fp32 sums", "".join(report["arithmetic"]))
        open_ = {(op["path"], tensor["why_not"]) for op in report["ops"] for tensor in op["tensors"] if tensor["direction"] == "output" and tensor["introduced"] is None and tensor["verdict"] != "pass"}
        self.assertEqual(open_, set())

    def test_each_result_of_a_node_is_judged(self):
        for node, place in (("AddmmBackward", 2), ("AddmmBackward", 1), ("NpuConvolutionBackward", 1), ("NativeBatchNormBackward", 1), ("LogSoftmaxBackward", 0), ("ReluBackward0", 0)):
            with self.subTest(node=node, place=place):
                code, path, _ = self.said(spoil=tile_lost(node, place))
                self.assertEqual(code, 1)
                self.assertTrue(path.startswith(f"/{node}/"), path)

    def test_recompute_computes_nodes(self):
        Step(self.folder / "golden.h5")
        done = subprocess.run([NPUSCOPE, "recompute", self.folder / "golden.h5", "--json"], capture_output=True, text=True, check=False)
        report = json.loads(done.stdout)
        self.assertEqual((report["missing"], report["failed"]), ([], 0))
        self.assertEqual([op["path"] for op in report["ops"] if not op["results"]], [])


if __name__ == "__main__":
    unittest.main()
