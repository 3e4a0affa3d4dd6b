// Reads TeX sources as a JSON list [[source, displayMode], ...] from stdin and prints those that
// KaTeX (its path is the first argument) cannot draw, as a JSON list of [source, message].
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const katex = createRequire(import.meta.url)(process.argv[2]);
const failed = [];
for (const [source, displayMode] of JSON.parse(readFileSync(0, "utf-8"))) {
  try {
    katex.renderToString(source, { displayMode, throwOnError: true, strict: "ignore" });
  } catch (error) {
    failed.push([source, error.message]);
  }
}
console.log(JSON.stringify(failed));
