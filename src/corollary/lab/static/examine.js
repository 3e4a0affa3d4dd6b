// An examination: its answers as they come.
import { $, all, ask, download, get, make, rendered, sentence, tell } from "./page.js";
import { listen } from "./stream.js";

const form = $("exam");
let session = "", hush = () => {};

const asked = () => Object.fromEntries(all("input[name], select[name]", form).map((f) => [f.name, f.value.trim()]));
const wrong = (message) => { $("wrong").textContent = message ? sentence(message) : ""; };

function busy(yes) {
  const [from, to] = yes ? [$("go"), $("stop")] : [$("stop"), $("go")];
  const moves = document.activeElement === from; // a button that is off cannot keep the focus
  from.disabled = true;
  to.disabled = false;
  if (moves) to.focus();
  $("report").setAttribute("aria-busy", yes);
  if (yes) $("progress").hidden = false;
}

async function begin(event) {
  event.preventDefault();
  command();
  hush();
  wrong("");
  busy(true);
  session = "";
  for (const id of ["answers", "advice", "details"]) $(id).replaceChildren();
  $("headline").hidden = $("files").hidden = true;
  $("progress").removeAttribute("value");
  $("doing").textContent = "starting a process";
  try {
    ({ session } = await ask("/api/examine", asked()));
    join();
  } catch (error) { over(error.message); }
}

function join() {
  sessionStorage.setItem("corollary-exam", session);
  sessionStorage.setItem("corollary-exam-asked", JSON.stringify(asked()));
  hush = listen(session, heard, (why) => { $("doing").textContent = why; },
    () => { sessionStorage.removeItem("corollary-exam"); busy(false); $("progress").hidden = true; $("doing").textContent = ""; });
}

function heard(news) {
  if (news.progress) {
    busy(true);
    $("progress").max = news.progress.total;
    $("progress").value = news.progress.done;
    $("doing").textContent = `${news.progress.done} of ${news.progress.total}: ${news.progress.title}`;
  }
  if (news.page) show(news.page);
  if (news.file) $("files").hidden = false;
  if (news.over) over(news.over.error);
}

function over(message) {
  busy(false);
  if (message) { wrong(message); $("progress").hidden = true; $("doing").textContent = ""; }
  else { $("doing").textContent = "done"; tell($("headline").textContent); }
}

const shown = new Map(); // what stands on the page, so that only what is new is laid anew

function show(page) {
  $("headline").hidden = false;
  $("beforehand").hidden = true;
  $("headline").textContent = page.headline;
  $("answers").replaceChildren(...page.answers.map((a) => make("li", {},
    make("b", {}, make("a", { href: `#${a.name}` }, a.question)), make("span", { className: `sev ${a.severity}` }, a.verdict))));
  $("advice").replaceChildren(...(page.advice.length ? [make("h3", {}, "What to do first"), make("ol", { className: "advice" },
    ...page.advice.map(([todo, what, number]) => make("li", {}, `${todo} `, make("small", {}, number ? `${what}: ${number}` : what))))] : []));
  const place = $("details");
  const sections = page.answers.map((a) => {
    const key = a.html + a.verdict, old = shown.get(a.name);
    if (old && old.key === key && old.section.isConnected) return old.section;
    const section = make("section", { className: "question", id: a.name },
      make("h2", {}, `${a.question} `, make("span", { className: `sev ${a.severity}` }, a.verdict)), rendered(a.html));
    // What a finding rests on is a claim that can be opened.
    all("span[title^='corollary show ']", section).forEach((span) => span.replaceWith(
      make("a", { href: `/claim/${span.title.split(" ")[2]}` }, span.textContent)));
    saving.dress(section, `examination-${a.name}`);
    shown.set(a.name, { key, section });
    return section;
  });
  place.replaceChildren(...sections);
}

const quoted = (text) => /^[\w.,:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
function command() {
  const a = asked(), words = ["corollary examine", ["", "demo"].includes(a.target) ? "--demo" : quoted(a.target)];
  for (const name of ["data", "loss", "lr", "batch_size", "budget", "only"]) if (a[name]) words.push(`--${name.replace("_", "-")} ${quoted(a[name])}`);
  $("shell").textContent = words.join(" ");
  const kept = Object.entries(a).filter(([name, value]) => value && value !== form.elements[name].defaultValue);
  const query = new URLSearchParams(kept).toString();
  if (query) history.replaceState(null, "", `${location.pathname}?${query}`);
}

form.addEventListener("submit", begin);
form.addEventListener("input", command);
async function stop() {
  if ($("stop").disabled || !session) return;
  try { await ask(`/api/sessions/${session}`, { do: "stop" }); } catch (error) { wrong(error.message); }
}
$("stop").addEventListener("click", stop);
// One that comes back to this page finds the examination again, and what was asked; an address that asks
// for something else begins with an empty page.
const before = sessionStorage.getItem("corollary-exam-asked");
if (before && !location.search) {
  for (const [name, text] of Object.entries(JSON.parse(before))) if (form.elements[name]) form.elements[name].value = text;
}
command();
session = sessionStorage.getItem("corollary-exam") || "";
if (session && before === JSON.stringify(asked())) join();
get("/api/folder").then(({ folder, targets, data }) => {
  $("folder").textContent = folder;
  const options = (names) => names.map((value) => make("option", { value }));
  $("targets").append(...options(targets));
  $("datas").append(...options(data));
}).catch((error) => wrong(error.message));
for (const kind of ["html", "json"]) {
  $(`save-${kind}`).addEventListener("click", () => download(`/api/sessions/${session}/examination.${kind}`, `examination.${kind}`)
    .catch((error) => wrong(error.message)));
}
