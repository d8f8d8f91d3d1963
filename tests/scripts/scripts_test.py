"""The shell scripts: install-dependencies asks apt-get for exactly what is missing, and failures show.

The package tools are stand-ins: small scripts in a folder that is all there is on PATH beside the
programs that every Debian has.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(os.environ["NPUSCOPE_SOURCE_DIR"]) / "scripts"
ESSENTIAL = ("bash", "env", "mktemp", "rm", "tail", "dirname", "cat")

DPKG_QUERY = """#!/bin/bash
[[ " $INSTALLED " == *" ${@: -1} "* ]] && echo -n installed
"""
APT_GET = """#!/bin/bash
echo "$DEBIAN_FRONTEND $*" >>"$CALLS"
[[ -z ${APT_FAILS:-} ]] || { echo "no such package"; exit 100; }
"""


def listed(*groups: str) -> list:
    """The packages of the list that carry no group or one of these."""
    found = []
    for line in (SCRIPTS / "dependencies.txt").read_text().splitlines():
        words = line.split()
        if words and not line.startswith("#") and (len(words) == 1 or words[1] in groups):
            found.append(words[0])
    return found


class InstallDependencies(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin = Path(scratch.name, "bin")
        self.bin.mkdir()
        self.calls = Path(scratch.name, "calls")
        for name in ESSENTIAL:
            (self.bin / name).symlink_to(shutil.which(name))
        self.stand_in("dpkg-query", DPKG_QUERY)
        self.stand_in("apt-get", APT_GET)
        self.stand_in("id", "#!/bin/bash\necho 0\n")

    def stand_in(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def install(self, *words: str, installed: list, **variables: str):
        return subprocess.run(
            [str(SCRIPTS / "install-dependencies"), *words],
            env={
                "PATH": str(self.bin),
                "INSTALLED": " ".join(installed),
                "CALLS": str(self.calls),
                **variables,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def installed_by_apt(self) -> list:
        update, install = self.calls.read_text().splitlines()
        self.assertTrue(update.startswith("noninteractive ") and update.endswith(" update"))
        self.assertTrue(install.startswith("noninteractive "))
        _, _, packages = install.partition("--no-install-recommends ")
        return packages.split()

    def test_calls_nothing_when_all_is_there(self) -> None:
        done = self.install(installed=listed())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertFalse(self.calls.exists())

    def test_installs_only_what_is_missing(self) -> None:
        done = self.install("test", installed=[p for p in listed("test") if p != "hdf5-tools"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installed_by_apt(), ["hdf5-tools"])

    def test_leaves_packages_of_the_tests_out_unless_asked(self) -> None:
        self.install(installed=[])
        self.assertEqual(self.installed_by_apt(), listed())
        self.calls.unlink()
        self.install("test", "full", installed=[])
        self.assertEqual(self.installed_by_apt(), listed("test", "full"))

    def test_uses_sudo_without_a_question_when_not_root(self) -> None:
        self.stand_in("id", "#!/bin/bash\necho 1000\n")
        self.stand_in("sudo", '#!/bin/bash\n[[ $1 == -n ]] || exit 1\nshift\n"$@"\n')
        done = self.install(installed=[])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.installed_by_apt(), listed())

    def test_rejects_to_install_without_root_and_sudo(self) -> None:
        self.stand_in("id", "#!/bin/bash\necho 1000\n")
        done = self.install(installed=[p for p in listed() if p != "cmake"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get install cmake", done.stderr)

    def test_says_what_is_needed_where_there_is_no_apt(self) -> None:
        (self.bin / "apt-get").unlink()
        done = self.install(installed=[])
        self.assertEqual(done.returncode, 0)
        self.assertIn("no apt-get here", done.stderr)
        self.assertIn("libhdf5-dev", done.stderr)

    def test_shows_what_apt_said_when_it_fails(self) -> None:
        done = self.install(installed=[], APT_FAILS="1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such package", done.stderr)
        self.assertIn("could not install", done.stderr)

    def test_rejects_an_unknown_word(self) -> None:
        done = self.install("everything", installed=[])
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown word 'everything'", done.stderr)


class Stage(unittest.TestCase):
    def quietly(self, command: str):
        with tempfile.TemporaryDirectory() as folder:
            script = f'source "{SCRIPTS}/stage.sh"; quietly "{folder}/log" bash -c \'{command}\''
            return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)

    def test_a_command_that_works_prints_nothing(self) -> None:
        done = self.quietly("echo much; echo more >&2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_command_that_fails_shows_its_log_and_keeps_its_exit_code(self) -> None:
        done = self.quietly("echo first; echo a.cpp:1: error: second; exit 7")
        self.assertEqual(done.returncode, 7)
        self.assertIn("2:a.cpp:1: error: second", done.stdout)
        self.assertIn("first", done.stdout)


class PassedBefore(unittest.TestCase):
    def run_in(self, folder: str, command: str) -> str:
        script = f'set -euo pipefail; source "{SCRIPTS}/passed_before.sh"; {command}'
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False
        )
        return f"{done.returncode} {done.stdout.strip()}"

    def test_remembers_what_passed_until_a_source_changes(self) -> None:
        remembered = "remember_in passed.tsv; remembered 'some tests'"
        with tempfile.TemporaryDirectory() as folder:
            self.run_in(folder, "git init -q .; echo passed.tsv >.gitignore; echo 1 >source; git add .")
            self.assertEqual(self.run_in(folder, remembered), "1 ")
            self.run_in(folder, "remember_in passed.tsv; remember 'some tests' 12")
            self.assertEqual(self.run_in(folder, remembered), "0 12")
            self.assertEqual(self.run_in(folder, remembered.replace("some", "other")), "1 ")
            for change in ("echo 2 >source", "rm source", "echo 3 >untracked"):
                self.run_in(folder, change)
                self.assertEqual(self.run_in(folder, remembered), "1 ", change)

    def test_remembers_nothing_without_git_or_unasked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                self.run_in(folder, "remember_in record; remember tests 1; remembered tests"), "1 "
            )
            self.assertEqual(self.run_in(folder, "remember tests 1; remembered tests"), "1 ")


class Options(unittest.TestCase):
    def test_resume_goes_with_full_alone(self) -> None:
        for options in (["--resume"], ["--full", "--resume", "--debian13"]):
            done = subprocess.run(
                [str(SCRIPTS / "test"), *options], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 2)
            self.assertIn("--resume goes with --full alone", done.stderr)

    def test_test_rejects_an_unknown_option(self) -> None:
        done = subprocess.run(
            [str(SCRIPTS / "test"), "--fast"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown option '--fast'", done.stderr)

    def test_test_explains_itself(self) -> None:
        done = subprocess.run(
            [str(SCRIPTS / "test"), "--help"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0)
        self.assertIn("scripts/test --full", done.stdout)

    def test_test_packages_explains_itself(self) -> None:
        for word, code in (("-h", 0), ("-x", 2)):
            done = subprocess.run(
                [str(SCRIPTS / "test-packages"), word], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, code)
            self.assertEqual("-b BUILD" in done.stdout, code == 0)


class Debian13(unittest.TestCase):
    """Stand-ins for what makes and enters a root: they say what they were asked for."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.source = Path(scratch.name, "source")
        (self.source / "scripts").mkdir(parents=True)
        for name in ("test", "test-debian13", "stage.sh", "passed_before.sh"):
            shutil.copy(SCRIPTS / name, self.source / "scripts")
        self.bin = Path(scratch.name, "bin")
        self.bin.mkdir()
        for name in (*ESSENTIAL, "mkdir", "touch", "nproc", "true"):
            (self.bin / name).symlink_to(shutil.which(name))
        self.stand_in("id", "echo ${USER_ID:-0}")
        self.stand_in("unshare", '[[ -z ${NO_NAMESPACE:-} ]] || exit 1; echo "enter $*" | head -n 1 >>"$CALLS"')
        (self.bin / "head").symlink_to(shutil.which("head"))
        self.stand_in("mmdebstrap", 'echo "make $*" >>"$CALLS"; echo "no archive"; exit ${ARCHIVE_FAILS:-0}')
        self.calls = Path(scratch.name, "calls")

    def stand_in(self, name: str, text: str) -> None:
        (self.bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.bin / name).chmod(0o755)

    def run_it(self, *words: str, **variables: str):
        return subprocess.run(
            [str(self.source / "scripts/test"), "--debian13", *words],
            env={"PATH": str(self.bin), "HOME": str(self.source), "CALLS": str(self.calls), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_makes_a_root_once_and_runs_the_suite_there(self) -> None:
        for _ in range(2):
            done = self.run_it("--full")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        calls = self.calls.read_text()
        made = [line for line in calls.splitlines() if line.startswith("make ")]
        root = self.source / "build/debian13/root"
        self.assertEqual(made, [f"make --mode=auto --variant=apt --include=git --dpkgopt=force-unsafe-io trixie {root}"])
        self.assertEqual(calls.count("enter --mount bash"), 2)

    def test_takes_a_user_namespace_without_root(self) -> None:
        self.assertEqual(self.run_it(USER_ID="1000").returncode, 0)
        self.assertIn("enter --user --map-users auto", self.calls.read_text())

    def test_says_in_one_line_what_is_missing(self) -> None:
        done = self.run_it(NO_NAMESPACE="yes", USER_ID="1000")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("run it as root", done.stderr)
        (self.bin / "mmdebstrap").unlink()
        done = self.run_it()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("apt-get install mmdebstrap", done.stderr)

    def test_shows_what_the_archive_said_and_makes_the_root_anew(self) -> None:
        done = self.run_it(ARCHIVE_FAILS="1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no archive", done.stderr)
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(self.calls.read_text().count("make "), 2)


FUZZER = """#!/bin/bash
echo "#2 INITED"
[[ -z ${FINDS:-} ]] || { echo "ERROR: AddressSanitizer"; exit 77; }
for word in "$@"; do [[ $word != -runs=* ]] || echo "stat::number_of_executed_units: ${word#-runs=}"; done
[[ -n $(ls "${@: -1}") ]]
"""


class Fuzz(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPTS / "fuzz", self.root / "scripts")
        (self.root / "data/fuzz/h5").mkdir(parents=True)
        (self.root / "data/fuzz/h5/a.h5").write_text("bytes")
        self.programs = self.root / "build/fuzz/bin"
        self.programs.mkdir(parents=True)

    def fuzz(self, *words: str, **variables: str):
        (self.programs / "fuzz_h5_index").write_text(FUZZER)
        (self.programs / "fuzz_h5_index").chmod(0o755)
        return subprocess.run(
            [str(self.root / "scripts/fuzz"), *words],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_says_how_often_a_program_ran(self) -> None:
        done = self.fuzz("-r", "123", "h5_index")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "h5_index: 123 executions, nothing found\nin all, h5_index: 123\nin all: 123\n")

    def test_fails_and_shows_what_was_found(self) -> None:
        done = self.fuzz("h5_index", FINDS="yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ERROR: AddressSanitizer", done.stdout)
        self.assertNotIn("INITED", done.stdout)

    def test_commands_begin_with_each_file_once_for_every_command(self) -> None:
        # Fails, so that what it prints is shown: the files' bytes, "bytes" and the number of a command.
        program = self.programs / "fuzz_guided_commands"
        program.write_text('#!/bin/bash\ncat "${@: -1}"/* | od -An -v -tx1 -w6\nexit 1\n')
        program.chmod(0o755)
        shown = self.fuzz("guided_commands").stdout.splitlines()
        begun = sorted(bytes.fromhex(line) for line in shown if line.startswith(" "))
        self.assertEqual(begun, [b"bytes" + bytes([number]) for number in range(12)])

    def test_names_a_program_that_is_not_built(self) -> None:
        done = self.fuzz("dump_reader")
        self.assertEqual(done.returncode, 2)
        self.assertIn("fuzz_dump_reader is missing", done.stderr)


if __name__ == "__main__":
    unittest.main()
