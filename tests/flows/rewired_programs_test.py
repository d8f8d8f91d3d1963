"""Programs of two people, in the plain layout, of which one takes in another tensor, ends in another op or has one more: who is at fault, and who is
not, where all that is written otherwise is honest."""

import functools
import unittest

import h5py
import numpy as np
from compared import InFolder, compared
from plain_program import TOKENS, WIDTH, Program

HEADS, BATCH = 2, 4


def as_half(x):
    return x.astype("f2").astype("f4")


def as_bfloat16(x):
    bits = np.ascontiguousarray(x, "f4").view("u4").astype("u8")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("u4").view("f4")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class RewiredPrograms(InFolder):
    def said(self, write, *words, results_alone=(), golden={}, **target):
        for name, how in (("t", target), ("g", golden)):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, **how)
            if name in results_alone:
                with h5py.File(self.folder / f"{name}.h5", "r+") as file:
                    for op in file.values():
                        for run in op.values():
                            del run["input"]
        return compared(self.folder / "t.h5", self.folder / "g.h5", *words)

    def test_operands_that_were_exchanged_ran_in_no_other_order(self):
        """Queries and keys have one shape, and so have their copies: only what takes these in tells that they are no other way round."""

        def write(program, exchanged=False, in_another_order=False, weights_exchanged=False):
            x = program.given(TOKENS, WIDTH)
            weights = [program.given(WIDTH, WIDTH) for _ in range(3)]
            if weights_exchanged:
                weights[:2] = weights[1::-1]
            query, key, value = (program.product(x, weight) for weight in weights)
            split = lambda rows: rows.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2)
            copied = lambda rows: program.op("clone", np.ascontiguousarray(split(rows)), self=split(rows))
            if exchanged:
                query, key = key, query
            if in_another_order:
                key = copied(key)
                query = copied(query)
            else:
                query, key = copied(query), copied(key)
            scores = program.op("bmm", query @ key.transpose(0, 2, 1), self=query, mat2=key.transpose(0, 2, 1))
            program.op("bmm", scores @ split(value), self=scores, mat2=split(value))

        code, path, report = self.said(write, exchanged=True)
        self.assertEqual((code, path), (1, "/clone/4"))
        self.assertIn("is not what /mm/1 made (in the golden it is); it is what /mm/2 made", report["first_culprit"]["why"])
        code, path, report = self.said(write, in_another_order=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, weights_exchanged=True)
        self.assertEqual((code, path), (1, "/mm/1"))
        self.assertIn("weight `mat2` of /mm/1 is not the golden's: it is the golden's /mm/2/input/mat2", report["first_culprit"]["why"])

    def test_a_bias_that_a_softmax_levels_is_told_where_the_golden_makes_a_gradient_of_it(self):
        """A number that all keys of a query have in common changes no share."""

        def write(program, biased=True, cast=False):
            x = program.given(TOKENS, WIDTH)
            queries, keys, bias = program.given(WIDTH, WIDTH), program.given(WIDTH, WIDTH), program.given(WIDTH)
            query = program.product(x, queries)
            if biased:
                if cast:
                    bias = program.op("_to_copy", as_half(bias), self=bias)
                key = program.op("addmm", (x.astype("f8") @ keys + bias).astype("f4"), self=bias, mat1=x, mat2=keys, beta=1, alpha=1)
            else:
                key = program.product(x, keys)
            scores = program.product(query, np.ascontiguousarray(key.T))
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares = program.op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
            program.product(shares, x)
            above = program.product(program.given(TOKENS, WIDTH), np.ascontiguousarray(x.T))
            below = shares * (above - (above * shares).sum(-1, keepdims=True))
            below = program.op("_softmax_backward_data", below, grad_output=above, output=shares, dim=-1, input_dtype=6)
            gradient = program.product(np.ascontiguousarray(below.T), query)
            if biased:
                program.op("sum_dim_IntList", gradient.sum(0, keepdims=True), self=gradient, dim=[0], keepdim=True)
            program.product(np.ascontiguousarray(x.T), gradient)

        for cast in (False, True):
            with self.subTest(cast=cast):
                code, path, report = self.said(write, biased=False, golden={"cast": cast})
                self.assertEqual((code, path), (1, "/mm/2"))
                self.assertIn("is given a bias `self` ([%d]) that the target has nowhere" % WIDTH, report["first_culprit"]["why"])

    def test_layers_that_run_again_for_the_gradients_are_no_other_program(self):
        """As with checkpoints. The positions that all is made of are whole numbers, which have no rounding."""

        def write(program, again=False):
            x, places = program.given(TOKENS, WIDTH), program.op("arange", np.arange(TOKENS), end=TOKENS)
            table = program.given(TOKENS, WIDTH)
            x = program.op("add_Tensor", x + program.op("embedding", table[places], weight=table, indices=places), self=x, other=table[places], alpha=1)
            weights = [program.given(WIDTH, WIDTH) / 4 for _ in range(3)]

            def block(x):
                made = [x]
                for w in weights:
                    made.append(program.relu(program.product(made[-1], w)))
                return made

            made, slopes = block(x), program.given(TOKENS, WIDTH)
            gradient = program.op("mul_Tensor", made[-1] * slopes, self=made[-1], other=slopes)
            if again:
                made = block(x)
            for x, y, w in zip(made[-2::-1], made[:0:-1], weights[::-1], strict=True):
                gradient = program.op("threshold_backward", gradient * (y > 0), grad_output=gradient, self=y, threshold=0)
                program.product(np.ascontiguousarray(x.T), gradient)
                gradient = program.product(gradient, np.ascontiguousarray(w.T))

        code, path, report = self.said(write, again=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_a_missing_bias_is_told_where_coarse_arithmetic_allows_for_much(self):
        """What becomes of the bias is within what bfloat16 may make of so many steps, but all ends are as far off as the op is, and nothing before is."""

        def norm(x):
            return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

        def write(program, rounded=lambda x: x, biased=True, least=0):
            x = program.given(TOKENS, WIDTH)
            ones, zeros = np.ones(WIDTH, "f4"), np.zeros(WIDTH, "f4")
            ends = []

            def linear(x, bias):
                w, b = program.given(WIDTH, WIDTH), bias * program.given(WIDTH)
                product = as_bfloat16(x).astype("f8") @ as_bfloat16(w) if rounded is as_bfloat16 else x.astype("f8") @ w
                if biased or bias == 1:
                    return w, program.op("addmm", rounded((product + b).astype("f4")), self=b, mat1=x, mat2=w, beta=1, alpha=1)
                return w, program.op("mm", rounded(product.astype("f4")), self=x, mat2=w)

            for bias in (1, 1, 1, least, 1, 1):
                w, y = linear(x, bias)
                mean, rstd = y.mean(-1, keepdims=True), 1 / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
                steps = [rounded(np.asarray(each, "f4")) for each in (norm(y), mean, rstd)]
                x = program.results("native_layer_norm", steps, input=y, normalized_shape=[WIDTH], weight=ones, bias=zeros, eps=1e-5)[0]
                x = program.op("tanh", rounded(np.tanh(x)), self=x)
                ends.append(np.ascontiguousarray(x.T))
            for end in ends:
                program.op("mm", rounded((as_bfloat16(end).astype("f8") @ as_bfloat16(x)).astype("f4") if rounded is as_bfloat16 else (end.astype("f8") @ x).astype("f4")), self=end, mat2=x)

        for least in (0.2, 0.45, 0.6):
            with self.subTest(bias=least):
                code, path, report = self.said(functools.partial(write, least=least), rounded=as_bfloat16)
                self.assertEqual((code, path), (0, None), report["first_culprit"])
                code, path, report = self.said(functools.partial(write, least=least), rounded=as_bfloat16, biased=False)
                self.assertEqual((code, path), (1, "/mm/10"))
                said = report["first_culprit"]["why"]
                self.assertTrue("target has mm where golden has addmm" in said or "is given a bias `self`" in said, said)

    def test_what_was_changed_where_it_lay_is_told_whatever_masks_were_drawn(self):
        """No op did it, and with another mask no number is near the golden's."""

        def write(program, seed=1, changed=lambda x: x, zeros=False):
            x, w, v = program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH), program.given(WIDTH, WIDTH)
            if zeros:
                program.op("zero_", np.zeros_like(x), "self", self=x)
            kept = np.random.default_rng(seed).random(x.shape) > 0.5
            x = program.results("native_dropout", [np.where(kept, 2 * x, 0).astype("f4"), kept], input=x, p=0.5, train=True)[0]
            y = program.product(x, w)
            y = changed(y).astype("f4")
            y = program.op("tanh", np.tanh(y), self=y)
            program.product(y, v)

        def bit_in(x):
            x = x.copy()
            x[2, 3] *= -16
            return x

        code, path, report = self.said(write, seed=2)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        for changed, words in ((lambda x: x / 2, "scaled by 0.5"), (np.negative, "sign is changed"), (bit_in, "one element of 192 differs")):
            with self.subTest(words):
                code, path, report = self.said(write, seed=2, changed=changed)
                self.assertEqual((code, path), (1, "/tanh/3"))
                self.assertIn("is not what /mm/2 made (in the golden it is)", report["first_culprit"]["why"])
                self.assertIn(words, report["first_culprit"]["why"])
                code, path, report = self.said(functools.partial(write, seed=2), golden={"seed": 3, "changed": changed})
                self.assertEqual((code, path), (1, "/tanh/3"))
                self.assertIn("/tanh/3 is not what its /mm/2 made (in the target it is)", report["first_culprit"]["why"])
                self.assertIn(words, report["first_culprit"]["why"])
        code, path, report = self.said(functools.partial(write, zeros=True), golden={"seed": 3, "changed": np.zeros_like}, seed=2)
        self.assertEqual((code, path), (1, "/tanh/4"))
        self.assertIn("is not what its /mm/3 made (in the target it is); it is all zero", report["first_culprit"]["why"])

    def test_an_op_that_one_program_ends_in_hides_nothing_before_it(self):
        """Keys and values of a fused weight are exchanged; the golden divides its last result by 1."""

        def write(program, fused=False, exchanged=False):
            x = program.given(TOKENS, WIDTH)
            for layer in range(2):
                weights = [program.given(WIDTH, WIDTH) / 2 for _ in range(3)]
                if fused:
                    turned = (0, 2, 1) if exchanged and layer == 1 else (0, 1, 2)
                    all_of_them = program.product(x, np.concatenate([weights[i] for i in turned], 1))
                    query, key, value = np.split(all_of_them, 3, 1)
                    query, key, value = (np.ascontiguousarray(each) for each in (query, key, value))
                else:
                    query, key, value = (program.product(x, w) for w in weights)
                key = program.op("neg", -key, self=key)
                scores = program.product(query, np.ascontiguousarray(key.T))
                shares = np.exp(scores - scores.max(-1, keepdims=True))
                shares = program.op("_softmax", shares / shares.sum(-1, keepdims=True), self=scores, dim=-1, half_to_float=False)
                x = program.op("add_Tensor", x + (y := program.product(shares, value)), self=x, other=y, alpha=1)
            x = program.product(x, program.given(WIDTH, WIDTH))
            if not fused:
                program.op("div_Tensor", x / np.float32(1), self=x, other=np.float32(1))

        code, path, report = self.said(write, fused=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, fused=True, exchanged=True)
        self.assertEqual(code, 1)
        self.assertIn(path, ("/add_Tensor/6", "/mm/7", "/neg/8"), report["first_culprit"])  # "behind" the first

    def test_which_of_equal_elements_a_pool_chose_is_no_other_program(self):
        """Behind a relu many are 0. One program takes the last of them, and has a layer more."""

        def write(program, last=False, more=False):
            x = program.relu(program.given(1, 4, 8, 8))
            windows = x.reshape(1, 4, 4, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(1, 4, 4, 4, 4)
            chosen = 3 - windows[..., ::-1].argmax(-1) if last else windows.argmax(-1)
            rows, columns = np.meshgrid(range(4), range(4), indexing="ij")
            places = (2 * rows + chosen // 2) * 8 + 2 * columns + chosen % 2
            pair = {"kernel_size": [2, 2], "stride": [2, 2], "padding": [0, 0], "dilation": [1, 1]}
            pooled = program.results("max_pool2d_with_indices", [windows.max(-1), places], self=x, ceil_mode=False, **pair)[0]
            y = program.op("view", pooled.reshape(4, WIDTH), self=pooled, size=[4, WIDTH])
            slopes, weight = program.given(4, WIDTH), program.given(WIDTH, WIDTH)
            if more:
                y = program.product(y, weight)
            program.op("tanh", np.tanh(y), self=y)
            above = program.product(slopes, np.ascontiguousarray(weight.T)) if more else slopes
            above = program.op("mul_Tensor", above * slopes, self=above, other=slopes).reshape(pooled.shape)
            below = np.zeros_like(x).reshape(4, 64)
            np.put_along_axis(below, places.reshape(4, 16), above.reshape(4, 16), 1)
            program.op("max_pool2d_with_indices_backward", below.reshape(x.shape), "grad_input", grad_output=above, self=x, ceil_mode=False, indices=places, **pair)

        code, path, report = self.said(write, last=True)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, last=True, more=True)
        self.assertEqual((code, path), (1, "/mm/4"))
        self.assertIn("target has mm more", report["first_culprit"]["why"])

    def test_numbers_that_both_sides_draw_are_no_finding(self):
        def write(program, seed=1):
            shares = program.op("sigmoid", sigmoid(x := program.given(TOKENS, WIDTH)), self=x)
            drawn = np.random.default_rng(seed).integers(0, WIDTH, (TOKENS, 1))
            program.op("multinomial", drawn, self=shares, num_samples=1, replacement=False)

        self.assertEqual(self.said(write, seed=2)[:2], (0, None))

    def test_a_bias_that_the_last_op_of_one_side_alone_adds_is_told(self):
        """No op takes in what either makes, and the gradients do not depend on it."""

        def write(program, biased=True):
            x, w = program.given(TOKENS, WIDTH), program.given(WIDTH, WIDTH)
            bias = program.given(WIDTH)
            h = program.relu(program.product(x, program.given(WIDTH, WIDTH)))
            if biased:
                program.op("addmm", h.astype("f8") @ w.astype("f8") + bias, self=bias, mat1=h, mat2=w, beta=1, alpha=1)
            else:
                program.product(h, w)
            gradient = program.given(TOKENS, WIDTH)
            for operands in ((h.T, gradient), (gradient, w.T)):
                program.product(*(np.ascontiguousarray(each) for each in operands))

        code, path, report = self.said(write, biased=False)
        self.assertEqual((code, path), (1, "/mm/3"))
        self.assertIn("is given a bias `self` ([16]) that the target has nowhere", report["first_culprit"]["why"])

    def test_the_rows_of_a_batch_may_be_counted_by_step_to_the_end(self):
        def write(program, by_step=False, active=True, operands=lambda x: x):
            x, steps = program.given(BATCH, TOKENS, WIDTH), program.given(TOKENS, WIDTH)
            up, down, bias = program.given(WIDTH, WIDTH), program.given(WIDTH, WIDTH), program.given(WIDTH)
            x = x.transpose(1, 0, 2) if by_step else x
            rows = np.ascontiguousarray(x).reshape(-1, WIDTH)
            more = np.repeat(steps, BATCH, 0) if by_step else np.tile(steps, (BATCH, 1))
            h = program.op("add_Tensor", rows + more, self=rows, other=more, alpha=1)
            h = program.op("mm", operands(h).astype("f8") @ operands(up).astype("f8"), self=h, mat2=up)
            if active:
                h = program.relu(h)
            product = operands(h).astype("f8") @ operands(down).astype("f8")
            program.op("addmm", product + bias, self=bias, mat1=h, mat2=down, beta=1, alpha=1)

        code, path, report = self.said(write, "--align", by_step=True, operands=as_half)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertEqual(self.said(write, "--align", by_step=True, active=False, operands=as_half)[0], 1)

    def test_an_op_more_in_a_target_of_results_alone_is_told_and_not_what_takes_it_in(self):
        def write(program, bounded=False):
            x = program.given(TOKENS, WIDTH)
            for layer in range(3):
                x = program.product(x, program.given(WIDTH, WIDTH) * np.float32(0.3))
                if bounded and layer == 1:
                    x = program.op("tanh", np.tanh(x), self=x)
                x = program.op("sigmoid", sigmoid(x), self=x)

        self.assertEqual(self.said(write, results_alone="t")[:2], (0, None))
        code, path, report = self.said(write, results_alone="t", bounded=True)
        self.assertEqual((code, path), (1, "/tanh/4"))
        self.assertIn("target has tanh more", report["first_culprit"]["why"])
        self.assertEqual(len(report["culprits"]), 1, report["culprits"])

    def test_a_bias_that_zeros_were_added_to_is_still_given(self):
        """The first step of a recurrence makes rows of the bias; what the next one takes in is not these."""

        def write(program, wrong=False, operands=lambda x: x):
            w, bias, state = program.given(WIDTH, WIDTH), program.given(WIDTH), np.zeros((TOKENS, WIDTH), "f4")
            for step in range(3):
                sums = operands(state).astype("f8") @ operands(w).astype("f8") + bias
                if wrong and step == 1:
                    sums[:, 3:7] *= 1.2
                sums = program.op("addmm", sums, self=bias, mat1=state, mat2=w, beta=1, alpha=1)
                other = program.given(TOKENS, WIDTH)
                state = program.op("tanh", np.tanh(program.op("add_Tensor", sums + other, self=sums, other=other, alpha=1)), self=(sums + other))

        self.assertEqual(self.said(write, results_alone="t", operands=as_half)[:2], (0, None))
        self.assertEqual(self.said(write, results_alone="t", operands=as_half, wrong=True)[:2], (1, "/addmm/4"))

    def test_rows_that_are_equal_do_not_hide_a_program_that_computes_something_else(self):
        """A recurrence that begins with zeros: what the products make of them is one row over and over, of which parts are taken."""

        def write(program, by_difference=True, inverted=False):
            w, bias, h = program.given(WIDTH, 3 * WIDTH), program.given(3 * WIDTH), np.zeros((TOKENS, WIDTH), "f4")
            parts = lambda x: [x[:, i * WIDTH : (i + 1) * WIDTH] for i in range(3)]
            add = lambda one, other: program.op("add_Tensor", one + other, self=one, other=other, alpha=1)
            times = lambda one, other: program.op("mul_Tensor", one * other, self=one, other=other)
            for _ in range(3):
                wide = h.astype("f8") @ w.astype("f8") + bias
                wide = program.op("addmm", wide, self=bias, mat1=h, mat2=w, beta=1, alpha=1)
                given, own = parts(program.given(TOKENS, 3 * WIDTH)), parts(wide)
                r, z = (program.op("sigmoid", sigmoid(x), self=x) for x in (add(given[0], own[0]), add(given[1], own[1])))
                n = add(given[2], times(r, own[2]))
                n = program.op("tanh", np.tanh(n), self=n)
                if by_difference:
                    h = add(times(program.op("sub_Tensor", h - n, self=h, other=n, alpha=1), z), n)
                else:
                    rest = program.op("rsub_Scalar", 1 - z, self=z, other=1, alpha=1)
                    h = add(times(rest, h), times(z, n)) if inverted else add(times(rest, n), times(z, h))

        code, path, report = self.said(write, by_difference=False)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        code, path, report = self.said(write, by_difference=False, inverted=True)
        self.assertEqual(code, 1)
        self.assertIn("compute something else here", report["first_culprit"]["why"])

    def test_results_of_more_bits_than_bfloat16_are_held_to_their_own(self):
        """A recorder that stores bfloat16 as float32, and leaves out the numbers that an op divides its list by."""

        def write(program, factor=1.0):
            x = as_bfloat16(program.given(TOKENS, WIDTH))
            for _ in range(6):
                w = as_bfloat16(program.given(WIDTH, WIDTH))
                x = program.op("mm", as_bfloat16(x.astype("f8") @ w.astype("f8")), self=x, mat2=w)
                x = program.op("tanh", as_bfloat16(np.tanh(x)), self=x)
            states = [program.chance.standard_normal((WIDTH, WIDTH)).astype("f4") for _ in range(2)]
            group = program._taking("_foreach_div__ScalarList", {"self": states})
            for i, state in enumerate(states):
                group[f"output/self/self_{i}"] = (state / np.float32(0.0893) * np.float32(factor if i == 1 else 1)).astype("f4")

        self.assertEqual(self.said(write)[:2], (0, None))
        self.assertEqual(self.said(write, factor=1.001)[:2], (1, "/_foreach_div__ScalarList/13"))

    def test_a_target_of_results_alone_may_scale_its_loss_and_take_the_scale_back(self):
        def write(program, scale=1.0, taken_back=True):
            x, w, of = program.given(TOKENS, WIDTH), program.given(WIDTH, 1), program.given(TOKENS, 1)
            y = program.product(x, w)
            loss = program.op("mse_loss", ((y - of).astype("f8") ** 2).mean(), self=y, target=of, reduction=1)
            gradient = program.op("ones_like", np.ones((), "f4"), self=loss)
            if scale != 1:
                program.op("mul_Tensor", loss * np.float32(scale), self=loss, other=np.float32(scale))
                gradient = program.op("mul_Tensor", gradient * np.float32(scale), self=gradient, other=np.float32(scale))
            back = 2 * (y - of) * gradient / TOKENS
            back = program.op("mse_loss_backward", back, grad_output=gradient, self=y, target=of, reduction=1)
            change = program.product(np.ascontiguousarray(x.T), back)
            if scale != 1 and taken_back:
                change = program.op("mul__Tensor", change / np.float32(scale), "self", self=change, other=np.float32(1 / scale))
            program.op("add__Tensor", w - np.float32(0.1) * change, "self", self=w, other=change, alpha=-0.1)

        code, path, report = self.said(write, results_alone="t", scale=128.0)
        self.assertEqual((code, path), (0, None), report["first_culprit"])
        self.assertIn("the target multiplies its loss by 128", report["stderr"])
        self.assertEqual(self.said(write, results_alone="t", scale=128.0, taken_back=False)[0], 1)

    def test_operands_below_the_range_of_float16_are_rounded_as_that_does(self):
        """Nothing else tells a unit that rounds to float16 from one that rounds to TF32."""

        def write(program, operands=lambda x: x):
            x = program.given(TOKENS, WIDTH) * np.float32(1.001)
            for layer in range(6):
                w = program.given(WIDTH, WIDTH) * np.float32(1.003)
                if layer == 4:
                    x = np.ascontiguousarray(np.concatenate([x[:-1], x[-1:] * np.float32(2e-5)]))
                x = program.op("mm", operands(x).astype("f8") @ operands(w).astype("f8"), self=x, mat2=w)
                x = program.op("sigmoid", sigmoid(x), self=x)

        code, path, report = self.said(write, operands=as_half)
        self.assertEqual((code, path), (0, None), report["first_culprit"])


    def test_what_cancels_inside_a_gradient_and_what_a_unit_drops_is_rounding(self):
        """Of a network that is sure of its answers: 1 - p is what float32 leaves of it, and float16 has no such numbers."""

        def write(program, copies=False, operands=lambda x: x, factor=1.0):
            h, w = program.relu(program.given(TOKENS, WIDTH)), program.given(WIDTH, WIDTH)
            logits = program.given(TOKENS, WIDTH) + 14 * np.eye(TOKENS, WIDTH, dtype="f4")
            logits = program.op("mul_Tensor", logits * np.float32(1.0003), self=logits, other=np.float32(1.0003))
            shifted = logits - logits.max(1, keepdims=True)
            sure = program.op("_log_softmax", shifted - np.log(np.exp(shifted).sum(1, keepdims=True)), self=logits, dim=1, half_to_float=False)
            if copies:
                sure = program.op("clone", sure, self=sure)
            given = (-np.eye(TOKENS, WIDTH) / TOKENS).astype("f4")
            gradient = given - np.exp(sure) * given.sum(1, keepdims=True) * np.float32(factor)
            gradient = program.op("_log_softmax_backward_data", gradient, grad_output=given, output=sure, dim=1, input_dtype=6)
            for one, other in ((h.T, gradient), (gradient, w.T)):
                one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
                program.op("mm", operands(one).astype("f8") @ operands(other).astype("f8"), self=one, mat2=other)

        def dropped(x):
            return np.where(np.abs(x) < 2.0**-14, 0, as_half(x))

        for name, copies in (("t", False), ("g", True)):
            with Program(self.folder / f"{name}.h5") as program:
                write(program, copies, dropped if name == "t" else (lambda x: x))
        code, path, report = compared(self.folder / "t.h5", self.folder / "g.h5")
        self.assertEqual((code, path), (0, None), report["first_culprit"])


if __name__ == "__main__":
    unittest.main()
