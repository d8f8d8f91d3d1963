"""Two recordings of results alone, as forward hooks write them: who is at fault, and who is not, in any arithmetic."""

import unittest

import h5py
import numpy as np
from compared import InFolder, compared

LAYERS, WIDTH = 5, 32


def to_bits(bits):
    def rounded(x):
        fraction, exponent = np.frexp(x.astype("f8"))
        return np.ldexp(np.round(fraction * 2.0**bits) / 2.0**bits, exponent).astype("f4")

    return rounded


def as_is(x):
    return x.astype("f4")


def norm(x, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


def run(operands=as_is, results=as_is, fault="", names="blocks.{}.{}"):
    """A network of residual blocks with a name for each result; `operands` of products, and all `results`, are rounded.
    `fault`: the name of the result that is wrong."""
    chance = np.random.default_rng(1)
    recorded = {}

    def record(name, honest, faulty=None):
        recorded[name] = results(faulty if name == fault and faulty is not None else honest)
        return recorded[name]

    x = record(names.format("x", "embed"), chance.standard_normal((24, WIDTH)))
    for layer in range(LAYERS):
        up, down = (chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5 for _ in range(2))
        y = record(names.format(layer, "ln_1"), norm(x, 1e-5), norm(x, 1e-1))
        wide = operands(y) @ operands(up)
        y = record(names.format(layer, "c_fc"), wide, operands(y) @ operands(up.T))
        y = record(names.format(layer, "act"), y / (1 + np.exp(-y)), np.maximum(y, 0))
        y = record(names.format(layer, "c_proj"), operands(y) @ operands(down), np.where(np.arange(WIDTH) == 3, 0, operands(y) @ operands(down)))
        x = record(names.format(layer, "sum"), x + y)
    return recorded


WAYS = {
    "in another order": {"results": lambda x: (x * (1 + 2.0**-22 * np.cos(np.arange(x.size).reshape(x.shape)))).astype("f4")},
    "TF32": {"operands": to_bits(11)},
    "bfloat16 operands": {"operands": to_bits(8)},
    "bfloat16 as float32": {"operands": to_bits(8), "results": to_bits(8)},
    "float16 as float32": {"operands": to_bits(11), "results": to_bits(11)},
}


class ResultsAlone(InFolder):
    def compared(self, target, golden, *words):
        sides = []
        for name, side in (("t.npz", target), ("g.npz", golden)):
            np.savez(self.folder / name, **side)
            sides.append(self.folder / name)
        return compared(*sides, *words)

    def test_clean_runs_in_any_arithmetic_pass(self):
        golden = run()
        for way, how in WAYS.items():
            with self.subTest(way):
                code, culprit, report = self.compared(run(**how), golden)
                self.assertEqual((code, culprit), (0, None), report["culprits"][:1])

    def test_the_first_wrong_module_is_the_culprit_and_the_only_one(self):
        golden = run()
        for way, how in WAYS.items():
            for fault in ("blocks.2.ln_1", "blocks.2.c_fc", "blocks.3.act", "blocks.1.c_proj"):
                with self.subTest(way, fault=fault):
                    code, culprit, report = self.compared(run(**how, fault=fault), golden)
                    self.assertEqual((code, culprit), (1, fault))
                    self.assertEqual(len(report["culprits"]), 1, report["culprits"])
                    before = list(golden)[list(golden).index(fault) - 1]
                    self.assertIn(f"nothing was recorded between {before} and it", report["culprits"][0]["why"])

    def test_what_comes_after_is_inherited(self):
        _, _, report = self.compared(run(fault="blocks.2.c_fc"), run())
        verdicts = {op["path"]: op["verdict"] for op in report["ops"]}
        self.assertEqual(verdicts["blocks.2.ln_1"], "pass")
        self.assertEqual(verdicts["blocks.2.c_fc"], "fail")
        self.assertEqual({verdicts[f"blocks.4.{name}"] for name in ("ln_1", "c_fc", "act", "c_proj", "sum")}, {"inherited"})

    def test_names_inside_a_wrapper_are_the_same_names(self):
        for wrapped in ("target", "golden"):
            with self.subTest(wrapped):
                sides = {"target": run(**WAYS["TF32"], fault="blocks.2.act"), "golden": run()}
                sides[wrapped] = {f"module.{name}": each for name, each in sides[wrapped].items()}
                code, culprit, report = self.compared(sides["target"], sides["golden"])
                self.assertEqual((code, culprit.replace("module.", "")), (1, "blocks.2.act"))
                self.assertEqual(report["counts"]["only_target"] + report["counts"]["only_golden"], 0)
                self.assertIn(f"the {wrapped}'s names have \"module\" more", report["stderr"])

    def test_an_activation_of_another_form_is_no_rounding(self):
        """Off by 2e-4 in all layers, which products in TF32 would be as well."""
        golden = run()
        target = dict(golden)
        for layer in range(LAYERS):
            name = f"blocks.{layer}.act"
            target[name] = golden[name] * np.float32(1 + 2e-4)
        self.assertEqual(self.compared(target, golden)[:2], (1, "blocks.0.act"))

    def test_the_arithmetic_is_told(self):
        _, _, report = self.compared(run(**WAYS["bfloat16 as float32"]), run())
        self.assertIn("bfloat16", " ".join(report["arithmetic"]))

    def test_the_order_of_letters_tells_nothing(self):
        """As .safetensors has it: what is made last may come first."""
        golden, target = ({name: side[name] for name in sorted(side)} for side in (run(), run(fault="blocks.2.act")))
        _, _, report = self.compared(target, golden)
        self.assertNotIn("inherited", [op["verdict"] for op in report["ops"]])
        code, culprit, _ = self.compared({name: to_bits(8)(each) for name, each in golden.items()}, golden)
        self.assertEqual((code, culprit), (0, None))

    def test_parameters_are_made_of_nothing(self):
        chance = np.random.default_rng(2)
        golden = {f"{name}.weight": chance.standard_normal((8, 8)).astype("f4") for name in ("b", "a", "d", "c", "f", "e")}
        target = {name: each * np.float32(1.01) for name, each in golden.items()}
        _, _, report = self.compared(target, golden)
        self.assertEqual([op["verdict"] for op in report["ops"]], ["fail"] * 6)

    def test_what_training_made_of_parameters_is_no_rounding_of_an_op(self):
        """Updated by gradients that rounding moved: as far off as these are."""
        chance = np.random.default_rng(3)
        noise = {name: chance.standard_normal((8, 8)).astype("f4") for name in ("b", "a", "d", "c", "f", "e")}
        weights = {f"{name}.weight": each for name, each in noise.items()}
        moved = {name: each * (1 + 1e-4 * chance.standard_normal((8, 8))).astype("f4") for name, each in weights.items()}
        code, culprit, report = self.compared(moved, weights)
        self.assertEqual((code, culprit), (2, None))
        self.assertIn("6 of 6 parameters differ and nothing else was recorded", report["stderr"])
        # A checkpoint that one weight alone is wrong in.
        code, culprit, _ = self.compared({**weights, "d.weight": moved["d.weight"]}, weights)
        self.assertEqual((code, culprit), (1, "d.weight"))
        # Behind results and gradients they are held to these.
        golden, target = run(), run(**WAYS["TF32"])
        gradients = {f"{name}.weight.grad": each for name, each in noise.items()}
        rounded = {name: each * (1 + 3e-4 * chance.standard_normal((8, 8))).astype("f4") for name, each in gradients.items()}
        code, culprit, _ = self.compared({**target, **rounded, **moved}, {**golden, **gradients, **weights})
        self.assertEqual((code, culprit), (0, None))
        wrong = {**moved, "c.weight": moved["c.weight"] + np.float32(0.05) * noise["b"]}
        code, culprit, _ = self.compared({**target, **rounded, **wrong}, {**golden, **gradients, **weights})
        self.assertEqual((code, culprit), (1, "c.weight"))

    def test_sides_that_round_alike_differ_where_rounding_turns(self):
        """Both in TF32: equal, until what is off by a few last bits is rounded to another number."""
        golden = run(**WAYS["TF32"])
        target = dict(golden)
        names = list(golden)
        for name in names[2:]:
            target[name] = golden[name] * (1 + 1e-7 * np.random.default_rng(4).standard_normal(golden[name].shape)).astype("f4")
        late = next(name for name in names[6:] if name.endswith("c_fc"))
        target[late] = golden[late].copy()
        target[late][:, 3] *= np.float32(1 + 2e-4)
        self.assertEqual(self.compared(target, golden)[:2], (0, None))

    def test_a_given_tolerance_stays(self):
        code, culprit, _ = self.compared(run(**WAYS["TF32"]), run(), "--tolerance", "1e-6")
        self.assertEqual((code, culprit), (1, "blocks.0.c_fc"))

    def test_infinities_are_never_excused(self):
        golden = run()
        target = run(**WAYS["bfloat16 as float32"])
        target["blocks.3.sum"] = target["blocks.3.sum"].copy()
        target["blocks.3.sum"][0, 0] = np.inf
        self.assertEqual(self.compared(target, golden)[:2], (1, "blocks.3.sum"))

    def test_dumps_of_results_alone_are_judged(self):
        """They looked like dumps of load mode, and no op was judged."""
        ir = {"ln_1": "native_layer_norm", "c_fc": "mm", "act": "silu", "c_proj": "mm", "sum": "add_Tensor", "embed": "embedding"}

        def written(name, side):
            path = self.folder / name
            with h5py.File(path, "w") as file:
                for seqid, (key, array) in enumerate(side.items(), 1):
                    file[f"{ir[key.split('.')[-1]]}/{seqid}/output/result"] = array
            return path

        golden = written("g.h5", run())
        for way, how in WAYS.items():
            with self.subTest(way):
                self.assertEqual(compared(written("t.h5", run(**how)), golden)[:2], (0, None))
                faulty = written("t.h5", run(**how, fault="blocks.2.c_fc"))
                self.assertEqual(compared(faulty, golden)[:2], (1, "/mm/13"))

    def test_a_few_other_places_behind_rounding_are_no_finding(self):
        golden, target = run(), run(**WAYS["TF32"])

        def written(name, side, places):
            path = self.folder / name
            with h5py.File(path, "w") as file:
                for seqid, array in enumerate(list(side.values())[:4], 1):
                    file[f"mm/{seqid}/output/result"] = array
                file["argmax/5/output/result"] = np.array(places, "i8")
            return path

        same = list(range(40))
        golden_file = written("g.h5", golden, same)
        code, _, report = compared(written("t.h5", target, [1, *same[1:]]), golden_file)
        self.assertEqual((code, report["ops"][-1]["verdict"]), (0, "order_sensitive"))
        code, culprit, _ = compared(written("t.h5", target, same[::-1]), golden_file)
        self.assertEqual((code, culprit), (1, "/argmax/5"))

    def test_two_runs_that_have_nothing_in_common_are_told(self):
        golden = run()
        chance = np.random.default_rng(9)
        code, _, report = self.compared({name: chance.standard_normal(each.shape).astype("f4") for name, each in golden.items()}, golden)
        self.assertEqual(code, 1)
        self.assertIn("26 of 26 results are nothing like the golden's", report["stderr"])
        # A fault in the first result is none of that.
        target = run(fault="blocks.0.c_fc")
        self.assertEqual(self.compared(target, golden)[2]["stderr"], "")

    def test_a_batch_norm_over_few_rows_makes_much_of_rounding(self):
        """Where the rows of a channel are almost equal it divides by almost nothing."""

        def step(operands, rows=4, fault=1.0):
            chance = np.random.default_rng(3)
            x = chance.standard_normal((rows, WIDTH))
            w = chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5
            x[:, 0] = 10 + 0.01 * chance.standard_normal(rows)
            w[:, :3] *= 1e-4
            w[0, :3] = 1
            y = (operands(x) @ operands(w)).astype("f4")
            turned = (y - y.mean(0)) / np.sqrt(y.var(0) + 1e-8) * fault
            return {"mix": x.astype("f4"), "net.fc": y, "net.bn": turned.astype("f4"), "net.out": (turned @ w).astype("f4")}

        golden = step(as_is)
        self.assertEqual(self.compared(step(to_bits(8)), golden)[:2], (0, None))
        self.assertEqual(self.compared(step(to_bits(8), fault=1.1), golden)[:2], (1, "net.bn"))
        # Over many rows it does not.
        self.assertEqual(self.compared(step(to_bits(8), rows=64), step(as_is, rows=64))[:2], (1, "net.bn"))

    def test_a_counter_that_began_elsewhere_is_no_finding(self):
        """As num_batches_tracked of a batch norm: one side had warmed up. A class that one sample is told to be is a result."""

        def written(name, side, count):
            path = self.folder / name
            with h5py.File(path, "w") as file:
                file["add__Tensor/1/output/result"] = np.array(count, "i8")
                file["argmax/2/output/result"] = np.array(7, "i8")
                for seqid, array in enumerate(side.values(), 3):
                    file[f"mm/{seqid}/output/result"] = array
            return path

        golden = written("g.h5", run(), 4)
        code, _, report = compared(written("t.h5", run(), 3), golden)
        self.assertEqual((code, report["ops"][0]["verdict"]), (0, "undefined"))
        self.assertIn("counter", report["ops"][0]["rule"])
        other = written("t.h5", run(), 3)
        with h5py.File(other, "r+") as file:
            file["argmax/2/output/result"][()] = 6
        self.assertEqual(compared(other, golden)[:2], (1, "/argmax/2"))

    @staticmethod
    def off(x, share, seed):
        """Noise on all elements, of so much of the norm."""
        return (x * (1 + share * np.random.default_rng(seed).standard_normal(x.shape))).astype("f4")

    def test_a_gate_that_rounding_turns_moves_an_element_of_a_gradient(self):
        def step(noise=0.0, turned=0):
            chance = np.random.default_rng(4)
            gates = chance.random((16, WIDTH)) < 0.5
            side = {"fc": chance.standard_normal((16, WIDTH)), "fc2": chance.standard_normal((16, WIDTH))}
            side["fc2.grad_output"] = chance.standard_normal((16, WIDTH))
            side = {name: self.off(x, noise, place) for place, (name, x) in enumerate(side.items())}
            gradient = self.off(np.where(gates, 0, chance.standard_normal((16, WIDTH))), noise, 9)
            gradient.flat[np.flatnonzero(gradient)[:turned]] = 0
            return {**side, "block.grad_output": gradient}

        self.assertEqual(self.compared(step(4e-4, turned=2), step())[:2], (0, None))
        self.assertEqual(self.compared(step(4e-4, turned=16), step())[:2], (1, "block.grad_output"))

    def test_gradients_of_parameters_alone_are_made_from_the_last_on(self):
        """Behind the loss: gates, whose results were not recorded, turn in the second layer, and the first gets it from there."""
        names = [f"{layer}.weight.grad" for layer in ("conv1", "bn1", "conv2", "bn2", "conv3", "bn3", "fc1", "fc2", "fc3")]

        def step(off=lambda name: 0.0, loss=0.0):
            chance = np.random.default_rng(5)
            side = {"loss": np.float32(2.5 * (1 + loss))}
            for place, name in enumerate(names):
                side[name] = self.off(chance.standard_normal((8, WIDTH)), off(name), 20 + place)
            return side

        golden = step()
        turned = ("conv1", "bn1", "conv2")
        clean = step(lambda name: 0.03 if name.startswith(turned) else 4e-4, loss=1.4e-5)
        self.assertEqual(self.compared(clean, golden)[:2], (0, None))
        faulty = step(lambda name: 0.3 if name.startswith(turned) else 4e-4)
        self.assertEqual(self.compared(faulty, golden)[:2], (1, "conv2.weight.grad"))

    def test_sides_that_round_alike_differ_where_last_bits_turn_a_rounding(self):
        """Results that agree to the last bits, recorded as output and once more as input, tell no full precision."""

        def step(turned=0.0, last=0.0):
            chance = np.random.default_rng(6)
            side = {}
            for place, name in enumerate(("fc1", "a1", "fc2", "a2", "fc3", "a3", "fc4")):
                x = self.off(chance.standard_normal((8, 4)), last, place)
                side[f"{name}.output"] = x
                side[f"{name}.output_as_input"] = x
            last_one = chance.standard_normal((8, 4)).astype("f4")
            last_one[3] *= 1 + turned
            return {**side, "fc5.output": last_one}

        self.assertEqual(self.compared(step(turned=1e-4, last=3e-8), step())[:2], (0, None))
        self.assertEqual(self.compared(step(turned=0.2, last=3e-8), step())[:2], (1, "fc5.output"))

    def test_names_that_count_stand_in_the_order_of_time(self):
        """h0 to h6 and o are in the order of letters as well, which says nothing of the order otherwise."""

        def recurrence(operands=as_is, stale=False):
            chance, side = np.random.default_rng(8), {}
            w, u = (chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5 for _ in range(2))
            h = np.zeros((8, WIDTH))
            for step in range(7):
                x = chance.standard_normal((8, WIDTH))
                taken = side["h1"] if stale and step == 4 else h
                h = side[f"h{step}"] = np.tanh(operands(x) @ operands(w) + operands(taken) @ operands(u)).astype("f4")
            side["o"] = (operands(h) @ operands(w)).astype("f4")
            return side

        golden = recurrence()
        for way in ("TF32", "bfloat16 operands"):
            self.assertEqual(self.compared(recurrence(**WAYS[way]), golden)[:2], (0, None), way)
            self.assertEqual(self.compared(recurrence(**WAYS[way], stale=True), golden)[:2], (1, "h4"), way)

    def test_words_that_mean_something_else_too(self):
        """An expert that is counted, and what a network makes of a point in time, hold products."""

        def mixture(operands=as_is, scale=1.0):
            chance, side = np.random.default_rng(9), {}
            x = chance.standard_normal((24, WIDTH))
            for name in ("temb", "exp0", "exp1", "out"):
                x = (operands(x) @ operands(chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5)).astype("f4")
                side[name] = x = x * np.float32(scale if name == "exp1" else 1)
            return side

        self.assertEqual(self.compared(mixture(to_bits(11)), mixture())[:2], (0, None))
        self.assertEqual(self.compared(mixture(to_bits(11), scale=1.1), mixture())[:2], (1, "exp1"))

    def test_exact_tables_do_not_end_an_error(self):
        def rotated(operands=as_is, turned=1.0):
            chance, side = np.random.default_rng(10), {}
            x = chance.standard_normal((24, WIDTH))
            side["q"] = q = (operands(x) @ operands(chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5)).astype("f4")
            angles = np.outer(np.arange(24), 1 / 100 ** (np.arange(WIDTH) / WIDTH))
            side["positions"], side["angles"], side["cosines"] = (each.astype("f4") for each in (np.arange(24) + 1.0, angles, np.cos(angles)))
            side["mul"] = (turned * q * side["cosines"]).astype("f4")
            return side

        self.assertEqual(self.compared(rotated(to_bits(8)), rotated())[:2], (0, None))
        self.assertEqual(self.compared(rotated(to_bits(8), turned=1.05), rotated())[:2], (1, "mul"))

    def test_a_factor_that_rounding_to_8_bits_makes_of_few_terms(self):
        """A product of one term is off by what its operands are, all of a column by the same."""

        def graph(operands=as_is, scale=1.0):
            chance, side = np.random.default_rng(11), {}
            x = chance.standard_normal((24, WIDTH))
            degrees = chance.integers(1, 4, (24, 1)).astype("f4")
            side["term"] = (scale * (operands(degrees) @ operands(np.array([[1.0 + 2.0**-8 - 2.0**-12]])))).astype("f4")
            for layer in range(4):
                x = side[f"lin{layer}"] = (operands(x) @ operands(chance.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5)).astype("f4")
            return side

        self.assertEqual(self.compared(graph(to_bits(8)), graph())[:2], (0, None))
        self.assertEqual(self.compared(graph(to_bits(8), scale=1.03), graph())[:2], (1, "term"))


if __name__ == "__main__":
    unittest.main()
