"""Training steps whose optimizers, averages and norms one side writes otherwise: honest ones pass, and what is wrong beside them is told first."""

import contextlib
import io
import unittest
from pathlib import Path

import npuscope.torch as nt
import numpy as np
import torch
from compared import InFolder, compared
from plain_program import TOKENS, Program
from torch.nn import functional as F

WIDTH, ROWS, CLASSES, GROUPS = 16, 12, 6, 4


def norm_in_one_op(x, weight, bias):
    return F.group_norm(x, GROUPS, weight, bias)


def norm_written_out(x, weight, bias):
    rows = x.reshape(len(x), GROUPS, -1)
    centred = rows - rows.mean(-1, keepdim=True)
    spread = torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)
    return (centred / spread).reshape(x.shape) * weight + bias


def average_in_one_op(average, parameter):
    average.lerp_(parameter, 0.01)


def average_in_two(average, parameter):
    average.mul_(0.99).add_(parameter, alpha=0.01)


class RewrittenSteps(InFolder):
    def record(self, name, optimizer, how=contextlib.nullcontext, norm=norm_in_one_op, average=None, decay=None, dampening=None, dtype=torch.float32, fault=None, optimizer_has_states=True):
        torch.manual_seed(4)
        layers = [torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, CLASSES)]
        gains = [torch.nn.Parameter(1 + 0.1 * torch.randn(WIDTH)) for _ in range(2)]
        shifts = [torch.nn.Parameter(0.1 * torch.randn(WIDTH)) for _ in range(2)]
        layers = [each.to(dtype) for each in layers]
        gains, shifts = ([torch.nn.Parameter(each.detach().to(dtype)) for each in some] for some in (gains, shifts))
        parameters = [*(each for layer in layers for each in layer.parameters()), *gains, *shifts]
        stepper = optimizer(parameters)
        averages = [each.detach().clone() * 0.9 for each in parameters]
        x, labels = torch.randn(ROWS, WIDTH).to(dtype), torch.randint(0, CLASSES, (ROWS,))

        def step(fault=None):
            stepper.zero_grad()
            y = (x + 1) * 0.5
            for layer, gain, shift in zip(layers, gains, shifts):
                y = torch.tanh(norm(layer(y), gain, shift))
            y = F.leaky_relu(y, 0.2 if fault == "slope" else 0.1)
            (F.cross_entropy(layers[2](y), labels) + 0.1 * y.pow(2).mean()).backward()
            stepper.step()
            if average is not None:
                with torch.no_grad():
                    for mine, each in zip(averages, parameters):
                        average(mine, each)

        if optimizer_has_states:
            step()
        for group in stepper.param_groups:
            group["weight_decay"] = group["weight_decay"] if decay is None else decay
            if dampening is not None:
                group["dampening"] = dampening
        with contextlib.redirect_stderr(io.StringIO()), how(), nt.dumper(use_dump=True, dump_path=self.folder / name) as dump:
            step(fault)
        return Path(dump.summary.path)

    def on_chip(self):
        return nt.npu("910A")

    def test_optimizers_on_lists_and_in_loops_are_none(self):
        kinds = {
            "adagrad": lambda foreach: lambda all: torch.optim.Adagrad(all, 0.01, weight_decay=0.01, foreach=foreach),
            "adamw": lambda foreach: lambda all: torch.optim.AdamW(all, 0.01, weight_decay=0.1, foreach=foreach),
            "adam": lambda foreach: lambda all: torch.optim.Adam(all, 0.01, weight_decay=0.1, foreach=foreach),
            "rmsprop": lambda foreach: lambda all: torch.optim.RMSprop(all, 0.01, momentum=0.9, weight_decay=0.1, foreach=foreach),
            "nesterov": lambda foreach: lambda all: torch.optim.SGD(all, 0.1, momentum=0.9, nesterov=True, weight_decay=0.1, foreach=foreach),
        }
        for name, kind in kinds.items():
            for how in (contextlib.nullcontext, self.on_chip):
                with self.subTest(name, how=how):
                    for has_states in (False, True):
                        golden = self.record(f"{name}_g{has_states}.h5", kind(False), optimizer_has_states=has_states)
                        target = self.record(f"{name}_t{has_states}.h5", kind(True), how, optimizer_has_states=has_states)
                        code, path, report = compared(target, golden)
                        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_another_decay_is_told_where_averages_of_parameters_are_near(self):
        def sgd(all):
            return torch.optim.SGD(all, 0.01, momentum=0.9, nesterov=True, weight_decay=0.01, foreach=False)

        golden = self.record("g.h5", sgd, average=average_in_one_op)
        for how in (contextlib.nullcontext, self.on_chip):
            with self.subTest(how=how):
                code, path, report = compared(self.record("t.h5", sgd, how, norm_written_out, average_in_two), golden)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
                code, path, report = compared(self.record("t2.h5", sgd, how, norm_written_out, average_in_two, decay=0.02), golden)
                self.assertEqual((code, path.split("/")[1]), (1, "add_Tensor"), report["first_culprit"])
                self.assertIn("alpha 0.02, golden 0.01", report["first_culprit"]["why"])

    def test_gradients_that_are_dampened_otherwise_are_told_though_coarse_arithmetic_leaves_as_much(self):
        def sgd(all):
            return torch.optim.SGD(all, 0.01, momentum=0.9, dampening=0.99, foreach=False)

        golden = self.record("g.h5", sgd)
        for how in ({"how": self.on_chip}, {"dtype": torch.bfloat16}):
            with self.subTest(how=how):
                code, path, report = compared(self.record("t.h5", sgd, norm=norm_written_out, **how), golden)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
                code, path, report = compared(self.record("t2.h5", sgd, norm=norm_written_out, dampening=0.995, **how), golden)
                self.assertEqual((code, path.split("/")[1]), (1, "add__Tensor"), report["first_culprit"])
                self.assertIn("alpha 0.005, golden 0.01", report["first_culprit"]["why"])

    def test_norms_that_are_written_out_are_none_and_hide_no_fault_behind_them(self):
        def sgd(all):
            return torch.optim.SGD(all, 0.01, foreach=False)

        golden = self.record("g.h5", sgd)
        for how in (contextlib.nullcontext, self.on_chip, lambda: torch.autocast("cpu", dtype=torch.bfloat16)):
            with self.subTest(how=how):
                code, path, report = compared(self.record("t.h5", sgd, how, norm_written_out), golden)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = compared(self.record("t2.h5", sgd, self.on_chip, norm_written_out, fault="slope"), golden)
        self.assertEqual((code, path.split("/")[1]), (1, "leaky_relu"), report["first_culprit"])

    def test_of_a_product_and_its_bias_the_one_at_fault_is_named(self):
        def write(name, apart, fault=""):
            with Program(self.folder / name) as program:
                x = program.given(TOKENS, WIDTH)
                for layer in range(3):
                    w, b = program.given(WIDTH, WIDTH) / 4, program.given(WIDTH)
                    y = (x.astype("f8") @ w).astype("f4")
                    stale = np.roll(y, 1, axis=0) if layer == 1 and fault == "product" else y
                    moved = np.float32(0.5) if layer == 1 and fault == "sum" else np.float32(0)
                    if apart:
                        y = program.op("mm", stale, self=x, mat2=w)
                        y = program.op("add_Tensor", y + b + moved, self=y, other=b, alpha=1)
                    else:
                        y = program.op("addmm", y + b, self=b, mat1=x, mat2=w, beta=1, alpha=1)
                    x = program.op("tanh", np.tanh(y), self=y)
            return self.folder / name

        golden = write("g.h5", False)
        code, path, report = compared(write("t.h5", True), golden)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = compared(write("t2.h5", True, "product"), golden)
        self.assertEqual((code, path), (1, "/mm/4"), report["first_culprit"])
        self.assertTrue(report["first_culprit"]["next"].endswith(" /mm/4"), report["first_culprit"])
        self.assertEqual(report["first_culprit"]["elements"]["tensor"], "/mm/4/output/result")
        code, path, report = compared(write("t3.h5", True, "sum"), golden)
        self.assertEqual((code, path), (1, "/add_Tensor/5"), report["first_culprit"])


if __name__ == "__main__":
    unittest.main()
