"""Mixtures of experts: other roundings send some tokens to other experts, which changes shapes and indices behind the router and is no fault."""

import contextlib
import io
import unittest
from pathlib import Path

import h5py
import npuscope.torch as nt
import numpy as np
import torch
from compared import InFolder, compared
from torch.nn import functional as F

TOKENS, WIDTH, EXPERTS = 768, 32, 4


class Experts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(WIDTH, WIDTH)
        self.router = torch.nn.Linear(WIDTH, EXPERTS)
        self.experts = torch.nn.ModuleList(
            torch.nn.Sequential(torch.nn.Linear(WIDTH, 48), torch.nn.GELU(), torch.nn.Linear(48, WIDTH)) for _ in range(EXPERTS)
        )
        self.last = torch.nn.Linear(WIDTH, 8)
        self.factor = 1
        self.adds = True

    def forward(self, x):
        x = torch.tanh(self.first(x))
        weights, chosen = self.router(x).softmax(-1).topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        y = x.clone()
        for number, expert in enumerate(self.experts):
            token, place = (chosen == number).nonzero(as_tuple=True)
            made = weights[token, place].unsqueeze(-1) * expert(x[token])
            y = y.index_add(0, token, (made * self.factor if number == 2 and self.factor != 1 else made).to(y.dtype))
        return self.last(torch.tanh(y) + x if self.adds else torch.tanh(y))


class RoutedExperts(InFolder):
    def record(self, name, how=contextlib.nullcontext, fault=lambda model: None):
        torch.manual_seed(1)
        model = Experts()
        fault(model)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        x, y = torch.randn(TOKENS, WIDTH), torch.randint(0, 8, (TOKENS,))
        with contextlib.redirect_stderr(io.StringIO()), how(), nt.dumper(use_dump=True, dump_path=self.folder / name) as dump:
            F.cross_entropy(model(x).float(), y).backward()
            optimizer.step()
        return Path(dump.summary.path)

    def routes(self, path):
        with h5py.File(path) as dump:
            return [np.asarray(run["output/result"]) for run in dump["nonzero"].values()]

    def test_tokens_that_go_elsewhere_are_no_fault(self):
        golden = self.record("g.h5")
        for name, how in (("chip.h5", lambda: nt.npu("910A")), ("bf16.h5", lambda: torch.autocast("cpu", dtype=torch.bfloat16))):
            target = self.record(name, how)
            same = all(np.array_equal(mine, theirs) for mine, theirs in zip(self.routes(target), self.routes(golden)))
            self.assertFalse(same, "all tokens went to the same experts")
            code, path, report = compared(target, golden)
            self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_what_is_wrong_behind_the_router_is_told(self):
        golden = self.record("g.h5")

        def larger(model):
            model.factor = 1.5

        code, path, report = compared(self.record("t.h5", lambda: nt.npu("910A"), larger), golden)
        self.assertEqual((code, path.split("/")[1]), (1, "mul_Tensor"), report["first_culprit"])

        def scaled(model):
            with torch.no_grad():
                model.experts[1][2].bias.mul_(1.5)

        code, path, report = compared(self.record("t2.h5", lambda: nt.npu("910A"), scaled), golden)
        self.assertEqual((code, path.split("/")[1]), (1, "addmm"), report["first_culprit"])
        self.assertIn("bias `self`", report["first_culprit"]["why"])
        self.assertIn("scaled by 1.5", report["first_culprit"]["why"])

    def test_what_the_program_lacks_is_told_before_shapes_that_tokens_change(self):
        def plain(model):
            model.adds = False

        golden = self.record("g.h5")
        code, path, report = compared(self.record("t.h5", lambda: nt.npu("910A"), plain), golden)
        self.assertEqual(code, 1)
        self.assertRegex(report["first_culprit"]["why"], "golden has add_Tensor more", path)


if __name__ == "__main__":
    unittest.main()
