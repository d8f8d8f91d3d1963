"""Optimizers whose states one side keeps in lists, and averages that a coarse format does not move: what belongs together is paired, and nothing is accused."""

import unittest

import numpy as np
from compared import InFolder, compared
from plain_program import Program

# As of layers of several sizes: vectors and rows of one length.
SHAPES = [(20, 7), (20,), (20, 20), (20,), (5, 20), (5,), (1, 20), (1,)]
BETA, MOMENTUM, DECAY, EPS, RATE = 0.99, 0.9, 0.999, 1e-8, 1e-3


def as_bfloat16(values):
    bits = np.asarray(values, "f4").view("u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view("f4")


def exactly(values):
    return np.asarray(values, "f4")


class Steps(Program):
    """One step of Adam, tensor by tensor or on lists. `rounded` gradients are those of products in 16 bits."""

    def numbers(self, rounded):
        weights = [self.chance.standard_normal(shape).astype("f4") * np.float32(0.2) for shape in SHAPES]
        means = [self.chance.standard_normal(shape).astype("f4") * np.float32(1e-2) for shape in SHAPES]
        squares = [self.chance.random(shape).astype("f4") * np.float32(1e-4) for shape in SHAPES]
        factors = [(self.given(np.prod(shape), 3), self.given(3, 1) * np.float32(0.02)) for shape in SHAPES]
        gradients = [self.op("mm", rounded(x.astype("f8") @ w), self=x, mat2=w).reshape(shape) for shape, (x, w) in zip(SHAPES, factors)]
        return weights, means, squares, gradients

    def loop(self, rounded=exactly):
        for weight, mean, square, gradient in zip(*self.numbers(rounded)):
            weight = self.op("mul__Tensor", weight * np.float32(DECAY), "self", self=weight, other=DECAY)
            mean = self.op("mul__Tensor", mean * np.float32(MOMENTUM), "self", self=mean, other=MOMENTUM)
            mean = self.op("add__Tensor", mean + np.float32(1 - MOMENTUM) * gradient, "self", self=mean, other=gradient, alpha=1 - MOMENTUM)
            square = self.op("mul__Tensor", square * np.float32(BETA), "self", self=square, other=BETA)
            square = self.op("addcmul_", square + np.float32(1 - BETA) * gradient * gradient, "self", self=square, tensor1=gradient, tensor2=gradient, value=1 - BETA)
            self.op("_local_scalar_dense", np.float32(5), self=np.float32(5))
            root = self.op("sqrt", np.sqrt(square), self=square)
            root = self.op("add__Tensor", root + np.float32(EPS), "self", self=root, other=EPS, alpha=1)
            self.op("addcdiv_", weight - np.float32(RATE) * mean / root, "self", self=weight, tensor1=mean, tensor2=root, value=-RATE)

    def lists(self, rounded=exactly, last_rate=RATE, rate_before=False):
        weights, means, squares, gradients = self.numbers(rounded)
        weights = self.list("_foreach_mul__Scalar", [each * np.float32(DECAY) for each in weights], self=weights, scalar=DECAY)
        means = self.list("_foreach_mul__Scalar", [each * np.float32(MOMENTUM) for each in means], self=means, scalar=MOMENTUM)
        means = self.list("_foreach_add__List", [each + np.float32(1 - MOMENTUM) * gradient for each, gradient in zip(means, gradients)], self=means, other=gradients, alpha=1 - MOMENTUM)
        squares = self.list("_foreach_mul__Scalar", [each * np.float32(BETA) for each in squares], self=squares, scalar=BETA)
        squares = self.list("_foreach_addcmul__Scalar", [each + np.float32(1 - BETA) * gradient * gradient for each, gradient in zip(squares, gradients)], self=squares, tensor1=gradients, tensor2=gradients, value=1 - BETA)
        for _ in SHAPES:
            self.op("_local_scalar_dense", np.float32(5), self=np.float32(5))
        roots = self.list("_foreach_sqrt", [np.sqrt(each) for each in squares], "result", self=squares)
        roots = self.list("_foreach_add__Scalar", [each + np.float32(EPS) for each in roots], self=roots, scalar=EPS)
        if rate_before:
            steps = self.list("_foreach_mul_Scalar", [each * np.float32(-RATE) for each in means], "result", self=means, scalar=-RATE)
            self.list("_foreach_addcdiv__Scalar", [weight + step / root for weight, step, root in zip(weights, steps, roots)], self=weights, tensor1=steps, tensor2=roots, value=1)
            return
        rates = [RATE] * (len(SHAPES) - 2) + [last_rate, RATE]
        self.list("_foreach_addcdiv__Scalar", [weight - np.float32(rate) * mean / root for weight, mean, root, rate in zip(weights, means, roots, rates)], self=weights, tensor1=means, tensor2=roots, value=-RATE)

    def list(program, name, results, output="self", /, **inputs):
        group = program._taking(name, inputs)
        for i, each in enumerate(results):
            group[f"output/{output}/{output}_{i}"] = each
        return results

    def averaged(self, in_one_op, rounded):
        """Weights that moved little, and their averages."""
        for shape in [(8, 6), (24,), (24,), (40,), (6, 8)] * 2:
            average = as_bfloat16(self.chance.standard_normal(shape))
            weight = rounded(average + self.chance.standard_normal(shape) * 0.01)
            if in_one_op:
                self.op("lerp__Scalar", rounded(average + 0.01 * (weight - average)), "self", self=average, end=weight, weight=0.01)
                continue
            kept = self.op("mul__Tensor", rounded(average * 0.99), "self", self=average, other=0.99)
            self.op("add__Tensor", rounded(kept + 0.01 * weight), "self", self=kept, other=weight, alpha=0.01)


class StatesOfLists(InFolder):
    def recorded(self, name, write):
        with Steps(self.folder / name) as program:
            write(program)
        return self.folder / name

    def test_states_of_one_length_are_not_taken_for_each_other(self):
        golden = self.recorded("g.h5", Steps.loop)
        for rounded in (exactly, as_bfloat16):
            code, path, report = compared(self.recorded("t.h5", lambda steps: steps.lists(rounded)), golden)
            self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_a_step_that_one_of_them_takes_at_another_rate_is_told(self):
        golden = self.recorded("g.h5", Steps.loop)
        code, path, _ = compared(self.recorded("t.h5", lambda steps: steps.lists(last_rate=2 * RATE)), golden)
        self.assertEqual((code, path), (1, "/_foreach_addcdiv__Scalar/24/output/self/self_6"))

    def test_a_rate_that_is_a_factor_before_is_no_other_argument(self):
        golden = self.recorded("g.h5", Steps.loop)
        for rounded in (exactly, as_bfloat16):
            code, path, report = compared(self.recorded("t.h5", lambda steps: steps.lists(rounded, rate_before=True)), golden)
            self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_averages_that_rounding_leaves_as_they_were_are_averages(self):
        golden = self.recorded("g.h5", lambda steps: steps.averaged(False, exactly))
        code, path, report = compared(self.recorded("t.h5", lambda steps: steps.averaged(True, as_bfloat16)), golden)
        self.assertEqual((code, path), (0, None), report["first_culprit"])


if __name__ == "__main__":
    unittest.main()
