// Slides: arrow keys, buttons and swipes turn them; each has an address; formulas are set when they come near.
(() => {
  "use strict";
  const root = document.documentElement, deck = document.querySelector("main.slides");
  const slides = [...deck.querySelectorAll(".slide")], shown = document.querySelector("nav.turn output");
  const asked = new URLSearchParams(location.search).get("theme");
  if (asked === "dark" || asked === "light") root.dataset.theme = asked;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.querySelector("[data-theme-toggle]").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; });

  const macros = { "\\mathbbm": "\\mathbb", "\\bm": "\\boldsymbol", "\\R": "\\mathbb{R}" };
  const set = (span) => {
    if (!window.katex || span.classList.contains("set")) return;
    const tex = span.dataset.tex ?? span.textContent, before = span.textContent;
    try {
      katex.render(tex, span, { displayMode: span.classList.contains("display"), macros: { ...macros }, maxExpand: 500, strict: "ignore" });
      span.classList.add("set");
    } catch { span.textContent = before; }
  };
  const draw = (slide) => slide?.querySelectorAll(".math, .tex").forEach(set);

  let here = 0;
  const arrived = (k) => {
    here = k;
    shown.textContent = `${k + 1} / ${slides.length}`;
    [slides[k], slides[k + 1], slides[k - 1]].forEach(draw);
    slides.forEach((slide, n) => { slide.inert = n !== k; });
    try { history.replaceState(null, "", `#${k + 1}`); } catch { /* a file may have no history */ }
  };
  const go = (k) => {
    const to = Math.min(Math.max(k, 0), slides.length - 1);
    deck.scrollTo({ left: to * deck.clientWidth, behavior: "instant" });
    arrived(to);
  };
  const number = () => { const n = Number(location.hash.slice(1)); return n >= 1 && n <= slides.length ? n - 1 : 0; };
  deck.addEventListener("scrollend", () => { const k = Math.round(deck.scrollLeft / deck.clientWidth); if (k !== here) arrived(k); });
  addEventListener("hashchange", () => go(number()));
  addEventListener("resize", () => go(here));
  addEventListener("beforeprint", () => slides.forEach(draw));
  const keys = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key in keys) { e.preventDefault(); go(here + keys[e.key]); }
    else if (e.key === " " && e.target.tagName !== "BUTTON") { e.preventDefault(); go(here + (e.shiftKey ? -1 : 1)); }
    else if (e.key === "Home") go(0);
    else if (e.key === "End") go(slides.length - 1);
  });
  document.querySelectorAll("[data-turn]").forEach((b) => b.addEventListener("click", () => go(here + Number(b.dataset.turn))));
  go(number());
})();
