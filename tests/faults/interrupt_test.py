"""Ctrl-C and SIGTERM at every call of the system that changes a file: what is done is kept, whole and named in one
line, nothing else is left."""

import os
import re
import shutil
import signal
import tempfile
import unittest
from pathlib import Path
from typing import List

import calls
import dumps
from scenarios import WITH_BLOCK

MODEL = str(calls.MODELS / "digits_step.onnx")
STOPPED = re.compile(r"npuscope: stopped by (SIG\w+)(?: when the work was done|; no result was written|; kept: (.*))\n")


def every(count: int, most: int) -> List[int]:
    """Numbers from 1 to count: `most` and their ends, in long tests ten times as many."""
    step = max(1, count // (10 * most if calls.IS_LONG else most))
    return sorted({*range(1, count + 1, step), count})


class Interrupt(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "work"
        self.whole_path = Path(holder.name) / "whole.h5"
        self.folder.mkdir()

    def clear(self) -> None:
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def names(self) -> List[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def stopped(self, ended: calls.Ended, number: signal.Signals) -> str:
        """What the line says is kept."""
        self.assertEqual(ended.exit_code, 128 + number, ended.err)
        line = STOPPED.fullmatch(ended.err.splitlines(keepends=True)[-1])
        assert line is not None, ended.err
        self.assertEqual(line.group(1), number.name)
        return line.group(2) or ""

    def loop(self, trips: int) -> List[str]:
        """Runs an ONNX Loop of an Add and an Identity: how often it is cut does not hang on which thread is faster."""
        import onnx
        from onnx import TensorProto, helper

        flag = helper.make_tensor_value_info("more", TensorProto.BOOL, [])
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "y", "in", "out")]
        body = helper.make_graph(
            [helper.make_node("Add", ["in", "in"], ["out"]), helper.make_node("Identity", ["more"], ["still"])],
            "body",
            [helper.make_tensor_value_info("trip", TensorProto.INT64, []), flag, values[2]],
            [helper.make_tensor_value_info("still", TensorProto.BOOL, []), values[3]],
        )
        most = helper.make_tensor("most", TensorProto.INT64, [], [trips])
        graph = helper.make_graph(
            [helper.make_node("Loop", ["most", "", "x"], ["y"], body=body)], "g", values[:1], values[1:2], [most]
        )
        path = self.whole_path.parent / f"loop_{trips}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
        return [calls.NPUSCOPE, "run", "-q", str(path), "--max-bytes", "0", "--dump"]

    def kept_part(self, kept: str, reference: dumps.Ops) -> int:
        """How many ops the dump holds, of which the line tells the truth."""
        self.assertEqual(self.names(), ["d.h5"] if kept else [])
        if not kept:
            return 0
        found = dumps.read_dump(self.folder / "d.h5")
        self.assertEqual(kept, f"'d.h5' with {len(found)} op{'s' if len(found) > 1 else ''}")
        self.assertFalse(dumps.is_complete(self.folder / "d.h5"))
        common = dict(sorted(found.items())[: len(reference)])
        self.assertTrue(dumps.is_part_of(common, reference))
        return len(found)

    def test_a_loop_without_end_keeps_the_ops_that_it_dumped(self) -> None:
        whole = calls.run([*self.loop(1000), str(self.whole_path)], self.whole_path.parent)
        self.assertEqual(whole.exit_code, 0, whole.err)
        reference = dumps.read_dump(self.whole_path)
        del reference[max(reference)]  # the Loop itself
        endless = [*self.loop(2**62), "d.h5"]
        kept = {}
        for number in range(1, 41, 1 if calls.IS_LONG else 4):
            self.clear()
            kind = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3]
            ended = calls.run(endless, self.folder, f"{number} signal {int(kind)}")
            line = self.stopped(ended, kind)
            self.assertNotIn("when the work was done", ended.err)
            kept[number] = self.kept_part(line, reference)
        # The first calls make the file: it holds nothing yet.
        self.assertEqual([number for number, count in kept.items() if number >= 9 and count <= 1], [], kept)

    def test_a_run_keeps_the_ops_that_it_dumped(self) -> None:
        run = [calls.NPUSCOPE, "run", "-q", str(calls.MODELS / "digits_vit.onnx"), "--dump"]
        whole = calls.run([*run, str(self.whole_path)], self.whole_path.parent)
        self.assertEqual(whole.exit_code, 0, whole.err)
        reference = dumps.read_dump(self.whole_path)
        for number in every(whole.count, 7):
            self.clear()
            kind = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[number % 3]
            ended = calls.run([*run, "d.h5"], self.folder, f"{number} signal {int(kind)}")
            kept = self.stopped(ended, kind)
            # Another thread computes: it may be done before the call is made.
            if "when the work was done" in ended.err:
                self.assertEqual(dumps.read_dump(self.folder / "d.h5"), reference)
            else:
                self.kept_part(kept, reference)

    def test_a_check_leaves_nothing_in_the_temporary_folder(self) -> None:
        check = [calls.NPUSCOPE, "check", "-q"]
        env = {"TMPDIR": str(self.folder)}
        whole = calls.run(check, self.folder, env=env)
        self.assertEqual((whole.exit_code, self.names()), (0, []))
        for number in every(whole.count, 4):
            ended = calls.run(check, self.folder, f"{number} signal {int(signal.SIGINT)}", env)
            self.assertEqual(self.stopped(ended, signal.SIGINT), "")
            self.assertEqual(self.names(), [])

    def test_a_check_names_the_dumps_in_its_folder(self) -> None:
        check = [calls.NPUSCOPE, "check", "-q", MODEL, "-o", "out"]
        whole = calls.run(check, self.folder)
        self.assertEqual(whole.exit_code, 0, whole.err)
        dumped = [name for name in self.names() if name.endswith(".h5")]
        self.assertEqual(dumped, ["out/golden.h5", "out/isolated.h5", "out/npu.h5"])
        seen = set()
        for number in every(whole.count, 6):
            self.clear()
            ended = calls.run(check, self.folder, f"{number} signal {int(signal.SIGTERM)}")
            kept = self.stopped(ended, signal.SIGTERM)
            if "when the work was done" in ended.err:
                continue
            left = [name for name in self.names() if name.endswith(".h5")]
            self.assertEqual(sorted(re.findall("'(.*?)'", kept)), left)
            self.assertFalse(any(".part" in name for name in self.names()), self.names())
            for name in left:
                dumps.read_dump(self.folder / name)
            seen.add(len(left))
        self.assertLessEqual({0, 1, 2}, seen)

    def test_extract_and_map_and_export_leave_no_part_of_a_file(self) -> None:
        made = calls.run([calls.NPUSCOPE, "run", "-q", MODEL, "--dump", str(self.whole_path)], self.folder)
        self.assertEqual(made.exit_code, 0, made.err)
        whole = str(self.whole_path)
        for words in (
            ["extract", "-i", whole, "-o", "e.h5", "-s", "/*/*"],
            ["map", "-q", whole, "-o", "mapped"],
            ["export", "-q", whole, "-o", "tree"],
            ["compare", "-q", "-m", whole, "-g", whole, "-o", "compared"],
        ):
            self.clear()
            count = calls.run([calls.NPUSCOPE, *words], self.folder).count
            self.assertGreater(count, 0)
            for number in every(count, 3):
                self.clear()
                ended = calls.run([calls.NPUSCOPE, *words], self.folder, f"{number} signal {int(signal.SIGINT)}")
                kept = self.stopped(ended, signal.SIGINT)
                self.assertFalse(any(".part" in name for name in self.names()), (words, self.names()))
                if "when the work was done" not in ended.err:
                    self.assertEqual(bool(kept), bool(self.names()), (words, number, ended.err, self.names()))

    def test_msaccucmp_leaves_no_table_that_is_cut(self) -> None:
        mine = str(self.whole_path)
        golden = str(self.whole_path.parent / "golden.h5")
        for path, device in ((mine, "npu"), (golden, "cpu")):
            made = calls.run([calls.NPUSCOPE, "run", "-q", MODEL, "--device", device, "--dump", path], self.folder)
            self.assertEqual(made.exit_code, 0, made.err)
        compare = [str(calls.BIN / "msaccucmp"), "compare", "-m", mine, "-g", golden, "-out", "."]
        whole = calls.run(compare, self.folder)
        self.assertEqual((whole.exit_code, whole.out, len(self.names())), (0, "", 1), whole.err)
        lines = (self.folder / self.names()[0]).read_text().count("\n")
        cut = 0
        for number in range(1, whole.count + 1, 1 + whole.count // 10):
            self.clear()
            ended = calls.run(compare, self.folder, f"{number} signal {int(signal.SIGTERM)}")
            self.assertEqual((ended.exit_code, ended.out), (128 + signal.SIGTERM, ""), ended.err)
            if self.names():
                self.assertEqual((self.folder / self.names()[0]).read_text().count("\n"), lines)
            else:
                last = ended.err.splitlines()[-1]
                self.assertEqual(last, "msaccucmp: stopped by SIGTERM; only files that were finished are kept")
                cut += 1
        self.assertGreater(cut, 0)
        ignored = calls.run(compare, self.folder, f"1 signal {int(signal.SIGINT)}", ignored=signal.SIGINT)
        self.assertEqual(ignored.exit_code, 0)

    def test_a_with_block_of_python_keeps_its_ops(self) -> None:
        env = {"PYTHONPATH": str(calls.BIN.parent / "python")}
        ended = calls.run(
            ["/usr/bin/python3", "-B", "-c", WITH_BLOCK, "100000"], self.folder, f"12 signal {int(signal.SIGINT)}", env
        )
        self.assertEqual(ended.exit_code, -signal.SIGINT, ended.err)
        self.assertIn("KeyboardInterrupt", ended.err)
        self.assertEqual(self.names(), ["d.h5"])
        self.assertFalse(dumps.is_complete(self.folder / "d.h5"))
        self.assertGreater(len(dumps.read_dump(self.folder / "d.h5")), 0)

    def test_a_second_signal_ends_the_program_at_once(self) -> None:
        ended = calls.run(
            [calls.NPUSCOPE, "run", "-q", MODEL, "--dump", "d.h5"], self.folder, f"4 twice {int(signal.SIGINT)}"
        )
        self.assertEqual(ended.exit_code, -signal.SIGINT)
        self.assertEqual(self.names(), ["d.h5.part.h5"])

    def test_a_signal_that_is_ignored_stays_so(self) -> None:
        ended = calls.run(
            [calls.NPUSCOPE, "run", "-q", MODEL, "--dump", "d.h5"],
            self.folder,
            f"4 signal {int(signal.SIGINT)}",
            ignored=signal.SIGINT,
        )
        self.assertEqual((ended.exit_code, ended.err), (0, ""))
        self.assertEqual(self.names(), ["d.h5"])
        self.assertTrue(dumps.is_complete(self.folder / "d.h5"))


if __name__ == "__main__":
    os.environ.pop("TMPDIR", None)
    unittest.main()
