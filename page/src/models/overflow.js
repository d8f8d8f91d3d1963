// The model of `overflow`: where damage was born, who carried it and who hid it.
import { numberOf } from "../numbers.js";
import { say } from "../words.js";

export function overflowModel(data) {
  const result = data.document;
  const rows = result.overflow.map((op, index) => ({
    index, path: op.path, target: op.path, golden: "", module: op.node ?? "", line: "",
    verdict: op.kind === "introduced" ? "overflow" : op.kind === "received" ? "received" : op.kind, overflow: op.kind,
    introduced: null, inherited: null, error: numberOf(op.tensors.reduce((n, t) => n + Number(t.detectors?.non_finite ?? 0), 0)), source: op,
  }));
  const births = result.flows.filter((flow) => flow.kind === "introduced" || flow.kind === "inherited_from_input");
  return {
    kind: "overflow", verdict: result.found ? "fail" : "pass",
    headline: result.found ? say("{0} of {1} ops hold damage; it began in {2}", result.overflow.length, result.ops, result.first ?? say("an input"))
                           : say("none of {0} ops overflowed", result.ops),
    culprits: births.slice(0, 20).map((flow) => ({
      path: flow.birth, title: flow.birth, verdict: flow.kind === "introduced" ? "overflow" : "inherited",
      why: [[flow.non_finite ? "inf or nan" : "", flow.saturated ? (flow.silent ? "saturated, and nowhere inf or nan" : "saturated") : ""].filter(Boolean).join("; "),
            say("carried by {0} ops, hidden by {1}, its end read by nobody in {2}", flow.carried_count, flow.killed_count, flow.unread_count)],
      facts: [["node", flow.node]], next: `npuscope inspect ${result.dump} ${flow.birth}`, worst: [],
    })),
    rows, columns: [],
    cards: [[result.ops, "ops"], [result.ops_with_status, "with a float status"], [result.overflow.length, "damaged"], [result.latent_binades === undefined ? 0 : result.latent.length, "close to overflow"]],
    chart: null, programs: false, partings: [],
    flows: result.flows.map((flow) => ({ ...flow, births: [{ path: flow.birth, node: flow.node, kind: flow.kind, note: "" }] })),
    detail: (op) => ({
      facts: [["kind", op.kind], ["through", op.via], ["from", op.from], ["origin", op.origin], ["evidence", op.evidence], ["judged by", op.judged_by]],
      kernels: (op.kernels ?? []).map((type) => ({ type })),
      tensors: op.tensors.map((t) => ({ path: t.tensor, verdict: "overflow", direction: "", dtype: t.dtype, shape: String(t.shape), rule: "", metrics: t.detectors, facts: [["largest finite", t.max_finite]], worst: [] })),
    }),
    facts: [["recording", result.dump]], options: [],
    rules: [...result.notes, ...result.warnings,
            ...result.latent.map((r) => `close to overflow: ${r.path} ${r.tensor} (${r.value})`)],
  };
}
