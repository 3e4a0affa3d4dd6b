// Values under the pointer: the marks of a figure at that place of its horizontal axis.
(() => {
  "use strict";
  const NS = "http://www.w3.org/2000/svg";
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  const line = document.createElementNS(NS, "path");
  line.setAttribute("class", "crosshair");

  /** Runs of points of a path as figures draw them: M x y, then relative l, m and h0. */
  const runs = (data) => {
    const found = [];
    let x = 0, y = 0, order = "";
    const numbers = [];
    for (const [token] of data.matchAll(/[Mmlhz]|-?\d*\.?\d+/g)) {
      if (/[a-z]/i.test(token)) { order = token; if (token === "M") { x = y = 0; } numbers.length = 0; continue; }
      if (order === "h") continue; // a dot
      numbers.push(Number(token));
      if (numbers.length < 2) continue;
      x += numbers[0]; y += numbers[1];
      numbers.length = 0;
      if (order === "l") found[found.length - 1].push([x, y]);
      else { found.push([[x, y]]); order = "l"; }
    }
    return found;
  };

  /** The point of a mark above ``at``: on a line between two of its points, or its nearest dot. */
  const point = (mark, at) => {
    const all = runs([...mark.querySelectorAll("path")].pop().getAttribute("d") || "");
    let best = null;
    for (const run of all) {
      for (let k = 1; k < run.length; k += 1) {
        const [a, b] = [run[k - 1], run[k]];
        if (Math.min(a[0], b[0]) > at || Math.max(a[0], b[0]) < at) continue;
        const y = a[0] === b[0] ? Math.min(a[1], b[1]) : a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0]);
        if (!best || y < best[1]) best = [at, y];
      }
    }
    if (best) return best;
    const dots = all.filter((run) => run.length === 1).map((run) => run[0]);
    const near = dots.sort((p, q) => Math.abs(p[0] - at) - Math.abs(q[0] - at))[0];
    return near && Math.abs(near[0] - at) < 12 ? near : null;
  };

  const value = (share, text) => {
    const [low, high, log] = text.split(" ").map(Number);
    if (!log) return low + share * (high - low);
    return 10 ** (Math.log10(low) + share * (Math.log10(high) - Math.log10(low)));
  };
  const numeral = (number) => {
    const size = Math.abs(number);
    if (size !== 0 && (size < 0.001 || size >= 100000)) return number.toExponential(1).replace("e", "·10^").replace("+", "");
    return String(Number(number.toPrecision(3)));
  };

  const leave = () => { tip.hidden = true; line.remove(); };
  addEventListener("pointermove", (event) => {
    const svg = event.target.closest && event.target.closest("svg.figure");
    const plot = svg && svg.querySelector("svg[data-x]");
    if (!plot) { leave(); return; }
    const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
    const [left, top, wide, high] = ["x", "y", "width", "height"].map((name) => Number(plot.getAttribute(name)));
    const at = (event.clientX - box.left) * scale - left, up = (event.clientY - box.top) * scale - top;
    if (at < 0 || at > wide || up < 0 || up > high) { leave(); return; }
    const rows = [];
    let place = at;
    for (const mark of plot.querySelectorAll("g[data-l]")) {
      const found = point(mark, at);
      if (!found) continue;
      if (found[0] !== at) place = found[0];
      rows.push(`${mark.dataset.l}: ${numeral(value(1 - found[1] / high, plot.dataset.y))}`);
    }
    if (!rows.length) { leave(); return; }
    const x = value(place / wide, plot.dataset.x), names = (plot.dataset.n || "").split("|");
    const axis = (svg.querySelector("desc").textContent.match(/^x: (.*?)(?: \(log\))?\. y:/) || [])[1] || "x";
    tip.textContent = [plot.dataset.n ? names[Math.round(x)] || "" : `${axis}: ${numeral(x)}`, ...rows].filter(Boolean).join("\n");
    line.setAttribute("d", `M${place} 0V${high}`);
    if (line.parentNode !== plot) plot.append(line);
    if (!tip.isConnected) document.body.append(tip);
    tip.hidden = false;
    const right = event.clientX + 16 + tip.offsetWidth > innerWidth;
    tip.style.left = `${scrollX + (right ? Math.max(4, event.clientX - tip.offsetWidth - 12) : event.clientX + 14)}px`;
    tip.style.top = `${scrollY + event.clientY + 14}px`;
  });
  addEventListener("scroll", leave, { passive: true });
})();
