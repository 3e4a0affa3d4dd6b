// A claim: run it, and again while its options move; a run that is no longer wanted is dropped.
import { $, after, all, ask, make, rendered, save, sentence, setFormulas } from "./page.js";
import { differing, toDefaults, toUrl, unreadable, wire } from "./controls.js";

const form = $("options"), outcome = $("outcome"), stage = document.querySelector(".stage");
const { name, call } = form.dataset, file = name.replace("/", "-");
const PATIENCE = 400; // milliseconds; a run that takes longer is dropped for a newer one
let current = null, results = null, clock = 0, began = 0, newer = false, stale = 0;

const chosen = () => {
  const { seed = "0", ...options } = differing(form);
  return { name, options, seed };
};

/** Something moved: run now, or right after the run that is under way, or in its place if it is slow. */
function moved() {
  if (!current) { run(); return; }
  newer = true;
  clearTimeout(stale);
  stale = setTimeout(() => { if (newer) run(); }, Math.max(60, PATIENCE - (performance.now() - began)));
}

async function run() {
  if (current) current.abort();
  clearTimeout(stale);
  newer = false;
  const odd = unreadable(form);
  if (odd) { halt(); fail(`${odd} is not a number`); return; }
  const mine = current = new AbortController();
  const asked = chosen(), start = began = performance.now();
  outcome.setAttribute("aria-busy", "true");
  $("stop").disabled = false;
  $("go").textContent = "Run again";
  clearInterval(clock);
  clock = setInterval(() => { $("time").textContent = `${((performance.now() - start) / 1000).toFixed(1)} s …`; }, 100);
  try {
    const answer = await ask("/api/check", asked, mine.signal);
    if (mine !== current) return;
    show(answer);
    Object.keys(panels).forEach((which) => { if ($(`panel-${which}`)?.hidden === false) fill(which); });
  } catch (error) {
    if (error.name === "AbortError" || mine !== current) return;
    fail(error.message);
  } finally {
    if (mine === current) {
      halt();
      if (newer) run();
    }
  }
}

/** No run is under way, or any longer. */
function halt() {
  if (current) current.abort();
  current = null;
  clearInterval(clock);
  outcome.setAttribute("aria-busy", "false");
  $("stop").disabled = true;
}

function stop() {
  if (!current) return;
  newer = false;
  if (document.activeElement === $("stop")) $("go").focus(); // a button that is off cannot keep it
  halt();
  fail("stopped");
}

/** Say what went wrong; what is shown is that of an earlier run. */
function fail(message) {
  outcome.classList.add("stale");
  $("verdict").replaceChildren(make("span", { className: "warning" }, sentence(message)));
  $("time").textContent = "";
}

function show({ results: found, view, seconds }) {
  results = found;
  outcome.classList.remove("stale");
  $("time").textContent = `${seconds < 1 ? Math.max(1, Math.round(1000 * seconds)) + " ms" : seconds.toFixed(1) + " s"}`;
  $("verdict").replaceChildren(
    make("span", { className: `badge ${view.verdict}`, title: view.meaning }, make("i", { ariaHidden: "true" }, view.sign), ` ${view.verdict}`),
    ` ${view.reason}`,
  );
  const height = stage.offsetHeight;
  if (height > 100) stage.style.minHeight = `${height}px`; // no jump between two runs
  stage.replaceChildren(...view.figures.map(figure));
  requestAnimationFrame(() => { stage.style.minHeight = ""; });
  document.querySelector(".numbers-place").replaceChildren(...numbers(view), ...suppositions(view.hypotheses), ...view.without.map((text) => note(text, "without")));
  $("save-json").disabled = false;
}

function figure({ svg, caption }) {
  const frame = make("figure", {}, rendered(svg));
  if (caption) frame.append(make("figcaption", {}, caption));
  saving.dress(frame, file);
  return frame;
}

const note = (text, kind) => text ? make("p", { className: kind }, text) : "";

function numbers(view) {
  if (!view.rows.length) return [note(view.note, "fine")];
  const cell = (tag, text, more = {}) => make(tag, more, text);
  const [predicted, measured] = view.symbols, labelled = view.rows.some((row) => row.label);
  const head = make("tr", {}, labelled ? cell("td", "") : "", cell("th", predicted, { scope: "col", className: "p" }), cell("th", measured, { scope: "col", className: "m" }), cell("th", "ratio", { scope: "col" }));
  const rows = view.rows.map((row) => make("tr", { className: row.decides && view.rows.length > 1 ? "decides" : "" },
    labelled ? cell("th", row.label, { scope: "row" }) : "", cell("td", row.predicted), make("td", {}, row.measured, row.interval ? make("small", {}, ` ${row.interval}`) : ""), cell("td", row.ratio)));
  const fine = `measured ${view.relation} predicted; tolerance: ${view.tolerance || "none"}` + (view.left ? `; ${view.left} more in the JSON` : "") + (view.note ? `; ${view.note}` : "");
  return [make("table", { className: "numbers" }, make("thead", {}, head), make("tbody", {}, ...rows)), note(fine, "fine")];
}

function suppositions(hypotheses) {
  if (!hypotheses.length) return [];
  return [make("h3", {}, "Assumptions, checked on these numbers"), make("ul", { className: "hypotheses" }, ...hypotheses.map((h) =>
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
      make("p", {}, "Without ", make("b", {}, `“${lost}”`), ` ${told}: predicted ${one.relation} ${one.predicted}, measured ${one.measured}${one.interval ? ` ${one.interval}` : ""}.`),
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
  toUrl({ ...options, ...(seed === "0" ? {} : { seed }) });
  $("link").textContent = location.href;
}

const soon = after(30, moved);
wire(form, () => { snippets(); if ($("live").checked) soon(); });
form.addEventListener("submit", (event) => { event.preventDefault(); snippets(); run(); });
$("defaults").addEventListener("click", () => { toDefaults(form); snippets(); run(); });
$("another").addEventListener("click", () => { $("o-seed").value = Number($("o-seed").value || 0) + 1; snippets(); run(); });

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
$("stop").addEventListener("click", stop);
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  if (event.key === "Escape") stop();
});

snippets();
// An address opened elsewhere fills in the form; only a person, or a link on a page of the lab, runs it.
if ("runs" in form.dataset && ($("live").checked || new URLSearchParams(location.search).size)) run();
