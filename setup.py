"""Builds the extension and the programs with CMake; everything else is in pyproject.toml.

NPUSCOPE_BUILD_DIR names a build folder to use instead of a new one, so that nothing is compiled twice.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.install_scripts import install_scripts

try:
    from setuptools.command.install_data import install_data  # type: ignore[import]
except ImportError:
    from distutils.command.install_data import install_data

ROOT = Path(__file__).resolve().parent
PROGRAMS = ("npuscope", "msaccucmp")
# Of what `cmake --install` writes; where they lie below an environment, shells and man look for them.
SHARED = ("share/man/man1", "share/bash-completion/completions", "share/fish/vendor_completions.d",
          "share/zsh/site-functions")


def installed(distribution: Distribution) -> Path:
    """The folder into which CMake installed what build_ext built."""
    return Path(distribution.get_command_obj("build").build_temp).resolve() / "installed"


class CMakeBuild(build_ext):
    def build_extension(self, extension: Extension) -> None:
        build = Path(os.environ.get("NPUSCOPE_BUILD_DIR") or Path(self.build_temp).resolve() / "cmake")
        if not (build / "CMakeCache.txt").exists():
            options = ["-GNinja", "-DCMAKE_BUILD_TYPE=Release", "-DNPUSCOPE_UNITY=ON", "-DNPUSCOPE_TESTS=OFF",
                       f"-DNPUSCOPE_PYTHON={sys.executable}", "-DNPUSCOPE_PYTHON_REQUIRED=ON"]
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)
        targets = ["npuscope_python", "npuscope_manual", *PROGRAMS]
        subprocess.run(["cmake", "--build", str(build), "--target", *targets], check=True)
        prefix = installed(self.distribution)
        shutil.rmtree(prefix, ignore_errors=True)
        for component in ("programs", "python"):
            subprocess.run(
                ["cmake", "--install", str(build), "--prefix", str(prefix), "--component", component, "--strip"],
                stdout=subprocess.DEVNULL,
                check=True,
            )
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        # The stub of the ops is written with the extension, from its table of ops.
        for pattern in ("_core*.so", "ops.pyi"):
            (made,) = prefix.glob(f"lib/python*/*/npuscope/{pattern}")
            shutil.copy2(made, target if pattern.endswith(".so") else target.parent)


class InstallPrograms(install_scripts):
    def run(self) -> None:
        # Not build_scripts, which takes scripts for text.
        folder = Path(self.install_dir)
        folder.mkdir(parents=True, exist_ok=True)
        self.outfiles = []
        for name in PROGRAMS:
            shutil.copy2(installed(self.distribution) / "bin" / name, folder)
            self.outfiles.append(str(folder / name))


class InstallShared(install_data):
    def run(self) -> None:
        prefix = installed(self.distribution)
        self.data_files = [
            (folder, [str(path) for path in sorted((prefix / folder).iterdir())])
            for folder in SHARED
        ]
        super().run()


class Programs(Distribution):
    """What build_ext installs is known only when it has run."""

    def has_scripts(self) -> bool:
        return True

    def has_data_files(self) -> bool:
        return True


VERSION = re.search(
    r'kVersion = "([^"]+)"', (ROOT / "core" / "base" / "version.h").read_text()
)[1]

setup(
    version=VERSION,
    distclass=Programs,
    scripts=[],
    data_files=[],
    ext_modules=[Extension("npuscope._core", sources=[])],
    cmdclass={
        "build_ext": CMakeBuild,
        "install_scripts": InstallPrograms,
        "install_data": InstallShared,
    },
)
