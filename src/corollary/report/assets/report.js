(() => {
  "use strict";
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (text, title, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (title) button.setAttribute("aria-label", title);
    button.addEventListener("click", act);
    return button;
  };

  // Theme: the system's, unless ?theme= or the reader says otherwise.
  const asked = new URLSearchParams(location.search).get("theme");
  const stored = (() => { try { return localStorage.getItem("corollary-theme"); } catch { return null; } })();
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = asked || stored;
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  const toggle = make("", "", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("corollary-theme", root.dataset.theme); } catch { /* a file may have no storage */ }
    name();
  });
  const name = () => { toggle.textContent = dark() ? "Light" : "Dark"; };
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  document.getElementById("tools").append(toggle);

  // Formulas, each when it comes near; the readable text stays where KaTeX is not there.
  const macros = { "\\mathbbm": "\\mathbb", "\\bm": "\\boldsymbol", "\\R": "\\mathbb{R}" };
  const set = (span) => {
    if (!window.katex || span.classList.contains("set")) return;
    const before = span.textContent;
    try {
      katex.render(span.dataset.tex, span, { displayMode: span.classList.contains("display"), macros: { ...macros }, maxExpand: 500, strict: "ignore" });
      span.classList.add("set");
    } catch { span.textContent = before || span.dataset.tex; }
  };
  const near = new IntersectionObserver((seen) => seen.forEach((one) => {
    if (one.isIntersecting) { near.unobserve(one.target); all(".math", one.target).forEach(set); }
  }), { rootMargin: "1200px 0px" });

  // Sections of a very large page are packed; they are opened when they are looked at.
  let packed = [];
  const block = document.getElementById("pack");
  const unpacked = async (from) => {
    const bytes = Uint8Array.from(atob(from.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const unpack = async () => {
    const renderer = document.createElement("script"); // the policy knows its hash
    [renderer.textContent] = await unpacked(document.getElementById("katex-pack"));
    document.head.append(renderer);
    all(".body").forEach((body) => near.observe(body)); // those that are near already
    const parts = await unpacked(block), bodies = all("[data-pack]").length;
    packed = parts.slice(0, bodies).map((body) => body.replace(/<!--(\d+)-->/g, (_, k) => parts[bodies + Number(k)]));
    all("details[open]").forEach(fill);
    rows.forEach((row) => {
      const one = row.article.querySelector("details[data-pack]");
      if (one) row.text += packed[one.dataset.pack].replace(/<[^>]*>/g, " ").toLowerCase();
    });
  };
  const fill = (one) => {
    const body = packed[one.dataset.pack];
    if (!body) return;
    delete one.dataset.pack;
    one.insertAdjacentHTML("beforeend", body);
    dress(one);
  };

  // A closed section shows its formula, or its first sentence, and its first figure.
  const preview = (article) => {
    const one = article.querySelector("details");
    if (one.open || article.querySelector(".preview")) return;
    const body = document.createElement("template");
    body.innerHTML = "pack" in one.dataset ? packed[one.dataset.pack] || "" : one.innerHTML;
    const said = body.content.querySelector(".statement .math.display") || body.content.querySelector(".statement p");
    const drawn = body.content.querySelector("figure > svg");
    if (!said && !drawn) return;
    const shown = document.createElement("div");
    shown.className = "preview";
    if (said) shown.append(said.cloneNode(true));
    if (drawn) shown.append(drawn.cloneNode(true));
    shown.addEventListener("click", () => { if (!String(getSelection())) one.open = true; });
    one.before(shown);
    all(".math", shown).forEach(set);
  };
  const approaching = new IntersectionObserver((seen) => seen.forEach((one) => {
    if (one.isIntersecting) { approaching.unobserve(one.target); preview(one.target); }
  }), { rootMargin: "900px 0px" });
  const previews = () => all("article.closed").forEach((article) => approaching.observe(article));

  // What scrolls sideways can be scrolled by the keyboard, too.
  const sideways = new ResizeObserver((seen) => seen.forEach(({ target }) => {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }));
  const reach = (part) => all(".numbers, .math.display", part).forEach((one) => sideways.observe(one));

  // Print shows everything.
  addEventListener("beforeprint", () => {
    all("details").forEach((one) => { fill(one); one.open = true; });
    all(".math").forEach(set);
  });

  // A link to a closed section opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const inner = target && target.querySelector("details");
    if (inner) inner.open = true;
  };
  addEventListener("hashchange", reveal);
  const mark = (one) => one.closest("article").classList.toggle("closed", !one.open);
  all("article > details").forEach((one) => {
    mark(one);
    one.addEventListener("toggle", () => { fill(one); mark(one); if (!one.open) preview(one.closest("article")); });
  });

  // Copy a command.
  const copier = (code) => {
    const button = make("Copy", "Copy the command", async () => {
      try { await navigator.clipboard.writeText(code.textContent); button.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(code); button.textContent = "Selected"; }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    code.after(button);
  };
  const dress = (part) => {
    reach(part);
    all(".command", part).forEach(copier);
    saving.dress(part);
    all(".body", part).forEach((body) => near.observe(body));
  };
  dress(document);

  // Filter: words and toggles, on the index and on the sections together.
  const form = document.getElementById("filter");
  if (!form) return; // an examination has no index
  const words = document.getElementById("words");
  const shown = document.getElementById("shown");
  const rows = all("article").map((article) => ({
    article,
    item: document.querySelector(`.index a[href="#${article.id}"]`).parentElement,
    text: `${article.querySelector("header").textContent} ${(article.querySelector(".statement") || article).textContent}`.toLowerCase(),
  }));
  const off = (kind) => new Set(all(`button[data-${kind}][aria-pressed="false"]`, form).map((b) => b.dataset[kind]));
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = off("verdict"), areas = off("area");
    let count = 0;
    for (const { article, item, text } of rows) {
      const fits = wanted.every((word) => text.includes(word)) && !verdicts.has(article.dataset.v) && !areas.has(article.dataset.a);
      article.hidden = item.hidden = !fits;
      count += fits;
    }
    all(".area").forEach((area) => { area.hidden = !all("article", area).some((article) => !article.hidden); });
    all(".index ul").forEach((list) => {
      list.hidden = list.previousElementSibling.hidden = ![...list.children].some((item) => !item.hidden);
    });
    document.getElementById("none").hidden = count > 0 || rows.length === 0;
    shown.textContent = count === rows.length ? "" : `${count} of ${rows.length} shown`;
  };
  if (block) unpack().then(previews); else previews();
  const wide = matchMedia("(min-width: 72rem)"), contents = document.getElementById("contents");
  const unfold = () => { contents.open = wide.matches; };
  unfold();
  wide.addEventListener("change", unfold);
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  words.addEventListener("input", filter);
  // Of buttons that are all on, the first click leaves the one; when the last goes off, all are on.
  all("fieldset", form).forEach((group) => {
    const buttons = all("button", group), on = (b) => b.getAttribute("aria-pressed") === "true";
    buttons.forEach((button) => button.addEventListener("click", () => {
      const alone = buttons.every(on) ? button : null, last = buttons.filter(on).length === 1 && on(button);
      buttons.forEach((b) => b.setAttribute("aria-pressed", last || (alone ? b === alone : on(b) !== (b === button))));
      filter();
    }));
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/input|textarea/i.test(document.activeElement.tagName) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      contents.open = true;
      words.focus();
    }
    if (event.key === "Escape" && document.activeElement === words) { words.value = ""; filter(); }
  });
  reveal();
})();
