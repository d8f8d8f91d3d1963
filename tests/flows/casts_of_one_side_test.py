"""A target in mixed precision, whose casts and views the golden lacks: what goes wrong at and behind them."""

import unittest

import numpy as np
from compared import InFolder, compared
from recording import Recording, in_bfloat16

LAYERS = 8


def record(path, mixed, wrong_cast=None, turned=None, stale=None, other_weight=None, view=None, factor=0.5):
    """Layers of a product and a relu, then a gradient that is scaled by a number; the target casts what
    products take in to float16. `wrong_cast`, `turned`, `stale`: the layer whose weight's cast is 3 % off,
    whose result is widened from right to left, or that is given what the layer before the last made;
    `other_weight`: the one whose weight holds numbers of bfloat16;
    `view`: the op that turns the fourth layer's result."""
    chance = np.random.default_rng(5)
    recording = Recording(path)

    def cast(x, layer=None):
        if not mixed:
            return x
        y = x.astype("f2")
        if layer is not None and layer == wrong_cast:
            y[:, 2] *= np.float16(1.03)
        return recording.op("_to_copy", {"self": x}, result=y)

    x = before = chance.standard_normal((12, 12)).astype("f4")
    for layer in range(LAYERS):
        weight = (chance.standard_normal((12, 12)) / 3).astype("f4")
        weight = in_bfloat16(weight) if layer == other_weight else weight
        taken = before if layer == stale else x
        before = x
        a, b = cast(taken), cast(weight, layer)
        product = np.float32(a).astype("f8") @ np.float32(b).astype("f8")
        h = recording.op("mm", {"self": a, "mat2": b}, result=product.astype(a.dtype))
        x = np.float32(recording.op("relu", {"self": h}, result=np.maximum(h, 0)))
        if mixed:
            widened = np.ascontiguousarray(x[:, ::-1]) if layer == turned else x
            x = recording.op("_to_copy", {"self": np.maximum(h, 0)}, result=widened)
        if layer == 3 and view == "transpose_int":
            x = recording.op(view, {"self": x}, result=np.ascontiguousarray(x.T))
        elif layer == 3 and view:
            x = recording.op(view, {"self": x}, result=x)
    ones = np.ones_like(x)
    g = recording.op(
        "threshold_backward",
        {"grad_output": ones, "self": x, "threshold": np.int64(0)},
        grad_input=np.where(x > 0, ones, 0),
    )
    recording.op("mul_Tensor", {"self": g * x, "other": np.float64(factor)}, result=np.float32(g * x * factor))
    recording.close()


class CastsOfOneSide(InFolder):
    def verdict(self, golden_view=None, **target):
        record(self.folder / "t.h5", True, **target)
        record(self.folder / "g.h5", False, view=golden_view)
        return compared(self.folder / "t.h5", self.folder / "g.h5")[:2]

    def test_they_are_no_fault(self):
        self.assertEqual(self.verdict(), (0, None))
        self.assertEqual(self.verdict("transpose_int", view="transpose_int"), (0, None))

    def test_a_cast_that_changes_numbers_is(self):
        for fault in ("wrong_cast", "turned"):
            code, culprit = self.verdict(**{fault: 4})
            self.assertEqual((code, culprit.split("/")[1]), (1, "_to_copy"))

    def test_a_weight_is_compared_as_it_was_before_its_cast(self):
        for mixed in (True, False):
            record(self.folder / "t.h5", mixed, other_weight=3)
            record(self.folder / "g.h5", not mixed)
            code, culprit, report = compared(self.folder / "t.h5", self.folder / "g.h5")
            self.assertEqual((code, culprit.split("/")[1]), (1, "mm"))
            tensor = report["first_culprit"]["tensor"]
            self.assertEqual(tensor.split("/")[1], "_to_copy" if mixed else "mm")
            self.assertIn("weight `mat2`", report["first_culprit"]["why"])

    def test_what_another_op_made_is_told_behind_a_cast(self):
        code, culprit = self.verdict(stale=5)
        self.assertEqual((code, culprit.split("/")[1]), (1, "mm"))

    def test_elements_in_the_order_of_memory_are_no_transpose(self):
        code, culprit = self.verdict("transpose_int", view="_reshape_alias")
        self.assertEqual((code, culprit.split("/")[1]), (1, "mm"))

    def test_a_number_that_is_written_in_the_program_is_told(self):
        code, culprit = self.verdict(factor=0.45)
        self.assertEqual((code, culprit.split("/")[1]), (1, "mul_Tensor"))


def record_few_numbers(path, mixed, rows=slice(None)):
    """Layers in bfloat16, whose results are kept in float32, then the gradient of a bias: a sum of a number and
    its opposite, of so few elements that by themselves they may be of any format. `rows`: what is summed up."""
    chance = np.random.default_rng(9)
    recording = Recording(path)

    def cast(x):
        return recording.op("_to_copy", {"self": x, "dtype": np.int64(1)}, result=in_bfloat16(x)) if mixed else x

    keep = in_bfloat16 if mixed else np.float32
    x = chance.standard_normal((10, 12)).astype("f4")
    for _ in range(LAYERS):
        weight = (chance.standard_normal((12, 12)) / 3).astype("f4")
        a, b = cast(x), cast(weight)
        x = recording.op("mm", {"self": a, "mat2": b}, result=keep(np.float32(a.astype("f8") @ b)))
        x = recording.op("tanh", {"self": x}, result=keep(np.tanh(x)))
    signs = recording.op("sgn", {"self": x[:, :4]}, result=np.float32(np.sign(x[:, :4])))
    size = np.full_like(signs, 0.0075)
    gradient = cast(recording.op("mul_Tensor", {"self": size, "other": signs}, result=size * signs))
    total = keep(gradient[rows].astype("f8").sum(0, keepdims=True).astype("f4"))
    recording.op("sum_dim_IntList", {"self": gradient, "dim": np.array([0]), "keepdim": np.int8(1)}, result=total)
    recording.close()


class FewNumbers(InFolder):
    def verdict(self, **target):
        record_few_numbers(self.folder / "t.h5", True, **target)
        record_few_numbers(self.folder / "g.h5", False)
        return compared(self.folder / "t.h5", self.folder / "g.h5")[:2]

    def test_few_elements_are_of_the_format_that_the_others_are_of(self):
        self.assertEqual(self.verdict(), (0, None))

    def test_a_sum_that_leaves_one_out_is_told(self):
        code, culprit = self.verdict(rows=slice(1, None))
        self.assertEqual((code, culprit.split("/")[1]), (1, "sum_dim_IntList"))


def record_update(path, in_list, lost=None):
    """Parameters that take a step; in place on a list nothing is given out."""
    chance = np.random.default_rng(7)
    recording = Recording(path)
    parameters = [chance.standard_normal((6, 5)).astype("f4") for _ in range(4)]
    steps = [recording.op("neg", {"self": p}, result=-p) for p in parameters]
    if lost is not None:
        steps[lost] = steps[lost] * np.float32(1.5)
    if in_list:
        inputs = {f"self/self_{i}": p for i, p in enumerate(parameters)}
        inputs.update({f"other/other_{i}": s for i, s in enumerate(steps)})
        recording.op("_foreach_add__List", {**inputs, "alpha": np.int64(1)})
    else:
        for p, s in zip(parameters, steps):
            recording.op("add__Tensor", {"self": p, "other": s, "alpha": np.int64(1)}, self=p + s)
    recording.close()


class StepsInPlace(InFolder):
    def verdict(self, **target):
        record_update(self.folder / "t.h5", True, **target)
        record_update(self.folder / "g.h5", False)
        return compared(self.folder / "t.h5", self.folder / "g.h5")[0]

    def test_a_list_that_gives_nothing_out_misses_nothing(self):
        self.assertEqual(self.verdict(), 0)

    def test_what_it_was_given_is_compared(self):
        self.assertEqual(self.verdict(lost=2), 1)


if __name__ == "__main__":
    unittest.main()
