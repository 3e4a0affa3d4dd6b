// The map of claims: choose, search, path between two, zoom and pan. Nothing is loaded from elsewhere.
(() => {
  "use strict";
  const map = document.querySelector(".claim-map");
  if (!map) return;
  const facts = JSON.parse(map.querySelector(".map-data").textContent);
  const uses = facts.map((f) => f.uses), usedBy = facts.map(() => []);
  uses.forEach((below, k) => below.forEach((d) => usedBy[d].push(k)));
  const number = new Map(facts.map((f, k) => [f.name, k]));
  const view = map.querySelector(".view"), svg = view.querySelector("svg"), panel = map.querySelector(".panel");
  const boxes = [...svg.querySelectorAll("[data-k]")], lines = [...svg.querySelectorAll("[data-u]")];
  const at = boxes.map((b) => b.transform.baseVal[0].matrix).map((m) => [m.e, m.f]);
  const [find, other] = [map.querySelector(".find"), map.querySelector(".other")];

  // What is seen: a window of the drawing, in its own units.
  const whole = svg.viewBox.baseVal, all = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
  let seen = { ...all };
  const scale = () => Math.min(svg.clientWidth / seen.w, svg.clientHeight / seen.h);
  const paint = () => {
    svg.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.w} ${seen.h}`);
    svg.classList.toggle("far", scale() < 0.62);
  };
  const zoom = (factor, cx = seen.x + seen.w / 2, cy = seen.y + seen.h / 2) => {
    const w = Math.min(Math.max(seen.w * factor, 260), all.w * 1.3), g = w / seen.w;
    seen = { x: cx - (cx - seen.x) * g, y: cy - (cy - seen.y) * g, w, h: seen.h * g };
    paint();
  };
  const fit = (ks, widest = Infinity) => { // the first of them stays in the middle if not all can be read
    const xs = ks.map((k) => at[k][0]), ys = ks.map((k) => at[k][1]);
    const ratio = svg.clientHeight / svg.clientWidth || 0.7;
    const right = Math.max(...xs) + 190, bottom = Math.max(...ys) + 34;
    const needed = Math.max(right - Math.min(...xs) + 60, (bottom - Math.min(...ys) + 60) / ratio, 620);
    const w = Math.min(needed, widest), cut = w < needed;
    const cx = cut ? xs[0] + 90 : (Math.min(...xs) + right) / 2, cy = cut ? ys[0] + 11 : (Math.min(...ys) + bottom) / 2;
    seen = { x: cx - w / 2, y: cy - (w * ratio) / 2, w, h: w * ratio };
    paint();
  };
  const place = (e) => {
    const r = svg.getBoundingClientRect(), s = scale();
    return [seen.x + seen.w / 2 + (e.clientX - r.left - r.width / 2) / s, seen.y + seen.h / 2 + (e.clientY - r.top - r.height / 2) / s];
  };

  const reached = (k, step) => {
    const got = new Set(), queue = [...step[k]];
    while (queue.length) { const n = queue.pop(); if (!got.has(n)) { got.add(n); queue.push(...step[n]); } }
    return got;
  };
  const chain = (from, to) => { // a shortest one, downwards
    const came = new Map([[from, -1]]), queue = [from];
    while (queue.length && !came.has(to)) { const n = queue.shift(); uses[n].forEach((d) => { if (!came.has(d)) { came.set(d, n); queue.push(d); } }); }
    const out = [];
    for (let n = came.has(to) ? to : -1; n >= 0; n = came.get(n)) out.unshift(n);
    return out;
  };

  const make = (tag, text, parent, kind) => {
    const el = document.createElement(tag);
    if (text) el.textContent = text;
    if (kind) el.className = kind;
    if (parent) parent.append(el);
    return el;
  };
  const buttons = (ks, kind, list = "ul") => {
    const el = make(list, "", panel, kind);
    ks.forEach((k) => {
      const b = make("button", facts[k].name, make("li", "", el));
      b.type = "button"; b.title = facts[k].title;
      b.addEventListener("click", () => choose(k, true));
    });
  };
  let here = -1;
  const mark = (below, above, way) => {
    boxes.forEach((b, k) => {
      const kind = k === here ? "here on" : below.has(k) ? "below on" : above.has(k) ? "above on" : way.has(k) ? "on" : "";
      b.setAttribute("class", kind + (way.has(k) ? " way" : ""));
    });
    lines.forEach((l) => {
      const u = Number(l.dataset.u), d = Number(l.dataset.d);
      const down = (below.has(u) || u === here) && below.has(d), up = above.has(u) && (above.has(d) || d === here);
      const on = way.has(u) && way.has(d) && Math.abs(way.get(u) - way.get(d)) === 1;
      l.setAttribute("class", (down ? "below on" : up ? "above on" : "") + (on ? " way on" : ""));
    });
    svg.classList.toggle("chosen", here >= 0);
  };
  const count = (n) => n === 1 ? "1 claim" : `${n} claims`; const told = (k, below, above) => {
    const f = facts[k];
    panel.replaceChildren();
    const title = make("h2", f.link ? "" : f.title, panel);
    if (f.link) { const a = make("a", f.title, title); a.href = f.link; }
    make("p", `${f.name} · ${f.area.replaceAll("_", " ")} · ${f.kind}`, panel, "where");
    if (f.says) make("p", f.says, panel, "says");
    const target = number.get(other.value.trim());
    if (target !== undefined && target !== k) path(k, target);
    make("h3", uses[k].length ? `Uses ${count(uses[k].length)} directly, ${count(below.size)} in all` : "Uses no other claim", panel);
    buttons(uses[k], "below");
    make("h3", usedBy[k].length ? `Used by ${count(usedBy[k].length)} directly, by ${count(above.size)} in all` : "Used by no other claim", panel);
    buttons(usedBy[k], "above");
    const further = [...above].filter((n) => !usedBy[k].includes(n));
    if (further.length) { make("h3", "These claims use it indirectly", panel); buttons(further, "above"); }
    make("code", `corollary show ${f.name}`, make("p", "", panel, "where"));
  };
  const between = (k, target) => { const down = chain(k, target); return down.length ? down : chain(target, k); };
  const path = (k, target) => {
    const way = between(k, target);
    if (way.length) { make("h3", "Each of these claims uses the next one", panel); buttons(way, "", "ol"); }
    else {
      const shared = [...reached(k, uses)].filter((n) => reached(target, uses).has(n));
      const top = shared.filter((n) => !usedBy[n].some((m) => shared.includes(m)));
      make("h3", top.length ? "Neither claim uses the other, but both use" : "These two claims use no common claim", panel);
      buttons(top, "below");
    }
  };
  const choose = (k, move) => {
    here = k;
    find.value = facts[k].name;
    const below = reached(k, uses), above = reached(k, usedBy), target = number.get(other.value.trim());
    const way = target === undefined || target === k ? [] : between(k, target);
    told(k, below, above);
    mark(below, above, new Map(way.map((n, i) => [n, i])));
    try { history.replaceState(null, "", `#${facts[k].name}`); } catch { /* a file may have no history */ }
    if (move && way.length) fit(way);
    else if (move) fit([k, ...uses[k], ...usedBy[k]], svg.clientWidth / 0.66);
  };
  const clear = () => { here = -1; mark(new Set(), new Set(), new Map()); };

  const named = (text) => {
    const words = text.trim().toLowerCase();
    if (!words) return -1;
    if (number.has(words)) return number.get(words);
    return facts.findIndex((f) => (f.name.replaceAll("_", " ") + " " + f.title.toLowerCase()).includes(words));
  };
  const ask = () => { const k = named(find.value); if (k >= 0) choose(k, true); };
  find.addEventListener("input", () => { if (number.has(find.value.trim())) ask(); else if (!find.value) clear(); });
  find.addEventListener("keydown", (e) => { if (e.key === "Enter") { e.preventDefault(); ask(); } });
  other.addEventListener("input", () => { if (here >= 0 && (number.has(other.value.trim()) || !other.value)) choose(here, true); });
  other.addEventListener("keydown", (e) => {
    const k = e.key === "Enter" ? named(other.value) : -1;
    if (k >= 0) { e.preventDefault(); other.value = facts[k].name; if (here >= 0) choose(here, true); }
  });
  map.querySelectorAll("[data-zoom]").forEach((b) => b.addEventListener("click", () => {
    if (b.dataset.zoom === "all") { seen = { ...all }; paint(); } else zoom(b.dataset.zoom === "in" ? 0.7 : 1 / 0.7);
  }));

  // Drag, pinch, wheel.
  const fingers = new Map();
  let moved = 0;
  view.addEventListener("pointerdown", (e) => { fingers.set(e.pointerId, e); moved = 0; });
  view.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const s = scale(), pair = [...fingers.values()];
    moved += Math.hypot(e.clientX - before.clientX, e.clientY - before.clientY);
    if (moved > 4 && !view.hasPointerCapture(e.pointerId)) view.setPointerCapture(e.pointerId);
    if (pair.length === 2) {
      const still = pair.find((p) => p.pointerId !== e.pointerId), gap = (p) => Math.hypot(p.clientX - still.clientX, p.clientY - still.clientY);
      zoom(gap(before) / Math.max(gap(e), 1), ...place(still));
    } else {
      seen.x -= (e.clientX - before.clientX) / s; seen.y -= (e.clientY - before.clientY) / s;
      paint();
    }
    fingers.set(e.pointerId, e);
  });
  ["pointerup", "pointercancel"].forEach((kind) => view.addEventListener(kind, (e) => fingers.delete(e.pointerId)));
  view.addEventListener("click", (e) => {
    const box = e.target.closest("[data-k]");
    if (box && moved < 5) choose(Number(box.dataset.k), false);
  });
  view.addEventListener("wheel", (e) => {
    if (!(e.ctrlKey || e.metaKey || document.activeElement === view)) return; // the page scrolls
    e.preventDefault();
    zoom(Math.exp(Math.sign(e.deltaY) * 0.18), ...place(e));
  }, { passive: false });

  // Keys: left and right follow lines, up and down stay in the chapter.
  const step = (key) => {
    if (here < 0) return 0;
    if (key === "ArrowLeft") return uses[here][0] ?? here;
    if (key === "ArrowRight") return usedBy[here][0] ?? here;
    const same = facts.map((_, k) => k).filter((k) => facts[k].area === facts[here].area)
      .sort((a, b) => at[a][0] - at[b][0] || at[a][1] - at[b][1]);
    const turn = same.indexOf(here) + (key === "ArrowDown" ? 1 : -1);
    return same[(turn + same.length) % same.length];
  };
  view.addEventListener("keydown", (e) => {
    if (e.key.startsWith("Arrow")) { e.preventDefault(); choose(step(e.key), true); }
    else if (e.key === "+" || e.key === "=") zoom(0.7);
    else if (e.key === "-") zoom(1 / 0.7);
    else if (e.key === "0") { seen = { ...all }; paint(); }
    else if (e.key === "Escape") clear();
  });
  new ResizeObserver(paint).observe(view);
  const start = number.get(decodeURIComponent(location.hash.slice(1)));
  if (start !== undefined) choose(start, true); else paint();
})();
