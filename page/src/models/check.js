// The model of `check`.
import { numberOf } from "../numbers.js";
import { say } from "../words.js";
import { flowsOf, tensorsOf } from "./compare.js";

function statusOf(op) {
  if (op.overflow === "introduced") return "overflow";
  return op.verdict === "pass" && op.free_fault ? "fail" : op.verdict;
}

function kernelsOf(op) {
  if (op.kernel_rows.length === 0) return op.kernels.map((type) => ({ type }));
  return op.kernel_rows.map((row, i) => ({ ...row, first: op.first_kernel === i }));
}

export function checkModel(data) {
  const result = data.document;
  const first = result.first_culprit;
  const at = first ? result.ops.find((op) => op.path === first.path) : null;
  const culprits = first
    ? [{
        path: first.path, title: first.path, verdict: at ? statusOf(at) : "fail",
        why: [first.why.evidence, at?.rule ?? ""].filter(Boolean),
        facts: [["node", first.node], ["fingerprint", `${first.why.fingerprint} (${first.why.confidence})`],
                ["arithmetic", at?.arithmetic]],
        next: first.next, worst: [],
      }]
    : [];
  for (const op of result.ops)
    if (op.path !== first?.path && ["fail", "overflow"].includes(statusOf(op)))
      culprits.push({ path: op.path, title: op.path, verdict: statusOf(op), why: [op.free_fault || op.overflow_note || op.rule],
                      facts: [["node", op.node]], next: "", worst: [] });
  const rows = result.ops.map((op, index) => ({
    index, path: op.path, target: op.path, golden: op.path, module: op.node, line: "", verdict: statusOf(op), overflow: op.overflow,
    introduced: numberOf(op.ratio), inherited: numberOf(op.inherited), error: numberOf(op.free), source: op,
  }));
  return {
    kind: "check", verdict: result.verdict, headline: result.headline, culprits, rows,
    cards: [
      [`${result.counts.passed} / ${result.counts.compared}`, "ops as good as their arithmetic"],
      [result.counts.overflow_introduced, "ops that overflowed"],
      ...result.outputs.map((o) => [o.incomparable || `${(100 * numberOf(o.relative)).toPrecision(2)} %`, say("end to end: {0}, of its largest value", o.name)]),
      ...(result.changed_predictions ? [[say("{0} of {1}", result.changed_predictions.changed, result.changed_predictions.samples), "predictions changed"]] : []),
    ],
    columns: ["introduced", "inherited", "error"],
    chart: { ratio: "introduced", relative: ["inherited", "error"] },
    programs: true, partings: result.program,
    flows: flowsOf(result.overflow),
    detail: (op) => ({
      facts: [["node", op.node], ["rule", op.rule], ["computed in", op.compute_type], ["arithmetic", op.arithmetic],
              ["overflow", op.overflow_note], ["free run", op.free_fault]],
      tensors: tensorsOf(op), kernels: kernelsOf(op),
    }),
    facts: [["model", result.model], ["device", result.device], ["golden", result.golden], ["inputs", result.inputs],
            ["golden dump", result.dumps.golden], ["free run", result.dumps.free], ["isolated run", result.dumps.isolated]],
    options: Object.entries(result.options ?? {}),
    rules: [...result.arithmetic.map((line) => `computes ${line}`), ...result.remarks, ...result.given.first, ...result.bad_inputs],
  };
}
