"""What the same script does otherwise on another device, or in another dtype, is no fault: masks of the dtype's lowest number, checks for
infinities, memory that nobody had written, gradients in another order, shapes that a kernel is not made for."""

import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program


def masked_softmax(program, lowest, by_tensor=False):
    scores = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, TOKENS))
    mask = np.triu(np.ones((TOKENS, TOKENS), bool), 1)
    if by_tensor:
        value = program.op("scalar_tensor", np.float64(lowest), s=lowest)
        scores = program.op("where_self", np.where(mask, value, scores), condition=mask, self=value, other=scores)
    else:
        scores = program.op("masked_fill_Scalar", np.where(mask, lowest, scores), self=scores, mask=mask, value=lowest)
    powers = np.exp(scores.astype("f8") - scores.max(-1, keepdims=True).astype("f8"))
    weights = program.op("_softmax", powers / powers.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
    program.relu(program.product(weights, program.given(TOKENS, WIDTH)))


class ProgramsOfDevices(InFolder):
    def compared(self, target, golden):
        """Each is called with a program to write, in float16 and in float32."""
        for name, write, dtype in (("t.h5", target, "f2"), ("g.h5", golden, "f4")):
            with Program(self.folder / name, dtype) as program:
                write(program)
        return compared(self.folder / "t.h5", self.folder / "g.h5")

    def assert_passes(self, target, golden):
        code, culprit, report = self.compared(target, golden)
        self.assertEqual((code, culprit), (0, None), report["first_culprit"])
        return report

    def test_a_mask_is_the_lowest_number_of_each_dtype(self):
        def mask_of(dtype, by_tensor):
            return lambda program: masked_softmax(program, float(np.finfo(dtype).min), by_tensor)

        for by_tensor, path in ((False, "/masked_fill_Scalar/2"), (True, "/scalar_tensor/2")):
            with self.subTest(path):
                report = self.assert_passes(mask_of("f2", by_tensor), mask_of("f4", by_tensor))
                verdicts = {t["target"]: t["verdict"] for op in report["ops"] for t in op["tensors"]}
                self.assertEqual(verdicts[f"{path}/output/result"], "pass")

    def test_a_mask_of_float16_may_be_put_into_float32(self):
        def mask_of(dtype):
            def write(program):
                program.dtype = np.dtype("f4")
                masked_softmax(program, float(np.finfo(dtype).min))

            return write

        self.assert_passes(mask_of("f2"), mask_of("f4"))

    def test_a_mask_of_another_number_is_told(self):
        code, culprit, _ = self.compared(
            lambda program: masked_softmax(program, -2.0), lambda program: masked_softmax(program, float(np.finfo("f4").min))
        )
        self.assertEqual((code, culprit), (1, "/masked_fill_Scalar/2"))

    @staticmethod
    def chain(program, check=None):
        x = program.given(TOKENS, WIDTH)
        for layer in range(4):
            x = program.product(x, program.given(WIDTH, WIDTH) * program.dtype.type(0.25))
            if check and layer == 1:
                x = check(program, x)
            x = program.relu(x)

    def test_checks_and_clamps_that_change_nothing_are_no_parting(self):
        def finite(program, x):
            size = program.op("abs", np.abs(x), self=x)
            found = program.op("ne_Scalar", size != np.inf, self=size, other=float(np.inf))
            program.op("all", found.all(), self=found)
            return x

        def clamped(program, x):
            most = float(np.finfo("f2").max)
            return program.op("clamp", np.clip(x, -most, most), self=x, min=-most, max=most)

        def masked(program, x):
            """The gradient of a clamp."""
            low = program.op("ge_Scalar", x >= -1e4, self=x, other=-1e4)
            high = program.op("le_Scalar", x <= 1e4, self=x, other=1e4)
            both = program.op("logical_and_", low & high, "self", self=low, other=high)
            return program.op("where_self", np.where(both, x, 0), condition=both, self=x, other=np.zeros((), x.dtype))

        for check in (finite, clamped, masked):
            with self.subTest(check.__name__):
                report = self.assert_passes(lambda program, check=check: self.chain(program, check), self.chain)
                self.assertEqual((len(report["spans"]), report["partings"]), (1, []))

    def test_what_changes_something_or_ends_the_program_is_a_parting(self):
        def clamped(program, x):
            return program.op("clamp", np.clip(x, -0.5, 0.5), self=x, min=-0.5, max=0.5)

        code, culprit, _ = self.compared(lambda program: self.chain(program, clamped), self.chain)
        self.assertEqual((code, culprit), (1, "/clamp/4"))

        def ended(program):
            self.chain(program)
            last = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH))
            program.op("sigmoid", 1 / (1 + np.exp(-last.astype("f8"))), self=last)

        def cut_short(program):
            self.chain(program)
            program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH))

        code, culprit, _ = self.compared(ended, cut_short)
        self.assertEqual((code, culprit), (1, "/sigmoid/10"))

    @staticmethod
    def inverted(memory, fault=False):
        def write(program):
            ProgramsOfDevices.chain(program)
            order = np.random.default_rng(7).permutation(TOKENS)
            held = memory if isinstance(memory, np.ndarray) else np.full(TOKENS, memory)
            made = np.argsort(order)
            if fault:
                made = made[::-1].copy()
            given = {"self": held, "indices/indices_0": order, "values": np.arange(TOKENS)}
            program.op("index_put_", made, "self", **given, accumulate=False)

        return write

    def test_memory_that_nobody_had_written_is_no_input(self):
        rubbish = np.random.default_rng(9).integers(-(2**62), 2**62, TOKENS)
        self.assert_passes(self.inverted(rubbish), self.inverted(0))
        code, culprit, _ = self.compared(self.inverted(rubbish, fault=True), self.inverted(0))
        self.assertEqual(code, 1, culprit)

    def test_memory_is_no_input_where_other_numbers_are_put_into_it(self):
        rubbish = np.random.default_rng(9).integers(-(2**62), 2**62, TOKENS)

        def write_with(memory, seed):
            def write(program):
                self.chain(program)
                order = np.random.default_rng(seed).permutation(TOKENS)
                order = program.op("_to_copy", order, self=order)
                made = np.argsort(order)
                given = {"self": memory, "indices/indices_0": order, "values": np.arange(TOKENS)}
                program.op("index_put_", made, "self", **given, accumulate=False)

            return write

        _, _, report = self.compared(write_with(rubbish, 7), write_with(np.zeros(TOKENS, "i8"), 8))
        self.assertNotIn("/index_put_/10/input/self", [each["tensor"] for each in report["culprits"]])

    @staticmethod
    def attention(program, width, name, dropout=0.0):
        """One head of WIDTH - 4 numbers, padded to `width`."""
        padded = np.zeros((1, 1, TOKENS, width), program.dtype)
        operands = {}
        for role in ("query", "key", "value"):
            x = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH - 4))
            operands[role] = x[None, None]
            if width > WIDTH - 4:
                more = padded.copy()
                more[..., : WIDTH - 4] = x
                operands[role] = program.op("constant_pad_nd", more, self=x[None, None], pad=[0, width - WIDTH + 4], value=0.0)
        query, key, value = (operands[role].astype("f8") for role in ("query", "key", "value"))
        scores = np.exp(query @ key.swapaxes(2, 3) * 0.125)
        weights = scores / scores.sum(-1, keepdims=True)
        result = weights * (np.random.default_rng(3).random(weights.shape) > dropout) / (1 - dropout) @ value
        result = program.op(name, result, "output", **operands, dropout_p=dropout, is_causal=False, scale=0.125)
        program.relu(program.product(result[0, 0, :, : WIDTH - 4], program.given(WIDTH - 4, WIDTH)))

    def test_heads_may_be_padded(self):
        def padded(program):
            self.attention(program, WIDTH, "_scaled_dot_product_flash_attention")

        def plain(program, scale=1.0):
            self.attention(program, WIDTH - 4, "_scaled_dot_product_flash_attention_for_cpu")

        report = self.assert_passes(padded, plain)
        self.assertEqual((report["partings"], report["counts"]["incomparable"]), ([], 0))
        self.assertGreaterEqual(len(report["spans"]), 1)

    def test_attention_may_drop_weights_by_itself(self):
        def by_steps(program):
            query, key, value = (program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH)) for _ in range(3))
            scores = program.product(query, np.ascontiguousarray(key.T))
            scores = program.op("mul_Scalar", scores * program.dtype.type(0.25), self=scores, other=0.25)
            powers = np.exp(scores.astype("f8") - scores.max(-1, keepdims=True))
            weights = program.op("_softmax", powers / powers.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
            kept = program.chance.random(weights.shape) > 0.5
            weights = program.op("native_dropout", weights * kept * 2, "result0", input=weights, p=0.5, train=True)
            program.relu(program.product(weights, value))

        def in_one(program):
            query, key, value = (program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH)) for _ in range(3))
            powers = np.exp(query.astype("f8") @ key.T.astype("f8") * 0.25)
            weights = powers / powers.sum(-1, keepdims=True) * (program.chance.random(powers.shape) > 0.5) * 2
            operands = {"query": query[None, None], "key": key[None, None], "value": value[None, None]}
            made = program.op(
                "_scaled_dot_product_cudnn_attention", (weights @ value)[None, None], "output", **operands, dropout_p=0.5, is_causal=False
            )
            program.relu(made[0, 0])

        self.assert_passes(in_one, by_steps)

    def test_a_loss_scale_is_seen_in_a_view_of_it(self):
        def write_with(scale):
            def write(program):
                self.chain(program)
                one = program.op("ones_like", np.ones(()), self=np.ones((), program.dtype))
                if scale > 1:
                    loss = program.op("full", np.float64(scale), fill_value=float(scale), size=[])
                    program.op("mul_Tensor", loss * 3, self=np.full((), 3, program.dtype), other=loss)
                    one = program.op("mul_Tensor", one * loss, self=one, other=loss)
                spread = np.full(4, one)
                made = program.op("div_Scalar", spread / program.dtype.type(4), self=spread, other=4.0)
                x = program.given(4, WIDTH)
                made = program.op("mul_Tensor", made[:, None] * x, self=np.repeat(made[:, None], WIDTH, 1), other=x)
                if scale > 1:
                    program.op("div_Tensor", made / loss, self=made, other=loss)

            return write

        _, _, report = self.compared(write_with(1024), write_with(1))
        self.assertNotIn("tensor", [each["kind"] for each in report["culprits"]], report["culprits"])

    def test_ops_that_nobody_can_compute_may_make_more_of_what_came_in(self):
        def write_with(off):
            def write(program):
                program.dtype = np.dtype("f4")
                x = program.product(program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH)) * np.float32(1 + off / 16)
                x = program.op("_to_copy", x, self=x)
                program.op("_ctc_loss_backward_Tensor", x * (1 + off), grad=x, blank=0)

            return write

        self.assert_passes(write_with(3e-5), write_with(0))
        code, culprit, _ = self.compared(write_with(1.5e-4), write_with(0))
        self.assertEqual((code, culprit), (1, "/_ctc_loss_backward_Tensor/3"))

    @staticmethod
    def routed(counted_in, flip):
        """Tokens choose an expert; a chosen one that is near another may be another there."""

        def write(program):
            scores = program.relu(program.given(TOKENS, 4))
            scores = program.product(scores, program.given(4, 4))
            ids = np.argmax(scores, 1)
            ids[3] = (ids[3] + flip) % 4
            ids = program.op("argmax", ids, self=scores, dim=1, keepdim=False)
            counted = program.op("_to_copy", ids.astype(counted_in), self=ids)
            program.op("histc", np.bincount(counted.astype("i8"), minlength=4).astype(counted_in), self=counted, bins=4, min=0, max=3)

        return write

    def test_experts_may_be_counted_in_whole_numbers_of_any_dtype(self):
        self.assert_passes(self.routed("i4", 0), self.routed("f4", 0))
        code, culprit, report = self.compared(self.routed("i4", 1), self.routed("f4", 0))
        self.assertEqual((code, culprit), (1, "/argmax/3"), report["first_culprit"])
        self.assertEqual([each["path"] for each in report["culprits"]], ["/argmax/3"])

    @staticmethod
    def gradients(sum_first, scale=1):
        """Two layers: of each the gradients of the weight and of the bias, in either order."""

        def write(program):
            gradient = (program.given(32, WIDTH).astype("f4") * 2.0**-12 * scale).astype(program.dtype)
            for _ in range(2):
                x, w = program.given(32, WIDTH), program.given(WIDTH, WIDTH) * program.dtype.type(0.25)

                def of_bias(of=gradient):
                    wide = of.reshape(1, 4, 8, WIDTH) if sum_first else of
                    axes = list(range(wide.ndim - 1))
                    made = wide.astype("f8").sum(tuple(axes), keepdims=True)
                    program.op("sum_dim_IntList", made, self=wide, dim=axes, keepdim=True)

                def of_weight(of=gradient, x=x):
                    program.product(np.ascontiguousarray(of.T), x)

                for part in (of_bias, of_weight) if sum_first else (of_weight, of_bias):
                    part()
                gradient = program.product(gradient, w)

        return write

    def test_gradients_of_weights_and_biases_may_come_in_either_order(self):
        for scale in (1, 1024):
            with self.subTest(scale=scale):
                code, culprit, report = self.compared(self.gradients(True, scale), self.gradients(False))
                pairs = {op["path"]: op["golden"] for op in report["ops"]}
                self.assertEqual(pairs["/sum_dim_IntList/1"], "/sum_dim_IntList/2")
                self.assertEqual(report["partings"], [])
                if scale == 1:
                    self.assertEqual((code, culprit), (0, None))

    def test_three_gradients_may_be_added_up_in_another_order(self):
        def terms(program):
            x = program.given(TOKENS, WIDTH)
            return [program.product(x, program.given(WIDTH, WIDTH)) for _ in range(3)]

        def added(program, one, other):
            return program.op("add_Tensor", one.astype("f8") + other, self=one, other=other)

        def one_by_one(program):
            first, second, third = terms(program)
            program.relu(added(program, added(program, first, second), third))

        def in_half(program, x):
            half = x.astype("f2")
            program.dtype = np.dtype("f2")
            program.op("_to_copy", half, self=x)
            program.dtype = np.dtype("f4")
            return program.op("_to_copy", half.astype("f4"), self=half)

        def the_last_first(program):
            program.dtype = np.dtype("f4")
            first, second, third = terms(program)
            first = in_half(program, first)
            program.relu(added(program, first, added(program, second, third)))

        self.assert_passes(the_last_first, one_by_one)


def to_tf32(x, ties_away=False):
    mantissa, exponent = np.frexp(x.astype("f8"))
    scaled = mantissa * 2.0**11
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) if ties_away else np.round(scaled)
    return np.ldexp(rounded / 2.0**11, exponent)


class Tf32(InFolder):
    def write(self, name, rounded, of_one_row, is_mixed=False):
        with Program(self.folder / name) as program:
            x = program.chance.standard_normal((TOKENS, WIDTH)).astype("f4")
            for layer in range(6):
                w = (program.chance.standard_normal((WIDTH, WIDTH)) * 0.25).astype("f4")
                if layer == 2:
                    w[0] = np.float32(1.5 * 2.0**-10 + 2.0**-21)  # between two TF32 numbers
                of_layer = rounded if layer % 2 == 0 or not is_mixed else of_one_row
                x = program.op("mm", of_layer(x) @ of_layer(w), self=x, mat2=w)
            places, steps = np.arange(1.0, 23, dtype="f4")[None], np.array([[1], [0.01]], "f4")
            program.op("mm", of_one_row(steps) @ of_one_row(places), self=steps, mat2=places)
            program.relu(x)

    def verdict(self, rounded, of_one_row, is_mixed=False):
        self.write("t.h5", rounded, of_one_row, is_mixed)
        self.write("g.h5", lambda x: x.astype("f8"), lambda x: x.astype("f8"))
        return compared(self.folder / "t.h5", self.folder / "g.h5")[:2]

    def test_a_product_that_the_kernel_is_not_made_for_is_more_precise(self):
        self.assertEqual(self.verdict(to_tf32, lambda x: x.astype("f8")), (0, None))
        self.assertEqual(self.verdict(to_tf32, to_tf32), (0, None))
        self.assertEqual(self.verdict(to_tf32, lambda x: x.astype("f8") * (1 + 2.0**-9)), (1, "/mm/7"))

    def test_ties_are_rounded_away(self):
        for is_mixed in (False, True):
            with self.subTest(is_mixed=is_mixed):
                found = self.verdict(lambda x: to_tf32(x, ties_away=True), lambda x: x.astype("f8"), is_mixed)
                self.assertEqual(found, (0, None))
