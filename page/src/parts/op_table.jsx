// The ops: sorted, filtered, and drawn only where they are seen.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { classOf, severity, short, visible } from "../numbers.js";
import { say } from "../words.js";
import { OpLink, Search, Section, Verdict } from "./common.jsx";

const ROW = 36;
const NARROW_ROW = 64;
const EXTRA = 8;

const narrow = () => window.matchMedia("(max-width: 640px)").matches;

/** What a column sorts by. */
const KEYS = {
  "#": (row) => row.index,
  verdict: (row) => severity(row.verdict),
  op: (row) => row.path,
  module: (row) => row.module,
  introduced: (row) => row.introduced ?? -1,
  inherited: (row) => row.inherited ?? -1,
  error: (row) => row.error ?? -1,
};

export function sorted(rows, key, descending) {
  const of = KEYS[key];
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  // NaN is worse than any number.
  const value = (row) => { const v = of(row); return Number.isNaN(v) ? Infinity : v; };
  const keys = new Map(rows.map((row) => [row, value(row)]));
  return [...rows].sort((a, b) => (descending ? -1 : 1) * order(keys.get(a), keys.get(b)) || a.index - b.index);
}

export function filtered(rows, text, findings) {
  const wanted = text.trim().toLowerCase();
  if (!wanted && !findings) return rows;
  return rows.filter((row) => (!findings || classOf(row.verdict) === "bad") &&
    (!wanted || row.search.includes(wanted)));
}

export function OpTable({ model, state, change, open }) {
  const scroll = useRef(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [thin, setThin] = useState(narrow());
  for (const row of model.rows)
    row.search ??= `${row.path} ${row.golden} ${row.module} ${row.line} ${row.verdict}`.toLowerCase();
  const rows = useMemo(() => sorted(filtered(model.rows, state.q, state.only), state.sort, state.down),
    [model, state.q, state.only, state.sort, state.down]);
  useEffect(() => {
    const fit = () => { setThin(narrow()); setHeight(scroll.current?.clientHeight ?? 600); };
    fit();
    window.addEventListener("resize", fit);
    return () => window.removeEventListener("resize", fit);
  }, []);
  const size = thin ? NARROW_ROW : ROW;
  const selected = rows.findIndex((row) => row.path === state.op);
  useEffect(() => {
    const box = scroll.current;
    if (selected < 0 || !box) return;
    const at = selected * size;
    if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - 2 * size) box.scrollTop = Math.max(0, at - box.clientHeight / 3);
  }, [state.op, thin]);
  const first = Math.max(0, Math.floor(top / size) - EXTRA);
  const last = Math.min(rows.length, Math.ceil((top + height) / size) + EXTRA);
  const columns = ["#", "verdict", "op", "module", ...model.columns];
  const by = (column) => change({ sort: column, down: state.sort === column ? !state.down : !["#", "op", "module"].includes(column) });
  const step = (event) => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (move === undefined || rows.length === 0) return;
    event.preventDefault();
    const next = Math.min(rows.length - 1, Math.max(0, (selected < 0 ? -1 : selected) + move));
    change({ op: rows[next].path });
  };
  return (
    <Section id="ops" title={model.title ?? "ops"}>
      <div class="tools">
        <Search id="find" text={state.q} change={(q) => change({ q })} />
        <label><input type="checkbox" id="only" checked={state.only} onChange={(e) => change({ only: e.currentTarget.checked })} /> {say("only findings")}</label>
        <span id="shown" role="status">{rows.length} {say("of")} {model.rows.length}</span>
      </div>
      <div class="grid" style={{ height: `min(62vh, ${rows.length * size + 48}px)` }} ref={scroll} onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={step} tabIndex={0}
        role="group" aria-label={say("ops")}>
        <table aria-rowcount={rows.length + 1} class={`c${model.columns.length}`}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col" aria-sort={state.sort === column ? (state.down ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => by(column)}>{column === "introduced" ? say("of limit") : say(model.words?.[column] ?? column)}
                    <span aria-hidden="true">{state.sort === column ? (state.down ? " ▾" : " ▴") : ""}</span></button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="gap" aria-hidden="true" style={{ height: `${first * size}px` }}><td colSpan={columns.length} /></tr>
            {rows.slice(first, last).map((row, i) => (
              <tr key={row.index} aria-rowindex={first + i + 2} aria-selected={row.path === state.op} class={`${classOf(row.verdict)} ${row.path === state.op ? "selected" : ""}`}
                onClick={() => open(row.path)}>
                <td class="num dim">{row.index + 1}</td>
                <td><Verdict word={row.verdict} /></td>
                <td class="mono"><OpLink path={row.path} open={open} /></td>
                <td class="dim" title={visible(`${row.module} ${row.line}`)}>{visible(row.module || row.line)}</td>
                {model.columns.map((column) => <td class="num" data-label={say(column === "introduced" ? "of limit" : column)}>{short(row[column])}</td>)}
              </tr>
            ))}
            <tr class="gap" aria-hidden="true" style={{ height: `${(rows.length - last) * size}px` }}><td colSpan={columns.length} /></tr>
          </tbody>
        </table>
      </div>
    </Section>
  );
}
