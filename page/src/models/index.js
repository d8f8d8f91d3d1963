// One model for every kind of result; the page's parts know models only.
import { checkModel } from "./check.js";
import { compareModel } from "./compare.js";
import { gateOf } from "./gate.js";
import { lossModel } from "./loss.js";
import { mapModel } from "./map.js";
import { overflowModel } from "./overflow.js";
import { recomputeModel } from "./recompute.js";
import { say } from "../words.js";

const MODELS = { check: checkModel, compare: compareModel, loss: lossModel, map: mapModel, overflow: overflowModel, recompute: recomputeModel };

export function modelOf(data) {
  const make = MODELS[data.kind];
  if (!make) throw new Error(`the page does not know results of '${data.kind}'`);
  const model = make(data);
  model.details = data.details?.tensors ?? {};
  model.curves = data.details?.curves ?? null;
  model.command = data.command ?? "";
  model.gate = gateOf(data.document.gate);
  model.standard = data.document.standard ?? null;
  if (model.gate?.lets_pass && model.gate.findings.length > 0) {
    model.verdict = "pass";
    model.headline = model.gate.findings.length === 1 ? say("1 finding, which does not count") : say("{0} findings, of which none counts", model.gate.findings.length);
  }
  return model;
}
