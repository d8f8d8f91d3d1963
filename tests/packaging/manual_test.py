"""Manual pages and completions name the options that --help names, and no others."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["NPUSCOPE_BIN_DIR"])


def output(*words: str) -> str:
    return subprocess.run(
        [str(BIN / words[0]), *words[1:]], capture_output=True, text=True, check=True
    ).stdout


def commands() -> list:
    table = output("npuscope", "--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^ {2}(\w+) ", table, re.M)


def options(command: str) -> set:
    """Every name of an option in --help, short and long."""
    names = set()
    for line in output("npuscope", *command.split(), "--help").splitlines():
        if re.match(r" {2}-", line):
            # "--compress{1}" has a value of its own where none follows.
            names |= set(re.sub(r"\{.*?\}", "", line.split()[0]).split(","))
    return names


def unescaped(page: str) -> str:
    return re.sub(r"\\f[BIR]", "", page.replace("\\-", "-")).replace("\\e", "\\")


class ManualPages(unittest.TestCase):
    def test_name_every_option_and_no_other(self) -> None:
        for command in ["", *commands()]:
            page = output("npuscope", "help", *command.split(), "--man")
            heads = re.findall(r"^\.TP\n(\\fB\\-.*)$", page.split(".SH EXIT STATUS")[0], re.M)
            told = set()
            for head in heads:
                told |= set(re.findall(r"\\fB(\\-.*?)\\fR", head))
            self.assertEqual({unescaped(name) for name in told}, options(command), command)

    def test_list_every_command_and_refer_to_its_page(self) -> None:
        page = unescaped(output("npuscope", "help", "--man"))
        for command in commands():
            self.assertIn(f".TP\n{command}\n", page)
            self.assertIn(f".BR npuscope-{command} (1)", page)

    def test_tell_defaults_values_and_what_is_required(self) -> None:
        page = unescaped(output("npuscope", "help", "compare", "--man"))
        self.assertIn("\nOne of exact, quick, off.\n.br\nDefault: exact.\n", page)
        self.assertIn(" 910A, 310P, 910B", page)
        page = unescaped(output("npuscope", "help", "extract", "--man"))
        self.assertIn("\nRequired.\n", page)

    def test_that_of_msaccucmp_holds_its_help(self) -> None:
        page = unescaped(output("npuscope", "help", "msaccucmp", "--man"))
        for command in ("compare", "convert", "overflow", "file_compare"):
            self.assertIn(f"\n.SH {command.upper()}\n", page)
            names = set(re.findall(r"(?<=[ ,])--?\w+", output("msaccucmp", command, "-h")))
            self.assertTrue(names)
            for name in names:
                self.assertIn(name, page)

    def test_are_shown_without_a_warning(self) -> None:
        tools = [
            [tool, *words]
            for tool, *words in (("man", "--warnings", "-l"), ("mandoc", "-Tlint", "-Wwarning"))
            if shutil.which(tool)
        ]
        with tempfile.TemporaryDirectory() as folder:
            for command in ["", "msaccucmp", *commands()]:
                page = Path(folder, f"npuscope-{command}.1")
                page.write_text(output("npuscope", "help", *command.split(), "--man"))
                for tool in tools:
                    done = subprocess.run(
                        [*tool, str(page)],
                        capture_output=True,
                        text=True,
                        check=False,
                        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "100"},
                    )
                    self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                    if tool[0] == "mandoc":
                        self.assertEqual(done.stdout, "", command)

    def test_are_dated_by_the_source_where_builds_must_repeat(self) -> None:
        done = subprocess.run(
            [str(BIN / "npuscope"), "help", "--man"],
            env={**os.environ, "SOURCE_DATE_EPOCH": "86400"},
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertTrue(done.stdout.startswith(".TH NPUSCOPE 1 1970-01-02 "), done.stdout[:60])

    def test_rejects_a_page_that_does_not_exist(self) -> None:
        done = subprocess.run(
            [str(BIN / "npuscope"), "help", "chips", "--man"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("no manual page of 'chips'", done.stderr)


class Completions(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.script = self.folder / "npuscope.bash"
        self.script.write_text(output("npuscope", "help", "--completion", "bash"))

    def completed(self, *words: str) -> set:
        """What bash offers for the last word."""
        code = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _npuscope\n'
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            ["bash", "-eu", "-c", code, "bash", str(self.script), "npuscope", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split("\n")) - {""}

    def test_bash_offers_the_options_of_each_command(self) -> None:
        for command in commands():
            self.assertEqual(self.completed(command, "-"), options(command), command)

    def test_bash_offers_commands_first(self) -> None:
        self.assertEqual(self.completed(""), {*commands(), *options("")})
        self.assertEqual(self.completed("comp"), {"compare"})

    def test_bash_offers_the_values_of_an_option(self) -> None:
        self.assertEqual(self.completed("run", "--color", "a"), {"auto", "always"})
        self.assertEqual(self.completed("run", "--color", "=", "al"), {"always"})
        self.assertEqual(self.completed("compare", "--judge", "="), {"exact", "quick", "off"})
        self.assertEqual(self.completed("check", "--chip", "91"), {"910A", "910B"})
        self.assertEqual(self.completed("help", "det"), {"detectors"})
        self.assertEqual(self.completed("help", "che"), {"check"})

    def test_bash_offers_files_where_a_file_belongs(self) -> None:
        (self.folder / "my dump.h5").touch()
        found = {"my dump.h5"}
        self.assertEqual(self.completed("compare", "-m", "my"), found)
        self.assertEqual(self.completed("overflow", "my"), found)
        self.assertEqual(self.completed("compare", "--tolerance", "m"), set())

    def test_other_shells_name_every_option(self) -> None:
        fish = output("npuscope", "help", "--completion", "fish")
        zsh = output("npuscope", "help", "--completion", "zsh")
        for command in commands():
            lines = re.findall(
                rf"^complete -c npuscope -n '__fish_seen_subcommand_from {command}' (.*)$", fish, re.M
            )
            told = set()
            for line in lines:
                told |= {"--" + name for name in re.findall(r"(?:^| )-l ([\w-]+)", line)}
                told |= {"-" + name for name in re.findall(r"^(?:-l [\w-]+ )*-s (\w)", line)}
            self.assertEqual(told, options(command), command)
            branch = re.search(rf"^ {{8}}{command}\)\n(.*?);;$", zsh, re.M | re.S)[1]
            told = set()
            for line in branch.splitlines():
                names = re.match(r"\s+'(?:\*|\(.*?\))'(?:\{(.*?)\}|(-[\w-]+))'\[", line)
                told |= set((names[1] or names[2]).split(",")) if names else set()
            self.assertEqual(told, options(command), command)

    def test_shells_take_their_scripts(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            script = self.folder / shell
            script.write_text(output("npuscope", "help", "--completion", shell))
            done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_rejects_a_shell_that_is_not_known(self) -> None:
        done = subprocess.run(
            [str(BIN / "npuscope"), "help", "--completion", "tcsh"], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("{bash,fish,zsh}", done.stderr)


if __name__ == "__main__":
    unittest.main()
