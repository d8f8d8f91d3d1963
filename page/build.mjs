// Makes bundle/page.js and bundle/page.css from src; scripts/report-bundle calls it.
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.jsx"], bundle: true, minify: true, format: "iife", target: ["chrome111", "firefox113", "safari16.4"],
  jsx: "automatic", jsxImportSource: "preact", legalComments: "none", outfile: "bundle/page.js", charset: "ascii", logLevel: "warning",
});
await build({ entryPoints: ["src/style.css"], bundle: true, minify: true, outfile: "bundle/page.css", charset: "ascii", logLevel: "warning",
  target: ["chrome111", "firefox113", "safari16.4"] });
