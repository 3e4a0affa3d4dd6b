"""Mathematics typed in plain text, shown with its symbols: ``floor((R/gamma)^2)`` as ``⌊(R/γ)²⌋``.

Sentences of hypotheses and errata are typed on a keyboard. Where they are read, Greek letters,
relations, roots and hats get their signs; formulas in LaTeX and code are left alone.
"""

import re

from corollary.report.latex import scripts

_GREEK = dict(
    pair.split("=")
    for pair in (
        "alpha=α beta=β gamma=γ delta=δ epsilon=ε eps=ε zeta=ζ eta=η theta=θ kappa=κ lambda=λ mu=μ "
        "nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ "
        "Lambda=Λ Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω"
    ).split()
)
_LETTER = re.compile(rf"(?<![\w\\])({'|'.join(_GREEK)})(?![a-zA-Z(])|(?<![\w\\])(lambda|sigma)\(")
_SIGNS = (
    (re.compile(r"<="), "≤"),
    (re.compile(r">="), "≥"),
    (re.compile(r"(?<!-)->"), "→"),
    (re.compile(r"\|\|"), "‖"),
    (re.compile(r"\bsqrt\("), "√("),
    (re.compile(r"\b([fgxyzuvFGXY])hat\b"), "\\1\u0302"),
    (re.compile(r"\b([xyzsXY])bar\b"), "\\1\u0304"),
)
_KEPT = re.compile(r"(:math:`[^`]*`|``[^`]*``)")


def in_symbols(text: str) -> str:
    r"""The text with its mathematics in symbols.

    Example:
        >>> in_symbols("at most floor((R/gamma)^2) steps"), in_symbols("|fhat(w)| <= 4 pi C")
        ('at most ⌊(R/γ)²⌋ steps', '|f̂(w)| ≤ 4 π C')
        >>> in_symbols(r"for :math:`\eta <= 1` and ``eta``")
        'for :math:`\\eta <= 1` and ``eta``'
    """
    parts = _KEPT.split(text)
    return "".join(part if k % 2 else _symbols(part) for k, part in enumerate(parts))


def _symbols(text: str) -> str:
    text = _bracketed(_bracketed(text, "floor(", "⌊", "⌋"), "ceil(", "⌈", "⌉")
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, text)
    text = _LETTER.sub(lambda m: _GREEK[m[1]] if m[1] else _GREEK[m[2]] + "(", text)
    return scripts(text)


def _bracketed(text: str, call: str, left: str, right: str) -> str:
    """A call with balanced parentheses, as brackets around its argument."""
    at = text.find(call)
    while at >= 0:
        depth, end = 1, at + len(call)
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth:
            return text
        text = text[:at] + left + text[at + len(call) : end - 1] + right + text[end:]
        at = text.find(call, at)
    return text
