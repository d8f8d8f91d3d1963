"""npuscope compare of training loops that two people wrote: a loss, a gradient's norm or an average by hand is no finding; what one loop forgets is one."""

import contextlib
import io
import unittest

import npuscope.torch as nt
import torch
from compared import InFolder, compared
from torch.nn import functional as F

STEPS = 2


def cross_entropy(logits, labels):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


def by_hand(logits, labels, total=torch.mean):
    shares = torch.log_softmax(logits.reshape(-1, logits.shape[-1]), 1)
    return total(-shares.gather(1, labels.reshape(-1, 1)).squeeze(1))


def summed(logits, labels):
    return by_hand(logits, labels, torch.sum)


def summed_as_it_lies(logits, labels):
    return -torch.log_softmax(logits, -1).gather(-1, labels.unsqueeze(-1)).sum()


def clip(parameters):
    torch.nn.utils.clip_grad_norm_(parameters, 0.1)


def clip_by_hand(parameters):
    norm = torch.sqrt(sum((each.grad ** 2).sum() for each in parameters))
    for each in parameters:
        each.grad.mul_(torch.clamp(0.1 / (norm + 1e-6), max=1.0))


class Loop:
    """Steps of AdamW on an embedding, a layer and the logits."""

    def __init__(self, loss=cross_entropy, clip=None, frozen=False, steps=STEPS, averages=False, positions="numbers", logs=False):
        torch.manual_seed(0)
        self.loss, self.clip, self.steps, self.averages, self.positions, self.logs = loss, clip, steps, averages, positions, logs
        self.table, self.layer, self.head = (torch.nn.Parameter(torch.randn(*shape) * 0.3) for shape in ((20, 8), (8, 8), (8, 20)))
        if frozen:
            self.layer.requires_grad_(False)
        self.parameters = [each for each in (self.table, self.layer, self.head) if each.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-2)
        self.tokens = torch.randint(0, 20, (4, 6))

    def record(self, path):
        kept = [each.detach().clone() for each in self.parameters]
        with contextlib.redirect_stdout(io.StringIO()), nt.dumper(use_dump=True, dump_path=str(path)):
            for step in range(STEPS):
                self.optimizer.zero_grad()
                x = F.embedding(self.tokens, self.table)
                where = torch.zeros(6, 8)
                where.copy_(torch.zeros(6, 8) if self.positions == "zeros" else torch.linspace(-1, 1, 48).reshape(6, 8) * 0.7)
                logits = torch.tanh((x + where) @ self.layer) @ self.head
                if self.logs:
                    (logits.argmax(-1) == self.tokens).float().mean()
                self.loss(logits, self.tokens).backward()
                if self.clip:
                    self.clip(self.parameters)
                if step < self.steps:
                    self.optimizer.step()
                if self.averages:
                    with torch.no_grad():
                        for average, each in zip(kept, self.parameters):
                            average.mul_(0.9).add_(each, alpha=0.1)
        return path


class LoopsOfTwoPeople(InFolder):
    def said(self, target, golden=None):
        """The exit code, and the program's finding of the first culprit."""
        number = len(list(self.folder.iterdir()))
        recorded = (Loop(**target).record(self.folder / f"target{number}.h5"), (golden or Loop()).record(self.folder / f"golden{number}.h5"))
        code, path, report = compared(*recorded)
        return code, path, (report["first_culprit"] or {}).get("why", "")

    def test_other_ways_to_write_the_same_are_no_finding(self):
        for target in ({"loss": by_hand}, {"averages": True}, {"logs": True}):
            self.assertEqual(self.said(target)[0], 0, target)
        self.assertEqual(self.said({"clip": clip_by_hand, "loss": by_hand}, Loop(clip=clip))[0], 0)

    def test_a_loss_summed_in_place_of_averaged_is_one_though_gradients_are_clipped(self):
        for loss, hand in ((summed, clip), (summed, clip_by_hand), (summed_as_it_lies, clip)):
            code, _, why = self.said({"loss": loss, "clip": hand}, Loop(clip=clip))
            self.assertEqual(code, 1)
            self.assertRegex(why, "gather|nll_loss")

    def test_a_weight_that_is_not_updated_is_one_beside_another_loss(self):
        for target in ({"frozen": True}, {"steps": 1}):
            code, _, why = self.said({"loss": by_hand, **target})
            self.assertEqual(code, 1, target)
            self.assertIn("the programs part here: golden has", why)

    def test_zeros_in_place_of_numbers_are_one(self):
        code, _, why = self.said({"positions": "zeros"})
        self.assertEqual(code, 1)
        self.assertIn("zeros", why)


if __name__ == "__main__":
    unittest.main()
