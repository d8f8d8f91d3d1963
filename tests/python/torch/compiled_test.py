"""Programs that PyTorch 2 compiles, exports and transforms: the same ops are seen, loaded and computed as of the plain ones."""

import os
import shutil
import unittest
import warnings
from pathlib import Path

import torch
from torch import nn

import npuscope
import npuscope.torch as nt
from dumper_test import Folder

HEADER = "ATen/NumericUtils.h"
HAS_HEADERS = shutil.which("g++") is not None and any(
    Path(folder, HEADER).exists() for folder in ("/usr/include", Path(torch.__file__).parent / "include")
)
TWO = nt.private.VERSION >= (2, 1)


def network() -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 2))


def inputs() -> torch.Tensor:
    return torch.randn(3, 4, generator=torch.Generator().manual_seed(2))


@unittest.skipUnless(TWO, "PyTorch 1.13 has no compiler")
class Compiled(Folder):
    def setUp(self) -> None:
        super().setUp()
        torch._dynamo.reset()
        self.addCleanup(torch._dynamo.reset)

    def stepped(self, program, model, path) -> list:
        """The ops of one step."""
        model.zero_grad()
        x = inputs()
        with nt.dumper(use_dump=True, dump_path=path):
            program(x).square().sum().backward()
        return self.names(path)

    def check(self, backend: str) -> None:
        plain = network()
        golden = self.folder / "plain.h5"
        expected = self.stepped(plain, plain, golden)
        for before in (False, True):
            model = network()
            program = torch.compile(model, backend=backend)
            if before:
                program(inputs()).sum().backward()
            path = self.folder / f"{before}.h5"
            self.assertEqual(self.stepped(program, model, path), expected)
            for own, other in zip(model.parameters(), plain.parameters()):
                torch.testing.assert_close(own.grad, other.grad, rtol=0, atol=0)
            # A golden of the plain program serves the compiled one.
            model.zero_grad()
            x = inputs()
            with nt.npu("910B", quiet=True) as device, nt.dumper(
                use_load=True, load_file_path=golden, dump_path=self.folder / f"npu_{before}.h5", quiet=True
            ) as dump:
                program(x).square().sum().backward()
            self.assertEqual((dump.summary.unmatched, dump.summary.given_differ), (0, 0))
            self.assertEqual(device.fallbacks, {})
            self.assertEqual(sum(device.native.values()), len(expected))
            result = npuscope.compare(self.folder / f"npu_{before}.h5", golden, chip="910B")
            self.assertEqual(result.exit_code, 0, result.text)
            torch.testing.assert_close(program(x), plain(x))

    def test_programs_are_compiled_after_a_block_as_before(self) -> None:
        from torch._dynamo.testing import CompileCounter

        for before in (False, True):
            torch._dynamo.reset()
            counter, x = CompileCounter(), inputs()
            program = torch.compile(network(), backend=counter)
            if before:
                program(x)
            for block in (
                nt.dumper(use_dump=True, dump_path=self.folder / f"{before}.h5"),
                nt.npu("910A", quiet=True),
                nt.watch(network()),
            ):
                with block:
                    program(x)
            nt.profile_ops(lambda: program(x))
            self.assertEqual(counter.frame_count, int(before))
            program(x)
            self.assertEqual(counter.frame_count, 1)

    def test_a_program_of_the_eager_backend(self) -> None:
        self.check("eager")

    def test_a_program_of_the_aot_eager_backend(self) -> None:
        self.check("aot_eager")

    @unittest.skipUnless(os.environ.get("NPUSCOPE_LONG_TESTS"), "a minute of compilers")
    @unittest.skipUnless(HAS_HEADERS, "inductor needs a compiler and PyTorch's headers (libtorch-dev)")
    def test_a_program_of_inductor(self) -> None:
        self.check("inductor")

    def test_a_compiler_takes_the_patched_tensors_after_install(self) -> None:
        nt.install("910A")
        self.addCleanup(nt.uninstall)
        self.check("eager")

    def test_tensors_of_an_installed_device_go_through_a_compiled_model(self) -> None:
        nt.install("910A")
        self.addCleanup(nt.uninstall)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = network().npu()
            expected = model(inputs().npu()).cpu()
            made = torch.compile(model, backend="eager")(inputs().npu())
        self.assertTrue(made.is_npu)
        torch.testing.assert_close(made.cpu(), expected, rtol=0, atol=0)


@unittest.skipUnless(TWO, "PyTorch 1.13 has no exporter")
class Exported(Folder):
    def setUp(self) -> None:
        super().setUp()
        torch._dynamo.reset()
        self.x = inputs()

    def test_an_exported_program_is_seen_as_the_plain_one(self) -> None:
        model = network()
        with nt.dumper(use_dump=True, dump_path=self.folder / "plain.h5"):
            model(self.x)
        exported = torch.export.export(network(), (self.x,)).module()
        with nt.npu("910B", quiet=True) as device, nt.dumper(
            use_load=True, load_file_path=self.folder / "plain.h5", dump_path=self.path, quiet=True
        ) as dump:
            exported(self.x)
        self.assertEqual(self.names(), ["addmm", "silu", "addmm"])
        self.assertEqual((dump.summary.unmatched, dump.summary.given_differ), (0, 0))
        self.assertEqual(device.fallbacks, {})

    def test_exporting_inside_a_block_records_no_op_without_elements(self) -> None:
        model = network()
        for block in (nt.npu("910A", quiet=True), nt.dumper(use_dump=True, dump_path=self.path)):
            with block:
                exported = torch.export.export(model, (self.x,), strict=False)
                exported.module()(self.x)
        self.assertEqual(self.names(), ["addmm", "silu", "addmm"])


class Recorded(Folder):
    def check(self, function, *needed: str, fallbacks: tuple = ()) -> None:
        """Values as without a block, and load mode finds every op of the golden."""
        expected = function()
        files = len(list(self.folder.iterdir()))
        golden, path = self.folder / f"golden_{files}.h5", self.folder / f"loaded_{files}.h5"
        with nt.dumper(use_dump=True, dump_path=golden):
            seen = function()
        self.assertLessEqual(set(needed), set(self.names(golden)))
        with nt.npu("910B", quiet=True) as device, nt.dumper(
            use_load=True, load_file_path=golden, dump_path=path, quiet=True
        ) as dump:
            made = function()
        self.assertEqual((dump.summary.unmatched, dump.summary.given_differ), (0, 0))
        self.assertEqual(set(device.fallbacks), set(fallbacks))
        leaves = [torch.utils._pytree.tree_flatten(x)[0] for x in (seen, made, expected)]
        for own, other, third in zip(*leaves):
            torch.testing.assert_close(own, third, rtol=0, atol=0)
            torch.testing.assert_close(other, third, rtol=1e-3, atol=1e-5)


@unittest.skipUnless(TWO, "torch.func is from PyTorch 2.0 on")
class Transformed(Recorded):
    def setUp(self) -> None:
        super().setUp()
        self.model, self.x = network(), inputs()
        self.parameters = {name: p.detach() for name, p in self.model.named_parameters()}

    def loss(self, parameters, x):
        return torch.func.functional_call(self.model, parameters, (x,)).square().sum()

    def test_gradients(self) -> None:
        self.check(lambda: torch.func.grad(self.loss)(self.parameters, self.x), "addmm", "mm", "sigmoid")

    def test_gradients_by_sample(self) -> None:
        by_sample = torch.func.vmap(torch.func.grad(self.loss), (None, 0))
        self.check(lambda: by_sample(self.parameters, self.x), "bmm", "sigmoid")

    def test_jacobians(self) -> None:
        self.check(lambda: torch.func.jacrev(lambda x: self.model(x))(self.x), "sigmoid")

    def test_directional_derivatives(self) -> None:
        self.check(lambda: torch.func.jvp(self.model, (self.x,), (self.x,)), "addmm")

    def test_second_derivatives(self) -> None:
        self.check(lambda: torch.func.hessian(lambda x: self.model(x).square().sum())(self.x[0]), "mm")


class WithoutAutograd(Recorded):
    def test_ops_are_those_that_autograd_would_show(self) -> None:
        """Where it is off, PyTorch leaves it to others to take `linear` or `einsum` apart."""
        model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Flatten(), nn.LayerNorm(12), nn.Linear(12, 4)).eval()
        x = torch.randn(2, 2, 4, 4, generator=torch.Generator().manual_seed(2))

        def run() -> torch.Tensor:
            return torch.einsum("ij,kj->ik", model(x), torch.ones(5, 4))

        def inferred() -> torch.Tensor:
            with torch.inference_mode():
                return run()

        with nt.dumper(use_dump=True, dump_path=self.folder / "plain.h5"):
            run()
        self.check(inferred, "convolution", "native_batch_norm", "native_layer_norm", "addmm", "bmm")
        self.assertEqual(self.names(self.folder / "golden_1.h5"), self.names(self.folder / "plain.h5"))

    def test_tensors_without_elements_stay_so(self) -> None:
        for around in (torch.no_grad, torch.inference_mode):
            with nt.npu("910B", quiet=True), around():
                self.assertTrue(torch.ones(3).to("meta").is_meta)
                self.assertTrue((torch.ones(3, device="meta") @ torch.ones(3, 2, device="meta")).is_meta)

    def test_a_device_has_them_too(self) -> None:
        nt.install("910B")
        try:
            model, x = network().to("npu"), inputs().to("npu")
            with torch.inference_mode(), nt.dumper(use_dump=True, dump_path=self.path):
                model(x)
        finally:
            nt.uninstall()
        self.assertEqual(self.names(self.path), ["addmm", "silu", "addmm"])


@unittest.skipUnless(hasattr(torch, "cond"), "torch.cond is from PyTorch 2.3 on")
class OnPrograms(Recorded):
    """Ops whose arguments are programs: the ops of these are seen, loaded and computed."""

    def setUp(self) -> None:
        super().setUp()
        self.x = inputs().requires_grad_()

    def gradient(self, program, *given):
        def run() -> torch.Tensor:
            return torch.autograd.grad(program(*given).square().sum(), given[0])[0]

        return run

    def test_cond_runs_one_of_two(self) -> None:
        def program(x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x.sum() > 0, lambda x: x.sin() @ x.t(), lambda x: x.tanh() @ x.t(), (x,))

        for sign, op in ((1, "sin"), (-1, "tanh")):
            x = (sign * self.x.detach().abs()).requires_grad_()
            self.check(lambda: program(x), op, "mm")
            self.check(self.gradient(program, x), op, op.replace("tanh", "tanh_backward").replace("sin", "cos"), "mm")
            with torch.inference_mode():
                self.check(lambda: program(x.detach()), op, "mm")

    def test_attention_with_a_program_for_its_scores(self) -> None:
        from torch.nn.attention.flex_attention import flex_attention

        generator = torch.Generator().manual_seed(4)
        q, k, v = (torch.randn(1, 2, 16, 8, generator=generator, requires_grad=True) for _ in range(3))

        def program(q: torch.Tensor) -> torch.Tensor:
            return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score * torch.exp(j - i).clamp(max=1))

        self.check(lambda: program(q), "bmm", "exp", "_safe_softmax", fallbacks=("sort_stable",))
        self.check(self.gradient(program, q), "bmm", "exp", fallbacks=("sort_stable",))

    def test_loops(self) -> None:
        from torch._higher_order_ops.map import map as mapped
        from torch._higher_order_ops.while_loop import while_loop

        x = self.x.detach()
        self.check(lambda: while_loop(lambda i, x: i.sum() < 3, lambda i, x: (i + 1, x.sin()), (torch.zeros(1), x)), "sin")
        self.check(lambda: mapped(lambda row, scale: row.sin() * scale, x, x[0]), "sin", "mul_Tensor")

    def test_outside_a_block_nothing_changes(self) -> None:
        with nt.dumper(use_dump=True, dump_path=self.path):
            torch.ones(1) + 1
        torch._dynamo.reset()
        self.addCleanup(torch._dynamo.reset)
        program = torch.compile(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), backend="aot_eager")
        torch.testing.assert_close(program(self.x.abs()), self.x.abs().sin())
        torch.testing.assert_close(torch.cond(self.x.sum() > 1e9, torch.sin, torch.cos, (self.x,)), self.x.cos())


@unittest.skipUnless(TWO, "torch.device('npu') is from PyTorch 2.1 on")
class NamedDevice(Folder):
    def test_seeds_and_devices_work_without_a_warning_while_installed_and_after(self) -> None:
        nt.install("910A")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                torch.manual_seed(3)
                device = torch.device("npu:0")
                for made in (torch.zeros(3, device=device), torch.ones(2).to(device), network().to(device)[0].weight):
                    self.assertTrue(made.is_npu)
                self.assertFalse(torch.ones(1).is_npu)
            finally:
                nt.uninstall()
            torch.manual_seed(3)


if __name__ == "__main__":
    unittest.main()
