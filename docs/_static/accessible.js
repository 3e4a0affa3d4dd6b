// What accessibility checks ask for and the theme leaves out: levels of headings, names of landmarks, arguments that
// are no definitions, code and formulas that scroll by keyboard.
(() => {
  "use strict";
  const all = (selector, act) => document.querySelectorAll(selector).forEach(act);
  const named = (selector, role, label) => all(selector, (part) => { part.setAttribute("role", role); part.setAttribute("aria-label", label); });
  all('[role="heading"]:not([aria-level])', (heading) => heading.setAttribute("aria-level", "2"));
  named("aside.sidebar-drawer", "complementary", "All pages");
  named("aside.toc-drawer", "complementary", "On this page");
  named(".content-icon-container", "region", "This page");
  const plain = (parts, kind) => { const box = document.createElement("div"); box.className = kind; box.append(...parts); return box; };
  all(".sig > dl", (list) => list.replaceWith(plain([...list.children].map((item) => plain([...item.childNodes], "argument")), "arguments")));
  const reachable = () => all("pre, div.math, div.tex, .table-wrapper", (part) => { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; });
  reachable();
  addEventListener("load", reachable);
  addEventListener("resize", reachable);
})();
