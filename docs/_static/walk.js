// A path through the pages: where one is, the step before and the step after. The address names the path.
(() => {
  "use strict";
  const paths = window.corollaryPaths ?? {}, root = document.documentElement.dataset.content_root ?? "./";
  const KEY = "corollary-walked";
  const walked = () => { try { return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]")); } catch { return new Set(); } };
  const keep = (done) => { try { localStorage.setItem(KEY, JSON.stringify([...done])); } catch { /* not kept */ } };

  // On the page of a lecture: ticks, and where to go on.
  const done = walked(), rows = [...document.querySelectorAll(".path-steps [data-step]")];
  rows.forEach((row) => row.classList.toggle("done", done.has(row.dataset.step)));
  const next = rows.find((row) => !done.has(row.dataset.step)), start = document.querySelector(".path-buttons .start");
  if (start && next && next !== rows[0]) { start.href = next.querySelector("a").href; start.textContent = `Continue at step ${rows.indexOf(next) + 1}`; }

  const asked = new URLSearchParams(location.search), name = asked.get("path"), path = paths[name];
  const k = Number(asked.get("step")), article = document.querySelector("article");
  if (!path || !article || !(k >= 1 && k <= path.steps.length)) return;
  const make = (tag, text, parent, kind) => { const el = document.createElement(tag); el.textContent = text; if (kind) el.className = kind; parent.append(el); return el; };
  const leave = () => { const set = walked(); set.add(path.steps[k - 1][2]); keep(set); };
  const link = (to, text, parent, kind) => {
    const a = make("a", text, parent, kind), step = path.steps[to - 1];
    a.href = step ? `${root}generated/${step[0]}?path=${encodeURIComponent(name)}&step=${to}` : `${root}generated/courses/${name}.html`;
    return a;
  };
  const bar = (place) => {
    const nav = document.createElement("nav");
    nav.className = "path-bar"; nav.setAttribute("aria-label", "Path");
    const meter = make("progress", "", nav); meter.max = path.steps.length; meter.value = k; meter.setAttribute("aria-hidden", "true");
    const line = make("p", "", nav);
    make("a", path.title, line).href = `${root}generated/courses/${name}.html`;
    make("span", ` · step ${k} of ${path.steps.length}`, line);
    const turn = make("p", "", nav, "turn");
    link(k - 1, k > 1 ? `‹ ${path.steps[k - 2][1]}` : "‹ Overview", turn);
    const on = link(k + 1, k < path.steps.length ? `${path.steps[k][1]} ›` : "End of the path ›", turn, "on");
    on.addEventListener("click", leave);
    article[place](nav);
  };
  bar("prepend");
  bar("append");
})();
