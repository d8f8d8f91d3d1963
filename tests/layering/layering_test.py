"""The tree keeps to the table of rooms, and a planted violation of each rule is found."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import layering  # noqa: E402
from planted import planted_tree  # noqa: E402

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
TABLE = layering.read_table(Path(__file__).resolve().parent / "rooms.txt")


class Tree(unittest.TestCase):
    def test_keeps_to_the_table(self) -> None:
        found = layering.violations(SOURCE, TABLE)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_has_sources_that_were_read(self) -> None:
        paths = list(layering.sources(SOURCE, TABLE))
        self.assertIn("core/base/error.h", paths)
        self.assertIn("tests/layering/layering.py", paths)

    def test_every_room_is_described_in_the_architecture(self) -> None:
        text = (SOURCE / "docs" / "architecture.md").read_text()
        for room in TABLE.rooms:
            self.assertIn(f"`{room}`", text)

    def test_libraries_do_not_name_options_of_the_command_line(self) -> None:
        # Reviewed: a vendor's own option as a source, and the names of colours in a page.
        allowed = {
            'npu_backend/chips/chips.cpp: "ATC --allow_hf32"',
        }
        found = set(layering.options_in_texts(SOURCE, TABLE))
        self.assertEqual(found - allowed, set())

    def test_pages_that_sources_name_exist(self) -> None:
        folders = sorted({room.split("/")[0] for room in TABLE.rooms} | {"data", "cmake", "bench"})
        self.assertEqual(layering.missing_pages(SOURCE, folders), [])

    def test_no_two_rooms_include_each_other(self) -> None:
        for room in TABLE.rooms:
            for other in TABLE.rooms:
                both = layering.may_include(room, other, TABLE) and layering.may_include(
                    other, room, TABLE
                )
                self.assertFalse(room != other and both, f"{room} and {other}")


class Planted(unittest.TestCase):
    def violations(self, files: dict) -> list:
        with planted_tree(files) as root:
            return layering.violations(root, TABLE)

    def assert_found(self, files: dict, expected: str) -> None:
        self.assertEqual(self.violations(files), [expected])

    def test_accepts_allowed_includes(self) -> None:
        files = {
            "core/base/error.h": "#pragma once\n#include <string>\n",
            "core/h5/h5.cpp": '#include <hdf5.h>\n#include "core/base/error.h"\n',
            "compare/report/json.cpp": "#include <nlohmann/json.hpp>\n",
            "diagnose/check/check.cpp": '#include "overflow/judge.h"\n',
            "overflow/judge.h": '#pragma once\n#include "core/base/error.h"\n',
            "tests/core/h5/h5_test.cpp": '#include <hdf5.h>\n#include "core/base/error.h"\n',
        }
        self.assertEqual(self.violations(files), [])

    def test_finds_a_feature_room_that_includes_another(self) -> None:
        self.assert_found(
            {"dumper/a.h": "#pragma once\n", "compare/b.cpp": '\n#include "dumper/a.h"\n'},
            "compare/b.cpp:2: dumper/a.h: compare may not include dumper",
        )

    def test_finds_core_that_includes_a_feature_room(self) -> None:
        self.assert_found(
            {"dumper/a.h": "#pragma once\n", "core/event/b.h": '#pragma once\n#include "dumper/a.h"\n'},
            "core/event/b.h:2: dumper/a.h: core/event may not include dumper",
        )

    def test_finds_an_edge_inside_core(self) -> None:
        self.assert_found(
            {"core/h5/a.h": "#pragma once\n", "core/npz/b.cpp": '#include "core/h5/a.h"\n'},
            "core/npz/b.cpp:1: core/h5/a.h: core/npz may not include core/h5",
        )

    def test_finds_libraries_outside_their_places(self) -> None:
        for path, header, place in (
            ("compare/a.cpp", "hdf5.h", "HDF5 belongs in core/h5/*"),
            ("cli/a.cpp", "H5Cpp.h", "HDF5 belongs in core/h5/*"),
            ("compare/a.cpp", "Eigen/Dense", "Eigen belongs in npu_backend/*.cpp core/tensor/*.cpp"),
            ("npu_backend/a.h", "Eigen/Core", "Eigen belongs in npu_backend/*.cpp core/tensor/*.cpp"),
            ("compare/a.h", "nlohmann/json.hpp", "JSON belongs in *.cpp"),
            ("dumper/a.h", "spdlog/spdlog.h", "spdlog belongs in *.cpp"),
            ("diagnose/check/a.cpp", "CLI/CLI.hpp", "CLI11 belongs in cli/*"),
            ("cli/a.cpp", "pybind11/numpy.h", "pybind11 belongs in python/*"),
            (
                "npu_backend/a.cpp",
                "google/protobuf/message.h",
                "protobuf belongs in npu_backend/onnx/*",
            ),
            ("core/base/a.cpp", "zip.h", "libzip belongs in core/npz/*"),
            ("core/base/a.cpp", "gtest/gtest.h", "GoogleTest belongs in tests/*"),
        ):
            with self.subTest(header=header, path=path):
                once = "#pragma once\n" if path.endswith(".h") else "\n"
                self.assert_found(
                    {path: f"{once}#include <{header}>\n"}, f"{path}:2: {header}: {place}"
                )

    def test_finds_an_include_that_does_not_start_at_the_root(self) -> None:
        for header in ("a.h", "../compare/a.h"):
            self.assert_found(
                {"compare/a.h": "#pragma once\n", "compare/b.cpp": f'#include "{header}"\n'},
                f"compare/b.cpp:1: {header}: is not a path from the root of the sources",
            )

    def test_finds_large_files(self) -> None:
        self.assert_found({"compare/a.cpp": "\n" * 401}, "compare/a.cpp: 401 lines, at most 400")
        self.assert_found({"data/a.py": "\n" * 401}, "data/a.py: 401 lines, at most 400")
        self.assert_found(
            {"tests/compare/a_test.cpp": "\n" * 601},
            "tests/compare/a_test.cpp: 601 lines, at most 600",
        )
        self.assertEqual(self.violations({"compare/a.cpp": "\n" * 400}), [])

    def test_finds_a_header_that_can_be_included_twice(self) -> None:
        self.assert_found({"compare/a.h": "\n"}, "compare/a.h: no '#pragma once'")

    def test_finds_names_that_say_nothing(self) -> None:
        self.assert_found({"core/base/utils.cpp": ""}, "core/base/utils.cpp: the name 'utils' says nothing")
        self.assert_found({"cli/common/a.cpp": ""}, "cli/common/a.cpp: the name 'common' says nothing")

    def planted(self, path: str, text: str, find) -> list:
        with planted_tree({path: text}) as root:
            return find(root)

    def test_finds_an_option_in_a_text_of_a_library(self) -> None:
        def find(root: Path) -> list:
            return layering.options_in_texts(root, TABLE)

        text = '// "--dump"\nError("say --dump");\nfill("var(--ink)");\n'
        self.assertEqual(self.planted("dumper/a.cpp", text, find), ['dumper/a.cpp: "say --dump"'])
        self.assertEqual(self.planted("cli/a.cpp", text, find), [])

    def test_finds_a_page_that_does_not_exist(self) -> None:
        def find(root: Path) -> list:
            return layering.missing_pages(root, ["core"])

        found = self.planted("core/base/a.h", "// see docs/" + "none.md\n", find)
        self.assertEqual(found, ["core/base/a.h: docs/" + "none.md"])

    def test_rejects_a_table_with_an_unknown_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "rooms.txt")
            file.write_text("house core: \n")
            with self.assertRaisesRegex(ValueError, "rooms.txt:1: expected 'room' or 'library'"):
                layering.read_table(file)


if __name__ == "__main__":
    unittest.main()
