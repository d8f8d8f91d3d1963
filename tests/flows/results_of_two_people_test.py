"""Programs of two people of which one side, or both, tell results alone: other steps that come to the same, sums of which
almost nothing is left, and steps that only look alike."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program, attention, turned


def rounded(x):
    """To the eleven bits of a matrix unit."""
    return np.asarray(x, "f4").astype("f2").astype("f8")


class OnChip(Program):
    """Products of rounded operands, sums in float32."""

    def product(self, x, w, name="mm"):
        return self.op(name, rounded(x) @ rounded(w), self=x, mat2=w)


TARGET_ALONE, BOTH_ALONE = ("t",), ("t", "g")


class ResultsOfTwoPeople(InFolder):
    def said(self, write, alone, target, golden=None):
        """`alone`: the sides that hold results only. What a side's way is, its program is written by."""
        for name, way in (("t", target), ("g", golden or {})):
            with (OnChip if name == "t" else Program)(self.folder / f"{name}.h5") as program:
                write(program, **way)
        for name in alone:
            with h5py.File(self.folder / f"{name}.h5", "r+") as file:
                for run in [run for op in file.values() for run in op.values()]:
                    if "input" in run:
                        del run["input"]
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def assert_clean(self, said):
        code, path, report = said
        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_weights_that_lie_the_other_way_round(self):
        """Their gradients have other shapes, or, of square ones, the same shape and other numbers."""

        def write(program, is_turned=False, fault=False):
            widths = (WIDTH, 20, 20, 20, WIDTH)
            xs = [program.given(TOKENS, WIDTH)]
            weights = [program.given(*shape) / 4 for shape in zip(widths, widths[1:])]
            for w in weights:
                xs.append(program.op("tanh", np.tanh(y := program.product(xs[-1], w)), self=y))
            gradient = program.given(TOKENS, WIDTH)
            for i, (x, w) in enumerate(zip(xs[-2::-1], weights[::-1], strict=True)):
                gradient = program.op("tanh_backward", gradient * (1 - xs[-1 - i] ** 2), grad_output=gradient, output=xs[-1 - i])
                wrong = turned(x) if not (fault and i == 1) else turned(x[::-1])
                of_weight = program.product(turned(gradient), turned(wrong)) if is_turned else program.product(wrong, gradient)
                momentum = program.given(*sorted(w.shape)) if not is_turned else turned(program.given(*sorted(w.shape)))
                if momentum.shape == of_weight.shape:
                    program.op("add_Tensor", momentum + of_weight, self=momentum, other=of_weight, alpha=1.0)
                gradient = program.product(gradient, turned(w))

        for alone in (TARGET_ALONE, BOTH_ALONE):
            with self.subTest(alone=alone):
                said = self.said(write, alone, {"is_turned": True})
                self.assert_clean(said)
                self.assertTrue(any("are transposed beside the golden's" in note for note in said[2]["notes"]), said[2]["notes"])
                code, path, report = self.said(write, alone, {"is_turned": True, "fault": True})
                self.assertEqual((code, path), (1, "/mm/13"), report["first_culprit"])

    def test_a_golden_that_tells_results_alone_is_turned(self):
        def write(program, is_turned=False):
            x = program.given(TOKENS, WIDTH)
            for width in (20, 24, 28):
                gradient = program.given(TOKENS, width)
                program.product(turned(gradient), x) if is_turned else program.product(turned(x), gradient)
                x = program.op("tanh", np.tanh(y := program.product(x, program.given(WIDTH, WIDTH) / 4)), self=y)

        self.assert_clean(self.said(write, ("g",), {"is_turned": True}))

    def test_queries_may_be_scaled_before_they_meet_the_keys(self):
        for alone in (TARGET_ALONE, BOTH_ALONE):
            with self.subTest(alone=alone):
                self.assert_clean(self.said(attention, alone, {"before": True}))
                self.assert_clean(self.said(attention, alone, {}, {"before": True}))
                self.assertEqual(self.said(attention, alone, {"before": True, "scale": 0.28})[0], 1)

    def test_a_bias_that_is_added_apart(self):
        def write(program, is_apart=False, fault=0.0):
            x = program.given(TOKENS, WIDTH)
            for layer in range(4):
                w, b = program.given(WIDTH, WIDTH) / 4, program.given(WIDTH)
                if is_apart:
                    y = program.product(x, w)
                    x = program.op("add_Tensor", y + b + fault * (layer == 2), self=y, other=b, alpha=1.0)
                else:
                    x = program.op("addmm", b + x.astype("f8") @ w.astype("f8"), self=b, mat1=x, mat2=w)
                x = program.op("tanh", np.tanh(x), self=x)

        for alone in (TARGET_ALONE, BOTH_ALONE):
            with self.subTest(alone=alone):
                self.assert_clean(self.said(write, alone, {"is_apart": True}))
                code, path, report = self.said(write, alone, {"is_apart": True, "fault": 0.1})
                self.assertEqual((code, path in ("/mm/7", "/add_Tensor/8")), (1, True), report["first_culprit"])

    def test_a_step_that_only_looks_alike(self):
        """What follows levels it, so that the ends agree within the noise of the chip."""

        def write(program, gate="sigmoid"):
            x = program.given(TOKENS, WIDTH)
            y = program.product(x, program.given(WIDTH, WIDTH) / 8)
            steep = 1 / (1 + np.exp(-y.astype("f8"))) if gate == "sigmoid" else np.clip(y / 6 + 0.5, 0, 1)
            opened = program.op(gate, steep, self=y)
            y = program.op("mul_Tensor", y * opened, self=y, other=opened)
            y = program.product(y, program.given(WIDTH, WIDTH) / 64).astype("f8")
            shares = y - np.log(np.exp(y).sum(-1, keepdims=True))
            program.op("_log_softmax", shares, self=y.astype("f4"), dim=-1, half_to_float=False)

        code, path, report = self.said(write, TARGET_ALONE, {"gate": "hardsigmoid"})
        self.assertEqual((code, path), (1, "/hardsigmoid/2"), report["first_culprit"])
        self.assertIn("target has hardsigmoid where golden has sigmoid", report["first_culprit"]["why"])
        self.assert_clean(self.said(write, TARGET_ALONE, {}))

    def test_a_gradient_of_which_almost_nothing_is_left(self):
        """A bias that changes nothing has the sum of what sums to nothing: rounding is all of it."""

        def write(program, in_steps=False, fault=False):
            x = program.given(TOKENS, WIDTH)
            for layer in range(4):
                y = program.product(x, program.given(WIDTH, WIDTH))
                mean = y.astype("f8").mean(0, keepdims=True).astype("f4")
                if in_steps:
                    mean = program.op("mean_dim", mean, self=y, dim=[0], keepdim=True)
                    mean = program.op("neg", -mean, self=mean)
                    flat = program.op("add_Tensor", y + mean, self=y, other=mean, alpha=1.0)
                else:
                    flat = program.op("sub_Tensor", y - mean, self=y, other=mean, alpha=1.0)
                added = flat[1:] if fault and layer == 1 else flat
                program.op("sum_dim_IntList", added.astype("f4").sum(0, keepdims=True), self=flat, dim=[0], keepdim=True)
                x = y / np.float32(4)
                if in_steps:
                    x = program.op("mul_Tensor", x * np.float32(2), self=x, other=2.0)
                    x = program.op("sigmoid", 1 / (1 + np.exp(-x)), self=x)
                    x = program.op("mul_Tensor", x * np.float32(2), self=x, other=2.0)
                    x = program.op("sub_Tensor", x - np.float32(1), self=x, other=1.0, alpha=1.0)
                else:
                    x = program.op("tanh", np.tanh(x), self=x)

        for in_steps in (False, True):
            with self.subTest(in_steps=in_steps):
                self.assert_clean(self.said(write, BOTH_ALONE, {"in_steps": in_steps}))
                code, path, report = self.said(write, BOTH_ALONE, {"in_steps": in_steps, "fault": True})
                self.assertEqual((code, path), (1, "/sum_dim_IntList/14" if in_steps else "/sum_dim_IntList/7"), report["first_culprit"])

    def test_a_norm_in_steps_and_its_gradient(self):
        """What lies between pairs by its place alone, and belongs to nothing of the other program."""

        def write(program, in_steps=False, fault=1.0):
            x = program.given(TOKENS, WIDTH)
            weights = [program.given(WIDTH, WIDTH) / 4 for _ in range(4)]
            kept = []
            for layer, w in enumerate(weights):
                y = program.product(x, w)
                wide = y.astype("f8")
                mean, var = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
                rstd = 1 / np.sqrt(var + 1e-5)
                if in_steps:
                    m = program.op("mean_dim", mean, self=y, dim=[-1], keepdim=True)
                    flat = program.op("sub_Tensor", y - m, self=y, other=m, alpha=1.0)
                    squares = program.op("mul_Tensor", flat * flat, self=flat, other=flat)
                    v = program.op("mean_dim", squares.astype("f8").mean(-1, keepdims=True), self=squares, dim=[-1], keepdim=True)
                    v = program.op("add_Tensor", v + np.float32(1e-5), self=v, other=1e-5, alpha=1.0)
                    r = program.op("rsqrt", 1 / np.sqrt(v.astype("f8")), self=v)
                    normed = program.op("mul_Tensor", flat * r, self=flat, other=r)
                else:
                    normed, m, r = program.results("native_layer_norm", [(wide - mean) * rstd, mean, rstd], input=y, normalized_shape=[WIDTH], eps=1e-5)
                kept.append((x, normed, r))
                x = program.op("tanh", np.tanh(normed * np.float32(fault if layer == 2 else 1)), self=normed)
            gradient = program.given(TOKENS, WIDTH)
            for (x, normed, r), w in zip(kept[::-1], weights[::-1], strict=True):
                out = np.tanh(normed)
                g = program.op("tanh_backward", gradient * (1 - out * out), grad_output=gradient, output=out)
                wide, n = g.astype("f8"), normed.astype("f8")
                if in_steps:
                    share = program.op("mul_Tensor", wide * n, self=g, other=normed)
                    share = program.op("mean_dim", share.astype("f8").mean(-1, keepdims=True), self=share, dim=[-1], keepdim=True)
                    along = program.op("mul_Tensor", normed * share, self=normed, other=share)
                    rest = program.op("sub_Tensor", g - along, self=g, other=along, alpha=1.0)
                    m = program.op("mean_dim", wide.mean(-1, keepdims=True), self=g, dim=[-1], keepdim=True)
                    rest = program.op("sub_Tensor", rest - m, self=rest, other=m, alpha=1.0)
                    g = program.op("mul_Tensor", rest * r, self=rest, other=r)
                else:
                    made = (wide - n * (wide * n).mean(-1, keepdims=True) - wide.mean(-1, keepdims=True)) * r
                    g = program.results("native_layer_norm_backward", [made], grad_out=g, input=normed, normalized_shape=[WIDTH], rstd=r)[0]
                program.product(turned(x), g)
                gradient = program.product(g, turned(w))

        for alone in (TARGET_ALONE, BOTH_ALONE):
            with self.subTest(alone=alone):
                self.assert_clean(self.said(write, alone, {"in_steps": True}))
                self.assertEqual(self.said(write, alone, {"in_steps": True, "fault": 1.2})[0], 1)

    def test_the_gradient_of_a_bias_beside_another_gradient(self):
        """One program sums it in an op of its own, the other where it makes the weight's."""

        def write(program, is_beside=False):
            for _ in range(3):
                y = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH))
                of_weight, of_bias = y * np.float32(2), y.astype("f8").sum(0)
                if not is_beside:
                    program.op("sum_dim_IntList", of_bias, self=y, dim=[0])
                results = [of_weight, of_weight + 1, of_bias] if is_beside else [of_weight, of_weight + 1]
                program.results("convolution_backward", results, grad_output=y)

        for target, golden in (({"is_beside": True}, {}), ({}, {"is_beside": True})):
            self.assert_clean(self.said(write, BOTH_ALONE, target, golden))

    def test_views_of_something_else(self):
        def write(program, other=False):
            x = program.given(TOKENS, WIDTH)
            for _ in range(3):
                y = program.product(x, program.given(WIDTH, WIDTH) / 4)
                z = program.product(x, program.given(WIDTH, 20) / 4)
                program.op("t", turned(z if other else y), self=z if other else y)
                x = program.op("tanh", np.tanh(y), self=y)

        self.assert_clean(self.said(write, BOTH_ALONE, {"other": True}))

    def test_few_numbers_expanded_of_which_some_are_equal(self):
        """A gradient of one number a row: what an op takes in of it is a view that was not recorded."""

        def write(program, fault=1.0):
            for _ in range(3):
                y = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, 1))[:3, 0]
                y = program.op("clamp", np.array([0.25, 0.25, y[0]], "f4"), self=y, min=0.25, max=0.25)
                wide = program.given(3, WIDTH)
                program.op("mul_Tensor", fault * np.repeat(y[:, None], WIDTH, 1) * wide, self=np.repeat(y[:, None], WIDTH, 1), other=wide)

        self.assert_clean(self.said(write, TARGET_ALONE, {}))
        self.assertEqual(self.said(write, TARGET_ALONE, {"fault": 1.001})[:2], (1, "/mul_Tensor/3"))

    def test_a_weight_that_one_program_copies_first(self):
        def write(program, copies=False, fault=1.0):
            x = program.given(TOKENS, WIDTH)
            for layer in range(3):
                w = program.given(WIDTH, WIDTH) / 4
                if copies:
                    w = program.op("clone", turned(turned(w)), self=w)
                x = program.product(x, w * np.float32(fault) if layer == 1 else w)

        self.assert_clean(self.said(write, TARGET_ALONE, {}, {"copies": True}))
        self.assertEqual(self.said(write, TARGET_ALONE, {"fault": 1.01}, {"copies": True})[0], 1)

    def test_a_check_that_gives_out_what_it_was_given(self):
        """Of what is not negative `abs` changes nothing: what goes on was there before it."""

        def write(program, checks=False):
            x = program.given(TOKENS, WIDTH)
            w = program.given(WIDTH, WIDTH) / 4
            y = program.product(x, w)
            y = program.op("relu", np.maximum(y, 0), self=y)
            if checks:
                size = program.op("abs", np.abs(y), self=y)
                program.op("amax", size.max(), self=size, dim=[0, 1], keepdim=False)
            z = program.product(y, w)
            program.product(turned(y), z)

        self.assert_clean(self.said(write, (), {"checks": True}))


if __name__ == "__main__":
    unittest.main()
