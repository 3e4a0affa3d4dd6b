// A claim: its live figure, what the numbers say, and the tabs with everything else.
import { $, all, ask, make, rendered, save, sentence, setFormulas } from "./page.js";
import { toDefaults } from "./controls.js";
import { explained } from "./explain.js";
import { chosen, figure, name, others, run, start } from "./live.js";

const form = $("options"), { call } = form.dataset, file = name.replace("/", "-");
const further = document.querySelector(".further");
let results = null, first = null;

const note = (text, kind) => text ? make("p", { className: kind }, text) : "";

function show({ results: found, view, live }) {
  results = found;
  const [now] = found.results;
  if (!first && now.predicted.length) first = now;
  $("explained").replaceChildren(...explained(now, first).map((text) => make("p", {}, text)));
  document.querySelector(".numbers-place").replaceChildren(...numbers(view), ...suppositions(view.hypotheses), ...view.without.map((text) => note(text, "without")));
  $("save-json").disabled = Boolean(live);
  further.classList.toggle("stale", Boolean(live));
  if (live) return;
  further.replaceChildren(...others(view.figures));
  Object.keys(panels).forEach((which) => { if ($(`panel-${which}`)?.hidden === false) fill(which); });
}

function numbers(view) {
  if (!view.rows.length) return [note(view.note, "fine")];
  const cell = (tag, text, more = {}) => make(tag, more, text);
  const [predicted, measured] = view.symbols, labelled = view.rows.some((row) => row.label);
  const head = make("tr", {}, labelled ? cell("td", "") : "", cell("th", predicted, { scope: "col", className: "p" }), cell("th", measured, { scope: "col", className: "m" }), cell("th", "ratio", { scope: "col" }));
  const rows = view.rows.map((row) => make("tr", { className: row.decides && view.rows.length > 1 ? "decides" : "" },
    labelled ? cell("th", row.label, { scope: "row" }) : "", cell("td", row.predicted), make("td", {}, row.measured, row.interval ? make("small", {}, ` ${row.interval}`) : ""), cell("td", row.ratio)));
  const fine = `Expected: measured ${view.relation} predicted; tolerance: ${view.tolerance || "none"}` + (view.left ? `; ${view.left} more comparisons are in the JSON file` : "") + (view.note ? `; ${view.note}` : "");
  return [make("table", { className: "numbers" }, make("thead", {}, head), make("tbody", {}, ...rows)), note(fine, "fine")];
}

function suppositions(hypotheses) {
  if (!hypotheses.length) return [];
  return [make("h3", {}, "Assumptions, tested on the data of this run"), make("ul", { className: "hypotheses" }, ...hypotheses.map((h) =>
    make("li", { className: h.holds ? "yes" : "no" }, make("i", {}, h.holds ? "✓" : "✗", make("span", {}, h.holds ? " true:" : " not true:")), ` ${h.statement} `, h.detail ? make("small", {}, h.detail) : "")))];
}

// The counterexample and the proof are computed when their tab is opened.
const panels = {
  broken: { ask: "counterexample", fill: (panel, found) => panel.replaceChildren(...broken(found)) },
  proof: { ask: "proof", fill: (panel, found) => { panel.replaceChildren(rendered(found.html)); setFormulas(panel); } },
};
async function fill(which) {
  const part = panels[which], asked = { ...chosen(), [part.ask]: true }, key = JSON.stringify(asked), panel = $(`panel-${which}`);
  if (key === part.shownFor) return;
  part.shownFor = key;
  if (part.looking) part.looking.abort();
  part.looking = new AbortController();
  if (!panel.children.length) panel.replaceChildren(make("p", { className: "fine" }, `Computing the ${part.ask} …`));
  try {
    const found = await ask("/api/check", asked, part.looking.signal);
    if (key === part.shownFor) part.fill(panel, found);
  } catch (error) {
    if (error.name === "AbortError") return; // another one is looked for
    part.shownFor = "";
    panel.replaceChildren(make("p", { className: "warning" }, sentence(error.message)));
  }
}

function broken(found) {
  if (found.none) return [make("p", {}, sentence(found.none))];
  return found.broken.flatMap((one) => {
    const lost = one.hypotheses.filter((h) => !h.holds).map((h) => h.statement).join("; ");
    const told = one.verdict === "fails" ? "the conclusion is false" : `the conclusion ${one.verdict}`;
    return [
      note(one.words, "without"),
      make("p", {}, "Without ", make("b", {}, `“${lost}”`), ` ${told}: measured ${one.measured}${one.interval ? ` ${one.interval}` : ""}, predicted ${one.relation} ${one.predicted}.`),
      make("div", { className: "figures" }, ...one.figures.map(figure)),
      ...suppositions(one.hypotheses),
    ];
  });
}

// What to type to see the same elsewhere.
const literal = (text) => /^-?\d[\d.e+-]*$/i.test(text) ? text : /^[\d.,e+ -]+$/i.test(text) ? `(${text.split(",").map((s) => s.trim()).join(", ")},)` : text === "true" ? "True" : text === "false" ? "False" : JSON.stringify(text);
const quoted = (text) => /^[\w.,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
function snippets() {
  const { options, seed } = chosen();
  const words = Object.entries(options);
  const args = [`"${call}"`, ...words.map(([k, v]) => `${k}=${literal(v)}`), ...(seed === "0" ? [] : [`seed=${seed}`])];
  $("python").textContent = `import corollary\n\nrun = corollary.check(${args.join(", ")})\nprint(run.results[0].sentence)`;
  $("shell").textContent = ["corollary check", call, ...words.map(([k, v]) => `--${k.replaceAll("_", "-")} ${quoted(v)}`), ...(seed === "0" ? [] : [`--seed ${seed}`])].join(" ");
  $("link").textContent = location.href;
}

$("defaults").addEventListener("click", () => { toDefaults(form); told(); run(); });
$("another").addEventListener("click", () => { $("o-seed").value = Number($("o-seed").value || 0) + 1; told(); run(); });
// Tabs, with arrow keys.
const tabs = all("[role=tab]");
function select(tab) {
  tabs.forEach((one) => {
    const on = one === tab;
    one.setAttribute("aria-selected", on);
    one.tabIndex = on ? 0 : -1;
    $(one.getAttribute("aria-controls")).hidden = !on;
  });
  const which = tab.id.slice("tab-".length);
  if (which in panels) fill(which);
}
tabs.forEach((tab, k) => {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", (event) => {
    const to = { ArrowRight: k + 1, ArrowLeft: k - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[to % tabs.length];
    select(next);
    next.focus();
  });
});
$("save-json").addEventListener("click", () => save(`${file}.json`, JSON.stringify(results, null, 1) + "\n", "application/json"));
const told = start({ told: snippets, done: show });
