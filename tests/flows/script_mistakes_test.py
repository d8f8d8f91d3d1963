"""npuscope compare finds the mistake in a PyTorch script, recorded free and in load mode."""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import mistaken_script
import npuscope.torch as nt

PROGRAM = Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope"

# By mistake: kind of the first culprit, its op, the tensor's or number's name, the module, words of `why`.
EXPECTED = {
    "transposed weight": ("tensor", "addmm", "mat2", "hidden", "its transpose"),
    "scaled weight": ("tensor", "addmm", "mat2", "attention.out", "not the golden's"),
    "flipped channels": ("tensor", "convolution", "input", "stem", "not the golden's"),
    "stale buffer": ("tensor", "native_batch_norm", "running_mean", "frozen", "not the golden's"),
    "wrong mask": ("tensor", "masked_fill_Scalar", "mask", "attention", "not the golden's"),
    "other eps": ("argument", "native_layer_norm", "eps", "norm", "eps"),
    "missing bias": ("program", "mm", "", "attention.value", "is given a bias `self` ([16]) that the target has nowhere"),
    "extra layer": ("program", "addmm", "", "extra", "the programs part here"),
}


def record(path: Path, mistake: str = "", chip: str = "", golden: Optional[Path] = None, **more: Any) -> Path:
    parts = mistaken_script.built(mistake)
    with contextlib.ExitStack() as blocks, contextlib.redirect_stderr(io.StringIO()):
        if chip:
            blocks.enter_context(nt.npu(chip))
        mode = {"use_load": True, "load_file_path": golden} if golden else {"use_dump": True}
        dump = blocks.enter_context(nt.dumper(dump_path=path, **mode, **more))
        mistaken_script.step(*parts)
    return Path(dump.summary.path)


def compare(target: Path, golden: Path) -> Tuple[int, Dict[str, Any], str]:
    done = subprocess.run(
        [str(PROGRAM), "compare", "-m", str(target), "-g", str(golden), "--json"],
        capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


class ScriptMistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.golden = cls.folder / "golden.h5"
        record(cls.golden)

    def check_none(self, **how: Any) -> None:
        target = record(self.folder / "target.h5", **how)
        code, result, errors = compare(target, self.golden)
        self.assertEqual((code, result["verdict"], result["culprits"]), (0, "pass", []), errors)

    def check_all(self, **how: Any) -> None:
        for mistake, (kind, op, name, module, words) in EXPECTED.items():
            with self.subTest(mistake=mistake):
                if mistake == "missing bias" and "golden" in how:  # load mode pairs by calls alone
                    words = "the programs part here"
                target = record(self.folder / "target.h5", mistake, **how)
                code, result, errors = compare(target, self.golden)
                self.assertEqual((code, result["verdict"]), (1, "fail"), errors)
                first = result["first_culprit"]
                found = (first["kind"], first["path"].split("/")[1], first["module"])
                self.assertEqual(found, (kind, op, module), first["why"])
                self.assertIn(words, first["why"])
                self.assertIn("mistaken_script.py:", first["line"])
                told = {"tensor": (first["tensor"] or "").split("/")[-1], "argument": first["argument"]}
                self.assertEqual(told.get(kind, ""), name)

    def test_the_script_without_a_mistake(self) -> None:
        self.check_none()
        self.check_none(chip="910A")
        self.check_none(golden=self.golden)
        self.check_none(chip="910A", golden=self.golden)

    def test_free_runs(self) -> None:
        self.check_all()

    def test_free_runs_on_a_chip(self) -> None:
        self.check_all(chip="910A")

    def test_load_mode(self) -> None:
        self.check_all(golden=self.golden)

    def test_load_mode_on_a_chip(self) -> None:
        self.check_all(chip="910A", golden=self.golden)


if __name__ == "__main__":
    unittest.main()
