// A training run, followed while it goes on.
import { $, all, ask, get, make, rendered, sentence, tell } from "./page.js";
import { listen } from "./stream.js";

const form = $("watch");
let session = "", hush = () => {};

const wrong = (message) => { $("wrong").textContent = message ? sentence(message) : ""; };

function busy(yes) {
  $("go").disabled = yes;
  $("stop").disabled = !yes;
  $("run").setAttribute("aria-busy", yes);
}

async function begin(event) {
  event?.preventDefault();
  hush();
  wrong("");
  busy(true);
  $("doing").textContent = "opening the record";
  const file = $("file").value.trim();
  history.replaceState(null, "", `${location.pathname}?${new URLSearchParams({ file })}`);
  try {
    ({ session } = await ask("/api/watch", { file }));
    hush = listen(session, heard, (why) => { $("doing").textContent = why; }, () => over(""));
  } catch (error) { over(error.message); }
}

function heard(news) {
  if (news.page) show(news.page);
  if (news.over) over(news.over.error);
}

function show(page) {
  $("run").hidden = false;
  if ($("headline").textContent !== page.headline) tell(page.headline);
  $("headline").textContent = page.headline;
  $("doing").textContent = page.ended ? "the run has ended" : `following the run, now at step ${page.step.toLocaleString("en")}`;
  const opened = all("details[open]", $("found")).length > 0;
  $("found").replaceChildren(rendered(page.html));
  // What an event rests on is a claim that can be opened.
  all("span[title^='corollary show ']", $("found")).forEach((span) => span.replaceWith(
    make("a", { href: `/claim/${span.title.split(" ")[2]}` }, span.textContent)));
  if (opened) all("details", $("found")).forEach((d) => { d.open = true; });
  saving.dress($("found"), "run");
}

function over(message) {
  busy(false);
  if (message) { wrong(message); $("doing").textContent = ""; }
}

form.addEventListener("submit", begin);
$("stop").addEventListener("click", async () => {
  hush();
  try { await ask(`/api/sessions/${session}`, { do: "stop" }); } catch (error) { wrong(error.message); }
  busy(false);
  $("doing").textContent = "stopped";
});
get("/api/folder").then(({ folder, records }) => {
  $("folder").textContent = folder;
  $("records").append(...records.map((value) => make("option", { value })));
  if (new URLSearchParams(location.search).has("file")) begin();
}).catch((error) => wrong(error.message));
