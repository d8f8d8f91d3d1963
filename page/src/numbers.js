// Numbers and names as a reader takes them in.

/** JSON keeps infinities and NaN as texts. */
export function numberOf(value) {
  if (value === null || value === undefined) return null;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  if (value === "nan") return NaN;
  return Number(value);
}

/** At most three digits, without needless zeros: 0.00123, 1.2e-7, 4500, ∞. */
export function short(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(size < 1e-3 || size >= 1e5 ? 1 : 2);
  return String(Number(value.toPrecision(3)));
}

/** As many digits as tell two float32 apart. */
export function exact(value) {
  const number = numberOf(value);
  if (number === null || !Number.isFinite(number)) return short(number);
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return number.toExponential(6).replace(/\.?0+e/, "e");
  return String(Number(number.toPrecision(8)));
}

const FORMERLY_INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A name from a file: controls and marks of direction become visible, and stay text. */
export function visible(text) {
  return String(text ?? "").replace(FORMERLY_INVISIBLE, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** What stands for a verdict: "good", "bad", "soft" (proves little, or came from elsewhere). */
export function classOf(verdict) {
  if (["pass", "identical", "noise", "as expected", "ok"].includes(verdict)) return "good";
  if (["inherited", "mistrusted", "undefined", "order_sensitive", "not_provable", "unjudged", "skipped", "received",
       "undecided", "better than the device", "nothing compared", "remark", "not compared"].includes(verdict)) return "soft";
  return "bad";
}

/** How bad, for sorting. */
export function severity(verdict) {
  return { good: 0, soft: 1, bad: 2 }[classOf(verdict)];
}
