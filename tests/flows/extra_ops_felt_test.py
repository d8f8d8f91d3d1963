"""Ops that one program has more: told where something that pairs takes in what they make, and no finding where the program makes it good again."""

import contextlib
import io
import unittest
from pathlib import Path

import npuscope.torch as nt
import numpy as np
import torch
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program, turned
from torch.nn import functional as F

HEADS = 2


class ExtraOpsFelt(InFolder):
    def said(self, write, *, golden={}, **target):
        for name, how in (("t", target), ("g", golden)):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, **how)
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def test_a_bias_that_decays_is_told_beside_products_in_bfloat16(self):
        """What 16 bits leave in the gradients does not hide what the optimizer adds to them afterwards."""

        def record(name, decay_of_biases):
            torch.manual_seed(3)
            layers = [torch.nn.Linear(30, 32), torch.nn.Linear(32, 8), torch.nn.Linear(8, 32), torch.nn.Linear(32, 32), torch.nn.Linear(32, 30)]
            weights, biases = [each.weight for each in layers], [each.bias for each in layers]
            groups = [{"params": weights, "weight_decay": 0.01}, {"params": biases, "weight_decay": 0}]
            optimizer = torch.optim.SGD(groups, lr=0.1, momentum=0.9, foreach=False)
            x, chance = torch.rand(6, 30), torch.randn(6, 8)

            def step():
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    code = layers[1](torch.relu(layers[0](x)))
                    code = code + chance * torch.exp(0.5 * code)
                    made = layers[4](torch.relu(layers[3](torch.relu(layers[2](code)))))
                    spread = -0.5 * (1 + code - code.pow(2) - code.exp()).sum(-1).mean()
                loss = F.binary_cross_entropy_with_logits(made.float(), x, reduction="sum") / 6 + spread.float()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(weights + biases, 1.0)
                optimizer.step()

            step()  # the buffers of the momentum
            optimizer.param_groups[1]["weight_decay"] = decay_of_biases
            with contextlib.redirect_stderr(io.StringIO()), nt.dumper(use_dump=True, dump_path=self.folder / name) as dump:
                step()
            return Path(dump.summary.path)

        golden = record("g.h5", 0)
        code, path, report = compared(record("t.h5", 0), golden)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = compared(record("t2.h5", 0.003), golden)
        self.assertEqual((code, path.split("/")[1]), (1, "add_Tensor"), report["first_culprit"])
        self.assertIn("target has add_Tensor more", report["first_culprit"]["why"])

    def test_gradients_that_were_not_cleared_are_told_at_the_first(self):
        def write(program, adds=False):
            x, given = program.given(TOKENS, WIDTH), []
            weights = [program.given(WIDTH, WIDTH) / 4 for _ in range(6)]
            for w in weights:
                given.append(x)
                x = program.op("tanh", np.tanh(y := program.product(x, w)), self=y)
            gradient, gradients = program.given(TOKENS, WIDTH), []
            for x, w in reversed(list(zip(given, weights))):
                of_weight = program.product(turned(x), gradient)
                if adds:
                    before = program.given(WIDTH, WIDTH)
                    of_weight = program.op("add__Tensor", before + of_weight, "self", self=before, other=of_weight, alpha=1)
                else:
                    program.given(WIDTH, WIDTH)
                gradients.append(of_weight)
                gradient = program.product(gradient, turned(w))
            for w, of_weight in zip(weights, reversed(gradients)):
                decayed = program.op("add_Tensor", of_weight + np.float32(0.01) * w, self=of_weight, other=w, alpha=0.01)
                program.op("add__Tensor", w - np.float32(0.1) * decayed, "self", self=w, other=decayed, alpha=-0.1)

        code, path, report = self.said(write, adds=True)
        self.assertEqual((code, path), (1, "/add__Tensor/14"), report["first_culprit"])

    def test_a_mask_of_a_few_elements_that_the_target_inverts_is_told(self):
        """So few bools many tensors hold, and what made them is not known by them."""

        def write(program, inverts=False):
            x = program.given(2, 7, WIDTH)
            words = np.array([[3, 4, 1, 2, 5, 6, 0], [2, 7, 3, 8, 1, 0, 0]])
            padding = program.op("eq_Scalar", words == 0, self=words, other=0)
            padding = program.op("unsqueeze", padding[:, None], self=padding, dim=1)
            program.op("detach", padding, self=padding)
            program.op("any", padding.any(), self=padding)
            for _ in range(2):
                query, key = (program.op("bmm", x @ w, self=x, mat2=w) for w in (program.given(2, WIDTH, WIDTH) / 4 for _ in range(2)))
                key = program.op("transpose_int", np.ascontiguousarray(key.transpose(0, 2, 1)), self=key, dim0=1, dim1=2)
                scores = program.op("bmm", query @ key, self=query, mat2=key)
                mask = program.op("bitwise_not", ~padding, self=padding) if inverts else padding
                scores = program.op("masked_fill_Scalar", np.where(mask, np.float32(-1e4), scores), self=scores, mask=mask, value=-1e4)
                shares = np.exp(scores.astype("f8") - scores.max(-1, keepdims=True))
                shares = program.op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
                x = program.op("bmm", shares @ x, self=shares, mat2=x)

        code, path, report = self.said(write)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, inverts=True)
        self.assertEqual((code, path.split("/")[1]), (1, "bitwise_not"), report["first_culprit"])

    def test_queries_that_are_scaled_before_they_are_copied_and_shown_otherwise_are_none(self):
        def write(program, before=False, rounded=lambda x: x, factor=0.3):
            def op(name, result, **inputs):
                return program.op(name, rounded(np.asarray(result, "f4")), **inputs)

            def split(rows):
                return np.ascontiguousarray(rows.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2))[None]

            def shown(rows):
                rows = op("expand", rows, self=rows, size=list(rows.shape))
                rows = op("clone", rows, self=rows)
                return op("_unsafe_view", rows[0], self=rows, size=list(rows.shape[1:]))

            x = program.given(TOKENS, WIDTH)
            for _ in range(2):
                of_head, positions = program.given(WIDTH, WIDTH), program.given(1, HEADS, TOKENS, WIDTH // HEADS)
                query, key, value = (split(op("mm", x @ w, self=x, mat2=w)) for w in (of_head, *(program.given(WIDTH, WIDTH) / 4 for _ in range(2))))
                query = op("add_Tensor", query + positions, self=query, other=positions, alpha=1)
                if before:
                    query = op("mul_Tensor", query * np.float32(factor), self=query, other=factor)
                query, key = shown(query), shown(np.ascontiguousarray(key.transpose(0, 1, 3, 2)))
                scores = op("bmm", query @ key, self=query, mat2=key)
                scores = op("_unsafe_view", scores[None], self=scores, size=[1, *scores.shape])
                if not before:
                    scores = op("mul_Tensor", scores * np.float32(factor), self=scores, other=factor)
                shares = np.exp(scores.astype("f8") - scores.max(-1, keepdims=True))
                shares = op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
                x = op("bmm", (shares @ value)[0], self=shares[0], mat2=value[0])
                x = op("transpose_int", np.ascontiguousarray(x.transpose(1, 0, 2)), self=x, dim0=0, dim1=1)
                x = op("_unsafe_view", x.reshape(TOKENS, WIDTH), self=x, size=[TOKENS, WIDTH])

        for rounded in (lambda x: x, lambda x: x.astype("f2").astype("f4")):
            code, path, report = self.said(write, before=True, rounded=rounded)
            self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, before=True, factor=0.5)
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
