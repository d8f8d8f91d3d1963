"""Outside a table's folder no file names one of its rows: who needs a row goes through the table, or the row says it.

Of kernels, ops and chips tests/npu_backend/names_test.cpp says the same.
"""

import os
import re
import unittest
from pathlib import Path

from planted import planted_tree

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])

# table -> its .def file, the form of its lines, its folder
TABLES = {
    "metrics": ("compare/metrics/metrics.def", r"METRIC\((\w+)\)", "compare/metrics"),
    "reports": ("compare/report/reports.def", r"REPORT\((\w+)\)", "compare/report"),
    "rules": ("compare/rules/rules.def", r"RULE\((\w+)\)", "compare/rules"),
    "detectors": ("overflow/detectors/detectors.def", r"DETECTOR\((\w+)\)", "overflow/detectors"),
    "commands": ("cli/commands/commands.def", r"COMMAND\((\w+)\)", "cli/commands"),
    "ONNX operators": (
        "npu_backend/onnx/operators.def",
        r"ONNX_OPERATOR\(\w+, (\w+),",
        "npu_backend/onnx",
    ),
}
ROOMS = (
    "cli",
    "compare",
    "core",
    "custom_algorithms",
    "diagnose",
    "dumper",
    "ir_tbe_map",
    "msaccucmp",
    "npu_backend",
    "overflow",
    "python",
)
# Folders whose own names a table shares: CANN calls kernels as ONNX calls operators.
SHARED = {"ONNX operators": ("npu_backend/kernels/", "npu_backend/ops/", "npu_backend/executor.cpp")}

# Rows that are words, too: what they are where they do not name the row.
WORDS = {
    ("detectors", "nan"): "a number as text, a key of counts, an argument of nan_to_num",
    ("detectors", "inf"): "a number as text, a key of counts",
    ("commands", "overflow"): "a key, a column, a kind of answer",
}

# Files that are reviewed, with what the word is there or why it is that row and no other.
REVIEWED = {
    ("ONNX operators", "Max"): {
        "core/recording/formats/torchtitan.cpp": "the log's word",
        "core/recording/msprobe/record_reader.cpp": "msprobe's key",
        "ir_tbe_map/acl_config.cpp": "acl.json's word",
        "ir_tbe_map/statistics_csv.cpp": "CANN's column",
    },
    ("ONNX operators", "Mean"): {
        "core/recording/formats/torchtitan.cpp": "the log's word",
        "core/recording/msprobe/record_reader.cpp": "msprobe's key",
    },
    ("ONNX operators", "Min"): {
        "core/recording/formats/torchtitan.cpp": "the log's word",
        "core/recording/msprobe/record_reader.cpp": "msprobe's key",
        "ir_tbe_map/acl_config.cpp": "acl.json's word",
        "ir_tbe_map/statistics_csv.cpp": "CANN's column",
        "msaccucmp/folders/detail_writer.cpp": "the reference tool's column",
    },
    ("ONNX operators", "Cast"): {
        "diagnose/kernels/device_kernels.cpp": "a kernel",
        "diagnose/kernels/kernel_alignment.cpp": "a kernel",
        "diagnose/kernels/kernel_mapping.cpp": "a kernel",
        "diagnose/kernels/kernel_trace.cpp": "a kernel",
        "msaccucmp/folders/golden_tensor.cpp": "a kernel",
    },
    ("ONNX operators", "Abs"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Add"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "LeakyRelu"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Mul"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Neg"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Relu"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Sub"): {"diagnose/judge/vector_error.cpp": "a kernel"},
    ("ONNX operators", "Identity"): {"diagnose/kernels/kernel_alignment.cpp": "a kernel"},
    ("ONNX operators", "Shape"): {
        "core/recording/formats/torchtitan.cpp": "the log's word",
        "msaccucmp/columns/row.cpp": "the reference tool's column",
        "msaccucmp/folders/result_table.cpp": "the reference tool's column",
    },
    ("commands", "map"): {
        "diagnose/check/check.cpp": "a folder of check's output",
        "diagnose/kernels/map.cpp": "the heading of a progress line",
    },
    ("commands", "run"): {"diagnose/run/run.cpp": "the heading of a progress line"},
    ("commands", "help"): {"msaccucmp/base/arguments.cpp": "an option of the reference tool"},
    ("commands", "compare"): {
        "cli/compare_trees.cpp": "the kind of a page",
        "msaccucmp/msaccucmp.cpp": "a command of the reference tool",
        "python/bindings/flows.cpp": "a function of Python",
    },
    ("commands", "extract"): {"python/bindings/dumps.cpp": "a function of Python"},
    ("commands", "check"): {
        "diagnose/check/check_files.cpp": "the kind of a page",
        "python/bindings/flows.cpp": "a function of Python",
    },
    ("detectors", "all_zero"): {"compare/rules/all_zero.cpp": "the rule of this name"},
    ("detectors", "saturated"): {
        "overflow/flow_report.cpp": "a key: the largest finite value in a flow",
        "overflow/record.cpp": "how an op's overflow was seen",
    },
    ("detectors", "headroom"): {"python/bindings/flows.cpp": "an argument: latent_binades"},
    ("metrics", "cosine_similarity"): {
        "compare/report/terminal/table.cpp": "one of the two columns that 80 characters hold"
    },
    ("metrics", "max_absolute_error"): {
        "compare/report/terminal/table.cpp": "one of the two columns that 80 characters hold"
    },
    ("reports", "json"): {
        "cli/commands/compare.cpp": "what --json prints",
        "python/bindings/scopes.cpp": "a method of Python",
    },
    ("reports", "terminal"): {
        "cli/commands/compare.cpp": "what is printed without --json",
        "python/bindings/flows.cpp": "the text of Python's result",
    },
    ("rules", "inherited"): {
        "compare/report/json.cpp": "a key: the error that came in",
        "compare/verdict.cpp": "the verdict of this name",
        "diagnose/bitwise/report.cpp": "a key: ops that were given other inputs",
        "diagnose/check/check_json.cpp": "a key: the error that came in",
        "diagnose/check/check_text.cpp": "a heading: the error that came in",
    },
    ("rules", "order_sensitive"): {
        "cli/commands/run.cpp": "a key: elements of a Cube kernel",
        "compare/verdict.cpp": "the verdict of this name",
    },
    ("rules", "out_of_range"): {"compare/verdict.cpp": "the verdict of this name"},
    ("rules", "constant"): {
        "diagnose/apis/special_calls.cpp": "PyTorch's mode of pad",
        "npu_backend/onnx/views/shaping.cpp": "ONNX's mode of Pad",
    },
    ("rules", "all_zero"): {"overflow/detectors/all_zero.cpp": "the detector of this name"},
}


def rows_of(root: Path, table: str) -> set:
    path, line, _ = TABLES[table]
    return set(re.findall(rf"^{line}", (root / path).read_text(), re.M))


def literals(text: str) -> set:
    return set(re.findall(r'"([^"\\\n]+)"', re.sub(r"//[^\n]*", "", text)))


def names_outside(root: Path, rooms: tuple = ROOMS) -> dict:
    """(table, row) -> files outside the table's folder with a string literal that is the row's name."""
    rows = {table: rows_of(root, table) for table in TABLES if (root / TABLES[table][0]).exists()}
    found: dict = {}
    for room in rooms:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            file = path.relative_to(root).as_posix()
            words = literals(path.read_text())
            for table, names in rows.items():
                own = (TABLES[table][2] + "/", *SHARED.get(table, ()))
                if not file.startswith(own):
                    for name in names & words:
                        found.setdefault((table, name), set()).add(file)
    return found


class Tables(unittest.TestCase):
    def test_have_rows(self) -> None:
        for table in TABLES:
            self.assertGreater(len(rows_of(SOURCE, table)), 2, table)

    def test_rows_are_named_in_their_folder_alone(self) -> None:
        found = names_outside(SOURCE)
        self.assertEqual(set(WORDS) - set(found), set())
        self.assertEqual(
            {row: files for row, files in found.items() if row not in WORDS},
            {row: set(files) for row, files in REVIEWED.items()},
        )

    def test_a_planted_name_is_found_and_a_comment_is_none(self) -> None:
        files = {
            "compare/metrics/metrics.def": "METRIC(cosine)\n",
            "compare/metrics/cosine.cpp": 'x = "cosine";\n',
            "cli/a.cpp": 'x = "cosine";\n',
            "cli/b.cpp": '// "cosine"\nx = "the cosine";\n',
        }
        with planted_tree(files) as root:
            self.assertEqual(
                names_outside(root, ("cli", "compare")), {("metrics", "cosine"): {"cli/a.cpp"}}
            )


if __name__ == "__main__":
    unittest.main()
