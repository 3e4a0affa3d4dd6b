// Figures as files, made by the browser alone: SVG and PNG, with the colours that are on the screen.
const saving = (() => {
  "use strict";
  const NS = "http://www.w3.org/2000/svg";
  const SCALE = 3, MOST = 8192; // pixels of a PNG for one of the drawing; pixels per side

  /** A copy that stands alone: colours in place of variables, and the page's paper behind it. */
  const text = (svg) => {
    const style = getComputedStyle(document.documentElement);
    const { width, height } = svg.viewBox.baseVal;
    const copy = svg.cloneNode(true), paper = document.createElementNS(NS, "rect");
    for (const name of ["style", "class", "aria-label"]) copy.removeAttribute(name);
    const given = { width, height, color: style.color };
    for (const [name, value] of Object.entries(given)) copy.setAttribute(name, value);
    for (const [name, value] of Object.entries({ width, height, fill: style.backgroundColor })) paper.setAttribute(name, value);
    copy.prepend(paper);
    return new XMLSerializer().serializeToString(copy)
      .replace(/var\((--[\w-]+)(?:,([^)]*))?\)/g, (_, key, other) => style.getPropertyValue(key).trim() || other || "gray");
  };

  const svg = async (drawn) => new Blob([text(drawn)], { type: "image/svg+xml" });

  const png = async (drawn) => {
    const { width, height } = drawn.viewBox.baseVal, scale = Math.min(SCALE, MOST / Math.max(width, height));
    const picture = new Image(), canvas = document.createElement("canvas");
    await new Promise((done, fail) => {
      picture.onload = done;
      picture.onerror = () => fail(new Error("the browser cannot draw the figure"));
      picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text(drawn))}`;
    });
    canvas.width = Math.round(scale * width);
    canvas.height = Math.round(scale * height);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done, fail) => canvas.toBlob((blob) => blob ? done(blob) : fail(new Error("the figure is too large")), "image/png"));
  };

  const download = (name, blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const slug = (words) => words.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);

  /** Two buttons for a figure: ``drawn()`` gives its SVG, ``name`` the file's name without an ending. */
  const buttons = (title, name, drawn) => {
    const row = document.createElement("div");
    row.className = "saves";
    for (const [kind, make] of Object.entries({ SVG: svg, PNG: png })) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `Save ${kind}`;
      button.setAttribute("aria-label", `Save ${kind} of the figure “${title}”`);
      button.addEventListener("click", async () => {
        try { download(`${name}.${kind.toLowerCase()}`, await make(drawn())); }
        catch { button.textContent = "Saving failed"; setTimeout(() => { button.textContent = `Save ${kind}`; }, 3000); }
      });
      row.append(button);
    }
    return row;
  };

  /** The same under every figure of ``part``; files are called ``name``, and by their titles. */
  const dress = (part, name) => part.querySelectorAll("figure > svg").forEach((drawn) => {
    const title = drawn.querySelector("title").textContent;
    const owner = name || (drawn.closest("[id]") || {}).id || "figure";
    drawn.after(buttons(title, `${owner}-${slug(title)}`.replace(/-$/, ""), () => drawn));
  });

  return { buttons, download, dress };
})();
