// What accessibility checks ask for and the theme leaves out: levels of headings, names of landmarks, code that scrolls by keyboard.
(() => {
  "use strict";
  const all = (selector, act) => document.querySelectorAll(selector).forEach(act);
  const named = (selector, role, label) => all(selector, (part) => { part.setAttribute("role", role); part.setAttribute("aria-label", label); });
  all('[role="heading"]:not([aria-level])', (heading) => heading.setAttribute("aria-level", "2"));
  named("aside.sidebar-drawer", "complementary", "All pages");
  named("aside.toc-drawer", "complementary", "On this page");
  named(".content-icon-container", "region", "This page");
  const reachable = () => all("pre, div.math, .table-wrapper", (part) => { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; });
  reachable();
  addEventListener("resize", reachable);
})();
