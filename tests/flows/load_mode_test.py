"""Results alone: npuscope compare tells the ops that were given the golden's inputs from those of a run of its own."""

import unittest

import numpy as np
from compared import InFolder, compared
from recording import Recording, in_bfloat16

WIDTH, LAYERS, TANH = 12, 60, 20


def near(x, rng):
    """A unit in the last place off here and there, as another library's function is."""
    return np.where(rng.random(x.shape) < 0.3, np.nextafter(x, np.float32(9)), x)


class LoadMode(InFolder):
    def golden(self):
        """One function in float32, among what is rounded to bfloat16 and equal on all devices; each op's numbers."""
        rng = np.random.default_rng(1)
        file = Recording(self.folder / "golden.h5")
        x = in_bfloat16(rng.standard_normal((4, WIDTH)))
        made = []

        def op(name, inputs, result):
            made.append((name, result))
            return file.op(name, inputs, result=result)

        for layer in range(LAYERS):
            x = op("abs", {"self": x}, np.abs(x))
            if layer == TANH:
                x = op("tanh", {"self": x}, np.float32(np.tanh(np.float64(x))))
                x = op("t", {"self": x}, np.ascontiguousarray(x.T))
            x = op("neg", {"self": x}, in_bfloat16(-x))
        file.close()
        return made

    def target(self, made, loaded):
        """Results alone; the last abs forgets a row."""
        rng = np.random.default_rng(2)
        file = Recording(self.folder / f"target{loaded}.h5")
        own = None
        for number, (name, result) in enumerate(made):
            before = made[number - 1][1] if number and loaded else own
            if name == "t":
                result = np.ascontiguousarray(before.T)
            elif name == "tanh":
                result = near(result, rng) if loaded else near(np.float32(np.tanh(np.float64(before))), rng)
            elif name == "neg":
                result = in_bfloat16(-before)
            elif number and not loaded:
                result = np.abs(before)
            if number == len(made) - 2:
                result = result.copy()
                result[-1] = -1
            own = file.op(name, {}, result=result)
        file.close()
        return self.folder / f"target{loaded}.h5"

    def test_ops_that_only_move_elements_tell_it(self):
        made = self.golden()
        for loaded in (True, False):
            code, path, report = compared(self.target(made, loaded), self.folder / "golden.h5")
            self.assertEqual((code, path, report["load_mode"]), (1, f"/abs/{len(made) - 1}", loaded))


if __name__ == "__main__":
    unittest.main()
