// The live figure of a claim: it runs again while options move, and a run that is no longer wanted is dropped.
// While they move, only this figure and the numbers are computed; all the rest once they rest.
import { $, after, ask, make, rendered, sentence } from "./page.js";
import { differing, toUrl, unreadable, wire } from "./controls.js";

const form = $("options"), outcome = $("outcome"), stage = document.querySelector(".stage");
export const { name } = form.dataset;
const file = name.replace("/", "-"), shown = Number(form.dataset.figure || 0);
const PATIENCE = 400; // milliseconds; a run that takes longer is dropped for a newer one
const REST = 300; // milliseconds without a movement
let current = null, clock = 0, began = 0, newer = false, stale = 0, rest = 0, quick = false, latest = "", answered = () => {};

/** What is asked for: every option that is not at its default. */
export const chosen = () => {
  const { seed = "0", ...options } = differing(form);
  return { name, options, seed, ...(form.dataset.story ? { story: form.dataset.story } : {}) };
};

/** Something moved: run now, or right after the run that is under way, or in its place if it is slow or complete. */
function moved() {
  if (latest === JSON.stringify(chosen())) return; // a slider that is let go
  clearTimeout(rest);
  if (!current || !quick) { run(true); return; }
  newer = true;
  clearTimeout(stale);
  stale = setTimeout(() => { if (newer) run(true); }, Math.max(60, PATIENCE - (performance.now() - began)));
}

/** Run; ``live`` is for this figure and the numbers alone, and is all that a story needs. */
export async function run(live = Boolean(form.dataset.story)) {
  if (current) current.abort();
  clearTimeout(stale);
  clearTimeout(rest);
  newer = false;
  quick = live;
  const odd = unreadable(form);
  if (odd) { halt(); fail(`${odd} is not a number`); return; }
  const mine = current = new AbortController();
  const asked = chosen(), start = began = performance.now();
  latest = JSON.stringify(asked);
  outcome.setAttribute("aria-busy", "true");
  $("stop").disabled = false;
  $("go").textContent = "Run again";
  clearInterval(clock);
  clock = setInterval(() => { $("time").textContent = `${((performance.now() - start) / 1000).toFixed(1)} s …`; }, 100);
  try {
    const answer = await ask("/api/check", live ? { ...asked, figure: shown } : asked, mine.signal);
    if (mine !== current) return;
    show(answer);
    answered(answer);
    if (live && !form.dataset.story) rest = setTimeout(run, REST, false);
  } catch (error) {
    if (error.name === "AbortError" || mine !== current) return;
    fail(error.message);
  } finally {
    if (mine === current) {
      halt();
      if (newer) run(true);
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
  clearTimeout(rest);
  if (!current) return;
  newer = false;
  if (document.activeElement === $("stop")) $("go").focus(); // a button that is off cannot keep it
  halt();
  fail("stopped");
}

/** Say what went wrong; what is shown is that of an earlier run. */
function fail(message) {
  latest = "";
  outcome.classList.add("stale");
  $("verdict").replaceChildren(make("span", { className: "warning" }, sentence(message)));
  $("time").textContent = "";
}

function show({ view, seconds, live }) {
  outcome.classList.remove("stale");
  $("time").textContent = `${seconds < 1 ? Math.max(1, Math.round(1000 * seconds)) + " ms" : seconds.toFixed(1) + " s"}`;
  $("verdict").replaceChildren(
    make("span", { className: `badge ${view.verdict}`, title: view.meaning }, make("i", { ariaHidden: "true" }, view.sign), ` ${view.verdict}`),
    ` ${view.reason}`,
  );
  const found = view.figures[live ? 0 : shown], height = stage.offsetHeight;
  if (!found) { stage.replaceChildren(); return; }
  if (height > 100) stage.style.minHeight = `${height}px`; // no jump between two runs
  stage.replaceChildren(figure(found));
  requestAnimationFrame(() => { stage.style.minHeight = ""; });
}

/** The figures beside the live one. */
export const others = (figures) => figures.filter((_, k) => k !== shown).map(figure);

export function figure({ svg, caption }) {
  const frame = make("figure", {}, rendered(svg));
  if (caption) frame.append(make("figcaption", {}, caption));
  saving.dress(frame, file);
  return frame;
}

/** Start; ``told`` is called when options have moved, ``done`` with every answer. */
export function start({ told = () => {}, done = () => {} } = {}) {
  answered = done;
  const said = () => {
    const { options, seed } = chosen();
    toUrl({ ...options, ...(seed === "0" ? {} : { seed }) });
    told();
  };
  const soon = after(150, said); // a browser takes few changes of the address in a second
  wire(form, () => { soon(); if (!$("live") || $("live").checked) moved(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); said(); run(); });
  $("stop").addEventListener("click", stop);
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    if (event.key === "Escape") stop();
  });
  said();
  // An address opened elsewhere fills in the form; only a person, or a link on a page of the lab, runs it.
  const wanted = !$("live") || $("live").checked || new URLSearchParams(location.search).size;
  if ("runs" in form.dataset && wanted) run();
  return said;
}
