"""The pages in a real browser: they run under their policy, fit any width, and can be typed to."""

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

_spec = importlib.util.spec_from_file_location("lab_browser", Path(__file__).parent / "browser.py")
browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium is not installed"),
]
PAGES = ("/", "/claims", "/story/scaling", "/claim/connectionism/novikoff", "/play", "/examine")
FITS = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def page(start, tmp_path):
    lab = start(enters=False)
    found = browser.Browser(tmp_path / "profile")
    found.lab, found.home = lab, f"http://127.0.0.1:{lab.port}"
    found.size(1300)
    found.go(lab.url)
    found.until("document.querySelector('.card') !== null")
    yield found
    assert found.complaints() == []
    assert all(a.startswith((found.home, "data:", "blob:", "about:")) for a in found.addresses())
    found.close()


def test_the_file_that_a_browser_is_given_lets_it_in_once(start, tmp_path, eventually):
    given = tmp_path / "given"
    command = tmp_path / "browser"
    command.write_text(f'#!/bin/sh\necho "$1" > {given}.new && mv {given}.new {given}\n')
    command.chmod(0o755)
    lab = start(enters=False, browser="--browser", BROWSER=f"{command} %s")
    eventually(given.exists)
    index = "document.querySelector('.card') !== null"
    known, other = (browser.Browser(tmp_path / name) for name in ("known", "other"))
    known.go(given.read_text().strip())
    known.until(index)
    assert known.run("location.href") == f"http://127.0.0.1:{lab.port}/"  # without the token
    known.go(lab.url)  # the printed address again, in the same browser
    known.until(index)
    other.go(lab.url)
    other.until("document.getElementById('entering').textContent.includes('used already')")
    for one in (known, other):
        one.close()


def test_a_claim_runs_moves_and_is_shared_by_its_address(page):
    page.follow(f"{page.home}/claim/connectionism/novikoff?gamma=0.2")
    page.until("document.querySelector('#verdict .badge.holds') !== null")
    assert page.run("document.querySelectorAll('.stage figure > svg').length") == 1
    assert page.run("document.querySelectorAll('.further figure > svg').length") == 1
    assert page.run("document.querySelectorAll('.statement .math.set .katex').length") > 3
    assert page.run("document.querySelector('.numbers td').textContent") == "25"

    # The keyboard moves a slider, the claim runs again, and the address follows.
    page.run("document.querySelector('[data-name=gamma] [type=range]').focus()")
    page.key("ArrowLeft", 37)
    page.until("document.querySelector('.numbers td').textContent !== '25'")
    gamma = page.run("document.getElementById('o-gamma').value")
    assert f"gamma 0.2 → {gamma}" in page.run("document.getElementById('explained').textContent")
    assert 0.1 < float(gamma) < 0.2
    assert page.run("location.search") == f"?gamma={gamma}"
    assert f"--gamma {gamma}" in page.run("document.getElementById('shell').textContent")
    assert f"gamma={gamma})" in page.run("document.getElementById('python').textContent")

    page.run("document.getElementById('tab-result').focus()")
    page.key("ArrowRight", 39)
    page.until("document.querySelector('#panel-broken b') !== null")
    assert "the conclusion is false" in page.run(
        "document.getElementById('panel-broken').textContent"
    )
    page.run("document.getElementById('o-gamma').value = '-3'")
    page.run("document.getElementById('go').click()")
    page.until("document.querySelector('#verdict .warning') !== null")
    assert "Gamma must" in page.run("document.getElementById('verdict').textContent")
    page.heard = [s for s in page.heard if "400" not in str(s)]  # the browser logs the refusal


def test_a_run_is_stopped_by_escape_and_what_is_no_number_is_said(page):
    page.follow(f"{page.home}/claim/connectionism/novikoff?n=40000&d=50&gamma=0.02")
    page.until("document.getElementById('outcome').getAttribute('aria-busy') === 'true'")
    page.key("Escape", 27)
    page.until("document.getElementById('verdict').textContent === 'Stopped.'")
    assert page.run("document.getElementById('stop').disabled")
    page.run("document.getElementById('live').checked = false")
    page.run("document.getElementById('o-gamma').select()")
    page.call("Input.insertText", text="1e")
    page.run("document.getElementById('go').click()")
    assert page.run("document.getElementById('verdict').textContent") == "Gamma is not a number."


def test_every_figure_is_saved_as_svg_and_png(page, tmp_path, eventually):
    page.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))

    def saved(place, name):
        page.run(f"document.querySelectorAll('{place} .saves button').forEach((b) => b.click())")
        pixels, drawing = tmp_path / f"{name}.png", tmp_path / f"{name}.svg"
        eventually(lambda: pixels.exists() and drawing.exists(), 120)
        assert pixels.read_bytes().startswith(b"\x89PNG") and pixels.stat().st_size > 2000
        text = drawing.read_text(encoding="utf-8")
        assert ElementTree.fromstring(text).get("width") and "var(" not in text

    page.follow(f"{page.home}/claim/connectionism/novikoff?n=40")
    page.until("document.querySelectorAll('.stage .saves').length === 1")
    saved(".stage figure:first-child", "connectionism-novikoff-perceptron-mistakes")
    page.follow(f"{page.home}/play")
    page.until("!document.getElementById('run').disabled")
    saved(".plane", "playground-plane")
    saved(".network", "playground-network")
    saved("#chart-loss", "playground-loss")


def test_the_playground_trains_pauses_and_comes_back(page):
    page.follow(f"{page.home}/play?hidden=6,5&data=xor")
    page.until("!document.getElementById('run').disabled")
    page.run("document.getElementById('run').click()")
    page.until("Number(document.getElementById('count').textContent.slice(5)) > 40")
    assert "limit" in page.run("document.getElementById('advice').textContent")
    assert page.run("document.querySelector('#chart-loss path').getAttribute('d').length") > 20
    painted = (
        "new Set(document.getElementById('plane').getContext('2d')"
        ".getImageData(0, 0, 512, 512).data).size"
    )
    assert page.run(painted) > 20
    page.run("document.getElementById('run').click()")
    page.until("document.getElementById('run').textContent === 'Train'")
    page.run("new Promise((done) => setTimeout(done, 500))")  # the last frame is painted
    before = page.run("document.getElementById('count').textContent")
    page.follow(f"{page.home}/play?hidden=6,5&data=xor")
    page.until(f"document.getElementById('count').textContent === '{before}'")


def test_the_playground_learns_heights_and_shows_what_each_unit_sees(page):
    page.follow(f"{page.home}/play?data=hills&hidden=6,20&l2=0.001&width=3")
    assert "no setting 'width'" in page.run("document.getElementById('wrong').textContent")
    page.until("document.querySelectorAll('.tile canvas').length === 2 + 6 + 16 + 1")
    assert page.run("document.getElementById('o-loss').disabled")
    assert page.run("document.getElementById('o-loss').value") == "squared"
    assert "RMSE" in page.run("document.getElementById('plane-said').textContent")
    assert page.run("location.search") == "?data=hills&hidden=6%2C20&l2=0.001"
    code = page.run("document.getElementById('python').textContent")
    assert 'PlaySettings(data="hills", hidden=(6, 20), l2=0.001)' in code

    page.run("document.getElementById('o-hidden').select()")
    page.call("Input.insertText", text="5")
    page.until("document.querySelectorAll('.tile canvas').length === 2 + 5 + 1")
    assert "hidden=(5,)" in page.run("document.getElementById('python').textContent")
    page.run("document.getElementById('o-hidden').select()")
    page.call("Input.insertText", text="99")
    page.until("document.getElementById('wrong').textContent.includes('1 to 64 units')")
    page.heard = [s for s in page.heard if "400" not in str(s)]  # the browser logs the refusal


def test_inputs_are_chosen_and_one_always_stays(page):
    page.follow(f"{page.home}/play?data=rings&hidden=3")
    page.until("document.querySelectorAll('.tile canvas').length === 2 + 3 + 1")
    for name in ("x1^2", "x1", "x2", "x1^2"):  # the last of them is the only one left
        page.run(f"document.querySelector('[data-feature=\"{name}\"]').click()")
    page.until("document.querySelectorAll('.tile canvas').length === 1 + 3 + 1")
    assert page.run("document.querySelector('[data-feature=\"x1^2\"]').checked")
    assert page.run("document.getElementById('told').textContent") == "Choose at least one input."
    assert page.run("location.search") == "?data=rings&features=x1%5E2&hidden=3"
    code = page.run("document.getElementById('python').textContent")
    assert 'PlaySettings(data="rings", features=("x1^2",), hidden=(3,))' in code
    page.until("document.getElementById('now-regions').textContent.includes('curves')")


def test_a_line_is_picked_and_changed_by_hand_and_the_picture_follows(page):
    page.follow(f"{page.home}/play?hidden=4")
    page.until("document.querySelectorAll('path.felt').length === 2 * 4 + 4")
    painted = "document.getElementById('plane').toDataURL()"
    before = page.run(painted)
    event = "new MouseEvent('click', {bubbles: true})"
    page.run(f"document.querySelector('[data-at=\"1 0 2\"]').dispatchEvent({event})")
    assert page.run("document.activeElement.id") == "weight-value"
    assert page.run("document.getElementById('weight-from').selectedOptions[0].text") == (
        "layer 1, unit 3"
    )
    page.call("Input.insertText", text="-2.5")
    page.until("document.querySelectorAll('path.minus[stroke-width=\"5.18\"]').length === 1")
    assert page.run("document.getElementById('weight-slider').value") == "-2.5"
    assert page.run(painted) != before
    assert "(0, 1, 0, 2, -2.5)," in page.run("document.getElementById('python').textContent")

    # The same by the keyboard alone: the bias, by the lists and the slider.
    page.run("document.getElementById('weight-from').focus()")
    page.key("End", 35)
    page.until("document.getElementById('weight-value').value === '0'")
    page.run("document.getElementById('weight-slider').focus()")
    page.key("ArrowRight", 39)
    page.until("document.getElementById('python').textContent.includes('(0, 1, 0, None, 0.02),')")
    page.until("document.querySelectorAll('.bias.plus').length === 1")


def test_the_large_picture_shows_what_a_unit_sees(page):
    page.follow(f"{page.home}/play?hidden=4")
    page.until("document.querySelectorAll('#shown option').length === 1 + 2 + 4")
    painted = "document.getElementById('plane').toDataURL()"
    output = page.run(painted)
    page.run("document.getElementById('shown').focus()")
    page.key("End", 35)
    page.until(f"{painted} !== {output!r}")
    unit = page.run(painted)
    over = "new PointerEvent('pointerover', {bubbles: true})"
    page.run(f"document.querySelector('[data-column=\"0\"]').dispatchEvent({over})")
    assert page.run(painted) not in (output, unit)
    page.run("document.getElementById('layers').dispatchEvent(new PointerEvent('pointerleave'))")
    assert page.run(painted) == unit


@pytest.mark.parametrize("width", [400, 1300])
@pytest.mark.parametrize("dark", [False, True])
def test_every_page_fits_its_window_in_light_and_dark(page, width, dark):
    page.size(width, dark=dark)
    for path in PAGES:
        page.follow(page.home + path)
        page.until("document.getElementById('tools').children.length === 1")
        assert page.run(FITS), path
        shade = page.run("getComputedStyle(document.documentElement).backgroundColor")
        assert (shade == "rgb(22, 24, 27)") is dark


def found(page, text):
    """The names of the claims that a search shows."""
    page.run(
        "document.getElementById('words').value = ''; document.getElementById('words').focus()"
    )
    page.call("Input.insertText", text=text)
    shown = "[...document.querySelectorAll('.chapter li:not([hidden])')].map(l => l.dataset.name)"
    page.until(f"new URLSearchParams(location.search).get('q') === {text!r}")
    return page.run(shown)


def test_search_finds_words_of_statements_and_synonyms(page):
    page.follow(f"{page.home}/claims?q=novikoff")
    page.until("document.querySelectorAll('.chapter li:not([hidden])').length < 20")
    assert "connectionism/novikoff" in found(page, "novikoff")
    for words, name in {
        "grokking": "regularization/no_overfitting",
        "overparameterization": "double_descent/double_descent",
        "vanishing gradients": "tricks/gradient_depth",
        "NTK": "kernels/ntk_constancy",
        "lottery ticket": "generalization/compression_bound",
        "adversarial examples": "robustness/fgsm_gain",
    }.items():
        found(page, words)
        page.until(f"!document.querySelector('[data-name=\"{name}\"]').hidden")  # once all is there
        assert len(found(page, words)) < 40, words
    assert found(page, "zzz nothing") == []


def test_a_story_follows_its_sliders_and_its_buttons(page):
    page.follow(f"{page.home}/story/edge_of_stability")
    says = "document.querySelector('[data-says]').textContent"
    page.until(f"{says} !== ''")
    assert "0.75 of the limit" in page.run(says)
    page.run("document.querySelectorAll('[data-try]')[2].click()")
    page.until(f"{says}.includes('1.05 times the limit')")
    assert page.run("location.search") == "?share=2.1"
    page.run("document.querySelector('[data-name=share] [type=range]').focus()")
    page.key("ArrowLeft", 37)
    page.until(f"!{says}.includes('1.05 times')")
    page.run("document.getElementById('restart').click()")
    page.until(f"{says}.includes('0.75 of the limit')")
    assert page.run("location.search") == ""
    page.run("scrollTo(0, 700)")  # the figure stays in sight
    top = "document.querySelector('.stage').getBoundingClientRect()"
    assert page.run(f"{top}.top >= 0 && {top}.bottom <= innerHeight")


def test_the_playground_has_presets_and_buttons_for_layers(page):
    page.follow(f"{page.home}/play?preset=dead-relu")
    page.until("!document.getElementById('run').disabled")
    assert page.run("location.search") == "?preset=dead-relu"
    assert page.run("document.getElementById('o-lr').value") == "20.0"
    page.run("document.getElementById('more').click()")
    assert page.run("document.getElementById('o-hidden').value") == "8,8,8"
    assert page.run("location.search") == "?hidden=8%2C8%2C8&lr=20.0"
    page.until("document.querySelectorAll('.tile canvas').length === 2 + 8 + 8 + 8 + 1")
    page.run("document.getElementById('fewer').click()")
    assert page.run("location.search") == "?preset=dead-relu"
    page.until("document.querySelectorAll('.tile canvas').length === 2 + 8 + 8 + 1")
    page.run("document.getElementById('run').click()")
    page.until("document.getElementById('advice').textContent.includes('dead')")
    assert "high" in page.run("document.getElementById('advice').className")


def test_the_demo_is_examined(page):
    page.follow(f"{page.home}/examine?budget=30&only=soundness")
    page.run("document.getElementById('go').click()")
    page.until("document.getElementById('doing').textContent === 'done'", 120)
    assert "to fix" in page.run("document.getElementById('headline').textContent")
    assert page.run("document.querySelectorAll('#details .finding').length") > 0
    assert page.run("!document.getElementById('files').hidden")

    page.follow(f"{page.home}/examine")  # one who comes back finds it again, and what was asked
    page.until("document.getElementById('doing').textContent === 'done'")
    assert page.run("document.getElementById('only').value") == "soundness"
    page.follow(f"{page.home}/examine?budget=20")  # this asks for something else
    assert page.run("document.getElementById('headline').hidden")
    assert page.run("document.getElementById('progress').hidden")
    assert page.run("document.querySelectorAll('.asked li').length") == 6
