// The page: what a person in a hurry needs first, then all else.
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { loadData } from "./load.js";
import { modelOf } from "./models/index.js";
import { runsOf } from "./models/trees.js";
import { visible } from "./numbers.js";
import { Gate, Standard } from "./parts/beside.jsx";
import { Command, Facts, Section, Verdict } from "./parts/common.jsx";
import { Curves } from "./parts/curves.jsx";
import { ErrorChart } from "./parts/error_chart.jsx";
import { Flows } from "./parts/flows.jsx";
import { Culprits, Head } from "./parts/head.jsx";
import { OpPage } from "./parts/op_page.jsx";
import { OpTable } from "./parts/op_table.jsx";
import { Programs } from "./parts/programs.jsx";
import { language, say } from "./words.js";

const PLAIN = { q: "", only: false, sort: "#", down: false, op: "", run: 0 };

/** What the address says after '#', so that a link leads to one op or one filter. */
function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  return { ...PLAIN, q: given.get("q") ?? "", only: given.get("only") === "1", sort: given.get("sort") ?? "#", down: given.get("down") === "1",
           op: given.get("op") ?? "", run: Number(given.get("run") ?? 0) || 0 };
}

function toAddress(state) {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(state))
    if (value !== PLAIN[key]) given.set(key, value === true ? "1" : String(value));
  const text = given.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function saveJson(data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(data.document, null, 1)], { type: "application/json" }));
  link.download = `npuscope-${data.kind}.json`;
  link.click();
}

function Runs({ runs, state, change }) {
  return (
    <Section id="runs" title="runs">
      <ul class="runs">
        {runs.map((run, i) => (
          <li><button type="button" aria-pressed={i === state.run} disabled={!run.document} onClick={() => change({ run: i, op: "" })}>
            <Verdict word={run.verdict} /> {visible(run.name)}</button>{run.problem && <span class="dim"> {visible(run.problem)}</span>}</li>
        ))}
      </ul>
    </Section>
  );
}

function Page({ data }) {
  const [state, setState] = useState(fromAddress);
  const runs = useMemo(() => runsOf(data), [data]);
  const chosen = runs ? (runs[state.run]?.document ? state.run : Math.max(0, runs.findIndex((run) => run.document))) : 0;
  const model = useMemo(() => {
    if (!runs) return modelOf(data);
    return runs[chosen].document ? modelOf({ ...data, document: runs[chosen].document, details: null }) : null;
  }, [data, chosen]);
  const change = (part) => setState((before) => ({ ...before, ...part }));
  const open = (op) => change({ op });
  useEffect(() => toAddress(state), [state]);
  useEffect(() => {
    const follow = () => setState(fromAddress());
    const key = (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "Escape") change({ op: "" });
      if (event.key === "/" && !typing) {
        event.preventDefault();
        document.getElementById("find")?.focus();
      }
    };
    const unfold = () => document.querySelectorAll("details.others").forEach((each) => { each.open = true; });
    window.addEventListener("beforeprint", unfold);
    window.addEventListener("hashchange", follow);
    window.addEventListener("keydown", key);
    return () => {
      window.removeEventListener("beforeprint", unfold);
      window.removeEventListener("hashchange", follow);
      window.removeEventListener("keydown", key);
    };
  }, []);
  if (!model) return <p>{say("no findings")}</p>;
  const shown = runs ? { ...model, verdict: data.document.verdict ?? model.verdict, headline: data.document.first ? (data.document.first.path ?? data.document.first) : "" } : model;
  return (
    <div class={state.op ? "with-op" : ""}>
      <main>
        <Head model={shown} />
        {runs && <Runs runs={runs} state={{ ...state, run: chosen }} change={change} />}
        <Culprits model={model} open={open} />
        <Gate gate={model.gate} open={open} />
        <Curves model={model} />
        <ErrorChart model={model} open={open} />
        <OpTable model={model} state={state} change={change} open={open} />
        <Programs model={model} open={open} />
        <Flows model={model} open={open} />
        <Standard standard={model.standard} open={open} />
        {model.rules.length > 0 && (
          <Section id="rules" title="rules">
            <ul class="plain">{model.rules.map((text) => <li>{visible(text)}</li>)}</ul>
          </Section>
        )}
        <Section id="files" title="files and options">
          <Facts of={model.facts} />
          <Facts of={model.options.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value])} />
          {model.command && <h3>{say("how to repeat it")}</h3>}
          <Command text={model.command} />
          <p><button type="button" onClick={() => saveJson(data)}>{say("save the JSON")}</button></p>
        </Section>
        <footer>npuscope {data.npuscope}</footer>
      </main>
      {state.op && <OpPage model={model} path={state.op} close={() => change({ op: "" })} />}
    </div>
  );
}

async function start() {
  document.documentElement.lang = language === "zh" ? "zh" : "en";
  const place = document.getElementById("page");
  try {
    const data = await loadData();
    const still = document.getElementById("still");
    render(<Page data={data} />, place);
    still?.remove();
    document.documentElement.dataset.ready = "1";
  } catch (problem) {
    const note = document.createElement("p");
    note.className = "problem";
    note.textContent = `The page could not be drawn: ${problem.message}. What is above is all it can show.`;
    place.append(note);
  }
}

start();
