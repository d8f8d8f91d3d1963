// Overflow as a flow: born, carried, hidden, and read by nobody.
import { visible } from "../numbers.js";
import { say } from "../words.js";
import { Section, Verdict } from "./common.jsx";

function Ops({ title, count, list, open }) {
  if (!count) return null;
  return (
    <div class="stage"><b>{say(title)} ({count})</b>
      <ul>{list.slice(0, 12).map((each) => {
        const path = typeof each === "string" ? each : each.path;
        return <li><button type="button" class="link mono" onClick={() => open(path)}>{visible(path)}</button></li>;
      })}{list.length > 12 && <li>…</li>}</ul></div>
  );
}

export function Flows({ model, open }) {
  if (model.flows.length === 0) return null;
  return (
    <Section id="overflow" title="overflow">
      {model.flows.slice(0, 30).map((flow) => (
        <div class="flow">
          <div class="stage born"><b>{say("born")}{flow.births.length > 1 ? ` (${flow.births.length})` : ""}</b>
            <ul>{flow.births.slice(0, 12).map((birth) => (
              <li><button type="button" class="link mono" onClick={() => open(birth.path)}>{visible(birth.path)}</button>{" "}
                {birth.kind !== "introduced" && <Verdict word={birth.kind} />} <span class="dim">{visible([birth.node, birth.note].filter(Boolean).join(" · "))}</span></li>
            ))}{flow.births.length > 12 && <li>…</li>}
              {flow.silent && <li>{say("silently saturated")}</li>}</ul></div>
          <Ops title="carried" count={flow.carried_count} list={flow.carried ?? []} open={open} />
          <Ops title="killed" count={flow.killed_count} list={flow.killed ?? []} open={open} />
          <Ops title="unread" count={flow.unread_count} list={flow.unread ?? []} open={open} />
        </div>
      ))}
    </Section>
  );
}
