// A form whose fields set values in Python, and the page that Python makes of them.
function all(selector, root) { return [...root.querySelectorAll(selector)]; }
let count = 0;

function put(place, html) {
  place.innerHTML = html; // made by templates that escape all text
}

/** Ids are those of one form; a notebook may have several. */
function own(form) {
  const mark = `corollary-${count += 1}-`;
  for (const field of all("[id]", form)) field.id = mark + field.id;
  for (const label of all("label[for]", form)) label.htmlFor = mark + label.htmlFor;
}

/** Values that Python has set; fields without one go to their defaults. */
function fill(form, values) {
  toDefaults(form);
  for (const box of all(".control", form)) {
    const field = box.querySelector("[name]"), value = values[box.dataset.name];
    if (value === undefined) continue;
    if (field.type === "checkbox") field.checked = value === "true";
    else field.value = value;
    if (box.follow) box.follow();
  }
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

/** Buttons that train: a step of so many, on and on until it is pressed again, and anew. */
function transport(model, bar) {
  const PACE = 20;
  let running = false;
  const train = (rest) => model.send({ train: PACE, rest });
  const run = button("Train", () => {
    running = !running;
    run.textContent = running ? "Pause" : "Train";
    if (running) train(false); else model.send({ train: 0, rest: true });
  });
  const reset = button("Reset", () => {
    if (running) run.click();
    model.send({ reset: true });
  });
  bar.append(run, button(`${PACE} steps`, () => train(true)), reset);
  const next = () => setTimeout(() => { if (running) train(false); }, 40);
  model.on("change:page", next);
  return () => { running = false; model.off("change:page", next); };
}

function render({ model, el }) {
  const frame = document.createElement("div");
  frame.className = model.get("trains") ? "corollary-widget trains" : "corollary-widget";
  const form = document.createElement("form"), out = document.createElement("div");
  const bar = document.createElement("p"), told = document.createElement("p"), page = document.createElement("div");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.autocomplete = "off";
  put(form, model.get("form"));
  own(form);
  told.className = "told";
  told.setAttribute("role", "alert");
  page.className = "corollary-result";
  out.append(bar, told, page);
  frame.append(form, out);
  el.append(frame);

  // The kernel answers one after the other: while it works, only the latest values wait.
  let waiting = false, newer = false;
  const same = () => JSON.stringify(differing(form)) === JSON.stringify(model.get("values"));
  const send = () => {
    const odd = unreadable(form);
    if (odd) { told.textContent = `${odd} is not a number`; return; }
    newer = waiting;
    if (waiting || same()) return;
    waiting = true;
    page.setAttribute("aria-busy", "true");
    model.set("values", differing(form));
    model.save_changes();
  };
  const show = () => put(page, model.get("page"));
  const warn = () => { told.textContent = model.get("told"); };
  const answered = () => {
    waiting = false;
    page.removeAttribute("aria-busy");
    if (newer) send();
  };
  const follow = () => { if (!waiting && !same()) fill(form, model.get("values")); };
  const events = { page: show, told: warn, answered, values: follow };
  for (const [name, act] of Object.entries(events)) model.on(`change:${name}`, act);
  wire(form, () => { if (model.get("moving")) send(); });
  let stop = () => {};
  if (model.get("trains")) stop = transport(model, bar);
  else if (!model.get("moving")) bar.append(button("Run", send));
  follow();
  show();
  warn();
  return () => {
    stop();
    for (const [name, act] of Object.entries(events)) model.off(`change:${name}`, act);
  };
}

export default { render };
