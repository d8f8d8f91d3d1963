"""Programs of two people of which the target tells results alone: what lies otherwise, or is scaled elsewhere, is no other program."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program, attention, turned


class OtherSums(Program):
    def product(self, x, w):
        """In float32, one product after the other."""
        total = np.zeros((x.shape[0], w.shape[1]), "f4")
        for k in range(x.shape[1]):
            total += np.outer(x[:, k], w[k]).astype("f4")
        return self.op("mm", total, self=x, mat2=w)


class ResultsOfOtherForms(InFolder):
    def said(self, write, results_alone, **target):
        """The target adds up products in another order."""
        for name, how in (("t", target), ("g", {})):
            with (OtherSums if name == "t" else Program)(self.folder / f"{name}.h5") as program:
                write(program, **how)
        if results_alone:
            with h5py.File(self.folder / "t.h5", "r+") as file:
                for run in (run for op in file.values() for run in op.values()):
                    del run["input"]
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def test_weights_are_no_other_than_a_step_that_is_not_recorded_makes_them(self):
        """Adam steps by the sign of a gradient that may be rounding; what the target was given nobody knows."""

        def write(program, flips=0, fault=1.0):
            x, weight = program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH) / 4
            signs = np.sign(program.given(WIDTH, WIDTH))
            for step in range(2):
                shown = program.op("t", turned(weight), self=weight)
                y = program.product(x, shown)
                out = program.op("tanh", np.tanh(y), self=y)
                of_out = program.op("tanh_backward", (fault if step else 1) * (1 - out * out), grad_output=np.ones_like(out), output=out)
                program.product(turned(x), of_out)
                moved = signs.copy()
                moved.ravel()[:flips] *= -1
                weight = weight - np.float32(0.001) * moved

        for fault, expected in ((1.0, (0, None)), (1.01, (1, "/tanh_backward/9"))):
            code, path, report = self.said(write, True, flips=3, fault=fault)
            self.assertEqual((code, path), expected, report["first_culprit"])

    def test_queries_and_keys_that_change_places_are_told_where_they_meet(self):
        def write(program, exchanged=False):
            x = program.given(1, TOKENS, WIDTH)
            for _ in range(4):
                query, key = (program.op("bmm", x @ w, self=x, mat2=w) for w in (program.given(1, WIDTH, WIDTH) / 3 for _ in range(2)))
                if exchanged:
                    query, key = key, query
                key = program.op("transpose_int", np.ascontiguousarray(key.transpose(0, 2, 1)), self=key, dim0=1, dim1=2)
                scores = program.op("bmm", query @ key, self=query, mat2=key)
                shares = np.exp(scores.astype("f8") - scores.max(-1, keepdims=True))
                shares = program.op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
                x = program.op("bmm", shares @ x, self=shares, mat2=x)

        code, path, report = self.said(write, True, exchanged=True)
        self.assertEqual((code, path in ("/transpose_int/3", "/bmm/4")), (1, True), report["first_culprit"])

    def test_gradients_of_weights_may_lie_transposed(self):
        """x^T g, or (g^T x)^T, which other shapes would tell at once."""

        def write(program, transposed=False, fault=1.0):
            xs = [program.given(TOKENS, WIDTH)]
            widths = (WIDTH, WIDTH, 20, 20, WIDTH)
            weights = [program.given(*shape) / 4 for shape in zip(widths, widths[1:])]
            for w in weights:
                xs.append(program.op("tanh", np.tanh(y := program.product(xs[-1], w)), self=y))
            gradient = program.given(TOKENS, WIDTH)
            for i, (x, w) in enumerate(zip(xs[-2::-1], weights[::-1], strict=True)):
                gradient = program.op("tanh_backward", gradient * (1 - xs[-1 - i] ** 2), grad_output=gradient, output=xs[-1 - i])
                if transposed and i == 2 and fault != 1:
                    wrong = np.float32(fault) * (turned(gradient).astype("f8") @ x)
                    program.op("mm", wrong, self=turned(gradient), mat2=x)
                elif transposed:
                    program.product(turned(gradient), x)
                else:
                    program.product(turned(x), gradient)
                gradient = program.product(gradient, turned(w))

        for results_alone in (False, True):
            with self.subTest(results_alone=results_alone):
                code, path, report = self.said(write, results_alone, transposed=True)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
                code, path, report = self.said(write, results_alone, transposed=True, fault=1.01)
                self.assertEqual((code, path), (1, "/mm/16"), report["first_culprit"])

    def test_queries_may_be_scaled_before_they_meet_the_keys(self):
        for results_alone in (False, True):
            with self.subTest(results_alone=results_alone):
                code, path, report = self.said(attention, results_alone, before=True)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertEqual(self.said(attention, True, before=True, fault=1.05)[0], 1)
        self.assertEqual(self.said(attention, True, before=True, scale=0.27)[0], 1)

    def test_a_loss_that_is_scaled_before_it_is_shared_out_evenly(self):
        """The gradient of a mean is the scale over the count everywhere: the golden has it as ones, expanded."""

        def write(program, scale=1.0, fault=1.0):
            x, w = program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH)
            y = program.product(x, w)
            loss = program.op("mean", np.float32(y.mean()), self=y)
            if scale > 1:
                loss = program.op("mul_Tensor", loss * np.float32(scale), self=loss, other=np.float32(scale))
            one = program.op("ones_like", np.ones_like(loss), self=loss)
            if scale > 1:
                one = program.op("mul_Tensor", one * np.float32(scale), self=one, other=np.float32(scale))
            ones = np.broadcast_to(one, y.shape).copy()
            gradient = program.op("div_Scalar", np.float32(fault) * ones / np.float32(y.size), self=ones, other=float(y.size))
            gradient = program.product(turned(x), gradient)
            if scale > 1:
                gradient = program.op("mul_Tensor", gradient / np.float32(scale), self=gradient, other=np.float32(1 / scale))
            program.op("add__Tensor", w - gradient, "self", self=w, other=gradient, alpha=-1.0)

        code, path, report = self.said(write, True, scale=1024.0)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertEqual(self.said(write, True, scale=1024.0, fault=1.01)[:2], (1, "/div_Scalar/6"))


if __name__ == "__main__":
    unittest.main()
