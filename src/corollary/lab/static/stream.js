// What a session says. A page that is loaded again, or whose connection broke, sees the present state.
import { withKey } from "./key.js";

const RETRY = 1000; // milliseconds

/** Listen to ``session``; ``gone`` is called if there is no such session (any more). */
export function listen(session, heard, cut, gone) {
  const stop = new AbortController();
  async function open() {
    let why = "the connection to the lab was lost";
    try {
      // Not an EventSource: that cannot send the key.
      const answer = await fetch(`/api/sessions/${session}/events`, { headers: withKey(), signal: stop.signal });
      if ([401, 404].includes(answer.status)) { gone(); return; }
      if (!answer.ok) why = (await answer.json()).error;
      else for await (const news of events(answer.body)) { heard(news); if (news.over) return; }
    } catch (error) { if (stop.signal.aborted) return; }
    cut(`${why}; trying to connect again`);
    setTimeout(open, RETRY);
  }
  open();
  return () => stop.abort();
}

/** The data of server-sent events. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
