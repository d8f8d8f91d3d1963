// The page in a real browser: offline, every part answers, nothing is cut off at any width, axe finds nothing.
//
// usage: node page_test.mjs PROGRAM SOURCE_FOLDER PACKAGES_FOLDER PYTHON
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const [PROGRAM, SOURCE, PACKAGES, PYTHON] = process.argv.slice(2);
const require = createRequire(path.join(PACKAGES, "package.json"));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const FOLDER = mkdtempSync(path.join(tmpdir(), "npuscope_page_"));
const WIDTHS = [390, 640, 641, 1280, 1920];

let browser;
const pages = {};

/** Runs npuscope; a finding is no failure. */
function npuscope(...words) {
  const done = spawnSync(PROGRAM, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(done.status === 0 || done.status === 1, `npuscope ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

function at(name) {
  return path.join(FOLDER, name);
}

/** A recording with wrong elements in one result, inf in another, and names that a page must not believe. */
const FAULT = `
import h5py, numpy as np, shutil, sys
shutil.copy(sys.argv[1], sys.argv[2])
with h5py.File(sys.argv[2], 'r+') as f:
    out = f['_log_softmax/41/output/result']
    values = out[()]
    values[:, 1] += 0.5
    out[...] = values
`;

/** What compare prints for two programs of many ops. */
function largeDocument(count) {
  const ops = [];
  for (let i = 0; i < count; i++) {
    const bad = i % 1000 === 77;
    const tensor = (name, direction) => ({
      target: `/op${i % 50}/${i + 1}/${direction}/${name}`, golden: `/op${i % 50}/${i + 1}/${direction}/${name}`, direction, dtype: "float16", shape: "[64,64]",
      verdict: bad ? "fail" : "pass", rule: "max|t-g| 0.1 <= 0.2", bound: "float16 0.004", introduced: bad ? 7 + i / count : 0.1, golden_introduced: null,
      inherited: 0.001, arithmetic: "fp16 inputs, fp32 sums", reordered: false, why_not: null, metrics: { cosine_similarity: 1 - i / count / 1e5, max_absolute_error: 0.1 } });
    ops.push({ path: `/op${i % 50}/${i + 1}`, golden: `/op${i % 50}/${i + 1}`, node: "", module: `blocks.${Math.floor(i / 100)}.part${i % 7}`, line: `net.py:${i % 300}`,
      arguments: [], match: "name", verdict: bad ? "fail" : "pass", rule: "result: max|t-g| 0.1 <= 0.2", origin: null, inherited: 0.001 * (1 + (i % 13)), introduced: bad ? 7 + i / count : 0.1,
      error: 0.0005, overflow: "", overflow_note: "", tensors: [tensor("result", "output")] });
  }
  const culprits = ops.filter((op) => op.verdict === "fail").slice(0, 20).map((op) => ({ kind: "op", path: op.path, golden: op.golden, tensor: null, argument: null, verdict: "fail", node: "",
    module: op.module, line: op.line, why: "result: 3 of 40 elements beyond what fp32 makes", elements: null, effect: 0.1, effect_on: null, next: `npuscope inspect x.h5 ${op.path}` }));
  return { version: 2, npuscope: "0", verdict: "fail", target: "a.h5", golden: "b.h5", load_mode: false, first_culprit: culprits[0], culprits, partings: [], arithmetic: [], contradictions: [],
    judged: { ops: count, of: count, undefined: 0, incomparable: 0, not_provable: {} }, overflow: [], counts: { ops: count, tensors: count }, ops, options: {} };
}

const HOSTILE = "<img src=x onerror=window.hurt=1></script><b>\u202e";

function hostileDocument() {
  const document = largeDocument(30);
  for (const op of document.ops) Object.assign(op, { path: `/${HOSTILE}/${op.path}`, module: HOSTILE, line: HOSTILE, rule: HOSTILE });
  Object.assign(document, { target: HOSTILE, arithmetic: [HOSTILE] });
  document.culprits = [{ ...document.culprits[0], path: document.ops[0].path, why: HOSTILE, module: HOSTILE, next: HOSTILE, kind: "op" }];
  document.first_culprit = document.culprits[0];
  document.ops[0].verdict = "fail";
  return document;
}

before(async () => {
  const recording = path.join(SOURCE, "data/recordings/gpu_step_fp32.h5");
  execFileSync(PYTHON, ["-c", FAULT, recording, at("fault.h5")]);
  npuscope("check", "-q", "-o", at("check"));
  pages.check = at("check/report.html");
  npuscope("compare", "-q", "-m", at("fault.h5"), "-g", recording, "--html", at("compare.html"));
  npuscope("compare", "-q", "-m", recording, "-g", recording, "--html", at("pass.html"));
  npuscope("recompute", "-q", at("fault.h5"), "--html", at("recompute.html"));
  npuscope("overflow", "-q", recording, "--html", at("overflow.html"));
  npuscope("map", "-q", at("check/golden.h5"), "--op", "/convolution/1", "--html", at("map.html"));
  const curve = (f) => "step,loss\n" + Array.from({ length: 60 }, (_, i) => `${i + 1},${f(i)}`).join("\n") + "\n";
  writeFileSync(at("a.csv"), curve((i) => 10 / (1 + 0.05 * i)));
  writeFileSync(at("b.csv"), curve((i) => (i > 40 ? "nan" : 10 / (1 + 0.05 * i))));
  npuscope("loss", "-q", at("a.csv"), at("b.csv"), "--html", at("loss.html"));
  const known = npuscope("compare", "-q", "--json", "-m", at("fault.h5"), "-g", recording);
  writeFileSync(at("known.json"), known);
  npuscope("compare", "-q", "-m", at("fault.h5"), "-g", recording, "--baseline", at("known.json"), "--standard", "cann-community", "--html", at("gated.html"));
  for (const name of ["gated", "compare", "pass", "recompute", "overflow", "map", "loss"]) pages[name] = at(`${name}.html`);
  for (const [name, document] of [["large", largeDocument(50000)], ["hostile", hostileDocument()]]) {
    writeFileSync(at(`${name}.json`), JSON.stringify(document));
    npuscope("report", at(`${name}.json`));
    pages[name] = at(`${name}.html`);
  }
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});

after(async () => {
  await browser?.close();
  rmSync(FOLDER, { recursive: true, force: true });
});

/** Opens a page in a window of its own; what goes wrong in it fails the test. */
async function shown(name, options = {}, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("request", (request) => !/^(file|blob|data):/.test(request.url()) && page.problems.push(`asked for ${request.url()}`));
  await page.goto(`file://${pages[name]}${hash}`);
  await page.waitForSelector("html[data-ready]");
  return page;
}

async function closed(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const text = (page, selector) => page.locator(selector).first().innerText();

test("each kind of result has its verdict, its parts and a clean console", async () => {
  const parts = { check: ["#ops", "#network", "#programs"], compare: ["#culprits", "#ops", "#network", "#programs"], pass: ["#ops"], recompute: ["#culprits", "#ops", "#network"],
    overflow: ["#ops"], map: ["#ops"], loss: ["#curves", "#culprits"] };
  for (const [name, selectors] of Object.entries(parts)) {
    const page = await shown(name);
    for (const selector of selectors) assert.equal(await page.locator(selector).count(), 1, `${name} ${selector}`);
    const failing = ["compare", "recompute", "loss"].includes(name);
    assert.match((await text(page, "#verdict .word")).toLowerCase(), failing ? /fail/ : /pass/, name);
    await closed(page);
  }
});

test("the first culprit comes with why, where and the next command, which one click copies", async () => {
  const page = await shown("compare", { permissions: ["clipboard-read", "clipboard-write"] });
  assert.match(await text(page, "#culprits h3"), /_log_softmax/);
  assert.match(await text(page, "#culprits .why"), /elements beyond/);
  const command = await text(page, "#culprits .command code");
  await page.locator("#culprits .command button").first().click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  assert.equal(await text(page, "#culprits .command button"), "copied");
  await closed(page);
});

test("an op opens from the findings, the table, the chart and the address, and closes by key", async () => {
  const page = await shown("compare");
  await page.locator("#culprits h3 a").first().click();
  const path = await text(page, "#op-title .mono");
  assert.match(page.url(), /#op=/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".op-page").count(), 0);
  await page.locator("#ops tbody tr:not(.gap) td.mono a").first().click();
  assert.equal(await page.locator(".op-page").count(), 1);
  await page.locator(".op-page .bar button").click();
  await page.locator("#network .u-over").click({ position: { x: 200, y: 80 } });
  assert.equal(await page.locator(".op-page").count(), 1);
  await page.locator("#network .u-over").hover({ position: { x: 300, y: 80 } });
  assert.match(await text(page, ".tooltip"), /^\//);
  await closed(page);
  const linked = await shown("compare", {}, `#op=${encodeURIComponent(path)}`);
  assert.equal(await text(linked, "#op-title .mono"), path);
  await closed(linked);
});

test("the op at fault has histograms, a heat map by any two axes, shares and worst elements", async () => {
  const page = await shown("compare");
  await page.locator("#culprits h3 a").first().click();
  const tensor = page.locator(".op-page .tensor").first();
  assert.equal(await tensor.locator("figure").count(), 2);
  const values = await tensor.locator(".heat svg rect").count();
  assert.ok(values > 1);
  // The fault is in column 1 of all rows.
  assert.match(await tensor.locator("table.small", { hasText: "share by axis" }).innerText(), /axis 1\s+1 100 %/);
  assert.match(await tensor.locator("table.small", { hasText: "worst elements" }).innerText(), /,1\]/);
  await tensor.locator(".heat svg rect").nth(1).hover();
  assert.match(await tensor.locator(".heat p").innerText(), /0, 1: /);
  await closed(page);
});

test("the table sorts, filters, links and moves by keys", async () => {
  const page = await shown("large");
  const rows = page.locator("#ops tbody tr:not(.gap)");
  assert.ok((await rows.count()) < 100, "only what is seen is drawn");
  await page.locator("#ops th button", { hasText: "of limit" }).click();
  assert.match(await rows.first().innerText(), /fail/i);
  assert.match(page.url(), /sort=introduced/);
  await page.locator("#only").check();
  assert.equal(await text(page, "#shown"), "50 of 50000");
  await page.locator("#find").fill("blocks.499");
  assert.equal(await text(page, "#shown"), "0 of 50000");
  await page.locator("#only").uncheck();
  assert.equal(await text(page, "#shown"), "100 of 50000");
  await page.locator("#find").fill("");
  await page.locator("body").click({ position: { x: 2, y: 2 } });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "find");
  await page.locator("#ops .grid").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator("#ops tr.selected").count(), 1);
  await closed(page);
});

test("50 000 ops: painted within a second, sorted and filtered within 200 ms, within 15 MB", async () => {
  assert.ok(statSync(pages.large).size < 15e6, `${statSync(pages.large).size} bytes`);
  const page = await shown("large");
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  const timed = async (change) => {
    const times = [];
    for (let i = 0; i < 5; i++)
      times.push(await page.evaluate(change, i));
    return times.sort((a, b) => a - b)[2];
  };
  const frame = "const done = () => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0)));";
  const sorting = await timed(new Function("i", `${frame} return (async () => { const t = performance.now();
    document.querySelectorAll('#ops th button')[4 + (i % 2)].click(); await done(); return performance.now() - t; })()`));
  const filtering = await timed(new Function("i", `${frame} return (async () => { const t = performance.now(); const find = document.getElementById('find');
    find.value = 'op' + i; find.dispatchEvent(new Event('input', { bubbles: true })); await done(); return performance.now() - t; })()`));
  console.log(`first paint ${paint.toFixed(0)} ms, sort ${sorting.toFixed(0)} ms, filter ${filtering.toFixed(0)} ms, ${statSync(pages.large).size} bytes`);
  // Ten times what an idle machine needs: a test must not fail because others work beside it.
  assert.ok(paint < 10000 && sorting < 2000 && filtering < 2000);
  await closed(page);
});

test("both programs unfold by module, and search", async () => {
  const page = await shown("large");
  const lines = page.locator("#programs .pair:not(.head)");
  const folded = await lines.count();
  await page.locator("#programs .pair.module").first().click();
  assert.ok((await lines.count()) > folded);
  await page.locator("#find-program").fill("blocks.7.part3");
  assert.ok((await lines.count()) > 2);
  await page.locator("#programs").getByText("collapse all").click();
  await closed(page);
});

test("names from files are text", async () => {
  const page = await shown("hostile");
  await page.locator("#ops tbody tr:not(.gap) td.mono a").first().click();
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.doesNotMatch(await text(page, "body"), /\u202e/);
  await closed(page);
});

test("nothing is wider than the window, at any width, light or dark", async () => {
  for (const name of ["check", "compare", "gated", "overflow", "loss", "hostile"])
    for (const colorScheme of ["light", "dark"]) {
      const page = await shown(name, { colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${name} at ${width}: ${wide} too wide`);
      }
      await closed(page);
    }
});

test("axe-core finds nothing", async () => {
  for (const name of ["check", "compare", "gated", "overflow", "loss", "large"])
    for (const colorScheme of ["light", "dark"]) {
      const page = await shown(name, { colorScheme });
      if (await page.locator("#culprits h3 a").count()) await page.locator("#culprits h3 a").first().click();
      await page.evaluate(AXE);
      const found = await page.evaluate(() => axe.run(document));
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ""}`).slice(0, 3).join("; ")}`), [], `${name} ${colorScheme}`);
      await closed(page);
    }
});

test("on paper: the verdict and the findings, three pages at most", async () => {
  for (const name of ["check", "compare", "large"]) {
    const page = await shown(name);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    if (name === "large") assert.equal(await page.locator("details.others[open] .culprit").count(), 19);
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    const count = (pdf.match(/\/Type\s*\/Page[^s]/g) ?? []).length;
    assert.ok(count >= 1 && count <= 3, `${name}: ${count} pages`);
    await closed(page);
  }
});

test("without JavaScript the verdict and the first culprit are readable", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${pages.compare}`);
  const said = await text(page, "#still");
  assert.match(said, /fail/i);
  assert.match(said, /_log_softmax/);
  assert.match(said, /elements beyond/);
  await context.close();
});

test("the browser's language decides between English and Chinese", async () => {
  const page = await shown("compare", { locale: "zh-CN" });
  assert.match(await text(page, "#culprits h2"), /首个可疑算子/);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "zh");
  await closed(page);
  // Nothing that the page itself says stays English.
  for (const name of ["check", "compare", "gated", "pass", "recompute", "overflow", "map", "loss"]) {
    const page = await shown(name, { locale: "zh-CN" });
    const words = await page.locator("h2:not(#op-title), #ops th, .cards span, #verdict .word, button:not(.link):not(.pair)").allInnerTexts();
    assert.deepEqual(words.filter((word) => /[a-z]{3}/i.test(word) && !/JSON|logits/.test(word)), [], name);
    await closed(page);
  }
});

test("findings that do not count are told, and another project's standard stands beside", async () => {
  const page = await shown("gated");
  assert.match(await text(page, "#verdict"), /pass/i);
  assert.match(await text(page, "#verdict .headline"), /count/);
  assert.match(await text(page, "#gate"), /count\s+0 \/ /);
  assert.match(await text(page, "#gate tbody tr"), /_log_softmax.*known/s);
  assert.match(await text(page, "#standard"), /cann-community: fail/);
  await page.locator("#standard a").first().click();
  assert.match(await text(page, ".op-page .tensor .facts"), /standard\s+fail/);
  await closed(page);
});

test("the JSON can be saved again", async () => {
  const page = await shown("compare");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("save the JSON").click()]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  assert.equal(saved.verdict, "fail");
  await closed(page);
});
