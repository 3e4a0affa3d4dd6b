// The plane: what the network decides, its linear regions, and the points.
import { svg } from "./chart.js";
import { fill, mixed, palette } from "./field.js";

export class Plane {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.field = document.createElement("canvas");
    this.points = null;
    this.polygons = null;
    this.showRegions = true;
    this.showTest = false;
    this.discrete = false; // only the sign of the output
    this.sight = null; // what a unit sees, in place of the output
    this.borders = null;
    this.recolour();
  }

  recolour() {
    const style = getComputedStyle(document.documentElement);
    const take = (name) => style.getPropertyValue(name).trim();
    this.colours = palette();
    this.paper = take("--paper");
    this.ink = take("--ink");
    if (this.frame) this.grid(this.frame);
    this.draw();
  }

  /** One byte per cell, row 0 at the bottom; 128 is zero. */
  grid(frame) {
    this.frame = frame;
    const { bytes, start, side } = this.sight || { bytes: atob(frame.grid), start: 0, side: frame.side };
    const least = this.sight || (this.points && this.points.regression) ? 0 : 0.12;
    fill(this.field, bytes, start, side, this.colours, least, this.discrete);
  }

  /** The colour of a label, -1 or 1, or of a height in between. */
  shade(label) {
    return `rgb(${mixed(this.colours, label, 0.2 + 0.8 * Math.min(1, Math.abs(label))).join(", ")})`;
  }

  draw() {
    const { context: pen, canvas } = this, size = canvas.width;
    pen.fillStyle = this.paper;
    pen.fillRect(0, 0, size, size);
    if (this.frame) {
      pen.imageSmoothingEnabled = true;
      pen.drawImage(this.field, 0, 0, size, size);
    }
    if (!this.points) return;
    const reach = this.points.reach, at = (v) => size * (v + reach) / (2 * reach), up = (v) => size - at(v);
    if (this.showRegions && this.polygons) {
      pen.beginPath();
      for (const corners of this.polygons) {
        for (let k = 0; k < corners.length; k += 2) pen[k ? "lineTo" : "moveTo"](at(corners[k]), up(corners[k + 1]));
        pen.closePath();
      }
      this.rule(this.polygons.length > 800);
    }
    if (this.showRegions && this.borders) {
      const ends = this.borders;
      pen.beginPath();
      for (let k = 0; k < ends.length; k += 4) { pen.moveTo(at(ends[k]), up(ends[k + 1])); pen.lineTo(at(ends[k + 2]), up(ends[k + 3])); }
      this.rule(ends.length > 16000);
    }
    if (this.showTest) this.dots(this.points.test, this.points.test_labels, 2.6, at, up);
    this.dots(this.points.train, this.points.train_labels, 4, at, up);
  }

  /** Draw the path as a thin line; fainter where there are many. */
  rule(many) {
    const pen = this.context;
    pen.strokeStyle = this.ink;
    pen.globalAlpha = many ? 0.22 : 0.4;
    pen.lineWidth = 0.8;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  // The signs differ in shape, too: discs and squares.
  dots(points, labels, radius, at, up) {
    const pen = this.context;
    points.forEach(([x, y], k) => {
      pen.beginPath();
      if (labels[k] > 0) pen.arc(at(x), up(y), radius, 0, 7);
      else pen.rect(at(x) - radius * 0.9, up(y) - radius * 0.9, 1.8 * radius, 1.8 * radius);
      pen.fillStyle = this.shade(labels[k]);
      pen.fill();
      pen.strokeStyle = this.paper;
      pen.lineWidth = 1;
      pen.stroke();
    });
  }

  /** The same as SVG, to be saved. */
  picture() {
    const size = this.canvas.width, parts = [];
    if (this.frame) parts.push(svg("image", { href: this.field.toDataURL(), width: size, height: size, preserveAspectRatio: "none" }));
    if (this.points) {
      const reach = this.points.reach, at = (v) => (size * (v + reach) / (2 * reach)).toFixed(1), up = (v) => (size - at(v)).toFixed(1);
      if (this.showRegions && this.polygons) {
        const corners = (p) => p.map((v, k) => k % 2 ? up(v) : `${k ? "L" : "M"}${at(v)} `).join("");
        parts.push(svg("path", { d: this.polygons.map((p) => `${corners(p)}Z`).join(""), fill: "none", stroke: this.ink, "stroke-width": 0.8, "stroke-opacity": 0.4 }));
      }
      if (this.showRegions && this.borders) {
        const ends = (k) => `M${at(this.borders[k])} ${up(this.borders[k + 1])}L${at(this.borders[k + 2])} ${up(this.borders[k + 3])}`;
        const d = Array.from({ length: this.borders.length / 4 }, (_, k) => ends(4 * k)).join("");
        parts.push(svg("path", { d, fill: "none", stroke: this.ink, "stroke-width": 0.8, "stroke-opacity": 0.4 }));
      }
      const dot = (radius, labels) => ([x, y], k) => labels[k] > 0
        ? svg("circle", { cx: at(x), cy: up(y), r: radius, fill: this.shade(labels[k]), stroke: this.paper })
        : svg("rect", { x: at(x) - 0.9 * radius, y: up(y) - 0.9 * radius, width: 1.8 * radius, height: 1.8 * radius, fill: this.shade(labels[k]), stroke: this.paper });
      if (this.showTest) parts.push(...this.points.test.map(dot(2.6, this.points.test_labels)));
      parts.push(...this.points.train.map(dot(4, this.points.train_labels)));
    }
    return svg("svg", { viewBox: `0 0 ${size} ${size}` }, ...parts);
  }
}
