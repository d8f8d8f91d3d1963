// The model of `recompute`: each op of one recording on its own inputs.
import { numberOf } from "../numbers.js";
import { say } from "../words.js";
import { standardOf } from "./compare.js";

function worstOf(op) {
  let worst = null;
  for (const result of op.results)
    if (worst === null || (numberOf(result.introduced) ?? -1) > (numberOf(worst.introduced) ?? -1)) worst = result;
  return worst;
}

function verdictOf(op) {
  if (op.skipped) return "skipped";
  if (op.results.some((r) => r.incomparable)) return "incomparable";
  return op.results.every((r) => r.within) ? "pass" : "fail";
}

export function recomputeModel(data) {
  const result = data.document;
  const rows = result.ops.map((op, index) => {
    const worst = worstOf(op);
    return {
      index, path: op.path, target: op.path, golden: "", module: op.computed_as, line: "", verdict: verdictOf(op), overflow: "",
      introduced: numberOf(worst?.introduced), inherited: null, error: numberOf(worst?.relative_error), source: op,
    };
  });
  const failed = rows.filter((row) => row.verdict === "fail" || row.verdict === "incomparable");
  return {
    kind: "recompute", verdict: result.failed ? "fail" : result.passed ? "pass" : "undecided",
    headline: say("{0} of {1} ops are within what their arithmetic allows", result.passed, result.passed + result.failed),
    culprits: failed.slice(0, 20).map((row) => ({
      path: row.path, title: row.path, verdict: row.verdict,
      why: row.source.results.filter((r) => !r.within).map((r) => `${r.name}: ${r.incomparable || r.bound}${r.errors ? ", " + r.errors.word : ""}`),
      facts: [["computed as", row.source.computed_as]], next: "", worst: [],
    })),
    rows, columns: ["introduced", "error"],
    cards: [[result.passed, "ops as expected"], [result.failed, "ops worse than their arithmetic allows"], [result.skipped, "ops skipped"]],
    chart: { ratio: "introduced", relative: ["error"] },
    programs: false, partings: [], flows: [],
    detail: (op) => ({
      facts: [["computed as", op.computed_as], ["skipped", op.skipped]], kernels: [],
      tensors: op.results.map((r) => ({
        path: r.name, verdict: r.incomparable ? "incomparable" : r.within ? "pass" : "fail", direction: "output", dtype: "", shape: "",
        rule: r.incomparable || r.bound, worst: [], metrics: { relative_error: r.relative_error, of_limit: r.introduced },
        facts: [...standardOf(r), ...(r.errors ? [["recorded", r.errors.recorded], ["of its dtype", r.errors.of_dtype], ["of the device", r.errors.of_device], ["", r.errors.word]] : [])],
      })),
    }),
    facts: [["device", result.device], ["missing", result.missing.join(", ")]],
    options: [], rules: [...result.arithmetic, ...result.notes],
  };
}
