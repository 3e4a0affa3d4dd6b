// Before anything is painted: the theme of ?theme=, or the reader's, or the system's.
(() => {
  const asked = new URLSearchParams(location.search).get("theme");
  let theme = asked;
  try { theme = theme || localStorage.getItem("corollary-theme"); } catch { /* storage may be off */ }
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
})();
