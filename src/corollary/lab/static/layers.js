// Buttons that add and remove hidden layers, and units of the last one.
import { $, tell } from "./page.js";

const MOST = 6, WIDEST = 64;

export function layers(field) {
  const widths = () => field.value.split(",").map(Number).filter((width) => width > 0);
  const set = (now) => {
    field.value = now.length ? now.join(",") : "0";
    field.dispatchEvent(new Event("input"));
    follow();
    tell(now.length ? `Hidden layers: ${now.join(", ")}` : "No hidden layer");
  };
  const follow = () => {
    const now = widths(), last = now[now.length - 1] || 0;
    $("fewer").disabled = !now.length;
    $("more").disabled = now.length >= MOST;
    $("narrower").disabled = last <= 1;
    $("wider").disabled = !now.length || last >= WIDEST;
  };
  const change = (by) => { const now = widths(); now[now.length - 1] += by; set(now); };
  $("fewer").addEventListener("click", () => set(widths().slice(0, -1)));
  $("more").addEventListener("click", () => { const now = widths(); set([...now, now[now.length - 1] || 8]); });
  $("narrower").addEventListener("click", () => change(-1));
  $("wider").addEventListener("click", () => change(1));
  field.addEventListener("input", follow);
  follow();
}
