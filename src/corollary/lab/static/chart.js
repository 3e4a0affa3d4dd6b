// Small line charts that grow while a network trains. Nothing moves but the lines and the ticks.
import { numeral } from "./page.js";

const W = 340, H = 172, LEFT = 46, RIGHT = 8, TOP = 26, BOTTOM = 36;
const INK = { measured: "var(--measured)", predicted: "var(--predicted)", other: "var(--other-1)" };
const NS = "http://www.w3.org/2000/svg";
export const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

function nice(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

function powers(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const stride = Math.max(1, Math.ceil((last - first) / 5)), parts = last - first > 2 ? [1] : [1, 2, 5], out = [];
  for (let k = first; k <= last; k += stride) out.push(...parts.map((m) => Number(`${m}e${k}`)));
  return out.filter((v) => v >= low && v <= high);
}

const stroke = (line) => ({ stroke: INK[line.role], ...(line.dashed ? { "stroke-dasharray": "5 4" } : {}) });

function legend(lines) {
  let x = 2;
  return svg("g", { "font-size": 11, fill: "currentColor" }, ...lines.flatMap((line) => {
    const at = x;
    x += Math.round(36 + 6.6 * line.label.length);
    return [svg("line", { x1: at, x2: at + 16, y1: 9, y2: 9, "stroke-width": 2, ...stroke(line) }), svg("text", { x: at + 21, y: 13 }, line.label)];
  }));
}

/** A chart in ``place``; ``lines`` are {key, label, role, dashed}; rows have ``step`` and the keys. */
export function chart(place, title, lines, { log = false, zero = false } = {}) {
  const axes = svg("g", { "font-size": 11, fill: "currentColor", opacity: 0.75 });
  const drawn = lines.map((line) => svg("path", {
    fill: "none", "stroke-width": line.dashed ? 1.4 : 1.8, "stroke-linejoin": "round", ...stroke(line),
  }));
  const name = svg("title", {});
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "font-family": "system-ui, sans-serif" }, name, legend(lines), axes, ...drawn);
  place.replaceChildren(picture, saving.buttons(title, `playground-${place.id.replace("chart-", "")}`, () => picture));

  return (rows) => {
    const values = rows.flatMap((row) => lines.map((line) => row[line.key])).filter((v) => Number.isFinite(v) && (!log || v > 0));
    name.textContent = values.length ? `${title}: ${lines.map((line) => `${line.label} ${numeral(last(rows, line.key))}`).join(", ")}` : title;
    if (!values.length) { axes.replaceChildren(); drawn.forEach((path) => path.setAttribute("d", "")); return; }
    let low = Math.min(...values), high = Math.max(...values);
    if (log) { low = Math.max(low, high * 1e-9); if (high / low < 10) { const mid = Math.sqrt(low * high); low = mid / 3.3; high = mid * 3.3; } }
    else { if (zero) low = Math.min(0, low); if (high - low < 1e-12) { high += 1; low -= zero ? 0 : 1; } }
    const end = Math.max(10, rows[rows.length - 1].step);
    const x = (s) => LEFT + (W - LEFT - RIGHT) * s / end;
    const part = log ? (v) => Math.log(v / low) / Math.log(high / low) : (v) => (v - low) / (high - low);
    const y = (v) => H - BOTTOM - (H - TOP - BOTTOM) * Math.min(1, Math.max(0, part(v)));
    const marks = [];
    for (const v of log ? powers(low, high) : nice(low, high, 4)) {
      marks.push(svg("line", { x1: LEFT, x2: W - RIGHT, y1: y(v), y2: y(v), stroke: "currentColor", "stroke-opacity": 0.15 }));
      marks.push(svg("text", { x: LEFT - 5, y: y(v) + 4, "text-anchor": "end" }, numeral(v)));
    }
    for (const s of nice(0, end, 4)) marks.push(svg("text", { x: x(s), y: H - BOTTOM + 15, "text-anchor": s === 0 ? "start" : x(s) > W - 30 ? "end" : "middle" }, String(s)));
    marks.push(svg("text", { x: (LEFT + W - RIGHT) / 2, y: H - 5, "text-anchor": "middle", "font-style": "italic" }, "step"));
    axes.replaceChildren(...marks);
    lines.forEach((line, k) => {
      let d = "";
      for (const row of rows) {
        const v = row[line.key];
        if (Number.isFinite(v) && (!log || v > 0)) d += `${d ? "L" : "M"}${x(row.step).toFixed(1)} ${y(v).toFixed(1)}`;
      }
      drawn[k].setAttribute("d", d.includes("L") ? d : d && `${d}h2`);
    });
  };
}

export function last(rows, key) {
  for (let k = rows.length - 1; k >= 0; k--) if (Number.isFinite(rows[k][key])) return rows[k][key];
  return null;
}
