// Both programs side by side, folded by module; what only one side has is hatched.
import { useMemo, useState } from "preact/hooks";
import { classOf, severity, visible } from "../numbers.js";
import { say } from "../words.js";
import { Search, Section } from "./common.jsx";

const MOST_LINES = 600;

function folder(name, path) {
  return { name, path, children: new Map(), rows: [], worst: 0, ops: 0, unpaired: 0 };
}

function parts(row) {
  const text = row.module || "";
  const split = text.includes("/") ? text.split("/") : text.split(".");
  return split.filter(Boolean);
}

/** Modules with their ops in the order of the program; runs of ops without a module stay ops. */
export function treeOf(rows) {
  const root = folder("", "");
  for (const row of rows) {
    let at = root;
    const names = parts(row);
    const above = [root];
    for (const name of names) {
      if (!at.children.has(name)) {
        const made = folder(name, `${at.path}/${name}`);
        at.children.set(name, made);
        at.rows.push(made);
      }
      at = at.children.get(name);
      above.push(at);
    }
    at.rows.push(row);
    for (const each of above) {
      each.worst = Math.max(each.worst, severity(row.verdict));
      each.ops += 1;
      each.unpaired += !row.target || !row.golden ? 1 : 0;
    }
  }
  return root;
}

const WORDS = ["good", "soft", "bad"];

function lines(at, depth, isOpen, wanted, out) {
  for (const each of at.rows) {
    if (out.length >= MOST_LINES) return;
    if (each.children) {
      const shown = isOpen(each.path);
      out.push({ depth, folder: each, shown });
      if (shown) lines(each, depth + 1, isOpen, wanted, out);
    } else if (!wanted || each.search.includes(wanted)) {
      out.push({ depth, row: each });
    }
  }
}

export function Programs({ model, open }) {
  const tree = useMemo(() => treeOf(model.rows), [model]);
  const [opened, setOpened] = useState(new Set());
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  if (!model.programs || model.rows.length === 0) return null;
  const holds = (at) => at.rows.some((each) => (each.children ? holds(each) : each.search.includes(wanted)));
  const paths = new Map();
  const isOpen = (path) => (wanted ? paths.get(path) : opened.has(path));
  if (wanted) {
    const visit = (at) => { paths.set(at.path, holds(at)); at.rows.filter((e) => e.children).forEach(visit); };
    visit(tree);
  }
  const out = [];
  lines(tree, 0, isOpen, wanted, out);
  const flip = (path) => {
    const next = new Set(opened);
    if (!next.delete(path)) next.add(path);
    setOpened(next);
  };
  const all = () => {
    const next = new Set();
    const visit = (at) => at.rows.filter((e) => e.children).forEach((e) => { next.add(e.path); visit(e); });
    visit(tree);
    setOpened(next);
  };
  const name = (path) => visible(path) || <span class="none">{say("only here")}</span>;
  return (
    <Section id="programs" title={model.rows.some((r) => r.golden !== r.path) ? "both programs" : "program"}>
      {model.partings.map((text) => <p class="why">{visible(text)}</p>)}
      <div class="tools">
        <Search id="find-program" scope="program" text={text} change={setText} />
        {tree.children.size > 0 && <button type="button" onClick={all}>{say("expand all")}</button>}
        {tree.children.size > 0 && <button type="button" onClick={() => setOpened(new Set())}>{say("collapse all")}</button>}
      </div>
      <div class="programs" tabIndex={0} role="group" aria-label={say("both programs")}>
        <div class="pair head"><span>{say("target")}</span><span>{say("golden")}</span></div>
        {out.map((line) => line.folder ? (
          <button type="button" class={`pair module ${WORDS[line.folder.worst]}`} aria-expanded={line.shown} style={{ "--depth": line.depth }} onClick={() => flip(line.folder.path)}>
            <span>{line.shown ? "▾" : "▸"} {visible(line.folder.name)}</span>
            <span class="dim">{line.folder.ops} {say("ops")}{line.folder.unpaired && line.folder.unpaired < line.folder.ops * 2 && model.kind === "compare" ? ` · ${line.folder.unpaired} ${say("only here")}` : ""}</span>
          </button>
        ) : (
          <button type="button" class={`pair ${classOf(line.row.verdict)}`} style={{ "--depth": line.depth }} onClick={() => open(line.row.path)}>
            <span class={line.row.target ? "" : "absent"}>{line.row.target ? name(line.row.target) : ""}</span>
            <span class={line.row.golden ? "" : "absent"}>{line.row.golden ? name(line.row.golden) : ""}</span>
          </button>
        ))}
        {out.length >= MOST_LINES && <p class="dim">…</p>}
      </div>
    </Section>
  );
}
