// A story: prose whose sentences follow the live figure, and buttons in it that move the sliders.
import { $, all, tell } from "./page.js";
import { start } from "./live.js";

const CALM = ["holds", "inconclusive"]; // a story draws too little to decide everything; its claims decide

start({ done: ({ says, view }) => {
  all("[data-says]").forEach((line) => { line.textContent = says[Number(line.dataset.says)] || ""; });
  $("verdict").hidden = CALM.includes(view.verdict);
} });

/** Put the fields where a button says; the figure follows. */
function move(options) {
  for (const [name, value] of Object.entries(options)) {
    const field = $(`o-${name}`);
    field.value = value;
    field.dispatchEvent(new Event("input"));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-try]");
  if (!button) return;
  move(JSON.parse(button.dataset.try));
  tell(`Set to ${button.textContent}`);
});
$("restart").addEventListener("click", () => move(JSON.parse($("restart").dataset.start)));
