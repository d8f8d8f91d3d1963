"""What commands print with --json has the keys that the pages list, and no other.

A section `## JSON of ...` opens with the table of the whole object. A line "`a.b`..." or "Each of `a.b`..." before
another table names the objects that it describes. In a row, names in backticks of the first cell are keys. Where a
key's value is an object, or a list of objects, without a table of its own, the second cell's are that object's keys;
"by name" says that these are the keys below any name.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import h5py
import numpy as np

SOURCE = Path(os.environ["NPUSCOPE_SOURCE_DIR"])
NPUSCOPE = str(Path(os.environ["NPUSCOPE_BIN_DIR"]) / "npuscope")
MODELS = SOURCE / "data" / "models"
DUMPS = SOURCE / "tests" / "golden" / "msaccucmp_dumps"

Table = Dict[str, str]  # key: what its row says


def names(cell: str) -> List[str]:
    return re.findall(r"`(\w+)`", cell)


def tables(page: str, heading: str) -> Dict[str, Table]:
    """By the path of the objects that a table is of; "" is the whole."""
    text = (SOURCE / "docs" / page).read_text(encoding="utf-8")
    sections = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert len(sections) == 1, (page, heading)
    found: Dict[str, Table] = {}
    place = ""
    for paragraph in re.split(r"\n\n+", sections[0]):
        opening = re.match(r"(?:Each of )?`([\w.]+)`.*:$", paragraph, re.S)
        if opening:
            place = opening[1]
        if not paragraph.startswith("| key |"):
            continue
        rows = [re.split(r"(?<!\\)\|", line) for line in paragraph.strip().splitlines()[2:]]
        keys = [(key, row[2]) for row in rows for key in names(row[1])]
        assert place not in found and len(keys) == len(dict(keys)), (page, heading, place)
        found[place] = dict(keys)
    return found


def objects(value: Any) -> List[dict]:
    listed = value if isinstance(value, list) else [value]
    return [one for one in listed if isinstance(one, dict)]


def members(root: Any, path: str) -> Iterator[Any]:
    """The values at a path like `ops.tensors`, through lists."""
    for one in objects(root):
        key, _, rest = path.partition(".")
        if key in one:
            if rest:
                yield from members(one[key], rest)
            else:
                yield one[key]


def key_differences(described: Dict[str, Table], printed: List[Any]) -> List[str]:
    found: List[str] = []

    def compare(place: str, wanted: Set[str], seen: List[dict]) -> None:
        present = {key for one in seen for key in one}
        found.extend(f"{place}.{key} is not described" for key in sorted(present - wanted))
        found.extend(f"{place}.{key} was not printed" for key in sorted(wanted - present))

    for place, table in described.items():
        seen = printed if not place else [m for p in printed for v in members(p, place) for m in objects(v)]
        compare(place, set(table), seen)
        for key, says in table.items():
            path = f"{place}.{key}".lstrip(".")
            values = [one for p in printed for v in members(p, path) for one in objects(v)]
            if path in described:
                continue
            if "by name" in says:
                values = [one for value in values for v in value.values() for one in objects(v)]
                says = "" if not values else says
            if values:
                compare(path, set(names(says)), values)
            elif re.search(r"list of `|^ `\w+`(,| and) `", says):
                found.append(f"{path}: no object of it was printed")
    return found


def key_test(page: str, heading: str, *runs: str):
    """A test that the named methods print together what the section describes."""

    def test(self: "Json") -> None:
        printed = [getattr(self, run)() for run in runs]
        self.assertEqual(key_differences(tables(page, heading), printed), [])

    return test


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "acl.json").write_text('{"dump": {"dump_path": "kernels", "dump_list": []}}')
        cls.resnet = (str(MODELS / "digits_resnet.onnx"), "--input", str(MODELS / "digits_16bit.npz"))
        cls.vit = (str(MODELS / "digits_vit.onnx"), "--input", str(MODELS / "digits_vit.io.npz"))
        cls.npuscope("run", *cls.vit, "--device", "cpu", "--dump", "golden.h5")
        cls.npuscope("run", *cls.resnet, "--device", "cpu", "--dump", "plain.h5")
        cls.npuscope("run", *cls.resnet, "--chip", "910A", "--dump", "overflowed.h5")
        cls.made_dump("small.h5", eps=1e-5)
        cls.made_dump("other.h5", eps=1e-3)
        cls.made_dump("longer.h5", eps=1e-3)
        with h5py.File(cls.folder / "longer.h5", "r+") as file:
            file.copy("exp/2", "neg/5")
        for name, last in (("wrong.h5", -3), ("right.h5", -2)):
            cls.made_dump(name, eps=1e-5)
            with h5py.File(cls.folder / name, "r+") as file:
                file.copy("exp/1", "neg/5")
                file["neg/5/output/result"][...] = [-1, last]
        np.save(cls.folder / "array.npy", np.ones(3, np.float32))
        for step in range(2):
            cls.made_run(cls.folder / f"tree/step{step}/rank0")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.temporary.cleanup()

    @classmethod
    def npuscope(cls, *arguments: str) -> Any:
        done = subprocess.run(
            [NPUSCOPE, *arguments, "--json", "-q"],
            check=False, capture_output=True, encoding="utf-8", cwd=cls.folder,
        )
        assert done.returncode in (0, 1), (arguments, done.stderr)
        return json.loads(done.stdout)

    @classmethod
    def made_dump(cls, name: str, eps: float) -> None:
        """Ops whose results are close to the ends of the range, and one that made an infinity."""
        with h5py.File(cls.folder / name, "w") as file:
            number = file.create_dataset("exp/1/input/eps", data=np.float64(eps))
            number.attrs["Type"] = np.int32(5)
            for seqid, values in enumerate(([0, 0], [1e-40, 1], [3e38, 1], [np.inf, 1]), 1):
                for tensor, elements in (("input/self", [1, 2]), ("output/result", values)):
                    stored = file.create_dataset(f"exp/{seqid}/{tensor}", data=np.float32(elements))
                    for attribute in ("DeviceType", "FormatType", "Type"):
                        stored.attrs[attribute] = np.int32(0)
                    stored.attrs["DataType"] = np.int32(1)
                    stored.attrs["Stride"] = np.int64([1])

    @classmethod
    def made_run(cls, folder: Path) -> None:
        """A step as msprobe records it."""
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1, "Min": 0, "Mean": 1, "Norm": 1}
        record = {"input_args": [tensor, {"type": "int", "value": 1}], "output": [tensor]}
        folder.mkdir(parents=True)
        (folder / "dump.json").write_text(json.dumps({"data": {"Torch.exp.0.forward": record}}))

    def compare_trees(self) -> Any:
        # What a comparison of two files prints has a section of its own.
        found = self.npuscope("compare", "-m", "tree", "-g", "tree")
        for run in found["runs"]:
            run["result"] = sorted(run["result"])
        return found

    def inspect_tree(self) -> Any:
        return self.npuscope("inspect", "tree")

    def inspect_recording(self) -> Any:
        return self.npuscope("inspect", "tree/step0")

    def inspect_recorded_op(self) -> Any:
        return self.npuscope("inspect", "tree/step0", "Torch.exp.0.forward")

    def check_culprit(self) -> Any:
        return self.npuscope("check", *self.resnet, "--chip", "910A", "-o", "report")

    def check_against_dump(self) -> Any:
        return self.npuscope("check", *self.vit, "--golden", "golden.h5")

    def compare_overflowed(self) -> Any:
        return self.npuscope("compare", "-m", "overflowed.h5", "-g", "plain.h5")

    def compare_own_measure(self) -> Any:
        algorithm = self.folder / "own" / "algorithm" / "alg_Sum.py"
        algorithm.parent.mkdir(parents=True, exist_ok=True)
        algorithm.write_text('def compare(my, golden, params):\n    return "1", ""\n')
        return self.npuscope("compare", "-m", "small.h5", "-g", "other.h5", "--custom", "own")

    def compare_standard(self) -> Any:
        return self.npuscope("compare", "-m", "small.h5", "-g", "other.h5", "--standard", "polygraphy")

    def compare_waived(self) -> Any:
        waiver = {"op": "exp", "reason": "r", "owner": "o", "expires": "9999-12-31"}
        (self.folder / "waivers.json").write_text(json.dumps({"waivers": [waiver]}))
        return self.npuscope("compare", "-m", "wrong.h5", "-g", "right.h5", "--waivers", "waivers.json")

    def compare_longer(self) -> Any:
        return self.npuscope("compare", "-m", "longer.h5", "-g", "other.h5")

    def dump_of(self, name: str, *ops: Tuple[str, Dict[str, np.ndarray], np.ndarray]) -> None:
        with h5py.File(self.folder / name, "w") as file:
            for number, (op, inputs, output) in enumerate(ops, 1):
                for place, value in [(f"input/{key}", array) for key, array in inputs.items()] + [("output/out", output)]:
                    dataset = file.create_dataset(f"/{op}/{number}/{place}", data=value.astype("f4"))
                    for key, code in (("DeviceType", 0), ("DataType", 1), ("FormatType", 0), ("Type", 0)):
                        dataset.attrs[key] = np.int32(code)
                    dataset.attrs["Stride"] = np.array(value.strides, dtype="i8") // value.itemsize

    def compare_span(self) -> Any:
        x = np.random.default_rng(1).standard_normal((4, 6)).astype("f4")
        s = (1 / (1 + np.exp(-abs(x)))).astype("f4")
        y = abs(x) * s
        self.dump_of("apart.h5", ("abs", {"self": x}, abs(x)), ("sigmoid", {"self": abs(x)}, s),
                     ("mul_Tensor", {"self": abs(x), "other": s}, y), ("neg", {"self": y}, -y))
        self.dump_of("fused.h5", ("abs", {"self": x}, abs(x)), ("silu", {"self": abs(x)}, y), ("neg", {"self": y}, -y))
        return self.npuscope("compare", "-m", "fused.h5", "-g", "apart.h5")

    def compare_related(self) -> Any:
        x = np.random.default_rng(2).standard_normal((4, 6)).astype("f4")
        self.dump_of("rows.h5", ("neg", {"self": x}, -x))
        self.dump_of("columns.h5", ("neg", {"self": x.T.copy()}, -x.T.copy()))
        return self.npuscope("compare", "--align", "-m", "rows.h5", "-g", "columns.h5")

    def compare_wrong(self) -> Any:
        return self.npuscope("compare", "-m", "wrong.h5", "-g", "right.h5")

    def compare_contradicted(self) -> Any:
        self.npuscope("run", *self.vit, "--chip", "910A", "--dump", "demoted.h5")
        return self.npuscope("compare", "-m", "demoted.h5", "-g", "golden.h5", "--chip", "910B")

    def map_ops(self) -> Any:
        return self.npuscope("map", "golden.h5", "--op", "/addmm/69", "--op", "/bmm/7")

    def run_observed(self) -> Any:
        io = self.vit[2]
        return self.npuscope(
            "run", *self.vit, "--expect", io, "--dump", "observed.h5", "--acl", "acl.json", "--cube-range"
        )

    def run_overflowed(self) -> Any:
        return self.npuscope("run", *self.resnet, "--chip", "910A")

    def run_labels(self) -> Any:
        test = str(MODELS / "digits_test.npz")
        return self.npuscope("run", self.resnet[0], "--batch", "--input", test, "--labels", test)

    def run_step(self) -> Any:
        step, io = str(MODELS / "digits_step.onnx"), str(MODELS / "digits_step.io.npz")
        return self.npuscope("run", step, "--input", io, "--amp-level", "O1", "--loss-scale", "1024")

    def overflow_by_status(self) -> Any:
        return self.npuscope("overflow", "overflowed.h5")

    def overflow_by_values(self) -> Any:
        return self.npuscope("overflow", "small.h5")

    def overflow_tree(self) -> Any:
        for rank, largest in enumerate(("9.0", "Infinity")):
            run = self.folder / "tree" / "step0" / f"rank{rank}"
            run.mkdir(parents=True, exist_ok=True)
            tensor = '{"type": "torch.Tensor", "dtype": "torch.float16", "shape": [2], "Max": %s, "Min": 0.0}' % largest
            (run / "dump.json").write_text('{"data": {"Torch.exp.0.forward": {"output": [%s]}}}' % tensor)
        return self.npuscope("overflow", "tree")

    def losses(self) -> Any:
        for name, rate in (("golden", 0.1), ("target", 0.2)):
            rows = [f"{step},{9 - rate * step},{rate}\n" for step in range(1, 9)]
            (self.folder / f"{name}.csv").write_text("step,loss,lr\n" + "".join(rows))
        return self.npuscope("loss", "golden.csv", "target.csv", "--like", "golden.csv")

    def bitwise(self) -> Any:
        return self.npuscope("compare", "--bitwise", "right.h5", "wrong.h5")

    def recompute(self) -> Any:
        return self.npuscope("recompute", "golden.h5")

    def recompute_tree(self) -> Any:
        for rank in range(2):
            run = self.folder / "recorded" / "step0" / f"rank{rank}"
            (run / "dump_tensor_data").mkdir(parents=True, exist_ok=True)
            np.save(run / "dump_tensor_data" / "x.npy", np.ones(2, np.float32))
            tensor = '{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "data_name": "x.npy"}'
            record = '{"input_args": [%s], "input_kwargs": {}, "output": [%s]}' % (tensor, tensor)
            (run / "dump.json").write_text('{"task": "tensor", "data": {"Torch.abs.0.forward": %s}}' % record)
        return self.npuscope("recompute", "recorded")

    def export(self) -> Any:
        return self.npuscope("export", "small.h5", "-o", "exported")

    def extract(self) -> Any:
        return self.npuscope("extract", "-i", "golden.h5", "-o", "part.h5", "-s", "/addmm/69")

    def inspect_dump(self) -> Any:
        return self.npuscope("inspect", "overflowed.h5")

    def inspect_op(self) -> Any:
        return self.npuscope("inspect", "small.h5", "/exp/1")

    def inspect_tensor(self) -> Any:
        return self.npuscope("inspect", "small.h5", "/exp/1/output/result")

    def inspect_binary(self) -> Any:
        return self.npuscope("inspect", str(DUMPS / "convert_to_NHWC/in/Op.s.1.2.1700000000000001"))

    def inspect_unknown_type(self) -> Any:
        return self.npuscope("inspect", str(DUMPS / "convert_unsupported_f8e8m0/in/Op.t.1.2.1700000000000001"))

    def inspect_array(self) -> Any:
        return self.npuscope("inspect", "array.npy")

    test_of_check = key_test("verdicts.md", "JSON of `check`", "check_culprit", "check_against_dump")
    test_of_compare = key_test(
        "verdicts.md", "JSON of `compare`", "compare_overflowed", "compare_own_measure", "compare_longer", "compare_wrong",
        "compare_contradicted", "compare_standard", "compare_waived", "compare_span", "compare_related",
    )
    test_of_map = key_test("kernel_dumps.md", "mapping.json", "map_ops")
    test_of_run = key_test(
        "json.md", "JSON of `run`", "run_observed", "run_overflowed", "run_labels", "run_step"
    )
    test_of_overflow = key_test("json.md", "JSON of `overflow`", "overflow_by_status", "overflow_by_values")
    test_of_overflow_in_a_tree = key_test("json.md", "JSON of `overflow`, a tree", "overflow_tree")
    test_of_recompute = key_test("json.md", "JSON of `recompute`", "recompute")
    test_of_recompute_of_a_tree = key_test("json.md", "JSON of `recompute`, a tree", "recompute_tree")
    test_of_export = key_test("json.md", "JSON of `export`", "export")
    test_of_extract = key_test("json.md", "JSON of `extract`", "extract")
    test_of_a_dump = key_test("json.md", "JSON of `inspect`", "inspect_dump")
    test_of_an_op = key_test("json.md", "JSON of `inspect`, an op", "inspect_op")
    test_of_a_tensor = key_test("json.md", "JSON of `inspect`, a tensor", "inspect_tensor")
    test_of_a_binary_dump = key_test(
        "json.md", "JSON of `inspect`, a binary dump", "inspect_binary", "inspect_unknown_type"
    )
    test_of_an_array = key_test("json.md", "JSON of `inspect`, a tensor of a binary dump", "inspect_array")

    test_of_equal_runs = key_test("json.md", "JSON of `compare --bitwise`", "bitwise")
    test_of_losses = key_test("json.md", "JSON of `loss`", "losses")
    test_of_trees = key_test("verdicts.md", "JSON of `compare` on trees", "compare_trees")
    test_of_a_tree = key_test("json.md", "JSON of `inspect`, a tree", "inspect_tree")
    test_of_a_recording = key_test("json.md", "JSON of `inspect`, another recording", "inspect_recording")
    test_of_a_recorded_op = key_test("json.md", "JSON of `inspect`, an op of another recording", "inspect_recorded_op")

    def test_every_section_is_tested(self) -> None:
        sections = [
            heading
            for page in ("json.md", "verdicts.md")
            for heading in re.findall(r"^## (JSON of .*)$", (SOURCE / "docs" / page).read_text("utf-8"), re.M)
        ]
        self.assertEqual(len(sections), 20, sections)


class KeyDifferences(unittest.TestCase):
    def test_reports_keys_that_are_missing_on_either_side(self) -> None:
        described = {"": {"a": "", "b": "list of `x`, `y`"}}
        self.assertEqual(
            key_differences(described, [{"a": 1, "c": 2, "b": [{"x": 1, "z": 1}]}]),
            [".c is not described", "b.z is not described", "b.y was not printed"],
        )
        self.assertEqual(key_differences(described, [{"a": 1, "b": []}]), ["b: no object of it was printed"])


if __name__ == "__main__":
    unittest.main()
