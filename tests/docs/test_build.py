import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corollary_docs.katex import ASSETS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
_LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=[\"'](https?:|//)", re.I)
_TEX = re.compile(r'<(span|div) class="tex [^"]*">(.*?)</\1>', re.S)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The whole site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-d", folder / "trees"]
    out = folder / "html"
    done = subprocess.run(
        [*command, ROOT / "docs", out], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return out


def test_the_site_loads_nothing_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        assert not _LOADED.search(page.read_text("utf-8")), page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?https?:", sheet.read_text("utf-8")), sheet


def test_every_formula_can_be_drawn(site):
    node = shutil.which("node")
    if node is None or not (ASSETS / "katex.min.js").exists():
        pytest.skip("needs node and the files of tools/fetch_assets.py")
    found = {
        (html.unescape(tex), kind == "div")
        for page in site.rglob("*.html")
        for kind, tex in _TEX.findall(page.read_text("utf-8"))
    }
    assert found
    done = subprocess.run(
        [node, ROOT / "docs/_ext/check_tex.mjs", ASSETS / "katex.min.js"],
        input=json.dumps(sorted(found)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []


def test_every_claim_that_is_instant_is_shown_with_its_figure(site):
    from corollary.registry import entries

    for entry in entries():
        if entry.cost == "instant" and not entry.is_exam:
            page = site / "generated" / "claims" / f"{entry.name}.html"
            assert "<svg" in page.read_text("utf-8").partition("claim-figure")[2]
