// Search in what the catalogue says of each claim, and in words that people use for it elsewhere.
import { $, all, after, get, make, sentence } from "./page.js";

const words = $("words"), shown = $("shown"), hint = shown.innerHTML;
/** Plurals, hyphens and British spelling are not told apart. */
const plain = (text) => text.toLowerCase().replaceAll("-", " ").replaceAll("isation", "ization").replace(/ise(d?)\b/g, "ize$1").replace(/(\w{4})s\b/g, "$1");
const items = all(".chapter li").map((item) => ({ item, meant: "", text: plain(`${item.dataset.name} ${item.textContent}`) }));
const areas = all(".chapter");

get("/api/verdicts").then((verdicts) => items.forEach(({ item }) => {
  const [verdict, sign] = verdicts[item.dataset.name] || [];
  if (verdict) item.querySelector("small").append(" ", make("span", { className: verdict, title: "verdict of the last run on this machine" }, make("i", { ariaHidden: "true" }, sign), ` ${verdict}`));
})).catch((error) => { shown.textContent = sentence(error.message); });

get("/api/entries").then((entries) => {
  const known = new Map(entries.map((e) => [e.name, e]));
  items.forEach((one) => {
    const e = known.get(one.item.dataset.name);
    if (!e) return;
    one.text += plain(` ${e.title} ${e.statement} ${e.source} ${e.covers.join(" ")}`);
    one.meant = plain(e.synonyms.join(" "));
  });
  if (words.value) search();
}).catch(() => { /* titles alone are searched */ });

function search() {
  const wanted = plain(words.value).split(/\s+/).filter(Boolean);
  let count = 0, meant = 0;
  for (const { item, text, meant: other } of items) {
    const said = wanted.every((word) => text.includes(word));
    const also = !said && wanted.every((word) => other.includes(word) || text.includes(word));
    item.hidden = !(said || also);
    item.classList.toggle("also", also);
    count += said;
    meant += also;
  }
  areas.forEach((area) => {
    const total = area.querySelectorAll("li").length, here = area.querySelectorAll("li:not([hidden])").length;
    area.hidden = !here;
    area.querySelector(".count").textContent = here < total ? `${here} of ${total} results` : `${total} results`;
    area.open = wanted.length > 0 && !area.hidden || area.id === location.hash.slice(1);
  });
  $("none").hidden = count + meant > 0;
  $("meant").hidden = !meant;
  $("meant").textContent = count ? `${meant} more ${meant === 1 ? "result matches" : "results match"} a synonym of your words.` : `No result contains these words. ${meant === 1 ? "This result matches" : `These ${meant} results match`} a synonym.`;
  if (wanted.length) shown.textContent = `${count + meant} of ${items.length} results shown`;
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
const unfold = () => { const area = location.hash && $(location.hash.slice(1)); if (area) { area.open = true; area.scrollIntoView(); } };
addEventListener("hashchange", unfold);
const asked = new URLSearchParams(location.search).get("q");
if (asked) { words.value = asked; search(); } else unfold();
