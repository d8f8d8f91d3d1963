"""A layer of LSTM cells and its gradient, as a GPU runs them in one op each: held to what honest arithmetic makes of it."""

import unittest

import numpy as np
from compared import InFolder, compared
from plain_program import Program

TIMES, BATCH, FEATURES, HIDDEN = 6, 8, 12, 24


def to_bits(bits):
    """Numbers of float64, rounded to so many of significand."""

    def rounded(x):
        fraction, exponent = np.frexp(np.asarray(x, "f8"))
        return np.ldexp(np.round(fraction * 2.0**bits), exponent - bits)

    return rounded


def as_is(x):
    return np.asarray(x, "f8")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Layer:
    """In steps of float64, but that operands of products are rounded by `operand`, and all that steps give by `kept`."""

    def __init__(self, operand, kept):
        self.operand, self.kept = operand, kept

    def product(self, a, b):
        return self.kept(self.operand(a) @ self.operand(b))

    def forward(self, x, weights, h, c):
        of_x, of_h, bias_x, bias_h = weights
        self.steps, outputs = [], []
        for time in range(TIMES):
            sums = self.product(x[time], of_x.T) + bias_x + self.product(h, of_h.T) + bias_h
            i, f, g, o = np.split(sums, 4, 1)
            i, f, g, o = map(self.kept, (sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)))
            before, c = (h, c), self.kept(f * c + i * g)
            h = self.kept(o * np.tanh(c))
            self.steps.append((x[time], before, (i, f, g, o), np.tanh(c)))
            outputs.append(h)
        return np.stack(outputs), h, c

    def backward(self, of_output, weights):
        of_x, of_h = weights[:2]
        dh, dc = np.zeros((BATCH, HIDDEN)), np.zeros((BATCH, HIDDEN))
        of_input, of_weights = [], [np.zeros_like(each) for each in weights]
        for time in reversed(range(TIMES)):
            x, (h, c), (i, f, g, o), inner = self.steps[time]
            dh = dh + of_output[time]
            dc = dc + dh * o * (1 - inner**2)
            parts = [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g**2), dh * inner * o * (1 - o)]
            sums = self.kept(np.concatenate(parts, 1))
            of_input.insert(0, self.product(sums, of_x))
            dh, dc = self.product(sums, of_h), self.kept(dc * f)
            for total, made in zip(of_weights, (self.product(sums.T, x), self.product(sums.T, h), sums.sum(0), sums.sum(0))):
                total += made
        return np.stack(of_input), dh, dc, of_weights


def program_of(operand=as_is, kept=as_is, fault=lambda name, result: result):
    """Of a product, the layer, its mean, and the gradient."""

    def write(program):
        layer = Layer(operand, kept)
        w = program.given(FEATURES, FEATURES)
        rows = program.given(TIMES * BATCH, FEATURES)
        x = program.product(rows, w).reshape(TIMES, BATCH, FEATURES)
        weights = [np.float32(0.3) * program.given(*shape) for shape in
                   ((4 * HIDDEN, FEATURES), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,), (4 * HIDDEN,))]
        weights = [each.astype(program.dtype) for each in weights]
        states = [np.zeros((1, BATCH, HIDDEN), program.dtype) for _ in range(2)]
        flags = dict(weight_stride0=4, mode=2, hidden_size=HIDDEN, num_layers=1, batch_first=False, dropout=0.0,
                     train=True, bidirectional=False)
        made = layer.forward(as_is(x), [as_is(each) for each in weights], *(as_is(each[0]) for each in states))
        y = fault("output", made[0])
        given = dict(input=x, weight=weights, hx=states[0], cx=states[1])
        y, *_ = program.results("_cudnn_rnn", (y, made[1][None], made[2][None]), **given, **flags)
        grad = program.op("mul_Tensor", y * y, self=y, other=y)
        *found, of_weights = layer.backward(as_is(grad), [as_is(each) for each in weights])
        found[0] = fault("gradient", found[0])
        of_weights[1] = fault("gradient of weights", of_weights[1])
        program.results("_cudnn_rnn_backward", (found[0], found[1][None], found[2][None], of_weights), **given, output=y,
                        grad_output=grad, output_mask=np.ones(4, bool), **flags)

    return write


class RecurrentLayers(InFolder):
    def compared(self, target, dtype="f4"):
        for name, write, kind in (("t.h5", target, dtype), ("g.h5", program_of(), "f4")):
            with Program(self.folder / name, kind) as program:
                write(program)
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def test_what_devices_round_is_no_fault(self):
        half = to_bits(11)
        for name, dtype, write in (
            ("float32", "f4", program_of(kept=lambda x: as_is(np.asarray(x, "f4")))),
            ("TF32", "f4", program_of(operand=half, kept=lambda x: as_is(np.asarray(x, "f4")))),
            ("float16", "f2", program_of(operand=half, kept=half)),
            ("float16, sums in float32", "f2", program_of(operand=half)),
        ):
            with self.subTest(name):
                code, culprit, report = self.compared(write, dtype)
                self.assertEqual((code, culprit), (0, None), report["first_culprit"])
                self.assertEqual(report["judged"]["ops"], report["judged"]["of"])

    def test_a_fault_in_what_they_give_is_told_there(self):
        def doubled(which):
            def fault(name, result):
                if name == which:
                    result = result.copy()
                    result[..., 3] *= 1.25
                return result

            return fault

        rounded = lambda x: as_is(np.asarray(x, "f4"))  # noqa: E731
        for which, path in (("output", "/_cudnn_rnn/2"), ("gradient", "/_cudnn_rnn_backward/4"),
                            ("gradient of weights", "/_cudnn_rnn_backward/4")):
            for name, dtype, write in (
                ("float32", "f4", program_of(kept=rounded, fault=doubled(which))),
                ("float16", "f2", program_of(operand=to_bits(11), kept=to_bits(11), fault=doubled(which))),
            ):
                with self.subTest(f"{which} {name}"):
                    code, culprit, _ = self.compared(write, dtype)
                    self.assertEqual((code, culprit), (1, path))


if __name__ == "__main__":
    unittest.main()
