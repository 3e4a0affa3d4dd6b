import re
import subprocess
import sys

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from corollary.registry import entries
from corollary.report.latex import readable, scripts
from corollary.report.statement import inline_html, statement_html, terminal_text

TEXT = r"""
If :math:`\|x_i\| \le R` then *at most*

.. math:: M \le (R / \gamma)^2

mistakes, see :class:`~corollary.core.Claim` and ``a < b``.

* one
* two

1. first

==== ========
n    value
==== ========
1    :math:`2^n`
==== ========

Code::

    x < 1
"""


def test_formulas_lists_tables_and_code_become_html():
    html = statement_html(TEXT)
    assert '<span class="math" data-tex="\\|x_i\\| \\le R">‖xᵢ‖ ≤ R</span>' in html
    assert (
        '<span class="math display" data-tex="M \\le (R / \\gamma)^2">M ≤ (R / γ)²</span>' in html
    )
    assert "<li>one</li>" in html and "<ol><li>first</li></ol>" in html
    assert "<th>n</th>" in html and "<td>1</td>" in html
    assert "<code>corollary.core.Claim</code>" in html and "<code>a &lt; b</code>" in html
    assert "<pre>x &lt; 1</pre>" in html


def test_the_terminal_gets_the_same_in_words():
    text = terminal_text(TEXT, width=60)
    for part in ("If ‖xᵢ‖ ≤ R then at most", "    M ≤ (R / γ)²", "- one", "1. first", "    x < 1"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 60


def test_html_in_a_statement_is_text():
    html = statement_html("<script>x</script> `a <javascript:alert(1)>`_ :math:`</span><b>`")
    assert "<script>" not in html and "href" not in html and "<b>" not in html


def test_a_field_of_one_line_has_no_paragraph():
    assert inline_html("Novikoff (1962), :math:`x`.").startswith("Novikoff (1962), <span")


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\frac{a+b}{c}", "(a+b)/c"),
        (r"\binom{n}{k} \cdot 2", "C(n, k) · 2"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b; c = d"),
        (r"\mathbb R^d", "ℝᵈ"),
        (r"e^{-x^2/2}", "e^(-x²/2)"),
    ],
)
def test_formulas_are_readable(tex, text):
    assert readable(tex) == text


@pytest.mark.parametrize(
    "tex",
    ["{" * 5000, r"\frac", r"\begin{foo", "^", "_{", "\\", r"\)", "x^^2", "$$", "&", "\x00", ""],
)
def test_what_is_not_latex_does_not_crash(tex):
    assert isinstance(readable(tex), str)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=r"\{}^_$&%#~ abxfrc()[]'", max_size=30))
def test_no_text_crashes_the_reader(tex):
    readable(tex)
    scripts(tex)
    statement_html(f":math:`{tex}`")


def test_every_statement_of_the_catalogue_can_be_read():
    for entry in entries():
        assert "problematic" not in statement_html(entry.statement)
        assert terminal_text(entry.statement)
        shown = re.findall(r'data-tex="[^"]*">([^<]*)', statement_html(entry.statement))
        assert not [text for text in shown if re.search(r"\\[a-zA-Z]", text)], entry.name


def test_reading_a_statement_imports_neither_torch_nor_numpy():
    code = "import sys, corollary.report.statement as s; s.terminal_text(':math:`x`')\n"
    code += "print([m for m in ('torch', 'numpy', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_relation_or_operator_of_the_catalogue_vanishes():
    layout = "q?quad|[bB]ig[lrm]?|left|right|[a-z]+style|limits|operatorname|text|math[a-z]+"
    marks = "under(line|brace)|over(left|right)arrow|rm|begin|end|phantom|nonumber|allowbreak"
    silent = re.compile(f"({layout}|{marks})$")
    named = {n for e in entries() for n in re.findall(r"\\([A-Za-z]{2,})", e.statement)}
    gone = {n for n in named if not silent.match(n) and not re.sub("[ab ]", "", shown(n))}
    assert not gone


def shown(command):
    return readable(rf"a \{command} b")


def test_a_formula_keeps_the_punctuation_after_it_on_its_line():
    html = statement_html("The radius is :math:`R`, and the margin :math:`g` is not.")
    assert '<span class="whole"><span class="math" data-tex="R">R</span>,</span>' in html
    assert html.count("whole") == 1
