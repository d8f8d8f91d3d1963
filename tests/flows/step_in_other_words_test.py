"""npuscope compare of a training step that one side writes a little otherwise, or computes in another unit of its chip."""

import unittest

import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program

BETA, STEPS, RATE, EPS = 0.999, 3, 1e-3, 1e-8


class Step:
    """Two layers, a loss, their gradients and Adam's step on both weights.

    `unit`: how rows are divided by their norm; `order`: how Adam divides by the root; `logs`: ops on the loss that nobody takes in; `scales`: the loss is divided;
    `vectors`: rounds what ops of the layers, not of the optimizer, take in and give out; `fault`: an op's name and what becomes of its result;
    `taken`: an op's name, an argument, and what becomes of that before the op reads it.
    """

    def __init__(self, program, order="root of the quotient", logs=False, scales=False, vectors=None, fault=None, points=None, unit=None, taken=None):
        self.program, self.order, self.fault, self.taken = program, order, fault, taken
        self.rounded = vectors or (lambda x: x)
        x, w1, w2, goal = (program.given(*shape) for shape in ((TOKENS, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (TOKENS, WIDTH)))
        at = self.op("linspace", np.linspace(-1, 1, WIDTH), start=-1, end=1, steps=WIDTH) if points else None
        y = self.op("mm", x @ w1, self=x, mat2=w1)
        if points:
            y = self.vector("add_Tensor", lambda y, at: y + at, self=y, other=at)
        z = self.vector("tanh", np.tanh, self=y)
        z = self.unit(z, unit) if unit else z
        s = self.vector("sigmoid", lambda z: 1 / (1 + np.exp(-z)), self=z)
        o = self.op("mm", s @ w2, self=s, mat2=w2)
        d = self.vector("sub_Tensor", lambda o, goal: o - goal, self=o, other=goal)
        loss = self.vector("mean", np.mean, self=self.vector("mul_Tensor", lambda a, b: a * b, self=d, other=d))
        if logs:
            self.op("log1p", np.log1p(np.abs(loss)), self=self.op("abs", np.abs(loss), self=loss))
        if scales:
            loss = self.op("div_Tensor", loss / 4, self=loss, other=np.float32(4))
        go = self.op("mul_Tensor", d * np.float32(2 / d.size), self=d, other=np.float32(2 / d.size))
        if scales:
            go = self.op("div_Tensor", go / 4, self=go, other=np.float32(4))
        gw2 = self.op("mm", s.T @ go, self=np.ascontiguousarray(s.T), mat2=go)
        gs = self.op("mm", go @ w2.T, self=go, mat2=np.ascontiguousarray(w2.T))
        gz = self.vector("sigmoid_backward", lambda g, s: g * s * (1 - s), grad_output=gs, output=s)
        gy = self.vector("tanh_backward", lambda g, z: g * (1 - z * z), grad_output=gz, output=z)
        gw1 = self.op("mm", x.T @ gy, self=np.ascontiguousarray(x.T), mat2=gy)
        for w, g in ((w2, gw2), (w1, gw1)):
            self.adam(w, g)

    def op(self, name, result, /, **inputs):
        result = np.asarray(result, "f4")
        if self.fault and self.fault[0] == name:
            result, self.fault = self.fault[1](result), None
        return self.program.op(name, result, **inputs)

    def vector(self, name, function, /, **inputs):
        if self.taken and self.taken[0] == name:
            inputs[self.taken[1]] = self.taken[2](inputs[self.taken[1]])
        taken = [self.rounded(each).astype("f8") for each in inputs.values()]
        return self.op(name, self.rounded(np.asarray(function(*taken), "f4")), **inputs)

    def unit(self, x, way):
        """Rows over their norms."""
        squares = self.op("mul_Tensor", x * x, self=x, other=x)
        s = self.op("sum_dim_IntList", squares.sum(1, keepdims=True, dtype="f4"), self=squares, dim=[1], keepdim=True)
        if way == "quotient":
            norm = self.op("sqrt", np.sqrt(s), self=s)
            norm = self.op("clamp_min", np.maximum(norm, np.float32(1e-12)), self=norm, min=1e-12)
            return self.op("div_Tensor", x / norm, self=x, other=norm)
        eps = np.float32(1e-24 if way == "reciprocal root" else 1)
        s = self.op("add_Tensor", s + eps, self=s, other=eps)
        return self.op("mul_Tensor", x * self.op("rsqrt", 1 / np.sqrt(s), self=s), self=x, other=(1 / np.sqrt(s)).astype("f4"))

    def adam(self, w, g):
        square = self.program.chance.random(w.shape).astype("f4") * np.float32(1e-4)
        moved = self.op("mul_Tensor", g * g, self=g, other=g)
        v = self.op("add_Tensor", square + moved, self=square, other=moved)
        over = np.float32(1 - BETA**STEPS)
        if self.order == "root of the quotient":
            v = self.op("div_Tensor", v / over, self=v, other=over)
            v = self.op("sqrt", np.sqrt(v), self=v)
        else:
            v = self.op("sqrt", np.sqrt(v), self=v)
            over = np.sqrt(over) if self.order == "quotient of roots" else over
            v = self.op("div_Tensor", v / over, self=v, other=over)
        v = self.op("add_Tensor", v + np.float32(EPS), self=v, other=np.float32(EPS))
        self.op("addcdiv", w - np.float32(RATE) * g / v, self=w, tensor1=g, tensor2=v, value=-RATE)


def step_with_momentum(program, clips):
    """`clips`: the gradient is multiplied by what its norm asks for, before a small step in place."""
    x, w, goal = program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH), program.given(TOKENS, WIDTH)
    momentum = program.given(WIDTH, WIDTH) * np.float32(0.01)
    y = program.op("mm", as_float16(x) @ as_float16(w) if not clips else x @ w, self=x, mat2=w)
    d = program.op("sub_Tensor", y - goal, self=y, other=goal)
    g = program.op("mm", x.T @ d, self=np.ascontiguousarray(x.T), mat2=d)
    if clips:
        squares = program.op("pow_Tensor_Scalar", g * g, self=g, exponent=2)
        norm = program.op("sqrt", np.sqrt(squares.sum(dtype="f4")), self=program.op("sum", squares.sum(dtype="f4"), self=squares))
        share = program.op("reciprocal", 1 / norm, self=norm)
        g = program.op("mul__Tensor", g * share, "self", self=g, other=share)
    momentum = program.op("mul__Tensor", momentum * np.float32(0.9), "self", self=momentum, other=np.float32(0.9))
    momentum = program.op("add__Tensor", momentum + g, "self", self=momentum, other=g)
    program.op("add__Tensor", w - np.float32(1e-5) * momentum, "self", self=w, other=momentum, alpha=-1e-5)


def as_float16(x):
    return np.asarray(x).astype("f2").astype("f4")


def swapped(x):
    x = x.copy()
    x[[1, 2]] = x[[2, 1]]
    return x


def doubled(x):
    x = x.copy()
    x.flat[0] += 1
    return x


class StepInOtherWords(InFolder):
    def compared(self, target, golden=None):
        for name, how in (("t.h5", target), ("g.h5", golden or {})):
            with Program(self.folder / name) as program:
                Step(program, **how)
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def assert_passes(self, target, golden=None):
        code, culprit, report = self.compared(target, golden)
        self.assertEqual((code, culprit), (0, None), report["first_culprit"])
        return report

    def test_the_root_of_a_quotient_is_a_quotient_of_roots(self):
        report = self.assert_passes({"order": "quotient of roots"})
        self.assertIn("sqrt, div_Tensor where golden has div_Tensor, sqrt", report["spans"][0]["text"])

    def test_a_root_over_what_is_no_root_is_told_where_the_programs_part(self):
        code, culprit, report = self.compared({"order": "root over the whole"})
        self.assertEqual(code, 1)
        self.assertIn("/sqrt/16", culprit + report["first_culprit"]["why"])

    def test_a_loss_that_is_logged_is_no_parting(self):
        for target, golden in (({"logs": True}, {}), ({}, {"logs": True})):
            self.assertEqual(self.assert_passes(target, golden)["partings"], [])
        code, culprit, _ = self.compared({"logs": True, "fault": ("sigmoid_backward", doubled)})
        self.assertEqual((code, culprit), (1, "/sigmoid_backward/13"))

    def test_a_loss_that_is_divided_is_one(self):
        code, _, report = self.compared({}, {"scales": True})
        self.assertEqual(code, 1)
        self.assertIn("golden has div_Tensor more", report["first_culprit"]["why"])

    def test_vectors_in_float16_beside_an_optimizer_in_float32_are_told(self):
        report = self.assert_passes({"vectors": as_float16})
        self.assertIn("tanh (float32): fp16 throughout", " ".join(report["arithmetic"]))
        # One op that rounds its results is a finding, and an optimizer is held to float32.
        for fault in (("tanh", as_float16), ("sqrt", as_float16)):
            code, culprit, _ = self.compared({"fault": fault, "vectors": as_float16 if fault[0] == "sqrt" else None})
            self.assertEqual((code, culprit.split("/")[1]), (1, fault[0]))

    def test_rows_over_their_norms_are_rows_times_reciprocal_roots(self):
        self.assert_passes({"unit": "reciprocal root"}, {"unit": "quotient"})
        code, culprit, report = self.compared({"unit": "reciprocal root of more"}, {"unit": "quotient"})
        self.assertEqual(code, 1)
        self.assertIn(culprit.split("/")[1], ("add_Tensor", "sqrt", "rsqrt", "mul_Tensor"), report["first_culprit"])

    def test_a_gradient_that_is_not_clipped_is_told_however_small_the_step(self):
        for name, clips in (("t.h5", False), ("g.h5", True)):
            with Program(self.folder / name) as program:
                step_with_momentum(program, clips)
        code, _, report = compared(self.folder / "t.h5", self.folder / "g.h5")
        self.assertEqual(code, 1)
        self.assertIn("golden has pow_Tensor_Scalar, sum, sqrt", report["first_culprit"]["why"])

    def test_rows_that_are_exchanged_before_an_op_reads_them_are_told(self):
        code, culprit, report = self.compared({"taken": ("sigmoid_backward", "output", swapped)})
        self.assertEqual((code, culprit.split("/")[1]), (1, "sigmoid_backward"))
        self.assertIn("is not what /sigmoid/", report["first_culprit"]["why"])

    def test_what_is_made_of_numbers_is_computed_again(self):
        self.assert_passes({"points": True}, {"points": True})
        # In 16 bits, as all that is made there.
        self.assert_passes({"points": True, "vectors": as_float16, "fault": ("linspace", as_float16)}, {"points": True})
        code, culprit, _ = self.compared({"points": True, "fault": ("linspace", doubled)}, {"points": True})
        self.assertEqual((code, culprit), (1, "/linspace/1"))

    def test_a_scaling_of_one_side_by_little_is_told_though_rounding_leaves_more(self):
        """The target's numbers are float16; what it scales, and that one's gradient, are the only ops that it has more."""

        def write(program, factor=None):
            scaled = lambda rows: program.op("mul_Tensor", rows * np.float32(factor), self=rows, other=float(factor)) if factor else rows
            x, given = program.given(TOKENS, WIDTH), []
            weights = [(program.given(WIDTH, WIDTH) / 4).astype(program.dtype) for _ in range(4)]
            for layer, w in enumerate(weights):
                given.append(x)
                y = program.product(x, w)
                y = scaled(y) if layer == 1 else y
                y = program.relu(y)
                x = program.op("add_Tensor", x + y, self=x, other=y, alpha=1)
            gradient = program.given(TOKENS, WIDTH)
            for layer, (x, w) in reversed(list(enumerate(zip(given, weights, strict=True)))):
                back = scaled(gradient) if layer == 1 else gradient
                program.product(np.ascontiguousarray(x.T), back)
                of_x = program.product(back, np.ascontiguousarray(w.T))
                gradient = program.op("add_Tensor", gradient + of_x, self=gradient, other=of_x, alpha=1)

        for factor, expected in ((None, (0, None)), (1.001, (1, "/mul_Tensor/5"))):
            with Program(self.folder / "t.h5", "f2") as target, Program(self.folder / "g.h5") as golden:
                write(target, factor)
                write(golden)
            code, path, report = compared(self.folder / "t.h5", self.folder / "g.h5")
            self.assertEqual((code, path), expected, report["first_culprit"])

    def test_a_loss_of_another_tensor_is_told_though_nothing_is_made_of_it(self):
        """The gradient of a loss takes in what the loss should have taken in."""

        def write(program, of_logits=False):
            x, labels = program.given(TOKENS, WIDTH), np.arange(TOKENS) % WIDTH
            for _ in range(3):
                w = program.given(WIDTH, WIDTH) / 4
                x = program.relu(program.op("mm", as_float16(x) @ as_float16(w) if of_logits else x @ w, self=x, mat2=w))
            logs = x.astype("f8") - np.log(np.exp(x.astype("f8")).sum(-1, keepdims=True))
            logs = program.op("_log_softmax", logs, self=x, dim=1, half_to_float=False)
            taken = x if of_logits else logs
            loss, total = -taken[np.arange(TOKENS), labels].mean(dtype="f8"), np.float32(TOKENS)
            program.results("nll_loss_forward", [np.float32(loss), total], self=taken, target=labels, reduction=1, ignore_index=-100)
            gradient = np.zeros_like(logs)
            gradient[np.arange(TOKENS), labels] = -1 / TOKENS
            one = np.float32(1)
            back = program.op("nll_loss_backward", gradient, grad_output=one, self=logs, target=labels, total_weight=total, reduction=1, ignore_index=-100)
            back = program.op("_log_softmax_backward_data", back - np.exp(logs) * back.sum(-1, keepdims=True), grad_output=back, output=logs, dim=1)
            program.op("mm", back @ w.T, self=back, mat2=np.ascontiguousarray(w.T))

        for name, of_logits in (("t.h5", True), ("g.h5", False)):
            with Program(self.folder / name) as program:
                write(program, of_logits)
        code, path, report = compared(self.folder / "t.h5", self.folder / "g.h5")
        self.assertEqual((code, path), (1, "/nll_loss_forward/8"), report["first_culprit"])
        self.assertIn("is not what /_log_softmax/7 made", report["first_culprit"]["why"])

    def test_a_batch_of_another_size_is_told_before_its_loss(self):
        def write(program, rows, is_logged=True):
            x = program.given(2 * TOKENS, WIDTH)[:rows]
            for _ in range(6):
                x = program.relu(program.product(x, program.given(WIDTH, WIDTH) / 4))
            if is_logged:
                program.op("mean", np.mean(x, dtype="f8"), self=x)

        for is_logged, first in ((True, (1, "/mm/1")), (False, (0, None))):
            with Program(self.folder / "t.h5") as target, Program(self.folder / "g.h5") as golden:
                write(target, 2 * TOKENS, is_logged)
                write(golden, TOKENS, is_logged)
            code, path, report = compared(self.folder / "t.h5", self.folder / "g.h5")
            self.assertEqual((code, path), first, report["first_culprit"])
            told = "12 of the target's results hold 2 times as many elements as the golden's, which are part of them: the target's batch is larger"
            self.assertTrue(any(told in note for note in report["notes"]), report["notes"])


if __name__ == "__main__":
    unittest.main()
