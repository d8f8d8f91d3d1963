"""npuscope.Executor, npuscope.ops and hooks."""

import signal
import threading
import unittest

import numpy as np

import npuscope
from npuscope import ops


class Ops(unittest.TestCase):
    def setUp(self) -> None:
        values = np.random.default_rng(3)
        self.x = values.standard_normal((5, 6)).astype(np.float32)

    def test_results_keep_dtype_and_shape(self) -> None:
        with npuscope.chip("cpu"):
            y = ops.tanh(self.x.astype(np.float64))
        self.assertEqual((y.dtype, y.shape), (np.float64, (5, 6)))
        np.testing.assert_allclose(y, np.tanh(self.x.astype(np.float64)), rtol=1e-12)

    def test_takes_what_gives_an_array_and_keyword_arguments(self) -> None:
        y = ops.sum_dim_IntList([[1.0, 2.0], [3.0, 4.0]], dim=[0], keepdim=True)
        np.testing.assert_array_equal(y, [[4.0, 6.0]])

    def test_several_results_come_as_a_tuple(self) -> None:
        values, indices = ops.sort(self.x, -1, False)
        np.testing.assert_array_equal(values, np.sort(self.x.astype(np.float16)).astype(np.float32)
                                      if values.dtype != np.float32 else np.sort(self.x))
        self.assertEqual(indices.shape, (5, 6))

    def test_a_transposed_view_is_read_in_its_own_order(self) -> None:
        with npuscope.chip("cpu"):
            y = ops.relu(self.x.T)
        np.testing.assert_array_equal(y, np.maximum(self.x.T, 0))

    def test_a_scalar_array_has_no_dimensions(self) -> None:
        self.assertEqual(ops.relu(np.float32(-2)).shape, ())

    def test_bfloat16_stays_a_tensor_of_the_library(self) -> None:
        tensor = npuscope.Tensor(np.array([1.0, 1.00390625], np.float32)).cast("bfloat16")
        with npuscope.chip("910B"):
            y = ops.relu(tensor)
        self.assertEqual(y.dtype, "bfloat16")
        np.testing.assert_array_equal(np.asarray(y), [1.0, 1.0])

    def test_dir_lists_the_ops(self) -> None:
        self.assertIn("addmm", dir(ops))

    def test_rejects_an_unknown_op_with_the_nearest_name(self) -> None:
        with self.assertRaisesRegex(npuscope.UnsupportedError, "nearest name is 'addmm'"):
            npuscope.Executor().call("addmn", self.x)
        with self.assertRaises(AttributeError):
            ops.addmn

    def test_rejects_arguments_that_do_not_fit(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "argument 'self' is missing"):
            ops.relu()
        with self.assertRaisesRegex(npuscope.UsageError, "has no argument 'colour'"):
            ops.relu(self.x, colour=1)
        with self.assertRaisesRegex(npuscope.UsageError, "given twice"):
            ops.relu(self.x, self=self.x)

    def test_rejects_elements_that_are_no_numbers(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "complex128"):
            ops.relu(np.array([1j]))

    def test_the_chip_follows_the_context_and_threads_start_with_the_default(self) -> None:
        seen = []
        with npuscope.chip("910B"):
            thread = threading.Thread(target=lambda: seen.append(npuscope.current_executor().chip))
            thread.start()
            thread.join()
            self.assertEqual(npuscope.current_executor().chip, "910B")
        self.assertEqual(seen, ["910A"])
        self.assertEqual(npuscope.current_executor().chip, "910A")

    def test_settings_reach_the_chip(self) -> None:
        executor = npuscope.Executor("910A", settings={"cube_acc": "exact_k"})
        self.assertIn("cube_acc=exact_k", executor.facts["options"])
        with self.assertRaisesRegex(npuscope.UsageError, "colour"):
            npuscope.Executor("910A", settings={"colour": 1})

    def test_rejects_an_unknown_chip(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "910A"):
            npuscope.Executor("1910")

    def test_two_threads_share_an_executor(self) -> None:
        executor = npuscope.Executor("910A")
        results = [None] * 8

        def work(index: int) -> None:
            for _ in range(20):
                results[index] = executor.call("add_Tensor", self.x, float(index))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for index, result in enumerate(results):
            np.testing.assert_array_equal(result, self.x + np.float32(index))
        self.assertEqual(executor.last_seqid, 160)


class Hooks(unittest.TestCase):
    def setUp(self) -> None:
        self.executor = npuscope.Executor("910A")
        self.x = np.array([1.0, -2.0], np.float32)

    def test_before_op_replaces_an_input(self) -> None:
        def double(call: npuscope.HookCall) -> None:
            call.inputs["self"] = call.inputs["self"] * 2

        with self.executor.hook("before_op", "rel?", double):
            np.testing.assert_array_equal(self.executor.call("relu", self.x), [2.0, 0.0])
        np.testing.assert_array_equal(self.executor.call("relu", self.x), [1.0, 0.0])

    def test_after_op_sees_and_replaces_outputs(self) -> None:
        seen = {}

        def look(call: npuscope.HookCall) -> None:
            seen[call.name] = (call.seqid, list(call.inputs), call.outputs["result"].tolist())
            call.outputs["result"] = np.zeros(2, np.float32)

        self.executor.hook("after_op", "*", look)
        np.testing.assert_array_equal(self.executor.call("relu", self.x), [0.0, 0.0])
        self.assertEqual(seen, {"relu": (1, ["self"], [1.0, 0.0])})

    def test_kernel_hooks_see_kernels_and_may_take_their_place(self) -> None:
        names = []
        self.executor.hook("after_kernel", "*", lambda call: names.append((call.op_name, call.name)))

        def instead(call: npuscope.HookCall) -> None:
            call.skip = True
            call.outputs.append(call.inputs[0] + 5)

        self.executor.hook("before_kernel", "Relu", instead)
        np.testing.assert_array_equal(self.executor.call("relu", self.x), [6.0, 3.0])
        self.assertEqual(names, [("relu", "Relu")])

    def test_an_error_of_a_hook_reaches_the_caller_unchanged(self) -> None:
        def fail(call: npuscope.HookCall) -> None:
            raise LookupError("mine")

        self.executor.hook("before_op", "relu", fail)
        with self.assertRaisesRegex(LookupError, "mine"):
            self.executor.call("relu", self.x)

    def test_values_end_with_the_hook(self) -> None:
        kept = []
        self.executor.hook("before_op", "relu", kept.append)
        self.executor.call("relu", self.x)
        self.assertEqual(kept[0].name, "relu")
        with self.assertRaisesRegex(npuscope.UsageError, "during the hook only"):
            kept[0].inputs["self"]
        with self.assertRaisesRegex(npuscope.UsageError, "during the hook only"):
            kept[0].skip

    def test_rejects_an_unknown_point_and_value(self) -> None:
        with self.assertRaisesRegex(npuscope.UsageError, "before_op"):
            self.executor.hook("around_op", "*", print)
        self.executor.hook("before_op", "relu", lambda call: call.inputs["other"])
        with self.assertRaises(KeyError):
            self.executor.call("relu", self.x)

    def test_a_hook_may_call_the_executor_again(self) -> None:
        inner = []

        def again(call: npuscope.HookCall) -> None:
            inner.append(self.executor.call("exp", np.zeros(1, np.float32)).tolist())

        self.executor.hook("before_op", "relu", again)
        self.executor.call("relu", self.x)
        self.assertEqual(inner, [[1.0]])

    def test_ctrl_c_in_a_hook_is_a_keyboard_interrupt(self) -> None:
        self.executor.hook("before_op", "relu", lambda call: signal.raise_signal(signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            self.executor.call("relu", self.x)


if __name__ == "__main__":
    unittest.main()
