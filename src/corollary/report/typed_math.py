r"""Formulas typed inside sentences, found and marked: ``at most floor((R/gamma)^2) steps``.

Hypotheses and errata are typed on a keyboard. At each place the longest formula that
:class:`~corollary.report.formula_reader.FormulaReader` can read becomes a
``:math:`\lfloor (R/\gamma)^{2}\rfloor``` role, which pages render like those of the statements.
Text that the grammar does not match stays as it is.
"""

import re
from html import escape

from corollary.report.formula_reader import FormulaReader
from corollary.report.statement import formula_html, inline_html
from corollary.report.symbols import in_symbols

_KEPT = re.compile(r"(:math:`[^`]*`|``[^`]*``|(?<!\w)\*[^*\s][^*]*\*|`[^`]*`_*)")
_START = re.compile(r"(?<![\w.\\/'’^-])[^\s.,;:!?)\]}'\"/]")


def with_formulas(text: str) -> str:
    r"""The text in reStructuredText, with a ``math`` role around each formula.

    Example:
        >>> print(with_formulas("at most floor((R/gamma)^2) steps"))
        at most :math:`\lfloor (R/\gamma )^{2}\rfloor` steps
        >>> print(with_formulas("a step of f is at most 1/L; see (5.9)"))
        a step of :math:`f` is at most :math:`1/L`; see (5.9)
    """
    parts = _KEPT.split(text)
    return "".join(part if k % 2 else _marked(part) for k, part in enumerate(parts))


def typed_html(text: str) -> str:
    """The sentence as HTML, formulas as the statements have them, the rest in symbols.

    Example:
        >>> typed_html("u < 1 & so on")
        '<span class="math" data-tex="u &lt; 1">u &lt; 1</span> &amp; so on'
    """
    parts = re.split(r":math:`([^`]*)`", with_formulas(text))
    return "".join(
        formula_html(part) if k % 2 else escape(in_symbols(part)) for k, part in enumerate(parts)
    )


def erratum_html(text: str) -> tuple[str, str]:
    """The tag in brackets at its head (wrong, loose, typo, ...), and the rest as HTML."""
    match = re.match(r"\[([^\]]*)\]\s*", text)
    tag, rest = (match.group(1), text[match.end() :]) if match else ("", text)
    return tag, inline_html(in_symbols(with_formulas(rest))) if rest else ""


def _marked(text: str) -> str:
    out, at = [], 0
    while match := _START.search(text, at):
        found = FormulaReader(text, match.start()).formula()
        end = found[1] if found else match.end()
        out.append(text[at : match.start()])
        out.append(f":math:`{found[0]}`" if found else text[match.start() : end])
        at = end
    return "".join([*out, text[at:]])
