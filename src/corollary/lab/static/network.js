// The network as it is: what each unit sees over the plane, and every weight as a line that can be picked.
import { svg } from "./chart.js";
import { fill, palette } from "./field.js";
import { make } from "./page.js";

const LEAST = 320, MOST = 460, LEFT = 46, RIGHT = 4, TILE = 34, GAP = 7, HEAD = 22;

/** How a weight is drawn: wider and stronger with its size, in the colour of its sign. */
const width = (value) => value === 0 ? 0.4 : 0.6 + 5.4 * Math.tanh(Math.abs(value) / 2);
const strength = (value) => value === 0 ? 0.25 : 0.3 + 0.6 * Math.tanh(Math.abs(value));
const sign = (value) => value > 0 ? "plus" : value < 0 ? "minus" : "zero";

export class Network {
  /** ``place`` holds the drawing; ``picked(layer, unit, source)`` and ``over(column, unit)`` are told of the pointer. */
  constructor(place, { picked, over }) {
    Object.assign(this, { place, picked, over });
    this.shape = "";
    this.columns = [];
    this.lines = [];
    this.at = null; // the weight that is picked: [layer, unit, source]
    new ResizeObserver(() => { if (this.frame && this.available() !== this.width) { this.build(); this.draw(); } }).observe(place);
    place.addEventListener("click", ({ target }) => {
      const line = target.closest("[data-at]"), tile = target.closest("[data-unit]");
      if (line) this.picked(...line.dataset.at.split(" ").map(Number));
      else if (tile && tile.dataset.column !== "0") this.picked(Number(tile.dataset.column) - 1, Number(tile.dataset.unit), null);
    });
    place.addEventListener("pointerover", ({ target }) => {
      const tile = target.closest("[data-unit]");
      this.over(...(tile ? [Number(tile.dataset.column), Number(tile.dataset.unit)] : []));
    });
    place.addEventListener("pointerleave", () => this.over());
  }

  /** Draw ``frame``; ``inputs`` are {names, grid}. Gives whether the network is another than before. */
  show(frame, inputs) {
    Object.assign(this, { frame, inputs });
    const shape = JSON.stringify([inputs.names, frame.layers.map(({ units }) => units)]);
    const anew = shape !== this.shape;
    this.shape = shape;
    if (anew) this.build();
    this.draw();
    return anew;
  }

  /** Units of length from side to side: as many as pixels, where there are neither few nor many. */
  available() { return Math.max(LEAST, Math.min(MOST, Math.round(this.place.clientWidth) || MOST)); }

  /** All columns: the inputs, each layer of hidden units, the output. */
  build() {
    const { layers } = this.frame, { names } = this.inputs;
    const counts = [names.length, ...layers.map(({ shown }) => shown)], rows = Math.max(3, ...counts);
    const W = this.width = this.available();
    const size = this.size = Math.min(TILE, 0.55 * (W - LEFT - RIGHT) / (counts.length - 0.45)), step = size + GAP;
    this.height = HEAD + rows * step;
    const x = (column) => LEFT + column * (W - LEFT - RIGHT - size) / (counts.length - 1);
    const y = (column, unit) => HEAD + (rows * step) / 2 + (unit - (counts[column] - 1) / 2) * step - size / 2;
    this.columns = counts.map((count, column) => Array.from({ length: count }, (_, unit) => {
      const canvas = make("canvas", { width: 1, height: 1 }), bias = make("i", { className: "bias" });
      const tile = make("div", { className: "tile", "data-column": column, "data-unit": unit }, canvas, column ? bias : "");
      Object.assign(tile.style, { left: `${100 * x(column) / W}%`, top: `${100 * y(column, unit) / this.height}%`, width: `${100 * size / W}%` });
      return { tile, canvas, bias, x: x(column), y: y(column, unit) };
    }));
    this.lines = layers.map(({ weights }, layer) => weights.map((row, unit) => row.map((_, source) => {
      const from = this.columns[layer][source], to = this.columns[layer + 1][unit];
      const [x1, y1, x2, y2] = [from.x + size, from.y + size / 2, to.x, to.y + size / 2], mid = (x1 + x2) / 2;
      const d = `M${x1.toFixed(1)} ${y1.toFixed(1)}C${mid.toFixed(1)} ${y1.toFixed(1)} ${mid.toFixed(1)} ${y2.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;
      return { seen: svg("path", { d, fill: "none" }), felt: svg("path", { d, class: "felt", "data-at": `${layer} ${unit} ${source}` }) };
    })));
    const flat = this.lines.flat(2);
    this.drawing = svg("svg", { viewBox: `0 0 ${W} ${this.height}`, "aria-hidden": "true" },
      this.words(x, y, layers), svg("g", {}, ...flat.map(({ seen }) => seen)), svg("g", {}, ...flat.map(({ felt }) => felt)));
    this.place.style.aspectRatio = `${W} / ${this.height}`;
    this.place.replaceChildren(this.drawing, ...this.columns.flat().map(({ tile }) => tile));
  }

  words(x, y, layers) {
    const wide = x(1) - x(0) > 56;
    const said = ({ units, shown }) => units > shown ? `${shown} of ${units} units` : units === 1 ? "1 unit" : `${units} units`;
    const hidden = layers.slice(0, -1).map((layer, k) => [k + 1, wide ? said(layer) : layer.units > layer.shown ? `${layer.shown}/${layer.units}` : String(layer.units)]);
    const heads = [[0, "inputs"], ...hidden, [layers.length, wide ? "output" : "out"]];
    const at = (column) => column === layers.length ? { x: this.width - RIGHT, "text-anchor": "end" } : { x: x(column) + this.size / 2, "text-anchor": "middle" };
    return svg("g", { "font-size": 11, "font-family": "system-ui, sans-serif", fill: "currentColor" },
      ...heads.map(([column, text]) => svg("text", { ...at(column), y: 11, opacity: 0.75 }, text)),
      ...this.inputs.names.map((name, unit) => svg("text", { x: LEFT - 5, y: y(0, unit) + this.size / 2 + 4, "text-anchor": "end", "font-size": 12 }, name)));
  }

  draw() {
    if (!this.frame) return;
    const colours = palette(), { layers, tile: side } = this.frame;
    const paint = (column, bytes, size) => this.columns[column].forEach(({ canvas }, unit) => fill(canvas, bytes, unit * size * size, size, colours));
    paint(0, atob(this.inputs.grid), side);
    layers.forEach(({ grid, weights, biases }, layer) => {
      if (grid) paint(layer + 1, atob(grid), side);
      weights.forEach((row, unit) => row.forEach((value, source) => this.ink(this.lines[layer][unit][source].seen, value)));
      biases.forEach((value, unit) => {
        const { bias } = this.columns[layer + 1][unit];
        bias.className = `bias ${sign(value)}`;
        bias.style.opacity = strength(value);
      });
    });
    paint(layers.length, atob(this.frame.grid), this.frame.side);
    this.mark();
  }

  ink(line, value) {
    line.setAttribute("class", sign(value));
    line.setAttribute("stroke-width", width(value).toFixed(2));
    line.setAttribute("stroke-opacity", strength(value).toFixed(2));
  }

  /** The weight that is picked, and the unit that it goes into. */
  pick(at) {
    this.at = at;
    this.mark();
  }

  mark() {
    for (const old of this.place.querySelectorAll(".picked")) old.classList.remove("picked");
    if (!this.at) return;
    const [layer, unit, source] = this.at;
    if (!this.lines[layer] || !this.lines[layer][unit]) return;
    this.columns[layer + 1][unit].tile.classList.add("picked");
    if (source !== null) this.lines[layer][unit][source].felt.classList.add("picked");
  }

  /** The value of a weight, as far as it is drawn. */
  value(layer, unit, source) {
    const found = this.frame.layers[layer];
    return source === null ? found.biases[unit] : found.weights[unit][source];
  }

  /** What a unit sees, as the plane takes it: bytes, where they begin, and cells per side. */
  sight(column, unit) {
    const { layers, tile: side } = this.frame;
    if (column > layers.length || !this.columns[column][unit]) return null;
    if (column === layers.length) return { bytes: atob(this.frame.grid), start: 0, side: this.frame.side };
    return { bytes: atob(column ? layers[column - 1].grid : this.inputs.grid), start: unit * side * side, side };
  }

  /** The same as SVG, to be saved. */
  picture() {
    const copy = this.drawing.cloneNode(true), style = getComputedStyle(document.documentElement);
    copy.removeAttribute("aria-hidden");
    for (const felt of copy.querySelectorAll(".felt")) felt.remove();
    for (const [name, colour] of [["plus", "--measured"], ["minus", "--predicted"], ["zero", "--soft"]]) {
      for (const line of copy.querySelectorAll(`path.${name}`)) line.setAttribute("stroke", style.getPropertyValue(colour).trim());
    }
    for (const { canvas, x, y } of this.columns.flat()) copy.append(svg("image", { href: canvas.toDataURL(), x, y, width: this.size, height: this.size, preserveAspectRatio: "none" }));
    return copy;
  }
}
