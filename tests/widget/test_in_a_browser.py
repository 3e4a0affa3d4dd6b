"""The widget's script in a real browser, with a model as a notebook gives it."""

import importlib.util
import json
from pathlib import Path

import pytest

import corollary

pytest.importorskip("anywidget", reason="needs corollary[widget]")
_home = Path(__file__).parents[1] / "lab" / "browser.py"
_spec = importlib.util.spec_from_file_location("widget_browser", _home)
browser = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(browser)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser.CHROMIUM is None, reason="chromium is not installed"),
]
SYNCED = ("form", "values", "page", "told", "moving", "trains", "answered")
MODEL = """
const state = STATE, acts = {};
window.sent = []; window.saved = [];
window.tell = (name, value) => {
  state[name] = value;
  (acts[`change:${name}`] || []).forEach((act) => act());
};
const model = {
  get: (name) => state[name], set: (name, value) => { state[name] = value; },
  save_changes: () => window.saved.push(state.values), send: (order) => window.sent.push(order),
  on: (event, act) => { (acts[event] ||= []).push(act); }, off: () => {},
};
render({ model, el: document.body });
"""


@pytest.fixture
def opened(tmp_path):
    found = browser.Browser(tmp_path / "profile")

    def open_(widget):
        state = json.dumps({name: getattr(widget, name) for name in SYNCED})
        script = str(widget._esm) + MODEL.replace("STATE", state.replace("</", "<\\/"))
        page = tmp_path / "page.html"
        page.write_text(
            f"<!doctype html><meta charset=utf-8><style>{widget._css}</style><body>"
            f"<script type=module>{script}</script>"
        )
        found.go(page.as_uri())
        found.until("document.querySelector('.corollary-widget svg') !== null")
        return found

    yield open_
    assert found.complaints() == []
    found.close()


def test_a_slider_sends_values_one_after_the_other(opened):
    page = opened(corollary.widget("novikoff", gamma=0.2))
    assert page.run("document.querySelector('[name=gamma]').value") == "0.2"
    move = "(() => { const s = document.querySelector('[data-name=gamma] [type=range]');"
    page.run(f"{move} s.value = 900; s.dispatchEvent(new Event('input')); }})()")
    page.run(f"{move} s.value = 100; s.dispatchEvent(new Event('input')); }})()")
    assert page.run("saved.length") == 1  # the kernel has not answered yet
    page.run("tell('page', '<b id=new>new</b>'); tell('answered', 1)")
    assert page.run("saved.length") == 2
    sent = [float(values["gamma"]) for values in page.run("saved")]
    assert sent[0] > 0.2 > sent[1]
    assert page.run("document.querySelector('#new').textContent") == "new"
    page.run("tell('answered', 2); tell('told', 'no'); tell('values', {d: '7'})")
    assert page.run("document.querySelector('.told').textContent") == "no"
    assert page.run("document.querySelector('[name=d]').value") == "7"
    assert page.run("document.querySelector('[name=gamma]').value") == "0.1"


def test_the_buttons_of_the_playground_train_until_they_are_pressed_again(opened):
    page = opened(corollary.widget("playground", n=40, hidden=[4]))
    press = "[...document.querySelectorAll('button')].find((b) => b.textContent === '{}').click()"
    page.run(press.format("Train"))
    page.run("tell('page', 'one')")
    page.until("sent.length === 2")
    page.run(press.format("Pause"))
    page.run(press.format("Reset"))
    assert page.run("sent.slice(-2)") == [{"train": 0, "rest": True}, {"reset": True}]
