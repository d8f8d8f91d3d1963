// Which findings count, where somebody waived some or an earlier result is known.

/** The gate of a result, null without one; `lets_pass` where no finding counts. */
export function gateOf(gate) {
  if (!gate) return null;
  const counting = gate.findings.filter((each) => each.status === "counts" || each.status === "worse");
  return { ...gate, counting: counting.length, lets_pass: counting.length === 0 && gate.expired.length === 0 };
}
