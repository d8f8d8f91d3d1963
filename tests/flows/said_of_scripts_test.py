"""npuscope compare of two scripts: what differs at the end of a recording, in a view that nobody recorded, in what an op
leaves behind or in whole numbers; and what other hands write that is the same."""

import contextlib
import io
import unittest

import h5py
import npuscope.torch as nt
import torch
from compared import InFolder, compared
from torch.nn import functional as F

ROWS, WIDTH = 8, 8


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


FIRST, SECOND = (drawn(WIDTH, WIDTH, seed=each) * 0.4 for each in (1, 2))
X = drawn(ROWS, WIDTH, seed=3)
IMAGE = torch.arange(2 * 5 * 5 * 3).reshape(2, 5, 5, 3).to(torch.uint8)
FILTERS = drawn(4, 3, 3, 3, seed=8)


def recorded(path, program):
    with contextlib.redirect_stdout(io.StringIO()), nt.dumper(use_dump=True, dump_path=str(path)):
        program()
    return path


def layers(last=lambda y: y, between=lambda x: x):
    """Inference of two layers."""
    def program():
        with torch.no_grad():
            last(F.linear(between(F.linear(X, FIRST)), SECOND))
    return program


def step(penalty=0, frozen=True, spelled=torch.relu):
    """The gradients of a loss, and of what may be added to it."""
    def program():
        body, head = torch.nn.Parameter(FIRST), torch.nn.Parameter(SECOND)
        h = spelled(X @ body)
        loss = (((h.detach() if frozen else h) @ head - drawn(ROWS, WIDTH, seed=4)) ** 2).mean() + h.sum() / 9
        if penalty:
            loss = loss + penalty * (head ** 2).sum()
        loss.backward()
    return program


def norms(momentum=0.1, twice=False, steps=3):
    """Steps of a batch norm, which reads its running statistics at the end."""
    def program():
        norm = torch.nn.BatchNorm1d(WIDTH, momentum=momentum)
        for each in range(steps):
            x = drawn(ROWS, WIDTH, seed=each) + each
            with torch.no_grad():
                norm(x).tanh()
                if twice and each == 0:
                    norm.running_mean.lerp_(x.mean(0), 0.1)
        norm.eval()
        with torch.no_grad():
            norm(drawn(ROWS, WIDTH, seed=9))
    return program


def hashed(dtype):
    """Rows of a table that ids are scattered over."""
    def program():
        ids = torch.arange(1, 1 + ROWS * 4).reshape(ROWS, 4) * 1234567
        places = torch.remainder(ids.to(dtype) * 73856093, 50).to(torch.int64)
        F.embedding(places, drawn(50, WIDTH, seed=5)).sum(1)
    return program


class SaidOfScripts(InFolder):
    def said(self, target, golden, *words):
        """The exit code, and what the first culprit is told for."""
        number = len(list(self.folder.iterdir()))
        files = [recorded(self.folder / f"{name}{number}.h5", program) for name, program in (("target", target), ("golden", golden))]
        code, path, report = compared(*files, *words)
        return code, path or "", (report["first_culprit"] or {}).get("why", "")

    def test_what_one_side_makes_of_the_last_results_is_found(self):
        code, _, why = self.said(layers(), layers(torch.sigmoid))
        self.assertEqual(code, 1)
        self.assertIn("golden has sigmoid more", why)
        self.assertEqual(self.said(layers(lambda y: torch.softmax(torch.softmax(y, -1), -1)), layers(lambda y: torch.softmax(y, -1)))[0], 1)
        # The same in other steps, and what changes nothing.
        self.assertEqual(self.said(layers(lambda y: 1 / (1 + torch.exp(-y))), layers(torch.sigmoid))[0], 0)
        self.assertEqual(self.said(layers(lambda y: y.clone()), layers())[0], 0)

    def test_another_word_is_found(self):
        """However near to each other the two forms are."""
        def by(form):
            return layers(between=lambda x: F.gelu(x, approximate=form))
        forms = {form: by(form) for form in ("none", "tanh")}
        code, path, why = self.said(forms["tanh"], forms["none"])
        self.assertEqual(code, 1)
        self.assertIn("called with other arguments: approximate tanh, golden none", why)
        self.assertIn("/gelu/", path)
        self.assertEqual(self.said(forms["tanh"], forms["tanh"])[0], 0)

    def test_what_is_added_to_a_last_gradient_is_found(self):
        self.assertEqual(self.said(step(penalty=0.1), step())[0], 1)
        self.assertEqual(self.said(step(), step(penalty=0.1))[0], 1)
        self.assertEqual(self.said(step(frozen=False), step())[0], 1)
        for judged in ("exact", "quick"):
            self.assertEqual(self.said(step(), step(), "--judge", judged)[0], 0)
            self.assertEqual(self.said(step(spelled=lambda x: x.clamp(min=0)), step(), "--judge", judged)[0], 0)

    def test_another_view_of_the_right_tensor_is_found(self):
        scale = drawn(ROWS, seed=6).exp()
        code, path, why = self.said(layers(between=lambda x: x * scale), layers(between=lambda x: x * scale[:, None]))
        self.assertIn("/mul_Tensor/", path)
        self.assertEqual(code, 1)
        self.assertIn("is [8], the golden's [8,1]", why)
        earlier = layers(between=lambda x: torch.cat([x[:1], x[:-1]]))
        code, path, why = self.said(layers(between=lambda x: torch.cat([x[1:], x[-1:]])), earlier)
        self.assertEqual(code, 1)
        self.assertRegex(why, "of /cat/.* shows something else of what /mm/.*/output/result made")

    def test_what_a_batch_norm_leaves_is_found(self):
        code, path, why = self.said(norms(momentum=0.9), norms())
        self.assertEqual(code, 1)
        self.assertIn("/native_batch_norm/", path)
        self.assertIn("momentum 0.9, golden 0.1", why)
        self.assertEqual(self.said(norms(), norms())[0], 0)

    def test_statistics_that_are_moved_twice_are_found(self):
        """Where nothing else tells: the second move is not recorded."""
        files = [recorded(self.folder / name, norms(twice=twice)) for name, twice in (("t.h5", True), ("g.h5", False))]
        with h5py.File(files[0], "a") as file:
            for op in ("lerp__Scalar", "mean_dim"):
                if op in file:
                    del file[op]
        code, path, report = compared(*files)
        self.assertEqual(code, 1)
        self.assertIn("/native_batch_norm/", path)
        self.assertIn("it was moved 1.9 times as far", report["first_culprit"]["why"])

    def test_whole_numbers_that_overflow_are_found(self):
        code, path, why = self.said(hashed(torch.int32), hashed(torch.int64))
        self.assertEqual(code, 1)
        self.assertIn("mul_Tensor", path)
        self.assertIn("leaves the range of int32", why)
        self.assertEqual(self.said(hashed(torch.int64), hashed(torch.int64))[0], 0)

    def test_another_rounding_is_found(self):
        code, path, _ = self.said(layers(between=lambda x: torch.floor(x * 20) / 20), layers(between=lambda x: torch.round(x * 20) / 20))
        self.assertEqual(code, 1)
        self.assertIn("floor", path)

    def test_what_other_hands_write_is_none(self):
        x = drawn(ROWS, WIDTH, seed=7)
        self.assertEqual(self.said(layers(between=lambda h: x + torch.tanh(h)), layers(between=lambda h: torch.tanh(h) + x)), (0, "", ""))
        self.assertEqual(self.said(layers(between=lambda h: h * (2 / 15) - 1), layers(between=lambda h: 2 * h / 15 - 1)), (0, "", ""))
        self.assertEqual(self.said(lambda: F.conv2d(IMAGE.to(torch.float32).permute(0, 3, 1, 2) / 255, FILTERS),
                                   lambda: F.conv2d(IMAGE.permute(0, 3, 1, 2).to(torch.float32) / 255, FILTERS)), (0, "", ""))

    def test_a_recording_that_was_cut_short_is_undecided(self):
        def stops():
            with torch.no_grad():
                F.linear(X, FIRST)
            raise AttributeError("nothing of that name")
        def goes_on(y):
            for _ in range(12):
                y = torch.tanh(F.linear(y, SECOND))
        golden = recorded(self.folder / "golden.h5", layers(goes_on))
        with contextlib.suppress(AttributeError):
            recorded(self.folder / "target.h5", stops)
        code, path, report = compared(self.folder / "target.h5", golden)
        self.assertEqual((code, path, report["verdict"]), (2, None, "undecided"))


if __name__ == "__main__":
    unittest.main()
