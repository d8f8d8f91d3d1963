// What stands beside the verdict: which findings count, and what another project's standard says.
import { visible } from "../numbers.js";
import { say } from "../words.js";
import { Facts, OpLink, Section, Verdict } from "./common.jsx";

const LEVELS = { warning: "undecided", not_judged: "undecided" };

export function Gate({ gate, open }) {
  if (!gate) return null;
  return (
    <Section id="gate" title="which findings count">
      <Facts of={[["count", `${gate.counting} / ${gate.findings.length}`], ["of the baseline, gone", gate.gone || ""]]} />
      {gate.findings.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label={say("which findings count")}>
          <table class="small">
            <thead><tr><th>{say("op")}</th><th>{say("what")}</th><th>{say("status")}</th><th>{say("because")}</th></tr></thead>
            <tbody>
              {gate.findings.slice(0, 200).map((each) => (
                <tr><td class="mono">{each.path ? <OpLink path={each.path} open={open} /> : ""}</td>
                  <td>{visible(each.kind)} {visible(each.detail ?? "")}</td>
                  <td class="nowrap">{say(each.status)}</td><td>{visible(each.because ?? "")}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {gate.expired.length + gate.unused.length > 0 && (
        <ul class="plain">{[...gate.expired, ...gate.unused].map((text) => <li>{visible(text)}</li>)}</ul>
      )}
    </Section>
  );
}

export function Standard({ standard, open }) {
  if (!standard) return null;
  const counts = Object.entries(standard.tensors).filter(([, count]) => count > 0).map(([level, count]) => `${count} ${say(level.replace("_", " "))}`);
  return (
    <Section id="standard" title="another project's standard">
      <p><Verdict word={LEVELS[standard.level] ?? standard.level} /> {visible(standard.name)}: {visible(standard.word)} ({counts.join(", ")})</p>
      {standard.first && <p>{say("first")}: <span class="mono"><OpLink path={standard.first} open={open} /></span></p>}
      {standard.disagreements.length > 0 && <h3>{say("where it disagrees")}</h3>}
      <ul class="plain">
        {standard.disagreements.slice(0, 50).map((each) => <li><span class="mono"><OpLink path={each.path} open={open} /></span>: {visible(each.text)}</li>)}
      </ul>
      {standard.notes.length > 0 && <ul class="plain">{standard.notes.map((text) => <li>{visible(text)}</li>)}</ul>}
    </Section>
  );
}
