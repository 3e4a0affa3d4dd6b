// What a session says. A page that is loaded again, or whose line was cut, sees the present state.

/** Listen to ``session``; ``gone`` is called if there is no such session (any more). */
export function listen(session, heard, cut, gone) {
  let over = false, source = null;
  function open() {
    source = new EventSource(`/api/sessions/${session}/events`);
    source.onmessage = (event) => {
      const news = JSON.parse(event.data);
      if (news.over) { over = true; source.close(); }
      heard(news);
    };
    source.onerror = () => {
      if (over) return;
      cut();
      // A browser that leaves the page cuts the line, too; then this never comes to pass.
      if (source.readyState === EventSource.CLOSED) setTimeout(look, 500);
    };
  }
  async function look() {
    if (over) return;
    try {
      const answer = await fetch(`/api/sessions/${session}`);
      if (answer.ok) open(); else gone();
    } catch { setTimeout(look, 2000); }
  }
  open();
  return () => { over = true; source.close(); };
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
