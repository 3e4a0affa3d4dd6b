// What every page shares: small tools for the document, the theme, formulas, copying, saving.
import { withKey } from "./key.js";

export const root = document.documentElement;
export const $ = (id) => document.getElementById(id);
export const all = (selector, from = document) => [...from.querySelectorAll(selector)];

/** An element with properties and children; text is always text, never HTML. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ""));
  return element;
}

/** The styles that the page's policy keeps out of markup. */
function styled(part) {
  all("[data-style]", part).forEach((element) => {
    element.style.cssText = element.dataset.style;
    delete element.dataset.style;
  });
  return part;
}
styled(document);

/** Markup that our own renderer made. */
export function rendered(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return styled(holder.content);
}

/** Say something to a screen reader. */
export function tell(text) { $("told").textContent = text; }

async function request(path, how) {
  let response;
  try { response = await fetch(path, { ...how, headers: withKey(how.headers) }); }
  catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the lab does not answer; it may have been stopped");
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new Error(error || `the lab answered ${response.status}`);
}

/** Ask the lab to do something; a refusal becomes an error of one sentence. */
export async function ask(path, body, signal) {
  const headers = { "content-type": "application/json" };
  const answer = await (await request(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
  if (answer.error) throw new Error(answer.error);
  return answer;
}

export const get = async (path) => (await request(path, {})).json();
export const download = async (path, name) => saving.download(name, await (await request(path, {})).blob());

export const sentence = (text) => text ? text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".") : "";

/** A number for a reader: four digits. */
export function numeral(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) {
    const [head, power] = value.toExponential(2).split("e");
    return `${Number(head)}·10${[...String(Number(power))].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("")}`;
  }
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

export function after(milliseconds, act) {
  let timer = 0;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => act(...args), milliseconds); };
}

export const save = (name, text, type) => saving.download(name, new Blob([text], { type }));

/** A comma or full stop after a formula is never alone at the beginning of a line. */
function keep(span) {
  const next = span.nextSibling, last = all(".base", span).pop();
  const mark = next && next.nodeType === Node.TEXT_NODE && /^[,.;:?!)]+/.exec(next.data);
  if (!mark || !last || span.classList.contains("display")) return;
  last.append(make("span", { className: "after" }, mark[0]));
  next.data = next.data.slice(mark[0].length);
}

const macros = { "\\mathbbm": "\\mathbb", "\\bm": "\\boldsymbol", "\\R": "\\mathbb{R}" };
export function setFormulas(part = document) {
  if (!window.katex) return;
  all(".math:not(.set)", part).forEach((span) => {
    const before = span.textContent;
    try {
      katex.render(span.dataset.tex, span, { displayMode: span.classList.contains("display"), macros: { ...macros }, maxExpand: 500, strict: "ignore" });
      span.classList.add("set");
      keep(span);
    } catch { span.textContent = before; }
  });
}

const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
export const onTheme = [];
const toggle = make("button", { type: "button", onclick: () => {
  root.dataset.theme = dark() ? "light" : "dark";
  try { localStorage.setItem("corollary-theme", root.dataset.theme); } catch { /* storage may be off */ }
  named();
} });
const named = () => { toggle.textContent = dark() ? "Light" : "Dark"; onTheme.forEach((act) => act()); };
named();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", named);
$("tools").append(toggle);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const code = $(button.dataset.copy), before = button.textContent;
  try { await navigator.clipboard.writeText(code.textContent); button.textContent = "Copied"; }
  catch { getSelection().selectAllChildren(code); button.textContent = "Selected: press Ctrl-C"; }
  setTimeout(() => { button.textContent = before; }, 1500);
});

if (document.readyState === "complete") setFormulas();
else addEventListener("load", () => setFormulas());
