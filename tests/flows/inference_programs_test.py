"""Programs of inference that two people wrote, in the plain layout: caches, quantised operands, results that are a number, and what one recorder
leaves out. Who is at fault, and who is not."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program
from recording import in_bfloat16


def as_half(x):
    return x.astype("f2").astype("f4")


class InferencePrograms(InFolder):
    def said(self, write, **target):
        for name, how in (("t", target), ("g", {})):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, **how)
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def test_a_cache_behind_what_is_added_to_it_is_told(self):
        def write(program, turned=False):
            cache, new, query = program.given(8, WIDTH), program.given(1, WIDTH), program.given(TOKENS, WIDTH)
            new = program.relu(new)
            parts = [new, cache] if turned else [cache, new]
            keys = program.op("cat", np.concatenate(parts), tensors=parts, dim=0)
            turned_keys = program.op("t", np.ascontiguousarray(keys.T), self=keys)
            program.product(query, turned_keys)

        self.assertEqual(self.said(write)[:2], (0, None))
        code, path, report = self.said(write, turned=True)
        self.assertEqual((code, path), (1, "/cat/2"))
        self.assertIn("in another order: `tensors/tensors_0` is the golden's `tensors/tensors_1`", report["first_culprit"]["why"])

    def test_what_rounds_otherwise_is_no_other_way_to_compute_the_same(self):
        """A matrix unit of fewer bits beside it makes no quantum of a difference."""

        def quantised(program, x, rounded):
            name = "round" if rounded is np.round else "floor"
            step = np.asarray(np.abs(x).max() / 7, "f4")
            wide = program.op("div_Tensor", (x / step).astype('f4'), self=x, other=step)
            whole = program.op(name, rounded(wide), self=wide)
            whole = program.op("clamp", np.clip(whole, -8, 7), self=whole, min=-8, max=7)
            return program.op("mul_Tensor", whole * step, self=whole, other=step)

        def write(program, rounded=np.round, operands=lambda x: x):
            x = program.given(TOKENS, WIDTH)
            for _ in range(3):
                x = quantised(program, x, rounded)
                w = quantised(program, program.given(WIDTH, WIDTH), rounded)
                x = program.op("mm", operands(x).astype("f8") @ operands(w).astype("f8"), self=x, mat2=w)

        self.assertEqual(self.said(write, operands=as_half)[0], 0)
        code, path, report = self.said(write, rounded=np.floor, operands=as_half)
        self.assertEqual((code, path.split("/")[1]), (1, "floor"))
        self.assertIn("compute something else here", report["first_culprit"]["why"])

    def test_a_golden_in_few_bits_decides_as_well(self):
        """Its weights and its input are rounded, so that nothing of the target is near it; what the target computes is honest."""

        def write(program, rounded=in_bfloat16, fault=1.0):
            x = rounded(program.chance.standard_normal((TOKENS, WIDTH)).astype("f4"))
            for layer in range(4):
                w = rounded(program.chance.standard_normal((WIDTH, WIDTH)).astype("f4") / 3)
                factor = fault if layer == 2 else 1
                y = program.op("mm", rounded((factor * (x.astype("f8") @ w)).astype("f4")), self=x, mat2=w)
                x = program.op("tanh", rounded(np.tanh(y)), self=y)

        code, path, report = self.said(write, rounded=np.float32)
        self.assertEqual((code, path, report["verdict"]), (0, None, "pass"), report["first_culprit"])
        self.assertEqual(report["counts"]["pass"], 0)
        self.assertEqual(self.said(write, rounded=np.float32, fault=1.05)[:2], (1, "/mm/5"))

    def test_results_of_lists_in_place_may_be_called_results(self):
        def write(program, alpha=-0.01):
            states = [program.given(TOKENS, WIDTH), program.given(WIDTH)]
            gradients = [program.given(TOKENS, WIDTH), program.given(WIDTH)]
            group = program._taking("_foreach_add__List", {"self": states, "other": gradients, "alpha": alpha})
            for i, (state, gradient) in enumerate(zip(states, gradients)):
                group[f"output/result/result_{i}"] = (state + np.float32(alpha) * gradient).astype("f4")

        self.assertEqual(self.said(write)[:2], (0, None))
        code, path, report = self.said(write, alpha=-0.02)
        self.assertEqual((code, path), (1, "/_foreach_add__List/1"))
        self.assertIn("alpha -0.02, golden -0.01", report["first_culprit"]["why"])

    def test_a_product_and_a_sum_in_place_of_addmm_may_be_in_either_of_two_arithmetics(self):
        """Some products of ones and zeros are exact, whatever unit they run on."""

        def write(program, apart=False):
            operands = as_half if apart else (lambda x: x)
            x = program.given(TOKENS, WIDTH) * np.float32(1.001)
            for layer in range(4):
                w, b = program.given(WIDTH, WIDTH) * np.float32(0.2003), program.given(WIDTH)
                product = operands(x).astype("f8") @ operands(w).astype("f8")
                if apart:
                    x = program.op("mm", product, self=x, mat2=w)
                    x = program.op("add_Tensor", x + b, self=x, other=b, alpha=1)
                else:
                    x = program.op("addmm", product + b, self=b, mat1=x, mat2=w, beta=1, alpha=1)
                chosen = np.eye(TOKENS, dtype="f4")[::-1].copy()
                x = program.op("mm", chosen @ x, self=chosen, mat2=x)

        code, path, report = self.said(write, apart=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_ops_of_kinds_that_a_recorder_was_not_asked_for_are_not_missing(self):
        functions = {"abs": np.abs, "neg": np.negative, "exp": lambda x: np.exp(-np.abs(x)), "tanh": np.tanh, "sin": np.sin, "cos": np.cos,
                     "relu": lambda x: np.maximum(x, 0), "square": np.square, "atan": np.arctan}

        def write(program, kinds=("mm", *functions), fault=1.0):
            x = program.given(TOKENS, WIDTH)
            for layer in range(3):
                for name, function in functions.items():
                    y = function(x).astype("f4")
                    if name in kinds:
                        program.op(name, y, self=x)
                    x = y
                w = program.given(WIDTH, WIDTH)
                x = program.op("mm", x.astype("f8") @ w * np.float32(fault if layer == 1 else 1), self=x, mat2=w)

        code, path, report = self.said(write, kinds=("mm",))
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertEqual(self.said(write, kinds=("mm",), fault=1.01)[:2], (1, "/mm/2"))

    def test_what_only_hides_may_be_any_number_far_below_the_others(self):
        def write(program, hidden=-np.inf, first=1):
            x, k = program.given(TOKENS, WIDTH), program.given(TOKENS, WIDTH)
            scores = program.product(x, np.ascontiguousarray(k.T))
            mask = np.triu(np.ones((TOKENS, TOKENS), bool), first)
            masked = program.op("masked_fill_Scalar", np.where(mask, np.float32(hidden), scores), self=scores, mask=mask, value=float(hidden))
            with np.errstate(invalid="ignore"):
                shares = np.exp(masked - masked.max(-1, keepdims=True))
                shares /= shares.sum(-1, keepdims=True)
            shares = program.op("_softmax", shares, self=masked, dim=-1, half_to_float=False)
            program.product(shares, x)

        for hidden in (-1e9, -3e38, -1e4):
            with self.subTest(hidden=hidden):
                code, path, report = self.said(write, hidden=hidden)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
        for name, hidden in (("t", -9993.5), ("g", -1e4)):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, hidden=hidden)
        self.assertEqual(compared(self.folder / "t.h5", self.folder / "g.h5")[:2], (1, "/masked_fill_Scalar/2"))
        # Not far enough; and rows that hide all are shared out evenly in place of NaN.
        self.assertEqual(self.said(write, hidden=-3.0)[:2], (1, "/masked_fill_Scalar/2"))
        for name, hidden in (("t", -1e9), ("g", -np.inf)):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, hidden=hidden, first=0)
        self.assertEqual(compared(self.folder / "t.h5", self.folder / "g.h5")[0], 1)

    def test_another_checkpoint_is_told_where_nothing_trains(self):
        """Weights that are a little off everywhere are what training leaves, if anything trains."""

        def write(program, moved=0.0, trains=False):
            x = program.given(TOKENS, WIDTH)
            for _ in range(4):
                w = program.given(WIDTH, WIDTH)
                w = (w + moved * np.random.default_rng(1).standard_normal(w.shape)).astype("f4")
                x = program.op("tanh", np.tanh(y := program.product(x, w)), self=y)
            if trains:
                program.op("tanh_backward", x * (1 - x * x), grad_output=x, output=x)

        code, path, report = self.said(write, moved=0.05)
        self.assertEqual((code, report["first_culprit"]["tensor"]), (1, "/mm/1/input/mat2"))
        self.assertIn("4 of 4 parameters are not the golden's", report["stderr"])

    def test_a_batch_norm_may_be_in_the_weights_of_the_convolution(self):
        def write(program, folded=False):
            x = program.given(4, 3, 1, 1)
            for width in (8, 5):
                w, mean, scale = program.given(width, x.shape[1], 1, 1), program.given(width), 1 + np.abs(program.given(width))
                bias = program.given(width)
                how = {"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "transposed": False, "output_padding": [0, 0], "groups": 1}
                out = np.einsum("nihw,oi->nohw", x.astype("f8"), w[:, :, 0, 0].astype("f8"))
                if folded:
                    factor = scale.reshape(-1, 1, 1, 1)
                    b = (bias - mean * scale).astype("f4")
                    x = program.op("convolution", out * scale[:, None, None] + b[:, None, None], input=x, weight=(w * factor).astype("f4"), bias=b, **how)
                else:
                    y = program.op("convolution", out, input=x, weight=w, bias=np.zeros(width, "f4"), **how)
                    x = (y - mean[:, None, None]) * scale[:, None, None] + bias[:, None, None]
                    taken = {"weight": scale, "bias": bias, "running_mean": mean, "running_var": np.ones(width, "f4")}
                    x = program.results("native_batch_norm", [x, np.zeros(0, "f4"), np.zeros(0, "f4")], input=y, training=False, momentum=0.1, eps=0.0, **taken)[0]
                x = program.relu(x)

        code, path, report = self.said(write, folded=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_numbers_that_one_recorder_alone_wrote_are_no_other_program(self):
        def write(program, factories=False):
            x = program.given(TOKENS, WIDTH)
            if factories:
                program.op("arange", np.arange(TOKENS, dtype="f4"), end=TOKENS)
            grid = np.repeat(np.arange(TOKENS, dtype="f4")[:, None], WIDTH, 1)
            x = program.op("add_Tensor", x + grid, self=x, other=grid, alpha=1)
            program.relu(x)

        code, path, report = self.said(write, factories=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_the_number_that_a_tensor_is_full_of_is_the_targets_own(self):
        """A target of results alone: what it divides by is a norm that it made itself, off by rounding."""

        def write(program, operands=lambda x: x, divided=1.0):
            w, v = program.given(WIDTH, WIDTH) * np.float32(1.001), program.given(WIDTH, 1)
            for _ in range(4):
                w = program.op("tanh", np.tanh(w), self=w)
                other = program.given(WIDTH, WIDTH)
                w = program.op("mm", operands(w).astype("f8") @ operands(other).astype("f8"), self=w, mat2=other)
            y = program.op("mm", operands(w).astype("f8") @ operands(v).astype("f8"), self=w, mat2=v)
            norm = program.op("linalg_vector_norm", np.float32(np.sqrt((y.astype("f8") ** 2).sum())), self=y, ord=2.0)
            full = np.full_like(w, norm)
            program.op("div_Tensor", w / full / np.float32(divided), self=w, other=full)

        for divided in (1.0, 1.001):
            self.said(write, operands=as_half, divided=divided)
            with h5py.File(self.folder / "t.h5", "r+") as file:
                for op in file.values():
                    for run in op.values():
                        del run["input"]
            code, path, _ = compared(self.folder / "t.h5", self.folder / "g.h5")
            with self.subTest(divided):
                self.assertEqual((code, path), (0, None) if divided == 1 else (1, "/div_Tensor/11"))


if __name__ == "__main__":
    unittest.main()
