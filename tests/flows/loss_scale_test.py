"""A step whose loss is multiplied by a scale, as mixed precision does, against one without."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from plain_program import Program


class Step:
    """Records a product, its sum, the gradient of the weight and its update, op by op in the plain layout."""

    def __init__(self, path, scale=None, fault=False, undone=True, more=False, half=False, back=None, front=None, lost=1):
        self.file = h5py.File(path, "w")
        self.count = 0
        chance = np.random.default_rng(1)
        x = chance.standard_normal((16, 8)).astype("f4")
        w = chance.standard_normal((8, 4)).astype("f4")
        y = self.op("mm", x @ w, self=x, mat2=w)
        if more:
            masked = np.where(np.arange(4) == 0, np.float32(0), y)
            self.op("mul_Tensor", masked * np.float32(3), self=masked, other=np.float32(3))
        loss = self.op("sum", y.sum(dtype="f4"), self=y)
        if scale:
            scaled = np.float32(np.inf) if half else loss * (front or scale)
            loss = self.op("mul_Tensor", scaled, self=loss, other=np.float32(front or scale))
        gradient = self.op("ones_like", np.ones_like(loss), self=loss)
        if scale:
            gradient = self.op("mul_Tensor", gradient * (back or scale) * np.float32(lost), self=gradient, other=np.float32(back or scale))
        grown = self.op("expand", np.broadcast_to(gradient, (16, 4)).copy(), self=gradient)
        # Memory that nobody has written before is no parameter.
        grown = self.op("copy_", grown, self=np.zeros_like(grown), src=grown)
        flipped = self.op("t", x.T.copy(), self=x)
        gradient = self.op("mm", (flipped @ grown) * np.float32(1.01 if fault else 1), self=flipped, mat2=grown)
        if scale and undone == "by hand":
            gradient = self.op("mul__Tensor", gradient / np.float32(scale), self=gradient)
        elif scale and undone:
            inverse = np.float32(1 / scale)
            scaled, gradient = gradient, gradient * inverse
            self.op("_amp_foreach_non_finite_check_and_unscale_", gradient, self0=scaled, found_inf=np.float32(0), inv_scale=inverse)
        if back:
            return self.file.close()
        self.op("add__Tensor", w - gradient * np.float32(0.5), self=w, other=gradient, alpha=np.float32(-0.5))
        self.file.close()

    def op(step, name, result, **inputs):
        step.count += 1
        group = step.file.create_group(f"{name}/{step.count}")
        for argument, array in inputs.items():
            group[f"input/{argument}"] = array
        group["output/result"] = np.float32(result)
        return np.float32(result)


class LossScale(InFolder):
    def compared(self, target, golden, *words):
        sides = []
        for name, how in (("t.h5", target), ("g.h5", golden)):
            Step(self.folder / name, **how)
            sides.append(self.folder / name)
        return compared(*sides, *words)

    def test_a_scale_is_no_parting_on_either_side(self):
        for target, golden, which in (({"scale": 65536}, {}, "target"), ({}, {"scale": 1024}, "golden")):
            for judge in ("exact", "quick"):
                with self.subTest(which, judge=judge):
                    code, culprit, report = self.compared(target, golden, "--judge", judge)
                    self.assertEqual((code, culprit, report["partings"]), (0, None, []))
                    self.assertEqual(len(report["spans"]), 3)
                    self.assertIn(f"the {which} multiplies its loss by", report["stderr"])

    def test_both_sides_may_scale_by_other_numbers(self):
        code, culprit, report = self.compared({"scale": 65536}, {"scale": 1024})
        self.assertEqual((code, culprit), (0, None), report["first_culprit"])
        self.assertIn("the target multiplies its loss by 65536 and the golden by 1024", report["stderr"])
        self.assertEqual(self.compared({"scale": 1024, "undone": False}, {"scale": 65536})[:1], (1,))
        self.assertEqual(self.compared({"scale": 65536, "fault": True}, {"scale": 1024})[:2], (1, "/mm/9"))

    def test_a_gradient_that_is_not_scaled_as_its_loss_is_wrong(self):
        for back in (65536, 16384):
            code, culprit, report = self.compared({"scale": 1024, "back": back}, {"scale": 1024, "back": 1024})
            self.assertEqual((code, culprit), (1, "/mul_Tensor/5"), report["first_culprit"])
        self.assertEqual(self.compared({"scale": 1024, "front": 65536, "back": 1024}, {"scale": 1024, "back": 1024})[:2], (1, "/mul_Tensor/3"))

    def test_what_is_wrong_behind_it_is_found(self):
        self.assertEqual(self.compared({"scale": 65536, "fault": True}, {})[:2], (1, "/mm/9"))

    def test_one_that_is_lost_on_the_way_is_the_fault_of_its_product(self):
        code, culprit, report = self.compared({"scale": 1024, "lost": 0.5}, {})
        self.assertEqual((code, culprit), (1, "/mul_Tensor/5"), report["first_culprit"])
        own = next(op for op in report["ops"] if op["path"] == culprit)
        self.assertIn("beyond what fp32 makes of these inputs", own["tensors"][-1]["rule"])

    def test_a_scale_that_is_undone_by_a_product_is_none_either(self):
        code, culprit, report = self.compared({"scale": 65536, "undone": "by hand"}, {})
        self.assertEqual((code, culprit, len(report["spans"])), (0, None, 3))

    def test_a_scale_that_nobody_undoes_is_at_fault(self):
        self.assertEqual(self.compared({"scale": 65536, "undone": False}, {})[:2], (1, "/mul_Tensor/3"))

    def test_another_product_beside_it_is_a_parting(self):
        """Whose first element is zero, which any factor leaves."""
        self.assertEqual(self.compared({"scale": 65536, "more": True}, {})[:2], (1, "/mul_Tensor/2"))

    def test_a_loss_that_leaves_the_range_of_float16_scales_no_less(self):
        code, culprit, report = self.compared({"scale": 1024, "half": True}, {})
        self.assertEqual((culprit, report["partings"], len(report["spans"])), (None, [], 3))
        self.assertEqual(code, 0)

    def test_a_factor_that_scales_nothing_is_a_parting(self):
        """Twice, and no power of two."""
        for factor in (2, 1000):
            with self.subTest(factor=factor):
                self.assertEqual(self.compared({"scale": factor}, {})[:2], (1, "/mul_Tensor/3"))

    def test_results_alone_of_autocast_are_compared_without_the_scale(self):
        """The target divides its gradients where the golden has no op; a gate that leaks turns where float16 changes a sign; a mask is drawn in place."""

        def half(x):
            return x.astype("f2").astype("f4")

        def write(program, scale=1.0, fault=1.0):
            rounded = half if scale > 1 else np.float32
            x, w, v = program.given(48, 24), program.given(24, 32) / 8, program.given(32, 8) / 8
            y = program.op("mm", rounded(half(x) @ w), self=x, mat2=w)
            y[0, :2] = (1e-4, -1e-4) if scale > 1 else (-1e-4, -1e-4)  # a sign that rounding changes
            z = program.op("leaky_relu", rounded(np.where(y > 0, y, 0.1 * y)), self=y, negative_slope=0.1)
            program.op("bernoulli__float", np.float32(program.chance.random((48, 32)) > 0.5), "self", self=z, p=0.5)
            out = program.op("mm", rounded(z @ v), self=z, mat2=v)
            sigmoid = 1 / (1 + np.exp(-out))
            loss = program.op("mean", np.float32(np.square(sigmoid).mean()), self=out)
            if scale > 1:
                loss = program.op("mul_Tensor", loss * np.float32(scale), self=loss, other=np.float32(scale))
            ones = program.op("ones_like", np.ones_like(loss), self=loss)
            if scale > 1:
                ones = program.op("mul_Tensor", ones * np.float32(scale), self=ones, other=np.float32(scale))
            sigmoid = program.op("sigmoid", sigmoid, self=out)
            slope = program.op("sub_Tensor", sigmoid - np.float32(0.25), self=sigmoid, other=np.float32(0.25), alpha=1)
            gradient = program.op("mul_Tensor", slope * ones, self=slope, other=ones)
            gradient = program.op("div__Scalar", gradient / np.float32(4096), "self", self=gradient, other=4096.0)
            back = program.op("mm", rounded(fault * gradient @ v.T), self=gradient, mat2=np.ascontiguousarray(v.T))
            into_v = program.op("mm", rounded(z.T @ gradient), self=np.ascontiguousarray(z.T), mat2=gradient)
            back = program.op("leaky_relu_backward", rounded(np.where(y > 0, back, 0.1 * back)), grad_output=back, self=y, negative_slope=0.1)
            into_w = program.op("mm", rounded(half(x).T @ back), self=np.ascontiguousarray(x.T), mat2=back)
            if scale > 1:
                for each in (into_w, into_v):
                    program.op("mul__Tensor", each / np.float32(scale), "self", self=each, other=np.float32(1 / scale))

        for fault, expected in ((1.0, (0, None)), (1.25, (1, "/mm/13"))):
            with self.subTest(fault=fault):
                sides = {"t.h5": {"scale": 65536.0, "fault": fault}, "g.h5": {}}
                for name, how in sides.items():
                    with Program(self.folder / name) as program:
                        write(program, **how)
                    with h5py.File(self.folder / name, "r+") as file:
                        for run in (run for op in file.values() for run in op.values()):
                            del run["input"]
                code, culprit, report = compared(*(self.folder / name for name in sides))
                self.assertEqual((code, culprit), expected, report["first_culprit"])


if __name__ == "__main__":
    unittest.main()
