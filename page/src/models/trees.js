// Several runs by step and rank: one row each, and a model for each that has a result.

/** What `runs` of a tree hold, as rows of a chooser. */
export function runsOf(data) {
  const runs = data.document.runs;
  if (!Array.isArray(runs) || runs.length === 0 || !("rank" in runs[0])) return null;
  return runs.map((run) => ({
    name: [run.step === null || run.step === undefined ? "" : `step ${run.step}`, run.rank].filter(Boolean).join(" · ") || "run",
    verdict: run.verdict ?? (run.problem ? "not compared" : run.result?.found || run.result?.failed ? "fail" : "pass"),
    problem: run.problem ?? "",
    document: run.result,
    notes: run.notes ?? [],
  }));
}
