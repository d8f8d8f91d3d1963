// The error along the network: what each op introduced over what its arithmetic allows, and beside it how large the
// error is, on scales of powers of ten.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { short, visible } from "../numbers.js";
import { say } from "../words.js";
import { Section } from "./common.jsx";

const FLOORS = { ratio: 1e-3, relative: 1e-9 };
const CEILING = 1e6;

/** A value for a scale of powers of ten: nothing for none and for 0, the edges for what is beyond. */
function onScale(value, scale) {
  if (value === null || value === 0) return null;
  if (Number.isNaN(value)) return CEILING;
  return Math.min(Math.max(Math.abs(value), FLOORS[scale]), CEILING);
}

/** Whole powers of ten from below `low` to above `high`. */
function decades(low, high) {
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.001))];
}

/** Powers of ten at which lines are drawn: seven at most. */
function splits(_, __, low, high) {
  const first = Math.round(Math.log10(low));
  const last = Math.round(Math.log10(high));
  const step = Math.max(1, Math.ceil((last - first) / 6));
  const out = [];
  for (let power = first; power <= last; power += step) out.push(10 ** power);
  return out;
}

function colorOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Says below the cursor which op that is. */
function tooltip(rows, series) {
  const box = document.createElement("div");
  box.className = "tooltip";
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor: (plot) => {
        const at = plot.cursor.idx;
        box.hidden = at === null || at === undefined || rows[at] === undefined;
        if (box.hidden) return;
        const row = rows[at];
        box.textContent = `${visible(row.path)}\n${series.map((s) => `${s.label}: ${short(row[s.key])}`).join("\n")}`;
        const left = plot.valToPos(at, "x");
        box.style.left = `${Math.min(left + 12, plot.over.clientWidth - 190)}px`;
        box.style.top = "8px";
      },
    },
  };
}

/** The line of what is allowed. */
function limitLine(draws) {
  return {
    hooks: {
      draw: (plot) => {
        if (!draws) return;
        const y = plot.valToPos(1, "ratio", true);
        if (y < plot.bbox.top || y > plot.bbox.top + plot.bbox.height) return;
        plot.ctx.save();
        plot.ctx.strokeStyle = colorOf("--bad");
        plot.ctx.setLineDash([6, 4]);
        plot.ctx.beginPath();
        plot.ctx.moveTo(plot.bbox.left, y);
        plot.ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
        plot.ctx.stroke();
        plot.ctx.fillStyle = colorOf("--bad");
        plot.ctx.textAlign = "right";
        plot.ctx.fillText(say("limit"), plot.bbox.left + plot.bbox.width - 6, y - 5);
        plot.ctx.restore();
      },
    },
  };
}

function axis(scale, side, label) {
  return {
    scale, side, label, labelSize: 18, size: 54, labelFont: "12px system-ui", font: "11px system-ui",
    stroke: colorOf("--soft-text"), grid: { show: side !== 1, stroke: colorOf("--rule"), width: 1 }, ticks: { stroke: colorOf("--rule") },
    splits, filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map((v) => (v === 1 ? "1" : `1e${Math.round(Math.log10(v))}`)),
  };
}

const STYLES = { introduced: ["--accent", 2], inherited: ["--warm", 1], error: ["--cool", 1] };

export function ErrorChart({ model, open }) {
  const place = useRef(null);
  const rows = model.rows;
  const keys = model.chart ? [model.chart.ratio, ...model.chart.relative].filter((k) => rows.some((r) => r[k] !== null)) : [];
  useEffect(() => {
    if (keys.length === 0) return undefined;
    const host = place.current;
    const series = keys.map((key) => ({ key, label: say(key === "introduced" ? "of limit" : key) }));
    const scaleOf = (key) => (key === model.chart.ratio ? "ratio" : "relative");
    // What an op added stands by itself, as a bar; what flows on is a line.
    const names = series.map((s) => ({
      label: s.label, scale: scaleOf(s.key), stroke: colorOf(STYLES[s.key][0]), width: STYLES[s.key][1], value: (_, v) => short(v),
      ...(scaleOf(s.key) === "ratio" ? { paths: uPlot.paths.bars({ size: [0.7, 14] }), fill: `${colorOf(STYLES[s.key][0])}55`, points: { show: false } }
                                     : { points: { show: rows.length <= 200, size: 5 }, spanGaps: true }),
    }));
    const has = (scale) => names.some((n) => n.scale === scale);
    const log = { distr: 3, range: (_, low, high) => decades(Math.min(low ?? 0.1, 0.1), Math.max(high ?? 10, 10)) };
    const relative = { distr: 3, range: (_, low, high) => decades(low ?? 1e-7, high ?? 1) };
    const plot = new uPlot({
      width: host.clientWidth, height: 260, legend: { live: false }, cursor: { drag: { x: true, y: false }, focus: { prox: 30 } },
      scales: { x: { time: false, range: (_, low, high) => [low - 0.6, high + 0.6] }, ratio: log, relative },
      axes: [{ stroke: colorOf("--soft-text"), grid: { show: false }, ticks: { stroke: colorOf("--rule") }, font: "11px system-ui", values: (_, t) => t.map((v) => (Number.isInteger(v) ? v + 1 : "")) },
             ...(has("ratio") ? [axis("ratio", 3, say("of limit"))] : []), ...(has("relative") ? [axis("relative", has("ratio") ? 1 : 3, say("error"))] : [])],
      series: [{ label: say("op") }, ...names],
      plugins: [tooltip(rows, series), limitLine(has("ratio"))],
    }, [rows.map((_, i) => i), ...keys.map((key) => rows.map((row) => onScale(row[key], scaleOf(key))))], host);
    const click = () => {
      const at = plot.cursor.idx;
      if (at !== null && at !== undefined && rows[at]) open(rows[at].path);
    };
    plot.over.addEventListener("click", click);
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: 260 }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [model]);
  if (keys.length === 0) return null;
  const worst = rows.reduce((best, row) => ((row.introduced ?? -1) > (best.introduced ?? -1) ? row : best), rows[0]);
  return (
    <Section id="network" title="error along the network">
      <div class="chart" ref={place} role="img"
        aria-label={`${say("error along the network")}: ${rows.length} ${say("ops")}; ${say("largest error")} ${short(worst.introduced)} ${visible(worst.path)}`} />
    </Section>
  );
}
