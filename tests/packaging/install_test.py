"""What `cmake --install` lays out works by itself: programs, Python package, C++ libraries, manual."""

import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
BUILD = Path(os.environ["NPUSCOPE_BIN_DIR"]).parent
# Nothing of the build's or the tester's surroundings; temporary files have their place.
CLEAN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": tempfile.gettempdir()}

class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.prefix = cls.scratch / "usr"
        subprocess.run(
            ["cmake", "--install", str(BUILD), "--prefix", str(cls.prefix), "--strip"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        cls.work = cls.scratch / "elsewhere"
        cls.work.mkdir()

    def call(self, *words: str, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.work,
            env={**CLEAN, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_the_program_checks_its_own_sample_and_an_installed_model(self) -> None:
        program = self.prefix / "bin/npuscope"
        models = self.prefix / "share/npuscope/models"
        done = self.call(program, "check", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["verdict"], "pass")
        model = (models / "digits_resnet.onnx", "--input", models / "digits_16bit.npz")
        done = self.call(program, "check", *model, "--chip", "910A", "--json", "-o", "report")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(json.loads(done.stdout)["overflow"])
        self.assertGreater((self.work / "report/report.html").stat().st_size, 10000)

    def test_nothing_of_the_build_folder_is_in_what_is_installed(self) -> None:
        # Whole paths: where the sources lie in /npuscope, /usr/share/npuscope is no part of them.
        rooms = b"|".join(re.escape(path.name.encode()) for path in SOURCE.iterdir() if path.is_dir())
        sources = re.compile(rb"(?<![\w./-])" + re.escape(bytes(SOURCE)) + rb"/(?:" + rooms + rb")\b")
        for path in self.prefix.rglob("*"):
            if not path.is_file() or path.suffix == ".a":
                continue
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            self.assertNotIn(str(BUILD).encode(), content, path)
            if path.suffix not in (".md", ".onnx"):
                self.assertIsNone(sources.search(content), path)

    def test_the_reference_tool_is_there(self) -> None:
        done = self.call(self.prefix / "bin/msaccucmp", "compare", "-h")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--golden_dump_path", done.stdout)

    def test_every_command_has_its_page_and_shells_their_scripts(self) -> None:
        pages = {path.name.removesuffix(".gz") for path in (self.prefix / "share/man/man1").iterdir()}
        rows = (SOURCE / "cli/commands/commands.def").read_text().splitlines()
        names = {row[8:-1] for row in rows if row.startswith("COMMAND(")}
        expected = {f"npuscope-{name}.1" for name in names} | {"npuscope.1", "msaccucmp.1"}
        self.assertEqual(pages, expected)
        for path in (
            "bash-completion/completions/npuscope",
            "zsh/site-functions/_npuscope",
            "fish/vendor_completions.d/npuscope.fish",
        ):
            self.assertGreater((self.prefix / "share" / path).stat().st_size, 1000, path)

    def test_the_python_package_runs_the_program_beside_it(self) -> None:
        found = list(self.prefix.glob("lib/python3*/*-packages"))
        if not found:
            self.skipTest("no pybind11-dev here: the package was not built")
        (place,) = found
        self.assertEqual(place.name, "site-packages")
        code = "import npuscope; print(npuscope.ops.relu(__import__('numpy').float32(-1)))"
        done = self.call("/usr/bin/python3", "-B", "-c", code, PYTHONPATH=str(place))
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "0.0"), done.stderr)
        done = self.call("/usr/bin/python3", "-B", "-m", "npuscope", "--version", PYTHONPATH=str(place))
        self.assertEqual(done.stdout, self.call(self.prefix / "bin/npuscope", "--version").stdout)
        code = "import importlib.metadata as m; print('npuscope', m.version('npuscope'))"
        told = self.call("/usr/bin/python3", "-B", "-c", code, PYTHONPATH=str(place))
        self.assertEqual(told.stdout, done.stdout)

    def test_the_package_says_so_where_the_program_is_missing(self) -> None:
        alone = self.scratch / "alone/python3.11/site-packages"
        shutil.copytree(SOURCE / "python/npuscope", alone / "npuscope", ignore=shutil.ignore_patterns("_*"))
        (alone / "npuscope/__init__.py").touch()
        shutil.copy(SOURCE / "python/npuscope/__main__.py", alone / "npuscope")
        done = self.call("/usr/bin/python3", "-B", "-m", "npuscope", "check", PYTHONPATH=str(alone))
        self.assertEqual(done.returncode, 2)
        self.assertIn("the program npuscope is not installed beside this package", done.stderr)

    def test_a_cpp_program_finds_the_package(self) -> None:
        consumer = str(SOURCE / "tests/packaging/consumer")
        for words in (
            ("cmake", "-GNinja", "-S", consumer, "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"),
            ("cmake", "--build", "build"),
        ):
            done = self.call(*words)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.call("build/consumer").returncode, 0)
        told = self.call(self.prefix / "bin/npuscope", "inspect", "model_npu.h5", "--json")
        self.assertEqual([op["path"] for op in json.loads(told.stdout)["ops"]], ["/relu/1"])

    def test_destdir_is_obeyed(self) -> None:
        root = self.scratch / "root"
        subprocess.run(
            ["cmake", "--install", str(BUILD), "--prefix", "/usr", "--component", "python"],
            env={**os.environ, "DESTDIR": str(root)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        if any(self.prefix.glob("lib/python3*")):
            self.assertTrue((root / "usr/lib/python3/dist-packages/npuscope/__main__.py").is_file())


if __name__ == "__main__":
    unittest.main()
