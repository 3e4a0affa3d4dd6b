"""From a slider to its new figure, in a real browser: ``python benchmarks/lab_drag.py``.

Opens the lab in headless Chromium, moves the first slider of every story and of twelve claims drawn
from those of cost *instant*, and prints the median time until the new figure is on the page. It
needs ``chromium``. ``chrt --rr 1 python benchmarks/lab_drag.py`` measures on a machine that has
other work.
"""

import importlib.util
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CLAIMS, SEED = 12, 19  # how many claims, and the seed of the draw
READY = "/\\d m?s$/.test(document.getElementById('time').textContent)"
DRAG = """(async () => {
  const slider = document.querySelector("#options [type=range]"), out = [];
  const field = slider.closest(".control").querySelector("[name]");
  const stage = document.querySelector(".stage");
  const wait = (ms) => new Promise((go) => setTimeout(go, ms));
  for (let k = 0; k < 9; k++) {
    await wait(400);
    const start = performance.now();
    const drawn = new Promise((go) => new MutationObserver((_, seen) => {
      seen.disconnect();
      requestAnimationFrame(() => go(performance.now() - start));
    }).observe(stage, { childList: true }));
    const before = field.value, from = Number(slider.value);
    for (let by = 60; field.value === before && by < 2000; by *= 2) {  // whole numbers need more
      slider.value = String(from + (k % 2 ? -by : by));
      slider.dispatchEvent(new Event("input"));
    }
    out.push(await Promise.race([drawn, wait(20000).then(() => 20000)]));
  }
  return out;
})()"""


def browser() -> Any:
    """The browser of the tests."""
    path = Path(__file__).parents[1] / "tests" / "lab" / "browser.py"
    spec = importlib.util.spec_from_file_location("lab_browser", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def claims() -> list[str]:
    """Pages of claims that take less than a second and have a slider."""
    from corollary.lab.controls import controls
    from corollary.registry import entries

    found = [
        f"/claim/{e.name}"
        for e in entries()
        if not e.is_exam and e.cost == "instant" and any(c.form == "slider" for c in controls(e))
    ]
    return random.Random(SEED).sample(found, CLAIMS)


def main() -> None:
    """Print a line for each page."""
    words = [sys.executable, "-m", "corollary", "lab", "--no-browser", "--port", "0"]
    lab = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    assert lab.stdout
    found = re.search(r"http://\S+", lab.stdout.readline())
    assert found, "the lab did not start"
    home = found[0].partition("/?")[0]
    with tempfile.TemporaryDirectory() as profile:
        page = browser().Browser(profile)
        try:
            page.size(1400)
            page.go(found[0])
            page.until("document.querySelector('.card') !== null")
            links = "[...document.querySelectorAll('.card a')].map((a) => a.getAttribute('href'))"
            for path in [*page.run(links), *claims()]:
                page.follow(home + path)
                page.until(READY, 120)
                times = page.run(DRAG)
                print(
                    f"{path}: {statistics.median(times):.0f} ms, from {min(times):.0f}", flush=True
                )
        finally:
            page.close()
            lab.terminate()
            lab.wait()


if __name__ == "__main__":
    main()
