// Bytes as colours: 128 is zero, what is above leans to one colour, what is below to the other.

export const parts = (colour) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  const hex = probe.fillStyle;
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
};

/** The colours of the theme, as numbers. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const take = (name) => parts(style.getPropertyValue(name).trim());
  return { plus: take("--measured"), minus: take("--predicted"), paper: take("--paper") };
}

/** Between paper (``weight`` 0) and the colour of the sign of ``value`` (``weight`` 1). */
export function mixed({ plus, minus, paper }, value, weight) {
  const strong = value > 0 ? plus : minus;
  return paper.map((p, c) => Math.round(p + weight * (strong[c] - p)));
}

/** Fill ``canvas`` with ``side`` by ``side`` cells of ``bytes`` from ``start`` on; row 0 is at the bottom.
    With a ``least`` weight the sign is seen even where the value is next to nothing; ``discrete`` shows
    nothing but the sign. */
export function fill(canvas, bytes, start, side, colours, least = 0, discrete = false) {
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d"), image = pen.createImageData(side, side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const exact = (bytes.charCodeAt(start + (side - 1 - row) * side + column) - 128) / 127;
      const value = discrete ? Math.sign(exact) : exact;
      image.data.set([...mixed(colours, value, least + (0.7 - least) * Math.abs(value)), 255], 4 * (row * side + column));
    }
  }
  pen.putImageData(image, 0, 0);
}
