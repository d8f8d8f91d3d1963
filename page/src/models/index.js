// One model for every kind of result; the page's parts know models only.
import { checkModel } from "./check.js";
import { compareModel } from "./compare.js";
import { lossModel } from "./loss.js";
import { mapModel } from "./map.js";
import { overflowModel } from "./overflow.js";
import { recomputeModel } from "./recompute.js";

const MODELS = { check: checkModel, compare: compareModel, loss: lossModel, map: mapModel, overflow: overflowModel, recompute: recomputeModel };

export function modelOf(data) {
  const make = MODELS[data.kind];
  if (!make) throw new Error(`the page does not know results of '${data.kind}'`);
  const model = make(data);
  model.details = data.details?.tensors ?? {};
  model.curves = data.details?.curves ?? null;
  model.command = data.command ?? "";
  return model;
}
