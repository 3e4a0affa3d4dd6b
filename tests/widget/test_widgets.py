"""Widgets with the real anywidget: a change of a trait gives a new page."""

import re

import pytest

import corollary
from corollary.errors import CorollaryError, InputError, MissingExtraError

pytest.importorskip("anywidget", reason="needs corollary[widget]")


@pytest.fixture(scope="module")
def novikoff():
    return corollary.widget("novikoff", n=50, gamma=0.2)


@pytest.fixture(scope="module")
def playground():
    return corollary.widget("playground", n=40, hidden=[4], data="rings")


def test_a_claim_shows_its_fields_and_its_first_result(novikoff):
    assert re.findall(r'data-name="(\w+)"', novikoff.form) == ["n", "d", "gamma", "seed"]
    assert 'type="range"' in novikoff.form and 'value="0.2"' in novikoff.form
    assert novikoff.result.verdict == "holds" and novikoff.result.parameters["n"] == 50
    assert "<svg" in novikoff.page and "Perceptron convergence" in novikoff.page


def test_a_change_of_the_values_gives_new_figures(novikoff):
    before, seen = novikoff.page, novikoff.answered
    novikoff.values = {"gamma": "0.05", "n": "60", "seed": "3"}  # as the browser sends them
    assert novikoff.answered == seen + 1 and novikoff.told == ""
    assert novikoff.result.parameters["gamma"] == 0.05 and novikoff.result.seed == 3
    drawings = [re.findall(r"<svg.*?</svg>", page, re.S) for page in (before, novikoff.page)]
    assert drawings[0] and drawings[1] and drawings[0] != drawings[1]


@pytest.mark.parametrize(
    "values", [{"gamma": "9"}, {"gamma": "much"}, {"other": "1"}, {"seed": "-1"}, {"seed": "x"}]
)
def test_values_that_do_not_fit_are_told_and_the_page_stays(novikoff, values):
    page = novikoff.page
    novikoff.values = values
    assert novikoff.told and "\n" not in novikoff.told and novikoff.page == page
    novikoff.values = {"gamma": 0.2}  # a number from Python
    assert novikoff.told == "" and novikoff.result.parameters["gamma"] == 0.2


def test_claims_that_take_long_wait_for_a_button(monkeypatch):
    from corollary.registry import Entry
    from corollary.widget.claim import ClaimWidget

    monkeypatch.setattr(Entry, "cost", property(lambda entry: "minutes"))
    assert not ClaimWidget(corollary.find("novikoff"), {}).moving


def test_the_playground_trains_by_message_and_draws_it(playground):
    first = playground.page
    playground._handle_custom_msg({"train": 20, "rest": True}, [])
    assert playground.play.steps == 20 and playground.page != first
    assert "step 20, training loss" in playground.page
    assert "Loss</text>" in playground.page and "Loss</text>" not in first
    playground.train(5)
    assert playground.rows[-1]["step"] == 25
    playground._handle_custom_msg({"reset": True}, [])
    assert playground.play.steps == 0 and playground.page == first


def test_a_setting_of_the_playground_begins_anew(playground):
    playground.train(5)
    playground.values = {"data": "plane", "n": "40", "hidden": "3"}
    assert playground.play.steps == 0 and playground.play.settings.regression
    playground.values = {"data": "nothing"}
    assert "data must be one of" in playground.told


def test_the_playground_stops_where_numbers_end():
    wild = corollary.widget("playground", n=20, hidden=[4], lr=100.0, loss="squared", data="hills")
    wild.train(500)
    assert not wild.play.finite and wild.play.steps < 500
    assert "weights have overflowed" in wild.page


def test_what_cannot_be_a_widget_is_told_at_once():
    with pytest.raises(InputError, match="got the exam 'soundness/finite'"):
        corollary.widget("soundness/finite")
    for name, options in (("nothing", {}), ("novikoff", {"gamma": 9}), ("playground", {"a": 1})):
        with pytest.raises(CorollaryError):
            corollary.widget(name, **options)


def test_a_missing_package_is_one_sentence(monkeypatch):
    from corollary.widget import making

    monkeypatch.setattr(making, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'corollary\[widget\]'$"):
        corollary.widget("novikoff")


def test_the_script_is_one_module_without_imports(novikoff):
    assert not re.search(r"^\s*import ", novikoff._esm, re.M)
    assert novikoff._esm.count("export ") == 1
