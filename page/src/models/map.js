// The model of `map`: which kernels an op became, and which of them leaves the reference first.
import { numberOf, short } from "../numbers.js";
import { say } from "../words.js";

function verdictOf(op) {
  if (op.skipped) return "skipped";
  if (op.first_culprit !== null || op.results.some((r) => r.verdict === "fail")) return "fail";
  return "pass";
}

function kernelOf(kernel, first) {
  return { ...kernel, change: kernel.change ?? "", first };
}

export function mapModel(data) {
  const result = data.document;
  const rows = result.ops.map((op, index) => ({
    index, path: op.path, target: op.path, golden: "", module: op.node ?? "", line: "", verdict: verdictOf(op), overflow: "",
    introduced: null, inherited: null, error: op.kernels.reduce((worst, k) => Math.max(worst, numberOf(k.total) ?? 0), 0), source: op,
  }));
  const bad = rows.filter((row) => row.verdict === "fail");
  return {
    kind: "map", verdict: bad.length ? "fail" : "pass",
    headline: say("{0} ops became {1} kernels", result.ops.length, result.ops.reduce((n, op) => n + op.kernels.length, 0)),
    culprits: bad.slice(0, 20).map((row) => {
      const kernel = row.source.kernels[row.source.first_culprit];
      return {
        path: row.path, title: row.path, verdict: "fail",
        why: kernel ? [`kernel ${kernel.position} ${kernel.type}: ${kernel.rule}`] : row.source.results.map((r) => `${r.name}: ${r.error}, ${r.bound}`),
        facts: [["node", row.module], ["computed as", row.source.computed_as]], next: "", worst: [],
      };
    }),
    rows, columns: ["error"], cards: [[result.ops.length, "ops"]], chart: null, programs: false, partings: [], flows: [],
    detail: (op) => ({
      facts: [["node", op.node], ["computed as", op.computed_as], ["skipped", op.skipped],
              ...op.results.map((r) => [`result ${r.name}`, `${r.verdict}, ${short(numberOf(r.error))} (${r.bound})`])],
      tensors: [], kernels: op.kernels.map((kernel, i) => kernelOf(kernel, op.first_culprit === i)),
    }),
    facts: [["source", result.source], ["device", result.device], ["reference", result.reference], ["folder", result.folder]],
    options: [], rules: result.remarks,
  };
}
