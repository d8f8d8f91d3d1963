"""What pages say of versions and commands agrees with the sources."""

import os
import re
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
OF_EVERY_COMMAND = {"--help", "--json", "--quiet", "--verbose", "--color", "--trust-files"}


def text(path: str) -> str:
    return (SOURCE / path).read_text()


def commands() -> set:
    return set(re.findall(r"^COMMAND\((\w+)\)", text("cli/commands/commands.def"), re.M))


class Facts(unittest.TestCase):
    def test_one_version_everywhere(self) -> None:
        version = re.search(r'kVersion = "([^"]+)"', text("core/base/version.h"))[1]
        self.assertIn(f"project(npuscope VERSION {version} ", text("CMakeLists.txt"))
        self.assertEqual(re.search(r"^## (\S+)", text("CHANGELOG.md"), re.M)[1], version)

    def test_the_format_page_states_the_format_version(self) -> None:
        header = text("core/base/version.h")
        numbers = [re.search(rf"kDumpFormat{n} = (\d+)", header)[1] for n in ("Major", "Minor")]
        self.assertIn(f"version **{'.'.join(numbers)}**", text("docs/dump_format.md"))

    def test_every_command_has_a_section_and_no_section_lacks_a_command(self) -> None:
        sections = set(re.findall(r"^## (\w+)$", text("docs/cli.md"), re.M))
        self.assertEqual(sections, commands())

    def test_every_option_is_described_and_no_other(self) -> None:
        page = text("docs/cli.md")
        for command in sorted(commands()):
            done = subprocess.run(
                [NPUSCOPE, command, "--help"], check=True, capture_output=True, text=True
            )
            options = set(re.findall(r"^ {2}(?:-\w, ?)?(--[\w-]+)", done.stdout, re.M))
            section = re.search(rf"^## {command}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
            described = set(re.findall(r"--[a-z][\w-]+", re.sub(r"<!--.*?-->", "", section)))
            self.assertEqual(options - OF_EVERY_COMMAND, described - OF_EVERY_COMMAND, command)

    def test_tables_are_what_the_program_prints(self) -> None:
        done = subprocess.run(
            [SOURCE / "scripts" / "doc-tables", "--check"], check=False, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        pages = "".join(path.read_text() for path in (SOURCE / "docs").glob("*.md"))
        shown = set(re.findall(r"<!-- table: npuscope help ([\w-]+) ", pages))
        self.assertEqual(commands() - shown, set())

    def test_the_readme_calls_commands_that_exist(self) -> None:
        called = set(re.findall(r"^\s*(?:\$ )?npuscope (\w+)", text("README.md"), re.M))
        self.assertTrue(called)
        self.assertEqual(called - commands(), set())

    def test_every_example_is_listed_and_complete(self) -> None:
        folder = SOURCE / "docs" / "examples"
        names = sorted(path.name for path in folder.iterdir() if path.is_dir())
        listed = re.findall(r"^\| \[(\w+)\]", text("docs/examples/README.md"), re.M)
        self.assertEqual(listed, names)
        for name in names:
            for file in ("README.md", "run.sh", "expected.txt"):
                self.assertTrue((folder / name / file).is_file(), f"{name}/{file}")
            self.assertTrue(os.access(folder / name / "run.sh", os.X_OK), name)


if __name__ == "__main__":
    unittest.main()
