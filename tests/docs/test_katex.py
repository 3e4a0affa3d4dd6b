from corollary_docs.katex import display, display_html, inline_html


def test_formulas_are_written_as_escaped_tex_that_can_be_read_without_javascript():
    assert inline_html(r"a < b") == '<span class="tex notranslate nohighlight">a &lt; b</span>'
    assert r"\frac{1}{n}" in display_html(r"\frac{1}{n}")


def test_rows_get_an_environment_unless_they_have_one():
    assert display(r"a &= b \\ c &= d").startswith(r"\begin{aligned}")
    assert display(r"\begin{cases} 1 & a \\ 0 & b \end{cases}").startswith(r"\begin{cases}")
    assert display(r"P \& Q") == r"P \& Q"


def test_blank_lines_within_a_formula_are_dropped():
    assert "\n\n" not in display_html("a\n\nb")
