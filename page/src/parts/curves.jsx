// Curves of training logs over their steps.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { short, visible } from "../numbers.js";
import { say } from "../words.js";
import { Section } from "./common.jsx";

const COLORS = ["#d97706", "#2563eb", "#475569", "#7c3aed", "#0f766e", "#be185d"];

export function Curves({ model }) {
  const place = useRef(null);
  useEffect(() => {
    if (!model.curves) return undefined;
    const host = place.current;
    const text = getComputedStyle(document.documentElement).getPropertyValue("--soft-text").trim();
    const rule = getComputedStyle(document.documentElement).getPropertyValue("--rule").trim();
    const steps = [...new Set(model.curves.flatMap((curve) => curve.steps))].sort((a, b) => a - b);
    const place_of = new Map(steps.map((step, i) => [step, i]));
    const values = model.curves.map((curve) => {
      const line = new Array(steps.length).fill(null);
      curve.steps.forEach((step, i) => { line[place_of.get(step)] = typeof curve.values[i] === "number" ? curve.values[i] : null; });
      return line;
    });
    const plot = new uPlot({
      width: host.clientWidth, height: 280, scales: { x: { time: false } }, legend: { live: true },
      axes: [{ stroke: text, grid: { stroke: rule, width: 1 }, label: say("step"), labelSize: 18 }, { stroke: text, grid: { stroke: rule, width: 1 }, label: say("loss"), labelSize: 18, size: 60 }],
      series: [{ label: say("step") }, ...model.curves.map((curve, i) => ({ label: visible(curve.name), stroke: COLORS[i % COLORS.length], width: 1.5, spanGaps: true, value: (_, v) => short(v) }))],
    }, [steps, ...values], host);
    const resize = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: 280 }));
    resize.observe(host);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [model]);
  if (!model.curves) return null;
  return <Section id="curves" title="loss"><div class="chart" ref={place} role="img" aria-label={model.curves.map((c) => visible(c.name)).join(", ")} /></Section>;
}
