// The model of `loss`: two training logs and more.
import { numberOf, short } from "../numbers.js";
import { say } from "../words.js";

export function lossModel(data) {
  const result = data.document;
  const rows = result.targets.map((target, index) => ({
    index, path: target.log.path, target: target.log.path, golden: result.golden.path, module: target.class, line: target.step === null ? "" : `step ${target.step}`,
    verdict: target.finding ? "fail" : "pass", overflow: "", introduced: null, inherited: null, error: numberOf(target.largest_difference), source: target,
  }));
  return {
    kind: "loss", verdict: result.found ? "fail" : "pass", headline: result.targets.map((t) => t.headline).join(" "),
    culprits: result.targets.filter((t) => t.finding).map((t) => ({
      path: t.log.path, title: t.headline, verdict: t.class, why: [...t.evidence, t.course.text].filter(Boolean),
      facts: [["step", t.step], ["confidence", short(numberOf(t.confidence))], ["difference", short(numberOf(t.difference))], ["limit", short(numberOf(t.limit))],
              ["capture next", t.capture ? `step ${t.capture.step}${t.capture.phase ? ", " + t.capture.phase : ""}: ${t.capture.why}` : ""]],
      next: t.capture?.npuscope ?? "", worst: [],
    })),
    rows, columns: ["error"], title: "training logs", words: { op: "log", module: "class", error: "difference" }, cards: result.targets.map((t) => [t.class, say("{0} common steps", t.common_steps)]),
    chart: null, programs: false, partings: [], flows: [],
    detail: (t) => ({ facts: [["format", t.log.format], ["records", t.log.records], ...t.evidence.map((e) => ["evidence", e])], tensors: [], kernels: [] }),
    facts: [["golden", result.golden.path], ["format", result.golden.format]], options: Object.entries(result.options ?? {}),
    rules: [...result.golden.remarks, ...result.targets.flatMap((t) => t.remarks)],
  };
}
