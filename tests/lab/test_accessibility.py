"""No page breaks a rule of axe, in light and in dark; axe is not part of the package.

``npm install axe-core`` in any folder, and ``COROLLARY_AXE`` is the path of the file
``node_modules/axe-core/axe.min.js`` there.
"""

import importlib.util
import os
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from corollary.core import Curve, Figure, Finding, Reading, Severity, Status
from corollary.courses.catalogue import all_lectures
from corollary.courses.dependencies import graph
from corollary.examine.examination import Examination
from corollary.registry import find
from corollary.report.examination_page import write_examination
from corollary.report.html import write_report
from corollary.report.map_page import write_map_page
from corollary.report.slides import write_slides
from corollary.report.watch_page import write_watch
from corollary.run.check import run
from corollary.watch.record import read_run
from corollary.watch.watcher import watch

_spec = importlib.util.spec_from_file_location("lab_browser", Path(__file__).parent / "browser.py")
browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser)

AXE = Path(os.environ.get("COROLLARY_AXE", "node_modules/axe-core/axe.min.js"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed; see COROLLARY_AXE"),
]
DONE = "document.getElementById('outcome').getAttribute('aria-busy') === 'false'"
LAB = {  # page, and what it waits for
    "/": "true",
    "/claims": "true",
    "/claims?q=grokking": "document.querySelectorAll('.chapter li:not([hidden])').length < 40",
    "/story/edge_of_stability": DONE,
    "/story/depth_against_width": DONE,
    "/story/dead_relu": DONE,
    "/claim/connectionism/novikoff?gamma=0.2": DONE,
    "/claim/kernels/ntk_constancy": "true",
    "/play?preset=rich": "!document.getElementById('run').disabled",
    "/examine": "true",
    "/watch": "true",
}
FOUND = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations.map(
  (v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 4).join(", ")}`))"""


@pytest.fixture
def page(tmp_path):
    found = browser.Browser(tmp_path / "profile")
    yield found
    found.close()


def violations(page):
    page.run(AXE.read_text("utf-8") + "; true")
    return page.run(FOUND)


def in_both_themes(page, name):
    found = []
    for dark in (False, True):
        page.size(1300, dark=dark)
        found += [f"{name}{' (dark)' if dark else ''}: {line}" for line in violations(page)]
    page.size(400)
    return found + [f"{name} (narrow): {line}" for line in violations(page)]


def test_pages_of_the_lab_break_no_rule(page, start):
    lab = start(enters=False)
    page.size(1300)
    page.go(lab.url)
    page.until("document.querySelector('.card') !== null")
    found = []
    for path, ready in LAB.items():
        page.size(1300)
        page.follow(f"http://127.0.0.1:{lab.port}{path}")
        page.until("document.getElementById('tools').children.length === 1")
        page.until(ready, 120)
        found += in_both_themes(page, path)
    assert found == []


def test_pages_that_are_files_break_no_rule(page, tmp_path):
    written = [
        write_report(
            run([find("novikoff"), find("double_descent/min_norm_risk")]), tmp_path / "r.html"
        ),
        write_examination(examined(), tmp_path / "e.html"),
        write_watch(watched(tmp_path / "run.jsonl"), tmp_path / "w.html"),
        write_map_page(graph(), tmp_path / "m.html"),
        write_slides(all_lectures()[4], tmp_path / "s.html", {})[0],
    ]
    found = []
    for path in written:
        page.size(1300)
        page.go(path.as_uri())
        page.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        found += in_both_themes(page, path.name)
    assert found == []


def examined():
    figure = Figure("Sharpness", x="step", y="λ", marks=(Curve([1, 2, 3], label="sharpness"),))
    findings = (
        Finding(
            "trainability/step",
            "Largest stable step",
            Severity.HIGH,
            value=Reading(0.1, 0.09, 0.11),
            unit="lr",
            meaning="It diverges.",
            advice="Use less.",
            claims=("novikoff",),
            figures=(figure,),
        ),
        Finding("trainability/moments", "Moments", value=Reading(1.0, 1.0, 1.0)),
        Finding("soundness/causal", "Leakage", status=Status.NOT_APPLICABLE, meaning="no sequence"),
    )
    return Examination({"torch": "2"}, {"module": "Net", "parameters": 3}, 60.0, findings)


def watched(path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with watch(model, optimizer, to=path, overhead=1.0, quiet=True):
        for _ in range(30):  # gradients are not cleared: there is something to tell
            F.cross_entropy(model(torch.randn(16, 4)), torch.randint(0, 2, (16,))).backward()
            optimizer.step()
    return read_run(path)
