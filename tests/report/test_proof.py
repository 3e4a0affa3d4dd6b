"""Proofs for readers: text, HTML, JSON."""

import json
import re

import pytest

import corollary
from corollary.report.proof import proof_html, rows, summary, told

NOVIKOFF = "Mγ ≤ ⟨u, w_M⟩"


@pytest.fixture(scope="module")
def made():
    return corollary.prove("novikoff")


def test_a_proof_prints_its_steps_its_slack_and_what_breaks(made):
    text = repr(made)
    assert NOVIKOFF in text and "Step 5 has the largest slack" in text and "Lean 4" in text
    assert "Without “u separates the points”, step 5 is not true." in text


def test_brackets_are_not_taken_for_markup():
    assert "h[t] f[u-t]" in repr(corollary.prove("convolution_commutes"))


def test_html_has_a_row_per_step_and_formulas_to_render(made):
    html = proof_html(made)
    assert html.count('<th scope="row">') == len(made.links) + len(made.printed)
    assert r'data-tex="M\gamma \le \langle u, w_M\rangle"' in html and "style=" not in html
    assert re.search(r"<tr class=\"loosest\"><th[^>]*>5<", html)
    assert made._repr_html_().startswith("<style>")


def test_json_has_strict_numbers_and_says_what_holds(made):
    data = json.loads(json.dumps(made.to_json(), allow_nan=False))
    assert data["holds"] and data["loosest"] == 4 and len(data["links"]) == 6
    assert data["without"][0]["step"] == 4


def test_the_notes_own_chain_is_shown_where_it_is_wrong():
    found = corollary.prove("gd_pl")
    shown = rows(found, printed=True)
    assert [row.holds for row in shown] == [False, True]
    assert shown[0].slack == "not true" and "≰" in shown[0].values


def test_the_sentences_name_steps_from_one(made):
    assert summary(made).startswith("All 6 steps hold")
    assert told(made.without[0]).startswith("Without “u separates")


def test_no_proof_is_an_error_that_says_where_there_are_some():
    with pytest.raises(corollary.errors.UnknownNameError, match="corollary prove"):
        corollary.prove("xor")
