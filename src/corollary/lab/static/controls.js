// Fields of a form: a slider and a number that move each other, and what differs from the defaults.
import { all } from "./page.js";

const place = (value, start, end, log) => 1000 * (log ? Math.log(value / start) / Math.log(end / start) : (value - start) / (end - start));
const value = (at, start, end, log) => log ? start * (end / start) ** (at / 1000) : start + (end - start) * at / 1000;

function rounded(number, whole, span) {
  if (whole) return Math.abs(number) < 100 ? Math.round(number) : Number(Math.round(number).toPrecision(2));
  const digits = Math.max(0, 2 - Math.floor(Math.log10(span)));
  return Number(number.toFixed(Math.min(12, digits)));
}

/** Wire the fields of ``form``; ``changed(name, settled)`` is called whenever one moves. */
export function wire(form, changed) {
  for (const box of all(".control", form)) {
    const { name, start, end } = box.dataset;
    const field = box.querySelector("[name]"), slider = box.querySelector("[type=range]");
    if (!field) continue;
    if (!slider) { field.addEventListener("input", () => changed(name, true)); continue; }
    const low = Number(start), high = Number(end), log = "log" in box.dataset, whole = "whole" in box.dataset;
    const follow = () => {
      const at = place(Number(field.value), low, high, log);
      slider.value = Number.isFinite(at) ? at : 0;
      slider.setAttribute("aria-valuetext", field.value);
    };
    slider.addEventListener("input", () => {
      const number = value(Number(slider.value), low, high, log);
      field.value = Math.min(high, Math.max(low, rounded(number, whole, log ? number : high - low)));
      slider.setAttribute("aria-valuetext", field.value);
      changed(name, false);
    });
    slider.addEventListener("change", () => { follow(); changed(name, true); });
    // Arrow keys: one unit for whole numbers, a hundredth of the way otherwise.
    slider.addEventListener("keydown", (event) => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (!way) return;
      event.preventDefault();
      const now = Number(field.value);
      const next = whole && (high - low <= 100 || now < 20) ? now + way : value(Number(slider.value) + 10 * way, low, high, log);
      const fine = rounded(next, whole, log ? next : high - low);
      field.value = Math.min(high, Math.max(low, whole && fine === now ? now + Math.sign(way) : fine));
      follow();
      changed(name, true);
    });
    field.addEventListener("input", () => { follow(); changed(name, true); });
    box.follow = follow;
    follow();
  }
}

export const read = (field) => field.type === "checkbox" ? String(field.checked) : field.value.trim();

/** Name and text of every field that is not at its default. */
export function differing(form) {
  const out = {};
  for (const box of all(".control", form)) {
    const field = box.querySelector("[name]"), text = read(field);
    if (field.disabled) continue; // it says what is, and sets nothing
    const same = text === box.dataset.default || (text !== "" && field.type === "number" && Number(text) === Number(box.dataset.default));
    if (!same && text !== "") out[box.dataset.name] = text;
  }
  return out;
}

/** The name of a field whose text is not a number, if there is one: its value would be empty. */
export const unreadable = (form) => (all("[name]", form).find((field) => field.validity.badInput) || {}).name;

export function toDefaults(form) {
  for (const box of all(".control", form)) {
    const field = box.querySelector("[name]");
    if (field.type === "checkbox") field.checked = box.dataset.default === "true";
    else field.value = box.dataset.default;
    if (box.follow) box.follow();
  }
}

export function toUrl(options) {
  const query = new URLSearchParams(options).toString();
  history.replaceState(null, "", location.pathname + (query ? `?${query}` : ""));
}
