"""npuscope compare of steps whose losses, norms of gradients and loss scales two people wrote otherwise."""

import contextlib
import io
import unittest

import npuscope.torch as nt
import torch
from compared import InFolder, compared
from torch.nn import functional as F

SCALE = 512.0


def in_one_op(logits, labels):
    return F.binary_cross_entropy_with_logits(logits, labels)


def by_hand(logits, labels):
    return (F.softplus(logits) - labels * logits).mean()


def norm_of_norms(gradients):
    return torch.norm(torch.stack([torch.norm(each, 2, dim=list(range(each.dim()))) for each in gradients]), 2)


def root_of_squares(gradients):
    return torch.sqrt(sum((each * each).sum() for each in gradients))


def narrow():
    return torch.autocast("cpu", dtype=torch.bfloat16)


class LossesByHand(InFolder):
    def record(self, loss=in_one_op, norm=norm_of_norms, weight=0.9, scale=1.0, how=contextlib.nullcontext, first=0):
        """A step of SGD on two layers beside each other, whose biases have equal gradients."""
        torch.manual_seed(3)
        layers = [torch.nn.Linear(16, 8), torch.nn.Linear(16, 8), torch.nn.Linear(8, 1)]
        parameters = [each for layer in layers for each in layer.parameters()]
        optimizer = torch.optim.SGD(parameters, lr=0.1)
        x, labels = torch.randn(24, 16), (torch.rand(24) > 0.5).float()
        places = 0.5 * torch.randn(32, 16)
        path = self.folder / f"{len(list(self.folder.iterdir()))}.h5"
        with contextlib.redirect_stdout(io.StringIO()), nt.dumper(use_dump=True, dump_path=str(path)):
            with how():
                placed = x + places[first : first + 24]
                hidden = torch.tanh(layers[0](placed) + layers[1](placed))
                logits = layers[2](hidden).squeeze(1)
            total = loss(logits.float(), labels) * weight + 0.01 * logits.float().pow(2).mean()
            (total * scale if scale != 1 else total).backward()
            gradients = [each.grad for each in parameters]
            if scale != 1:
                for each in gradients:
                    each.mul_(1 / scale)
            factor = torch.clamp(0.05 / (norm(gradients) + 1e-6), max=1.0)
            for each in gradients:
                each.mul_(factor)
            optimizer.step()
        return path

    def test_what_is_written_otherwise_is_no_finding(self):
        golden = self.record()
        for target in ({"loss": by_hand}, {"norm": root_of_squares}, {"scale": SCALE}, {"loss": by_hand, "norm": root_of_squares, "scale": SCALE}):
            for how in (contextlib.nullcontext, narrow):
                with self.subTest(target, how=how):
                    code, path, report = compared(self.record(how=how, **target), golden)
                    self.assertEqual((code, path), (0, None), report["first_culprit"])

    def test_another_weight_of_the_loss_is_one_beside_them(self):
        code, _, report = compared(self.record(by_hand, root_of_squares, 0.8, SCALE), self.record())
        self.assertEqual(code, 1)
        self.assertIn("golden 0.9", report["first_culprit"]["why"])

    def test_rows_that_are_taken_one_further_are_one_beside_them(self):
        for how in (contextlib.nullcontext, narrow):
            with self.subTest(how=how):
                code, path, report = compared(self.record(by_hand, root_of_squares, scale=SCALE, how=how, first=1), self.record())
                self.assertEqual((code, path.split("/")[1]), (1, "add_Tensor"), report["first_culprit"])
                self.assertIn("it is shifted by -1 along axis 0", report["first_culprit"]["why"])


if __name__ == "__main__":
    unittest.main()
