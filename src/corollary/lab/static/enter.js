// The printed address: trade its token, which works once, for a cookie and a key.
import { $, ask, get, sentence } from "./page.js";
import { keepKey } from "./key.js";

const token = new URLSearchParams(location.search).get("token");
history.replaceState(null, "", "/"); // the token is not left in the address

async function enter() {
  keepKey((await ask("/api/enter", { token })).key);
}

/** Whether this browser was let in before: one may open the printed address again. */
const known = () => get("/api/verdicts").then(() => true, () => false);

try { await enter(); location.replace("/"); }
catch (error) {
  if (await known()) location.replace("/");
  else $("entering").textContent = sentence(error.message);
}
