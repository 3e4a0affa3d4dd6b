// The plane: what the network decides, its linear regions, and the points.
import { svg } from "./chart.js";

const parts = (colour) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  const hex = probe.fillStyle;
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
};

export class Plane {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.field = document.createElement("canvas");
    this.points = null;
    this.polygons = null;
    this.showRegions = true;
    this.showTest = false;
    this.recolour();
  }

  recolour() {
    const style = getComputedStyle(document.documentElement);
    const take = (name) => style.getPropertyValue(name).trim();
    this.plus = take("--measured");
    this.minus = take("--predicted");
    this.paper = take("--paper");
    this.ink = take("--ink");
    if (this.frame) this.grid(this.frame);
    this.draw();
  }

  /** One byte a cell, row 0 at the bottom; 128 is undecided. */
  grid(frame) {
    this.frame = frame;
    const bytes = atob(frame.grid), side = frame.side;
    const [plus, minus, paper] = [this.plus, this.minus, this.paper].map(parts);
    this.field.width = this.field.height = side;
    const image = this.field.getContext("2d").createImageData(side, side);
    for (let row = 0; row < side; row++) {
      for (let column = 0; column < side; column++) {
        const value = (bytes.charCodeAt((side - 1 - row) * side + column) - 128) / 127;
        const strong = value > 0 ? plus : minus, weight = 0.12 + 0.58 * Math.abs(value), at = 4 * (row * side + column);
        for (let c = 0; c < 3; c++) image.data[at + c] = paper[c] + weight * (strong[c] - paper[c]);
        image.data[at + 3] = 255;
      }
    }
    this.field.getContext("2d").putImageData(image, 0, 0);
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
      pen.strokeStyle = this.ink;
      pen.globalAlpha = this.polygons.length > 800 ? 0.22 : 0.4;
      pen.lineWidth = 0.8;
      pen.stroke();
      pen.globalAlpha = 1;
    }
    if (this.showTest) this.dots(this.points.test, this.points.test_labels, 2.6, at, up);
    this.dots(this.points.train, this.points.train_labels, 4, at, up);
  }

  // The classes differ in shape, too: discs and squares.
  dots(points, labels, radius, at, up) {
    const pen = this.context;
    points.forEach(([x, y], k) => {
      pen.beginPath();
      if (labels[k] > 0) pen.arc(at(x), up(y), radius, 0, 7);
      else pen.rect(at(x) - radius * 0.9, up(y) - radius * 0.9, 1.8 * radius, 1.8 * radius);
      pen.fillStyle = labels[k] > 0 ? this.plus : this.minus;
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
      const dot = (radius, labels) => ([x, y], k) => labels[k] > 0
        ? svg("circle", { cx: at(x), cy: up(y), r: radius, fill: this.plus, stroke: this.paper })
        : svg("rect", { x: at(x) - 0.9 * radius, y: up(y) - 0.9 * radius, width: 1.8 * radius, height: 1.8 * radius, fill: this.minus, stroke: this.paper });
      if (this.showTest) parts.push(...this.points.test.map(dot(2.6, this.points.test_labels)));
      parts.push(...this.points.train.map(dot(4, this.points.train_labels)));
    }
    return svg("svg", { viewBox: `0 0 ${size} ${size}` }, ...parts);
  }
}
