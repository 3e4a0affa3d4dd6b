// Search in what the catalogue says of each claim.
import { $, all, after, get, make, sentence } from "./page.js";

const words = $("words"), shown = $("shown"), hint = shown.innerHTML;
const items = all(".chapter li").map((item) => ({ item, text: `${item.dataset.name} ${item.textContent}`.toLowerCase() }));

get("/api/verdicts").then((verdicts) => items.forEach(({ item }) => {
  const [verdict, sign] = verdicts[item.dataset.name] || [];
  if (verdict) item.querySelector("small").append(" ", make("span", { className: verdict, title: "last verdict here" }, make("i", { ariaHidden: "true" }, sign), ` ${verdict}`));
})).catch((error) => { shown.textContent = sentence(error.message); });

get("/api/entries").then((entries) => {
  const known = new Map(entries.map((e) => [e.name, `${e.title} ${e.statement} ${e.source} ${e.covers.join(" ")}`.toLowerCase()]));
  items.forEach((one) => { one.text += ` ${known.get(one.item.dataset.name) || ""}`; });
  if (words.value) search();
}).catch(() => { /* titles alone are searched */ });

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { item, text } of items) {
    item.hidden = !wanted.every((word) => text.includes(word));
    count += !item.hidden;
  }
  all(".chapter").forEach((chapter) => { chapter.hidden = !chapter.querySelector("li:not([hidden])"); });
  all(".chapters a").forEach((link) => { link.hidden = document.querySelector(link.hash).hidden; });
  $("none").hidden = count > 0;
  if (wanted.length) shown.textContent = `${count} of ${items.length} shown`;
  else shown.innerHTML = hint;
  const query = words.value ? `?q=${encodeURIComponent(words.value)}` : "";
  history.replaceState(null, "", location.pathname + query + location.hash);
}

words.addEventListener("input", after(80, search));
words.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
  const first = document.querySelector(".chapter li:not([hidden]) a");
  if (words.value && first) location.href = first.href;
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); words.focus(); }
  if (event.key === "Escape" && document.activeElement === words) { words.value = ""; search(); }
});
const asked = new URLSearchParams(location.search).get("q");
if (asked) { words.value = asked; search(); }
