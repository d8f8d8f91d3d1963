"""Ops that later PyTorch dispatches: the chip computes them, in place and on lists too, and gives PyTorch's numbers.

A 910B computes in float32, so that PyTorch's own results are near.
"""

import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import npuscope
import npuscope.torch as nt
from dumper_test import Folder

# (optimizer, its options, the ops that its step must be)
STEPS = [
    ("Adam", {"foreach": True, "amsgrad": True}, {"_foreach_lerp__Scalar", "_foreach_addcdiv__ScalarList"}),
    ("AdamW", {"foreach": True}, {"_foreach_mul__Scalar", "_foreach_sqrt"}),
    ("SGD", {"foreach": True, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"_foreach_add__List"}),
    ("Adagrad", {"foreach": True}, {"_foreach_mul_ScalarList"}),
    ("RMSprop", {"foreach": True, "momentum": 0.9, "centered": True}, {"_foreach_addcmul_Scalar"}),
    ("Adadelta", {"foreach": True}, {"_foreach_div__List"}),
    ("NAdam", {"foreach": True}, {"_foreach_mul__ScalarList"}),
    ("Rprop", {"foreach": True}, {"_foreach_copy_", "_foreach_sign_"}),
    ("Adamax", {"foreach": True}, {"_foreach_maximum__List"}),
    ("ASGD", {"foreach": True}, {"_foreach_sub_List"}),
    ("Adafactor", {"foreach": True}, {"_foreach_rsqrt_", "_foreach_clamp_min__Scalar"}),
    ("Adam", {"fused": True}, {"_fused_adam_"}),
    ("Adam", {"fused": True, "amsgrad": True, "maximize": True, "weight_decay": 0.1}, {"_fused_adam_"}),
    ("AdamW", {"fused": True, "amsgrad": True}, {"_fused_adamw_"}),
    ("AdamW", {"fused": True, "tensor_rate": True}, {"_fused_adamw__tensor_lr"}),
    ("SGD", {"fused": True}, {"_fused_sgd_"}),
    ("SGD", {"fused": True, "momentum": 0.9, "weight_decay": 0.1, "dampening": 0.1}, {"_fused_sgd_"}),
    ("SGD", {"fused": True, "momentum": 0.9, "nesterov": True, "maximize": True}, {"_fused_sgd_"}),
    ("Adagrad", {"fused": True, "lr_decay": 0.1, "weight_decay": 0.1}, {"_fused_adagrad_"}),
]


@unittest.skipUnless(nt.private.VERSION >= (2, 6), "needs what PyTorch 2.6 dispatches")
class Optimizers(Folder):
    def stepped(self, kind, options, chip, path, hook=None):
        """(parameters and states after three steps, the chip's block, the watch)"""
        options = dict(options)
        rate = torch.tensor(0.01) if options.pop("tensor_rate", False) else 0.01
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
        gradients = [torch.randn_like(p) for p in model.parameters()]
        optimizer = getattr(torch.optim, kind)(model.parameters(), lr=rate, **options)

        def steps():
            for _ in range(3):
                for parameter, gradient in zip(model.parameters(), gradients):
                    parameter.grad = gradient.clone()
                optimizer.step()

        if chip is None:
            with nt.dumper(use_dump=True, dump_path=path):
                steps()
            device = seen = None
        else:
            with nt.npu(chip, quiet=True) as device, nt.watch(model) as seen:
                if hook is not None:
                    device.hook(*hook)
                with nt.dumper(use_dump=True, dump_path=path):
                    steps()
        made = [p.detach().clone() for p in model.parameters()]
        for state in optimizer.state.values():
            made += [v.clone() for v in state.values() if isinstance(v, torch.Tensor)]
        return made, device, seen

    def test_each_steps_as_pytorch_does_and_is_honest(self) -> None:
        for number, (kind, options, ops) in enumerate(STEPS):
            with self.subTest(kind=kind, **options):
                golden, target = self.folder / f"{number}_cpu.h5", self.folder / f"{number}.h5"
                expected, _, _ = self.stepped(kind, options, None, golden)
                self.assertLessEqual(ops, set(self.names(golden)))
                made, device, seen = self.stepped(kind, options, "910B", target)
                self.assertEqual(device.fallbacks, {})
                self.assertEqual(seen.faults, [])
                for own, other in zip(made, expected):
                    torch.testing.assert_close(own, other, rtol=2e-5, atol=2e-7)
                result = npuscope.compare(target, golden, chip="910B")
                self.assertEqual(result.exit_code, 0, result.text)

    def test_a_wrong_update_is_found(self) -> None:
        kind, options, _ = STEPS[11]
        golden, target = self.folder / "cpu.h5", self.folder / "npu.h5"
        self.stepped(kind, options, None, golden)

        def off(call):
            call.outputs[0] = np.asarray(call.outputs[0]) * np.float32(1.01)

        _, _, seen = self.stepped(kind, options, "910B", target, hook=("after_kernel", "Sqrt", off))
        self.assertIn("/_fused_adam_/", seen.faults[0])
        result = npuscope.compare(target, golden, chip="910B")
        self.assertEqual(result.exit_code, 1)
        self.assertIn("first culprit: /_fused_adam_/", result.text)

    def test_a_scalers_infinity_skips_the_step(self) -> None:
        parameters = [torch.ones(2), torch.ones(3)]
        lists = [[torch.full_like(p, 0.5) for p in parameters] for _ in range(3)]
        for found, kept in ((1.0, True), (0.0, False)):
            own = [p.clone() for p in parameters]
            with nt.npu("910B", quiet=True) as device:
                torch.ops.aten._fused_adam_(
                    own, *lists, [], [torch.tensor(1.0)] * 2, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0,
                    eps=1e-8, amsgrad=False, maximize=False, grad_scale=torch.tensor(2.0),
                    found_inf=torch.tensor(found),
                )
            self.assertEqual(device.native, {"_fused_adam_": 1})
            self.assertEqual(torch.equal(own[0], parameters[0]), kept)


@unittest.skipUnless(nt.private.VERSION >= (2, 6), "needs what PyTorch 2.6 dispatches")
class Attention(unittest.TestCase):
    def check(self, heads=4, dtype=torch.float32, gradient=True, **named) -> dict:
        """The chip's attention and its gradients beside PyTorch's; gives the chip's counts."""
        torch.manual_seed(3)
        given = [torch.randn(2, n, 6, 8, dtype=dtype) for n in (4, heads, heads)]
        results = []
        for chip in (None, "910B"):
            own = [t.clone().requires_grad_(gradient) for t in given]
            if chip is None:
                y = F.scaled_dot_product_attention(*own, **named)
                if gradient:
                    y.square().sum().backward()
            else:
                with nt.npu(chip, quiet=True) as device, nt.watch(nn.Linear(1, 1)) as seen:
                    y = F.scaled_dot_product_attention(*own, **named)
                    if gradient:
                        y.square().sum().backward()
                self.assertEqual((device.fallbacks, seen.faults), ({}, []))
            results.append([y.detach(), *(t.grad for t in own if gradient)])
        tolerance = 1e-5 if dtype == torch.float32 else 1e-2
        for own, other in zip(*results):
            torch.testing.assert_close(own, other, rtol=tolerance, atol=tolerance)
        return device.native

    def test_the_fused_form_and_its_gradient(self) -> None:
        for named in ({}, {"is_causal": True}, {"scale": 0.2}, {"attn_mask": torch.ones(6, 6, dtype=torch.bool).tril()}):
            native = self.check(**named)
            self.assertEqual(native["_scaled_dot_product_flash_attention_for_cpu"], 1)
            self.assertEqual(native["_scaled_dot_product_flash_attention_for_cpu_backward"], 1)
        self.check(attn_mask=torch.randn(2, 1, 6, 6))
        self.check(dtype=torch.float16)

    def test_heads_that_share_keys_are_computed_step_by_step(self) -> None:
        self.assertIn("_safe_softmax", self.check(heads=2, enable_gqa=True))

    def test_the_sums_are_what_the_gradient_wants(self) -> None:
        torch.manual_seed(5)
        q, k, v = (torch.randn(1, 2, 5, 8) for _ in range(3))
        op = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        expected = op(q, k, v)
        with nt.npu("910B", quiet=True):
            made = op(q, k, v)
        for own, other in zip(made, expected):
            self.assertEqual(own.shape, other.shape)
            torch.testing.assert_close(own, other, rtol=1e-5, atol=1e-5)

    def test_dropout_is_pytorchs_own(self) -> None:
        q = torch.randn(1, 2, 5, 8)
        runs = []
        for chip in (None, "910B"):
            torch.manual_seed(9)
            if chip is None:
                runs.append(F.scaled_dot_product_attention(q, q, q, dropout_p=0.5))
            else:
                with nt.npu(chip, quiet=True):
                    runs.append(F.scaled_dot_product_attention(q, q, q, dropout_p=0.5))
        torch.testing.assert_close(*runs, rtol=1e-5, atol=1e-5)


class Lists(Folder):
    """Of every version: the forms in place store into the program's own tensors, and are recorded."""

    def test_lists_in_place(self) -> None:
        for op, arguments in (
            ("_foreach_add_.Scalar", (1.5,)),
            ("_foreach_mul_.List", ([torch.full((2,), 3.0), torch.full((3,), 4.0)],)),
            ("_foreach_div_.ScalarList", ([2, 4.0],)),
            ("_foreach_sqrt_", ()),
        ):
            base, _, overload = op.partition(".")
            run = getattr(getattr(torch.ops.aten, base), overload or "default")
            expected, made = ([torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])] for _ in range(2))
            run(expected, *arguments)
            memory = [t.data_ptr() for t in made]
            with nt.npu("910A", quiet=True) as device:
                run(made, *arguments)
            self.assertEqual(device.fallbacks, {})
            self.assertEqual([t.data_ptr() for t in made], memory)
            for own, other in zip(made, expected):
                torch.testing.assert_close(own, other, rtol=1e-3, atol=1e-3)

    def test_what_an_op_without_results_writes_is_recorded(self) -> None:
        tensors = [torch.ones(2), torch.ones(3)]
        with nt.dumper(use_dump=True, dump_path=self.path):
            torch.ops.aten._foreach_add_.Scalar(tensors, 2.0)
        op = next(iter(npuscope.open_dump(self.path).ops()))
        self.assertEqual(op.inputs["self/self_0"].tolist(), [1, 1])
        self.assertEqual(op.outputs["self/self_1"].tolist(), [3, 3, 3])

    def test_a_tensor_fills_another(self) -> None:
        with nt.npu("910A", quiet=True) as device:
            made = torch.zeros(3).fill_(torch.tensor(2.5))
        self.assertEqual(made.tolist(), [2.5] * 3)
        self.assertEqual(device.fallbacks, {})


if __name__ == "__main__":
    unittest.main()
