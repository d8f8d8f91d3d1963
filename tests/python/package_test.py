"""The package as a whole: types, what it exports, what it links, installing it offline."""

import ast
import inspect
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import npuscope
from npuscope import _core, ops

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
PACKAGE = SOURCE / "python" / "npuscope"
BUILD = Path(os.environ["NPUSCOPE_BIN_DIR"]).parent


def stub_names(path: Path) -> dict:
    """Classes with their methods, functions and variables of a stub."""
    names: dict = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {
                item.name if isinstance(item, ast.FunctionDef) else item.target.id
                for item in node.body
                if isinstance(item, (ast.FunctionDef, ast.AnnAssign))
            }
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = None
    return names


class Types(unittest.TestCase):
    def test_the_stub_names_what_the_extension_has_and_no_more(self) -> None:
        told = stub_names(PACKAGE / "_core.pyi")
        present = {name for name in vars(_core) if not name.startswith("__")}
        self.assertEqual(set(told), present)
        for name, members in told.items():
            if members is None:
                continue
            own = {m for m in vars(getattr(_core, name)) if not m.startswith("_") or m in members}
            self.assertEqual({m for m in members if m != "__init__"}, own - {"__init__"}, name)

    def test_every_op_has_a_type(self) -> None:
        told = stub_names(Path(npuscope.__file__).parent / "ops.pyi")
        self.assertEqual(set(told), set(dir(ops)))

    def test_the_package_is_marked_as_typed_and_annotated(self) -> None:
        self.assertTrue((PACKAGE / "py.typed").is_file())
        for path in sorted(PACKAGE.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    self.assertIsNotNone(node.returns, f"{path.name}: {node.name}")

    def test_everything_public_has_a_docstring(self) -> None:
        for name in npuscope.__all__:
            value = getattr(npuscope, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                if value.__module__ != "npuscope._core":
                    self.assertTrue(value.__doc__, name)


class Parts(unittest.TestCase):
    def test_numpy_is_enough(self) -> None:
        code = (
            "import sys; sys.modules['torch'] = None\n"
            "import npuscope, numpy\n"
            "print(npuscope.ops.relu(numpy.float32(-1)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout.strip(), "0.0")

    def test_the_extension_does_not_link_torch(self) -> None:
        done = subprocess.run(["ldd", _core.__file__], capture_output=True, text=True, check=True)
        self.assertNotIn("torch", done.stdout)

    def test_private_names_of_torch_are_in_one_file(self) -> None:
        for path in sorted((PACKAGE / "torch").glob("*.py")):
            if path.name != "private.py":
                text = path.read_text()
                self.assertNotIn("torch._C", text, path.name)
                self.assertNotIn("_execution_engine", text, path.name)

    def test_installs_offline_into_a_virtual_environment(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch) / "v"
            python = place / "bin" / "python"
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            env["NPUSCOPE_BUILD_DIR"] = str(BUILD)
            copied = Path(scratch) / "source"
            copied.mkdir()
            for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "python", "core"):
                (copied / name).symlink_to(SOURCE / name)
            for command in (
                ["/usr/bin/python3", "-m", "venv", "--system-site-packages", str(place)],
                [str(python), "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation",
                 str(copied)],
            ):
                done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            code = "import npuscope; print(npuscope.__file__, npuscope.__version__)"
            done = subprocess.run(
                [str(python), "-c", code], capture_output=True, text=True, env=env, cwd=scratch
            )
            self.assertIn(str(place), done.stdout, done.stderr)
            self.assertIn(_core.VERSION, done.stdout)
            for words in (["bin/npuscope"], ["bin/python", "-m", "npuscope"]):
                done = subprocess.run(
                    [str(place / words[0]), *words[1:], "check", "-q"],
                    capture_output=True, text=True, env=env, cwd=scratch, check=False,
                )
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                self.assertIn("digits_resnet.onnx", done.stdout)
            self.assertTrue((place / "bin/msaccucmp").is_file())
            self.assertTrue(list((place / "share/man/man1").glob("npuscope-check.1*")))
            (package,) = place.rglob("site-packages/npuscope")
            for name in ("py.typed", "_core.pyi", "ops.pyi", "torch/__init__.py"):
                self.assertTrue((package / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
