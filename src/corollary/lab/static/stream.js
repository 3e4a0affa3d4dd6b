// What a session says. A page that is loaded again, or whose line was cut, sees the present state.

/** Listen to ``session``; ``gone`` is called if there is no such session (any more). */
export function listen(session, heard, cut, gone) {
  const source = new EventSource(`/api/sessions/${session}/events`);
  let over = false;
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    if (news.over) { over = true; source.close(); }
    heard(news);
  };
  source.onerror = () => {
    if (over) return;
    if (source.readyState === EventSource.CLOSED) gone();
    else cut();
  };
  return () => source.close();
}
