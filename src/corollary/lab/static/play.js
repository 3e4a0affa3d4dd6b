// The playground: settings, a worker that trains, and the theory beside it.
import { $, after, all, ask, make, numeral, onTheme, sentence, tell } from "./page.js";
import { differing, read, toUrl, wire } from "./controls.js";
import { chart, last } from "./chart.js";
import { Plane } from "./plane.js";
import { listen } from "./stream.js";
import { WeightEditor } from "./weight_editor.js";
import { Network } from "./network.js";
import { layers } from "./layers.js";

const form = $("settings"), plane = new Plane($("plane"));
const network = new Network($("layers"), { picked: (...at) => hand.pick(...at), over: (...at) => look(at.length ? at : null) });
const hand = new WeightEditor(network, (layer, unit, source, value) => order({ do: "weight", layer, unit, source, value }));
let session = "", running = false, rows = [], waiting = false, severity = "", greeted = false, edits = { edited: 0, edits: [] }, hovered = null, chosen = "", hush = () => {};

const charts = {
  loss: chart($("chart-loss"), "Loss", [{ key: "loss", label: "training loss", role: "measured" }, { key: "test", label: "test loss", role: "other" }], { log: true }),
  sharpness: chart($("chart-sharpness"), "Sharpness", [{ key: "sharpness", label: "λ measured", role: "measured" }, { key: "edge", label: "limit for η", role: "predicted", dashed: true }], { log: true }),
  turn: chart($("chart-turn"), "Change of the tangent kernel", [{ key: "turn", label: "1 − cos(K₀, K)", role: "measured" }], { zero: true }),
  regions: chart($("chart-regions"), "Linear regions", [{ key: "regions", label: "regions in the picture", role: "measured" }], { zero: true }),
};

function settings() {
  const out = {};
  for (const field of form.elements) if (field.name && !field.disabled) out[field.name] = read(field);
  return out;
}

const wrong = (message) => { $("wrong").textContent = message ? sentence(message) : ""; };

async function order(what) {
  try { await ask(`/api/sessions/${session}`, what); wrong(""); }
  catch (error) { wrong(error.message); }
}

/** Nothing runs until a person asks for it: the address was not opened on a page of the lab. */
function wait() {
  $("advice").textContent = "Press Train to start.";
  $("run").disabled = false;
}

async function open() {
  ready(false);
  try {
    ({ session } = await ask("/api/play", { settings: settings() }));
    sessionStorage.setItem("corollary-play", session);
    join();
    if (greeted) wrong(""); // what was left out of the address stays to be read
  } catch (error) { wrong(error.message); $("advice").textContent = "Nothing is running."; }
  greeted = true;
}

function join() {
  hush();
  hush = listen(session, heard, (why) => { $("advice").textContent = sentence(why); },
    () => { sessionStorage.removeItem("corollary-play"); open(); });
}

function ready(yes) { for (const id of ["run", "step", "reset"]) $(id).disabled = !yes; }

function heard(news) {
  if (news.anew) rows = [];
  if (news.rows) rows.push(...news.rows);
  if (news.points) data(news.points);
  if (news.frame) plane.grid(news.frame);
  if (news.theory) theory(news.theory);
  if (news.state) state(news.state);
  if (news.hand) { edits = news.hand; snippet(); }
  if (news.told) wrong(news.told);
  if (news.over) {
    ready(false);
    $("reset").disabled = false;
    advise({ severity: "high", text: sentence(news.over.error || "stopped") + " Press Reset to start again." });
    session = "";
    sessionStorage.removeItem("corollary-play");
  }
  if (!waiting) { waiting = true; requestAnimationFrame(paint); }
}

function data(points) {
  plane.points = points;
  const loss = $("o-loss");
  if (points.regression && !loss.disabled) { chosen = loss.value; loss.value = "squared"; }
  if (!points.regression && loss.disabled) loss.value = chosen;
  loss.disabled = points.regression; // heights have no classes
  $("heights").hidden = !points.regression;
  $("show-signs").disabled = points.regression;
  plane.discrete = $("show-signs").checked && !points.regression;
  snippet();
}

/** The output, or what the unit under the pointer or in the list sees, on the large picture. */
function look(at = hovered) {
  hovered = at;
  const [column, unit] = at || $("shown").value.split(" ").map(Number);
  const output = !plane.frame || !network.frame || !$("shown").value || column === network.frame.layers.length;
  plane.sight = output ? null : network.sight(column, unit);
  if (plane.frame) plane.grid(plane.frame);
  plane.draw();
}

function offer() {
  const column = (names, k) => names.map((name, unit) => make("option", { value: `${k} ${unit}` }, name));
  const count = network.frame.layers.length;
  $("shown").replaceChildren(make("option", { value: `${count} 0` }, "the output"), ...Array.from({ length: count }, (_, k) => column(hand.names(k), k)).flat());
}

function paint() {
  waiting = false;
  // New points come before the first picture of the new network: until then the old one stays.
  if (plane.frame && plane.points && plane.frame.layers[0].weights[0].length === plane.points.features.length) {
    const names = plane.points.features.map((name) => form.querySelector(`[data-feature="${name}"]`).dataset.written);
    if (network.show(plane.frame, { names, grid: plane.points.feature_grid })) { offer(); hand.renew(); }
    else hand.follow();
  }
  look();
  if (!rows.length) return;
  for (const draw of Object.values(charts)) draw(rows);
  const now = rows[rows.length - 1];
  $("count").textContent = `step ${now.step}`;
  $("now-loss").textContent = `${numeral(now.loss)} on training data, ${numeral(now.test)} on test data`;
  if (plane.frame) {
    const { regression, parameters } = plane.points || {};
    const [train, test] = plane.frame.errors.map((e) => regression ? numeral(e) : `${(100 * e).toFixed(1)} %`);
    $("plane-said").textContent = `${regression ? "RMSE" : "Classification error"}: ${train} on training data, ${test} on test data. The network has ${parameters || "–"} weights${plane.frame.zeros ? `, and ${plane.frame.zeros} of these weights are zero` : ""}.`;
  }
}

function advise({ severity: how, text }) {
  const line = $("advice");
  line.className = `advice-line ${how}`;
  if (how === severity) line.setAttribute("aria-live", "off"); // said once: not at every frame
  else line.setAttribute("aria-live", "polite");
  severity = how;
  line.textContent = text;
}

function theory(found) {
  advise(found.advice);
  if (found.sharpness !== undefined) {
    $("now-sharpness").textContent = `sharpness λ = ${numeral(found.sharpness)}; largest stable learning rate: ${found.limit === null ? "no limit" : numeral(found.limit)}`;
    $("now-turn").textContent = found.turn === null ? "the tangent kernel is zero, because no unit is active" : `${(100 * found.turn).toFixed(found.turn < 0.01 ? 2 : 0)} % since the start: ${found.regime}; alignment with the labels: ${numeral(found.alignment)}`;
    $("now-regions").textContent = found.regions === null ? found.regions_note : `${found.regions}${found.regions_note ? `, ${found.regions_note}` : ""}`;
    $("chart-regions").hidden = found.regions === null;
    plane.polygons = found.polygons;
    plane.borders = found.borders;
  }
}

function state({ running: on, finite }) {
  if (on !== running) tell(on ? "Training" : "Paused");
  running = on;
  ready(true);
  $("run").textContent = on ? "Pause" : "Train";
  $("run").disabled = $("step").disabled = !finite;
}

function inPython(name, text) {
  if (name === "features") {
    const names = text.split(",").map((part) => JSON.stringify(part));
    return `(${names.join(", ")}${names.length === 1 ? "," : ""})`;
  }
  if (name === "hidden") {
    const widths = text.split(",").map((part) => part.trim()).filter(Boolean);
    if (widths.length === 1 && Number(widths[0]) === 0) return "()";
    return `(${widths.join(", ")}${widths.length === 1 ? "," : ""})`;
  }
  return Number.isFinite(Number(text)) ? text : JSON.stringify(text);
}

/** What was set by hand, as Python repeats it. */
function byHand() {
  if (!edits.edited) return ["", ""];
  if (!edits.edits.length) return [`\n# ${edits.edited} weights were set by hand. These are too many to list.\n`, ""];
  const lines = edits.edits.map(([step, ...edit]) => `    (${step}, ${edit.map((part) => part === null ? "None" : part).join(", ")}),`);
  return [
    `\n# Weights set by hand, as (step, layer, unit, source, value). Counts start at 0; source None is the bias.\nedits = [\n${lines.join("\n")}\n]\n`,
    "\n    for at, *edit in edits:\n        if at == step:\n            play.set_weight(*edit)",
  ];
}

function snippet() {
  const [before, inside] = byHand();
  const words = Object.entries(differing(form)).map(([k, v]) => `${k}=${inPython(k, v)}`);
  $("python").textContent = `from corollary.lab.settings import PlaySettings
from corollary.lab.work.training import Playground

play = Playground(PlaySettings(${words.join(", ")}))
${before}for ${inside ? "step" : "_"} in range(200):${inside}
    play.step()
print(play.row(), play.theory()["advice"]["text"])`;
  address();
}

/** A preset keeps its own address until something is changed. */
function address() {
  const now = differing(form), key = new URLSearchParams(now).toString();
  const preset = all("[data-preset]").find((link) => link.dataset.query === key);
  toUrl(preset ? { preset: preset.dataset.preset } : now);
  all("[data-preset]").forEach((link) => link === preset ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
  $("preset-about").hidden = !preset;
  $("preset-about").textContent = preset ? sentence(preset.title) : "";
}

const again = after(150, () => order({ do: "reset", settings: settings() }));
wire(form, (name) => {
  snippet();
  if (!session) return;
  if (name === "lr") order({ do: "lr", lr: settings().lr });
  else again();
});
form.addEventListener("submit", (event) => event.preventDefault());
layers($("o-hidden"));
$("run").addEventListener("click", async () => {
  if (!session) await open();
  if (session) order({ do: running ? "pause" : "run" });
});
$("step").addEventListener("click", () => order({ do: "step" }));
$("reset").addEventListener("click", () => session ? order({ do: "reset", settings: settings() }) : open());
$("pace").addEventListener("change", () => order({ do: "pace", pace: Number($("pace").value) }));
$("show-regions").addEventListener("change", (event) => { plane.showRegions = event.target.checked; plane.draw(); });
$("show-test").addEventListener("change", (event) => { plane.showTest = event.target.checked; plane.draw(); });
addEventListener("keydown", (event) => {
  if (/^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY|A)$/.test(document.activeElement.tagName)) return;
  if (event.key === " " && !$("run").disabled) { event.preventDefault(); $("run").click(); }
  if (event.key === "s") $("step").click();
  if (event.key === "r") $("reset").click();
});
$("shown").addEventListener("change", () => look(null));
$("show-signs").addEventListener("change", (event) => { plane.discrete = event.target.checked; look(); });
for (const box of all("[data-feature]", form)) {
  box.addEventListener("change", () => {
    const on = all("[data-feature]:checked", form);
    if (!on.length) { box.checked = true; tell("Choose at least one input."); return; }
    $("o-features").value = on.map((one) => one.dataset.feature).join(",");
    $("o-features").dispatchEvent(new Event("input"));
  });
}
onTheme.push(() => { plane.recolour(); network.draw(); });
$("plane").parentElement.after(saving.buttons("The network over the plane", "playground-plane", () => plane.picture()));
$("layers").after(saving.buttons("The network", "playground-network", () => network.picture()));

snippet();
// A page that is loaded again goes on with its session, if its settings are the same.
session = sessionStorage.getItem("corollary-play") || "";
const kept = sessionStorage.getItem("corollary-play-at");
sessionStorage.setItem("corollary-play-at", location.search);
addEventListener("pagehide", () => sessionStorage.setItem("corollary-play-at", location.search));
if (session && kept === location.search) join();
else if ("runs" in form.dataset) open();
else wait();
