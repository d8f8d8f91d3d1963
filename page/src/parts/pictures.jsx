// Pictures of one tensor: how its values and errors are spread, and where the errors lie.
import { useState } from "preact/hooks";
import { exact, short } from "../numbers.js";
import { say } from "../words.js";

const WIDTH = 320;
const HEIGHT = 110;

/** Steps of counts as a path; heights go by the square root, so that few elements are seen beside many. */
function outline(counts, largest) {
  const width = WIDTH / counts.length;
  return counts.map((n, i) => {
    const y = HEIGHT - (HEIGHT - 6) * Math.sqrt(n / largest);
    return `${i === 0 ? "M0," + HEIGHT : ""}L${(i * width).toFixed(1)},${y.toFixed(1)}L${((i + 1) * width).toFixed(1)},${y.toFixed(1)}`;
  }).join("") + `L${WIDTH},${HEIGHT}Z`;
}

function Picture({ label, children, low, high }) {
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>{children}</svg>
      <figcaption><span>{low}</span><b>{label}</b><span>{high}</span></figcaption>
    </figure>
  );
}

export function Histograms({ tensor }) {
  const { values, errors } = tensor;
  const largest = values ? Math.max(1, ...values.target, ...values.golden) : 1;
  return (
    <div class="pictures">
      {values && (
        <Picture label={`${say("histogram")}: ${say("golden")} / ${say("target")}`} low={short(values.low)} high={short(values.high)}>
          <path d={outline(values.golden, largest)} class="golden" />
          <path d={outline(values.target, largest)} class="target" />
        </Picture>
      )}
      {errors && (
        <Picture label={`${say("histogram")}: log10 |${say("difference")}|`} low={short(errors.low)} high={short(errors.high)}>
          <path d={outline(errors.counts, Math.max(1, ...errors.counts))} class="error" />
        </Picture>
      )}
    </div>
  );
}

/** White to red by powers of ten below the largest. */
function heat(value, largest) {
  if (value === null) return "var(--bad)";
  if (!(value > 0)) return "var(--panel)";
  const share = Math.max(0.06, 1 + Math.log10(value / largest) / 4);
  return `color-mix(in oklab, var(--bad) ${Math.round(100 * Math.min(1, share))}%, var(--panel))`;
}

/** The largest error by two axes; any two can be chosen. */
export function HeatMap({ tensor }) {
  const maps = tensor.maps ?? [];
  const [chosen, choose] = useState(0);
  const [said, setSaid] = useState("");
  if (maps.length === 0) return null;
  const map = maps[Math.min(chosen, maps.length - 1)];
  const rows = map.values.length;
  const columns = map.values[0].length;
  const largest = Math.max(Number.MIN_VALUE, ...map.values.flat().filter((v) => v !== null));
  const name = (m) => (m.rows < 0 ? `${say("axis")} ${m.columns}` : `${say("rows")}: ${say("axis")} ${m.rows} · ${say("columns")}: ${say("axis")} ${m.columns}`);
  const range = (at, group, extent) => (group === 1 ? `${at}` : `${at * group}–${Math.min(extent, (at + 1) * group) - 1}`);
  const tell = (e) => {
    const at = e.target.dataset?.at;
    if (at === undefined) return;
    const [r, c] = at.split(",").map(Number);
    const place = map.rows < 0 ? range(c, map.column_group, map.column_extent) : `${range(r, map.row_group, map.row_extent)}, ${range(c, map.column_group, map.column_extent)}`;
    setSaid(`${place}: ${map.values[r][c] === null ? "inf / nan" : short(map.values[r][c])}`);
  };
  return (
    <div class="heat">
      <label>{say("heat map")}{" "}
        <select value={chosen} onChange={(e) => choose(Number(e.currentTarget.value))}>
          {maps.map((m, i) => <option value={i}>{name(m)}</option>)}
        </select>
      </label>
      <svg viewBox={`0 0 ${columns * 10} ${rows * 10}`} preserveAspectRatio="none" role="img" aria-label={`${say("heat map")}, ${name(map)}, ${say("largest error")} ${short(largest)}`}
        style={{ height: `${Math.min(260, Math.max(24, rows * 12))}px` }} onMouseMove={tell}>
        {map.values.map((line, r) => line.map((v, c) => <rect x={c * 10} y={r * 10} width="10.2" height="10.2" fill={heat(v, largest)} data-at={`${r},${c}`} />))}
      </svg>
      <p class="dim" role="status">{said || `${say("largest error")} ${short(largest)}`}</p>
    </div>
  );
}

/** By each axis: which indices hold the errors. */
export function AxisShares({ tensor }) {
  const axes = (tensor.axes ?? []).filter((axis) => axis.top.length > 0);
  if (axes.length === 0) return null;
  return (
    <table class="small">
      <caption>{say("share by axis")}</caption>
      <tbody>
        {axes.map((axis) => (
          <tr><th scope="row">{say("axis")} {axis.axis}</th>
            <td>{axis.top.map((t) => <span class="share"><b>{axis.group === 1 ? t.at : `${t.at * axis.group}…`}</b> {Math.round(100 * t.share)} %</span>)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

export function WorstPairs({ tensor }) {
  if (!tensor.worst?.length) return null;
  return (
    <table class="small">
      <caption>{say("worst elements")}</caption>
      <thead><tr><th>{say("place")}</th><th class="num">{say("target")}</th><th class="num">{say("golden")}</th></tr></thead>
      <tbody>{tensor.worst.map((e) => <tr><td class="mono">{e.place}</td><td class="num">{exact(e.target)}</td><td class="num">{exact(e.golden)}</td></tr>)}</tbody>
    </table>
  );
}
