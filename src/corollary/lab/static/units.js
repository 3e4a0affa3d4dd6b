// What each hidden unit sees: small pictures of the plane, a row a layer.
import { svg } from "./chart.js";
import { fill, palette } from "./field.js";
import { make } from "./page.js";

const GAP = 4, SIZE = 32, ACROSS = 8;

export class Units {
  constructor(place) {
    this.place = place;
    this.frame = null;
    this.rows = [];
  }

  show(frame) {
    this.frame = frame;
    const same = this.rows.length === frame.layers.length && this.rows.every((row, k) => row.units === frame.layers[k].units);
    if (!same) this.build(frame.layers);
    this.draw();
  }

  build(layers) {
    this.rows = layers.map(({ units, shown }) => ({ units, tiles: Array.from({ length: shown }, () => make("canvas")) }));
    this.place.replaceChildren(...this.rows.map(({ units, tiles }, k) => {
      const said = `Layer ${k + 1}: ${units === 1 ? "1 unit" : `${units} units`}${units > tiles.length ? `, the first ${tiles.length}` : ""}`;
      const pictures = make("div", { className: "tiles", role: "img", "aria-label": `What the units of layer ${k + 1} see` }, ...tiles);
      return make("div", { className: "layer" }, make("p", {}, said), pictures);
    }));
  }

  draw() {
    if (!this.frame) return;
    const colours = palette(), side = this.frame.tile;
    this.frame.layers.forEach(({ grid }, k) => {
      const bytes = atob(grid);
      this.rows[k].tiles.forEach((tile, unit) => fill(tile, bytes, unit * side * side, side, colours));
    });
  }

  /** The same as SVG, to be saved. */
  picture() {
    const step = SIZE + GAP, images = [];
    let top = 0;
    for (const { tiles } of this.rows) {
      tiles.forEach((tile, k) => images.push(svg("image", {
        href: tile.toDataURL(), x: (k % ACROSS) * step, y: top + Math.floor(k / ACROSS) * step, width: SIZE, height: SIZE,
      })));
      top += Math.ceil(tiles.length / ACROSS) * step + GAP;
    }
    return svg("svg", { viewBox: `0 0 ${ACROSS * step - GAP} ${Math.max(SIZE, top - 2 * GAP)}` }, ...images);
  }
}
