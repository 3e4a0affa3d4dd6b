// One weight, changed by hand: which it is, and its value; the network follows while one moves it.
import { $, make, numeral } from "./page.js";

const REST = 1200; // milliseconds for which what one types is left alone while training goes on

export class WeightEditor {
  /** ``set(layer, unit, source, value)`` is called with each new value and gives a promise. */
  constructor(network, set) {
    Object.assign(this, { network, set });
    this.into = $("weight-into");
    this.from = $("weight-from");
    this.field = $("weight-value");
    this.slider = $("weight-slider");
    this.touched = 0;
    this.sending = false;
    this.next = null;
    this.into.addEventListener("change", () => { this.sources(); this.turn(); });
    this.from.addEventListener("change", () => this.turn());
    this.field.addEventListener("input", () => this.moved(this.field));
    this.slider.addEventListener("input", () => this.moved(this.slider));
    $("weight").addEventListener("submit", (event) => event.preventDefault());
  }

  /** The names of what stands in a column. */
  names(column) {
    const { layers } = this.network.frame;
    if (column === 0) return this.network.inputs.names;
    if (column === layers.length) return ["the output"];
    return Array.from({ length: layers[column - 1].shown }, (_, unit) => `layer ${column}, unit ${unit + 1}`);
  }

  /** The network is another: offer its weights. */
  renew() {
    const { layers } = this.network.frame;
    const groups = layers.map(({ shown }, layer) => this.names(layer + 1).slice(0, shown).map((name, unit) => make("option", { value: `${layer} ${unit}` }, name)));
    this.into.replaceChildren(...groups.flat());
    this.sources();
    this.turn();
  }

  sources() {
    const [layer] = this.place();
    const names = this.names(layer).map((name, source) => make("option", { value: String(source) }, name));
    this.from.replaceChildren(...names, make("option", { value: "" }, "1 (the bias)"));
  }

  place() {
    const [layer, unit] = this.into.value.split(" ").map(Number);
    return [layer, unit, this.from.value === "" ? null : Number(this.from.value)];
  }

  /** Pick a weight. */
  pick(layer, unit, source) {
    this.into.value = `${layer} ${unit}`;
    this.sources();
    this.from.value = source === null ? "" : String(source);
    this.turn();
    this.field.focus({ preventScroll: true });
    this.field.select();
  }

  turn() {
    this.touched = 0;
    this.network.pick(this.place());
    this.follow(true);
  }

  /** Show the value of now, unless a hand is on it. */
  follow(turned = false) {
    const held = performance.now() - this.touched < REST;
    if (!turned && (held || this.sending || this.next)) return;
    const value = this.network.value(...this.place());
    if (Number(this.field.value) !== value || this.field.value === "") this.field.value = value;
    this.slider.value = value;
    this.slider.setAttribute("aria-valuetext", numeral(value));
  }

  moved(source) {
    const value = source.value.trim() === "" ? NaN : Number(source.value);
    this.touched = performance.now();
    if (!Number.isFinite(value)) return;
    const other = source === this.field ? this.slider : this.field;
    other.value = value;
    this.slider.setAttribute("aria-valuetext", numeral(value));
    this.next = [...this.place(), value];
    if (!this.sending) this.send();
  }

  /** One at a time; of what comes meanwhile only the last is sent. */
  async send() {
    this.sending = true;
    while (this.next) {
      const now = this.next;
      this.next = null;
      await this.set(...now);
    }
    this.sending = false;
  }
}
