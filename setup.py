"""Builds the extension with CMake; everything else is in pyproject.toml.

NPUSCOPE_BUILD_DIR names a build folder to use instead of a new one, so that nothing is compiled twice.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension: Extension) -> None:
        build = Path(os.environ.get("NPUSCOPE_BUILD_DIR") or Path(self.build_temp).resolve() / "cmake")
        if not (build / "CMakeCache.txt").exists():
            options = ["-GNinja", "-DCMAKE_BUILD_TYPE=Release", "-DNPUSCOPE_TESTS=OFF"]
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)
        subprocess.run(
            ["cmake", "--build", str(build), "--target", "npuscope_python"], check=True
        )
        (made,) = (build / "python" / "npuscope").glob("_core*.so")
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, target)
        # Written with the extension, from its table of ops.
        shutil.copy2(made.parent / "ops.pyi", target.parent)


VERSION = re.search(
    r'kVersion = "([^"]+)"', (ROOT / "core" / "base" / "version.h").read_text()
)[1]

setup(
    version=VERSION,
    ext_modules=[Extension("npuscope._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
