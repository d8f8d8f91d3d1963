// The model of `compare`: what the page shows of its JSON.
import { numberOf, visible } from "../numbers.js";
import { say } from "../words.js";

/** Overflows that a comparison tells one by one, as one flow: where they began, and who only received one. */
export function flowsOf(list) {
  if (!list?.length) return [];
  const of = (kind) => list.filter((each) => (each.kind === "introduced") === (kind === "introduced"));
  const received = of("received");
  return [{ births: of("introduced"), carried_count: received.length, carried: received.map((each) => each.path) }];
}

/** One culprit as a block of the page. */
function culpritOf(culprit) {
  return {
    path: culprit.path,
    title: culprit.kind === "tensor" ? (culprit.tensor ?? culprit.path) : culprit.path || culprit.kind,
    verdict: ["tensor", "argument"].includes(culprit.kind) ? "not the golden's" : culprit.verdict,
    why: [culprit.why],
    facts: [["golden", culprit.golden], ["node", culprit.node], ["module", culprit.module], ["line", culprit.line],
            ["argument", culprit.argument],
            ["elements over", culprit.elements ? `${culprit.elements.over} / ${culprit.elements.of}${culprit.elements.where ? ", " + culprit.elements.where : ""}` : ""],
            ["arithmetic", culprit.elements ? `${culprit.elements.arithmetic}: ${culprit.elements.formula}` : ""],
            ["effect", culprit.effect !== null && culprit.effect !== undefined ? `${Number(culprit.effect).toPrecision(2)}${culprit.effect_on ? " · " + culprit.effect_on : ""}` : ""]],
    next: culprit.next,
    worst: culprit.elements?.worst ?? [],
  };
}

function rowOf(op, index) {
  return {
    index,
    path: op.path,
    target: op.verdict === "missing_target" ? "" : op.path,
    golden: op.golden,
    module: op.module || op.node,
    line: op.line,
    verdict: op.verdict,
    overflow: op.overflow,
    introduced: numberOf(op.introduced),
    inherited: numberOf(op.inherited),
    error: numberOf(op.error),
    source: op,
  };
}

/** What another project's standard says of a tensor. */
export function standardOf(tensor) {
  return tensor.standard ? [["standard", `${tensor.standard.word}${tensor.standard.why ? ": " + tensor.standard.why : ""}`]] : [];
}

/** The tensors of an op with its measures. */
export function tensorsOf(op) {
  return op.tensors.map((tensor) => ({
    path: tensor.target || tensor.golden,
    verdict: tensor.verdict,
    direction: tensor.direction ?? "output",
    dtype: tensor.dtype,
    shape: tensor.shape,
    rule: tensor.rule,
    facts: [...standardOf(tensor), ["arithmetic", tensor.arithmetic], ["of limit", tensor.introduced], ["inherited", tensor.inherited],
            ["bound", tensor.bound], ["why not", tensor.why_not]],
    metrics: tensor.metrics,
    worst: [],
  }));
}

export function compareModel(data) {
  const result = data.document;
  const culprits = result.culprits.map(culpritOf);
  const first = result.first_culprit?.path ?? culprits[0]?.title;
  const findings = result.ops.filter((op) => op.verdict !== "pass").length;
  return {
    kind: "compare",
    verdict: result.verdict,
    headline: culprits.length === 1 ? say("1 finding, in {0}", first)
      : culprits.length > 1 ? say("{0} findings, the first in {1}", culprits.length, first)
      : result.verdict === "pass" ? say("what differs is what honest arithmetic makes") : say("too little could be judged"),
    culprits,
    cards: [
      [`${result.judged.ops} / ${result.judged.of}`, "ops judged"],
      [result.counts.tensors, "tensors measured"],
      [result.culprits.length, "findings"],
      [findings, "ops that do not pass"],
    ],
    rows: result.ops.map(rowOf),
    columns: ["introduced", "inherited", "error"],
    chart: { ratio: "introduced", relative: ["inherited", "error"] },
    programs: true,
    partings: result.partings.map((parting) => parting.text),
    flows: flowsOf(result.overflow),
    detail: (op) => ({
      facts: [["golden", op.golden], ["node", op.node], ["module", op.module], ["line", op.line], ["rule", op.rule],
              ["origin", op.origin], ...op.arguments.map((a) => [`argument ${a.name}`, `${a.target} · golden ${a.golden}`])],
      tensors: tensorsOf(op), kernels: [],
    }),
    facts: [["target", result.target], ["golden", result.golden]],
    options: Object.entries(result.options ?? {}),
    rules: [...result.arithmetic, ...result.contradictions.map((c) => c.text), ...result.partings.map((p) => p.text)].map(visible),
  };
}
