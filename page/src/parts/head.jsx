// The verdict and what is at fault: all that a person in a hurry reads.
import { classOf, exact, visible } from "../numbers.js";
import { say } from "../words.js";
import { Command, Facts, OpLink, Verdict } from "./common.jsx";

export function Head({ model }) {
  const state = classOf(model.verdict);
  return (
    <header class={`verdict ${state}`} id="verdict">
      <p class="eyebrow">npuscope {model.kind}</p>
      <h1><span class="word">{say(model.verdict)}</span> <span class="headline">{visible(model.headline)}</span></h1>
      <ul class="cards">
        {model.cards.map(([value, label]) => <li><b>{value}</b><span>{visible(say(label))}</span></li>)}
      </ul>
    </header>
  );
}

/** A table of the worst elements. */
export function Worst({ elements }) {
  if (!elements.length) return null;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={say("worst elements")}>
      <table class="small">
        <thead><tr><th>{say("place")}</th><th class="num">{say("recorded")}</th><th class="num">{say("expected")}</th><th class="num">{say("allowed")}</th></tr></thead>
        <tbody>
          {elements.map((e) => (
            <tr><td class="mono">{e.place}</td><td class="num">{exact(e.recorded)}</td><td class="num">{exact(e.expected)}</td>
              <td class="num">{e.allowed === undefined ? "–" : exact(e.allowed)}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Culprit({ culprit, first, open }) {
  return (
    <article class={`culprit ${first ? "first" : ""}`}>
      <h3>
        <Verdict word={culprit.verdict} />{" "}
        <OpLink path={culprit.path} text={culprit.title} open={open} />
      </h3>
      {culprit.why.map((text) => <p class="why">{visible(text)}</p>)}
      <Facts of={culprit.facts} />
      {first && <Worst elements={culprit.worst} />}
      {culprit.next && <div class="next"><span>{say("next")}</span><Command text={culprit.next} /></div>}
    </article>
  );
}

export function Culprits({ model, open }) {
  if (model.culprits.length === 0) return null;
  const [first, ...others] = model.culprits;
  return (
    <section id="culprits" aria-labelledby="culprits-title">
      <h2 id="culprits-title">{say("first culprit")}</h2>
      <Culprit culprit={first} first open={open} />
      {others.length > 0 && (
        <details class="others" open={others.length <= 3}>
          <summary>{say("other findings")} ({others.length})</summary>
          {others.slice(0, 19).map((culprit) => <Culprit culprit={culprit} open={open} />)}
        </details>
      )}
    </section>
  );
}
