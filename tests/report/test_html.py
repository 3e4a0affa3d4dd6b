import base64
import dataclasses
import hashlib
import json
import random
import re
from html.parser import HTMLParser

import pytest

from corollary.core import Curve, Figure, Hypothesis, Verdict
from corollary.errors import ResultsFileError
from corollary.report import formulas, packing
from corollary.report.html import report_html, result_html, run_html, write_report
from corollary.report.page import policy
from corollary.run.results import Run

EVIL = "<script>alert('x')</script>&\"'"
VOID = {"meta", "input", "br", "img", "link"}


class Tags(HTMLParser):
    """Checks that tags nest, and collects ids, links and addresses that would be loaded."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.links, self.loaded = [], [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if tag == "a" else []
        self.loaded += [
            v for k, v in attrs.items() if k in ("src", "srcset") or tag == "image" and k == "href"
        ]  # noqa: E501

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def scripts(page):
    return re.findall(r"<script>(.*?)</script>", page, re.S)


def test_the_page_is_well_formed_and_its_links_arrive(run):
    page = report_html(run)
    tags = Tags(page)
    assert len(tags.ids) == len(set(tags.ids))
    inner = [link[1:] for link in tags.links if link.startswith("#")]
    assert inner and set(inner) <= set(tags.ids)


def test_several_areas_have_an_overview_with_what_holds(run):
    first = run.results[0]
    other = dataclasses.replace(first, name="other/case", verdict=Verdict.HOLDS)
    page = report_html(dataclasses.replace(run, results=(*run.results, other)))
    assert '<a href="#area-other"><b>other</b> <span class="holds">1 holds</span>' in page
    alone = dataclasses.replace(run, results=(first,))
    assert 'class="overview"' not in report_html(alone)


def test_nothing_is_loaded_from_elsewhere(run):
    page = report_html(run)
    assert all(address.startswith("data:") for address in Tags(page).loaded)
    styles = "".join(re.findall(r"<style>(.*?)</style>", page, re.S))
    assert "@import" not in styles
    assert all(address.startswith("data:") for address in re.findall(r"url\(([^)]*)", styles))


def test_the_policy_names_the_hash_of_every_script(run):
    page = report_html(run)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    for script in scripts(page):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert digest in policy
    assert "default-src &#39;none&#39;" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert " onclick=" not in page and "javascript:" not in page


def test_text_of_the_user_is_escaped_everywhere(make_result):
    figure = Figure(EVIL, EVIL, EVIL, (Curve([1, 2], label=EVIL),), caption=EVIL)
    evil = make_result(
        Verdict.CRASHED,
        f"area/{EVIL}",
        title=EVIL,
        note=f"{EVIL}\n{EVIL}",
        relation=EVIL,
        parameters={EVIL: EVIL},
        hypotheses=(Hypothesis(EVIL, False, EVIL),),
        tolerance=EVIL,
        figures=(figure, figure),
    )
    worse = dataclasses.replace(make_result(Verdict.HOLDS), note=EVIL, relation=EVIL, title=EVIL)
    run = Run({EVIL: EVIL}, 0, (evil, worse))
    for page in (report_html(run), result_html(evil), run_html(run)):
        assert "<script>alert" not in page and "alert(" in page
        Tags(page)


def test_what_needs_attention_comes_first(run):
    page = report_html(run)
    summary = page[page.index('class="summary"') : page.index('class="index"')]
    order = [summary.index(f"A statement that {v}") for v in ("fails", "crashed", "inconclusive")]
    assert order == sorted(order)
    assert "2 of 7 statements hold" in summary and "ValueError: no" in summary


def test_a_section_has_all_that_is_needed_to_believe_it(run):
    page = report_html(run)
    section = page[page.index('<article id="connectionism-novikoff"') :]
    for part in (
        "data-tex",
        "predicted",
        "25 <small>[20, 30]</small>",
        "0.25",
        "margin 0.1",
        "Without “the margin is positive”: predicted 9, measured 50.",
        "Novikoff (1962)",
        "corollary check novikoff --seed 3",
        "cost: instant",
        "<svg",
    ):
        assert part in section, part
    unknown = page[
        page.index('<article id="area-case-holds"') : page.index('<article id="area-case-fails"')
    ]
    assert "no claim of this name" in unknown


def test_both_themes_define_the_same_variables(run):
    style = re.search(r"<style>(.*?)</style>", report_html(run), re.S)[1]
    light, *dark = re.findall(r":root[^{]*\{(.*?)\}", style, re.S)
    names = {n for n in re.findall(r"(--[\w-]+):", light)} - {"--serif", "--sans", "--mono"}
    assert {"--predicted", "--measured", "--other-1", "--other-6", "--paper"} <= names
    assert len(dark) == 2
    assert all(set(re.findall(r"(--[\w-]+):", block)) == names for block in dark)


def test_without_katex_the_page_shows_readable_text(run, monkeypatch, tmp_path):
    monkeypatch.setattr("corollary.report.html.renderer", lambda t: formulas.renderer(t, tmp_path))
    page = report_html(run)
    assert len(scripts(page)) == 1 and "M ≤ (R / γ)²" in page


def test_katex_brings_only_the_fonts_that_are_needed(tmp_path):
    face = "@font-face{font-family:K;src:url(fonts/KaTeX_%s.woff2) format('woff2')}"
    (tmp_path / "katex.min.css").write_text(face % "Main-Regular" + face % "Fraktur-Regular")
    (tmp_path / "katex.min.js").write_text("1</script>")
    (tmp_path / "KaTeX_Main-Regular.woff2").write_bytes(b"font")
    found = formulas.renderer(["x"], tmp_path)
    assert found.style == "@font-face{font-family:K;src:url(data:font/woff2;base64,Zm9udA==)}"
    assert "</script>" not in found.script
    assert formulas.renderer([], tmp_path).script == ""


def test_a_page_of_three_hundred_statements_is_small_and_keeps_failures_plain(make_result):
    draw = random.Random(0)

    def noisy(k):
        marks = tuple(Curve([draw.gauss(0, 1) for _ in range(150)], label=c) for c in "ab")
        figure = Figure(f"Noise {k}", "t", "y", marks)
        return make_result(Verdict.HOLDS, "connectionism/novikoff", figures=(figure,))

    bad = make_result(Verdict.FAILS, "area/bad", note="plainly wrong")
    run = Run({}, 0, (*map(noisy, range(299)), bad))
    page = report_html(run)
    assert len(page.encode()) < 1_500_000
    block = re.search(r'id="pack">([^<]*)<', page)[1]
    parts = packing.unpacked(block)
    assert all(f"<!--{k}-->" in body for k, body in enumerate(parts[:299]))
    assert len(parts) == 2 * 299 and all(part.startswith("<svg") for part in parts[299:])
    (katex,) = packing.unpacked(re.search(r'id="katex-pack">([^<]*)<', page)[1])
    assert not katex or policy([katex]).split("'")[3] in page  # the policy lets it in by its hash
    failed = page[page.index('<article id="area-bad"') :]
    assert "plainly wrong" in failed and "<svg" in failed


def test_a_large_run_starts_closed_except_for_what_does_not_hold(make_result):
    held = [make_result(Verdict.HOLDS, f"area/n{k}", figures=()) for k in range(60)]
    page = report_html(Run({}, 0, (*held, make_result(Verdict.FAILS, "area/bad"))))
    cards = page[page.index('id="claims"') :]
    assert cards.count("<details open>") == 1 and cards.count("<details>") == 60


def test_an_empty_run_has_a_page():
    assert "No claim was checked" in report_html(Run({}, 0, ()))


def test_the_results_file_gives_the_same_page(run):
    again = Run.from_json(json.loads(json.dumps(run.to_json(), allow_nan=False)))
    assert report_html(again) == report_html(run)


def test_an_unwritable_path_is_one_sentence_and_nothing_is_touched(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ResultsFileError, match="report.html cannot be written"):
        write_report(run, tmp_path / "file" / "report.html")
    with pytest.raises(ResultsFileError, match="folder"):
        write_report(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_writing_replaces_the_old_page_in_one_step(run, tmp_path):
    target = tmp_path / "report.html"
    target.write_text("old")
    assert write_report(run, target) == target
    assert target.read_text(encoding="utf-8") == report_html(run)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_text_that_utf8_cannot_carry_is_replaced(make_result, tmp_path):
    odd = make_result(Verdict.CRASHED, note="\ud800 lone surrogate")
    write_report(Run({}, 0, (odd,)), tmp_path / "r.html")
