// All about one op, beside the rest.
import { useEffect, useRef } from "preact/hooks";
import { numberOf, short, visible } from "../numbers.js";
import { say } from "../words.js";
import { Facts, Verdict } from "./common.jsx";
import { Worst } from "./head.jsx";
import { AxisShares, HeatMap, Histograms, WorstPairs } from "./pictures.jsx";

function Kernels({ kernels }) {
  if (kernels.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={say("kernels")}>
      <table class="small">
        <caption>{say("kernels")}</caption>
        <thead><tr><th>{say("kernel")}</th><th class="num">{say("introduced")}</th><th class="num">{say("error")}</th><th>{say("verdict")}</th></tr></thead>
        <tbody>
          {kernels.map((kernel) => (
            <tr class={kernel.first ? "selected" : ""}>
              <td class="mono">{visible(kernel.type)}{kernel.change ? ` (${visible(kernel.change)})` : ""}{kernel.overflow ? " · overflow" : ""}</td>
              <td class="num">{short(numberOf(kernel.introduced))}</td><td class="num">{short(numberOf(kernel.total))}</td>
              <td>{kernel.verdict ? <Verdict word={kernel.verdict} /> : ""} {kernel.verdict && kernel.verdict !== "pass" ? visible(kernel.rule) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Tensor({ tensor, details }) {
  const metrics = Object.entries(tensor.metrics ?? {});
  return (
    <article class="tensor">
      <h3><Verdict word={tensor.verdict} /> <span class="mono">{visible(tensor.path)}</span> <span class="dim">{tensor.direction} {tensor.dtype} {visible(tensor.shape)}</span></h3>
      {tensor.rule && <p class="why">{visible(tensor.rule)}</p>}
      <Facts of={tensor.facts.map(([k, v]) => [k, typeof v === "number" ? short(v) : v])} />
      <Worst elements={tensor.worst} />
      {details && <Histograms tensor={details} />}
      {details && <HeatMap tensor={details} />}
      {details && <AxisShares tensor={details} />}
      {details && <WorstPairs tensor={details} />}
      {metrics.length > 0 && (
        <details class="metrics"><summary>{say("measures")}</summary>
          <dl class="facts">{metrics.map(([name, value]) => [<dt>{name}</dt>, <dd class="num">{short(numberOf(value))}</dd>])}</dl></details>
      )}
    </article>
  );
}

export function OpPage({ model, path, close }) {
  const heading = useRef(null);
  const row = model.rows.find((each) => each.path === path);
  useEffect(() => { heading.current?.focus({ preventScroll: true }); }, [path]);
  if (!row) return null;
  const detail = model.detail(row.source);
  return (
    <aside class="op-page" aria-labelledby="op-title">
      <div class="bar">
        <h2 id="op-title" tabIndex={-1} ref={heading}><Verdict word={row.verdict} /> <span class="mono">{visible(row.path)}</span></h2>
        <button type="button" onClick={close}>{say("close")}</button>
      </div>
      <Facts of={detail.facts} />
      <Kernels kernels={detail.kernels} />
      {[...detail.tensors].sort((a, b) => (a.direction === "input") - (b.direction === "input")).map((tensor) => <Tensor tensor={tensor} details={model.details[tensor.path]} />)}
    </aside>
  );
}
