// Small pieces that every part of the page uses.
import { useState } from "preact/hooks";
import { classOf, visible } from "../numbers.js";
import { say } from "../words.js";

/** A verdict as a word on its colour. */
export function Verdict({ word }) {
  return <span class={`tag ${classOf(word)}`}>{say(word)}</span>;
}

/** Pairs of name and value; empty values are left out. */
export function Facts({ of }) {
  const kept = of.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (kept.length === 0) return null;
  return (
    <dl class="facts">
      {kept.map(([name, value]) => [<dt>{visible(say(name))}</dt>, <dd>{visible(value)}</dd>])}
    </dl>
  );
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page opened from a file may not use the clipboard: the old way works there.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A command, or lines of a script, that one click copies. */
export function Command({ text }) {
  const [done, setDone] = useState(false);
  if (!text) return null;
  const copy = async () => {
    await copied(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <div class="command">
      <code>{visible(text).replaceAll("\\u000a", "\n")}</code>
      <button type="button" onClick={copy} aria-live="polite">{done ? say("copied") : say("copy")}</button>
    </div>
  );
}

/** A link that opens an op; what it lies in is not clicked. `text` stands for the path. */
export function OpLink({ path, text, open }) {
  const follow = (e) => {
    e.preventDefault();
    e.stopPropagation();
    open(path);
  };
  return <a href={`#op=${encodeURIComponent(path)}`} onClick={follow}>{visible(text ?? path)}</a>;
}

/** A field that finds ops; `scope` tells two of them apart. */
export function Search({ id, scope, text, change }) {
  const hint = say("find op, module or line");
  return (
    <input type="search" id={id} placeholder={hint} aria-label={scope ? `${say(scope)}: ${hint}` : hint} value={text}
      onInput={(e) => change(e.currentTarget.value)} />
  );
}

/** A heading with what stands below it; left out without content. */
export function Section({ id, title, children }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{say(title)}</h2>
      {children}
    </section>
  );
}
