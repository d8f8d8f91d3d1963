"""npuscope compare of a model that two people wrote: the golden's ops on the target's numbers tell whether they make the same, whatever pairs with what."""

import contextlib
import io
import unittest

import h5py
import npuscope.torch as nt
import torch
from compared import InFolder, compared
from torch.nn import functional as F

LENGTH, WIDTH, HEADS, GROUPS, INNER = 6, 16, 4, 2, 24
HEAD = WIDTH // HEADS


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Weights:
    def __init__(self):
        self.query, self.out = drawn(WIDTH, WIDTH, seed=1) * 0.3, drawn(WIDTH, WIDTH, seed=2) * 0.3
        self.key, self.value = drawn(GROUPS * HEAD, WIDTH, seed=3) * 0.3, drawn(GROUPS * HEAD, WIDTH, seed=4) * 0.3
        self.gate, self.up = drawn(INNER, WIDTH, seed=5) * 0.3, drawn(INNER, WIDTH, seed=6) * 0.3
        self.down, self.norm = drawn(WIDTH, INNER, seed=7) * 0.3, drawn(WIDTH, seed=8) * 0.2
        self.bias = drawn(WIDTH, seed=9) * 0.2
        self.x = drawn(2, LENGTH, WIDTH, seed=10)


def heads(x, count):
    return x.view(2, LENGTH, count, HEAD).transpose(1, 2)


def rms(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + weight)


def first_way():
    """Heads in front, keys and values repeated, gate and up apart."""
    w = Weights()
    y = rms(w.x, w.norm)
    q, k, v = heads(F.linear(y, w.query), HEADS), heads(F.linear(y, w.key), GROUPS), heads(F.linear(y, w.value), GROUPS)
    k, v = k.repeat_interleave(HEADS // GROUPS, 1), v.repeat_interleave(HEADS // GROUPS, 1)
    shares = torch.softmax(q @ k.transpose(-1, -2) / HEAD ** 0.5, -1)
    x = w.x + F.linear((shares @ v).transpose(1, 2).reshape(2, LENGTH, WIDTH), w.out, w.bias)
    return x + F.linear(F.silu(F.linear(x, w.gate)) * F.linear(x, w.up), w.down)


def second_way(repeated=False, plain_norm=False, swapped=False, without_bias=False):
    """Queries, keys and values in one product, heads by groups, gate and up in one product."""
    w = Weights()
    fused = torch.cat([w.query, w.key, w.value]).t().contiguous()
    inner = torch.cat([w.up, w.gate] if swapped else [w.gate, w.up]).t().contiguous()
    y = w.x / torch.sqrt((w.x * w.x).mean(-1, keepdim=True) + 1e-6) * (w.norm if plain_norm else 1 + w.norm)
    q, k, v = (y.reshape(-1, WIDTH) @ fused).view(2, LENGTH, HEADS + 2 * GROUPS, HEAD).split([HEADS, GROUPS, GROUPS], 2)
    if repeated:
        q = q.reshape(2, LENGTH, HEADS // GROUPS, GROUPS, HEAD).transpose(2, 3)
    else:
        q = q.reshape(2, LENGTH, GROUPS, HEADS // GROUPS, HEAD)
    shares = torch.softmax(torch.einsum("btkgd,bskd->bkgts", q, k) * HEAD ** -0.5, -1)
    made = torch.einsum("bkgts,bskd->btkgd", shares, v)
    made = made.transpose(2, 3) if repeated else made
    x = w.x.reshape(-1, WIDTH) + made.reshape(-1, WIDTH) @ w.out.t()
    x = x if without_bias else x + w.bias
    gate, up = (x @ inner).chunk(2, -1)
    return (x + gate * torch.sigmoid(gate) * up @ w.down.t()).view(2, LENGTH, WIDTH)


def recorded(path, program):
    with contextlib.redirect_stdout(io.StringIO()), nt.dumper(use_dump=True, dump_path=str(path)), torch.no_grad():
        program()
    return path


def functions(function):
    """A layer, what comes of it, and another layer."""
    def program():
        w = Weights()
        return F.linear(function(F.linear(w.x, w.gate)), w.down)
    return program


def pooled(activation, ceil=False):
    def program():
        return activation(F.max_pool2d(drawn(2, 3, 9, 9, seed=20), 2, ceil_mode=ceil)).mean((2, 3))
    return program


def steps(frozen=False, by_hand=False, count=2):
    """Steps of Adam on two layers, by PyTorch or by hand."""
    def program():
        parameters = [torch.nn.Parameter(drawn(WIDTH, WIDTH, seed=each) * 0.3) for each in (1, 2, 3)]
        trained = parameters[:2] if frozen else parameters
        optimizer = torch.optim.Adam(trained, lr=1e-2, foreach=False)
        kept = [(torch.zeros_like(each), torch.zeros_like(each)) for each in trained]
        x, y = drawn(8, WIDTH, seed=11), drawn(8, WIDTH, seed=12)
        with torch.enable_grad():
            for step in range(count):
                loss = ((torch.tanh(torch.tanh(x @ parameters[0]) @ parameters[1]) @ parameters[2] - y) ** 2).mean()
                gradients = torch.autograd.grad(loss, trained)
                if by_hand:
                    with torch.no_grad():
                        for each, gradient, (mean, square) in zip(trained, gradients, kept):
                            mean.copy_(0.9 * mean + 0.1 * gradient)
                            square.copy_(0.999 * square + 0.001 * gradient * gradient)
                            root = (square / (1 - 0.999 ** (step + 1))).sqrt()
                            each.sub_(1e-2 * (mean / (1 - 0.9 ** (step + 1))) / (root + 1e-8))
                else:
                    for each, gradient in zip(trained, gradients):
                        each.grad = gradient
                    optimizer.step()
    return program


class ProgramsOnTheSameNumbers(InFolder):
    def said(self, target, golden):
        """The exit code, and what the first culprit is told for."""
        number = len(list(self.folder.iterdir()))
        files = [recorded(self.folder / f"{name}{number}.h5", program) for name, program in (("target", target), ("golden", golden))]
        code, _, report = compared(*files)
        return code, (report["first_culprit"] or {}).get("why", "")

    def test_another_way_to_write_a_model_is_no_finding(self):
        self.assertEqual(self.said(second_way, first_way), (0, ""))
        self.assertEqual(self.said(first_way, second_way), (0, ""))

    def test_what_a_rewritten_model_computes_otherwise_is_found(self):
        for mistake in ("repeated", "plain_norm", "swapped", "without_bias"):
            code, why = self.said(lambda which=mistake: second_way(**{which: True}), first_way)
            self.assertEqual(code, 1, mistake)
            self.assertIn("compute something else here", why, mistake)

    def test_another_function_is_found_where_it_stands(self):
        code, why = self.said(functions(F.silu), functions(F.gelu))
        self.assertEqual(code, 1)
        self.assertIn("silu", why)
        self.assertEqual(self.said(functions(F.silu), functions(lambda x: x * torch.sigmoid(x)))[0], 0)

    def test_numbers_that_ops_were_called_with_go_before_what_is_written_otherwise(self):
        clamped = pooled(lambda x: x.clamp(min=0))
        self.assertEqual(self.said(clamped, pooled(torch.relu)), (0, ""))
        code, why = self.said(pooled(lambda x: x.clamp(min=0), ceil=True), pooled(torch.relu))
        self.assertEqual(code, 1)
        self.assertIn("ceil_mode true, golden false", why)

    def test_steps_of_an_optimizer_by_hand_are_no_finding(self):
        self.assertEqual(self.said(steps(by_hand=True), steps()), (0, ""))

    def test_what_a_recorder_leaves_out_is_no_difference(self):
        def network():
            w = Weights()
            x = w.x
            for layer in (w.query, w.out, w.query):
                x = F.layer_norm(F.relu(F.linear(x, layer, w.bias)), (WIDTH,), w.norm, w.bias)
            torch.softmax(x, -1)
        files = [recorded(self.folder / name, network) for name in ("less.h5", "all.h5")]
        with h5py.File(files[0], "a") as less:
            del less["native_layer_norm"]
        code, _, report = compared(*files)
        self.assertEqual((code, report["first_culprit"]), (0, None))
        # What was not run, and not left out, changes what comes next.
        def plain():
            w = Weights()
            x = w.x
            for layer in (w.query, w.out, w.query):
                x = F.relu(F.linear(x, layer, w.bias))
            torch.softmax(x, -1)
        self.assertEqual(self.said(plain, network)[0], 1)

    def test_a_parameter_that_stays_as_it_was_is_found(self):
        self.assertEqual(self.said(steps(by_hand=True, frozen=True), steps())[0], 1)


if __name__ == "__main__":
    unittest.main()
