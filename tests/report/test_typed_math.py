import re

import pytest

from corollary.registry import entries
from corollary.report.latex import readable
from corollary.report.typed_math import erratum_html, typed_html, with_formulas

ROLE = re.compile(r":math:`([^`]*)`")


@pytest.mark.parametrize(
    ("typed", "tex"),
    [
        ("f is L-smooth", ["f", "L"]),
        ("||w|| |fhat(w)| is integrable", [r"\|w\| |\hat{f}(w)|"]),
        ("the step is below 2/(n max‖x_i‖²)", [r"2/(n \max \|x_{i}\|^{2})"]),
        ("it is sqrt((KL + ln(J/eps))/N)", [r"\sqrt{(\operatorname{KL} + \ln (J/\epsilon ))/N}"]),
        ("the gradient vanishes at x*", ["x^*"]),
        ("A of shape m x n, f o phi^{-1}", [r"m \times n", r"f \circ \phi ^{-1}"]),
        ("values in [a, b]", ["[a , b]"]),
        ("σ(b_F)^T > 0.1", [r"\sigma (b_{F})^{T} > 0.1"]),
    ],
)
def test_formulas_are_found_in_a_sentence(typed, tex):
    assert ROLE.findall(with_formulas(typed)) == tex


@pytest.mark.parametrize(
    "words",
    [
        "a network of a kind that is known",
        "A network reads its input; I do not",
        "see (5.9), Section 10.1.3 and Theorem 5",
        "2, 4, 7, 11 against the 0-1 loss of T-600",
        "i.e. the notes' value, and what Stone's theorem says",
        "steps=3 and ``x <= 1`` are code",
    ],
)
def test_words_stay_words(words):
    assert with_formulas(words) == words


def test_every_hypothesis_and_erratum_is_read_to_valid_formulas():
    for entry in entries():
        for text in (*entry.hypotheses, entry.erratum):
            for tex in ROLE.findall(with_formulas(text)):
                assert tex.count("{") == tex.count("}"), tex
                assert not re.search(r"\\[a-zA-Z]", readable(tex)), tex


def test_an_erratum_has_its_tag_and_markup_is_escaped():
    tag, html = erratum_html("[wrong] It is x <= 1, not <br>.")
    assert tag == "wrong" and 'data-tex="x \\le 1"' in html and "&lt;br&gt;" in html
    assert "<br>" not in typed_html("u < 1 <br>")
