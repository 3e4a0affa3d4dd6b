// Draws every formula of the page with the local KaTeX; without it the TeX stays as it is.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof katex === "undefined") return;
  for (const element of document.querySelectorAll(".tex")) {
    const displayMode = element.tagName === "DIV";
    const source = element.textContent;
    try {
      katex.render(source, element, { displayMode, throwOnError: true, trust: false });
      element.classList.add("drawn");
    } catch (error) {
      element.textContent = source;
      element.classList.add("undrawn");
      element.title = String(error.message || error);
    }
  }
});
