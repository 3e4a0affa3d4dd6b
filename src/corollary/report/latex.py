r"""LaTeX as readable text: ``\frac{a}{2} x_i^2`` becomes ``a/2 xᵢ²``.

Used where formulas are not rendered: in the terminal, and in a report without KaTeX. Formulas are
parsed by pylatexenc; what it cannot parse is shown unchanged.
"""

import re
from functools import lru_cache
from typing import Any

_HIGH = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzTβγδ*⊤",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵝᵞᵟ*ᵀ",
        strict=True,
    )
)
_LOW = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρ*",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨ⁎",
        strict=True,
    )
)
_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|([\w*])|\(([^()]*)\))")
_PLAIN = {
    "|": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "Vert": "‖",
    "lvert": "|",
    "rvert": "|",
    "vert": "|",
    "!": "",
    ",": " ",
    ":": " ",
    ";": " ",
    "cdot": " · ",
    "colon": ":",
    "coloneqq": ":=",
    "ln": "ln ",
    "log": "log ",
    "exp": "exp ",
    "limits": "",
    "displaystyle": "",
    "top": "⊤",
    "implies": " ⟹ ",
    "iff": " ⟺ ",
    "ne": " ≠ ",
    "bmod": " mod ",
    "Pr": "Pr",
} | {name: f"{name} " for name in "arg cot coth csc deg det dim gcd hom ker lg sec".split()}
_DEEPEST = 200  # nested groups; a deeper formula is not meant to be read


@lru_cache(maxsize=4096)
def readable(tex: str) -> str:
    r"""The formula on one line of plain text.

    Example:
        >>> readable(r"M \le (R / \gamma)^2"), readable(r"\tfrac{n+1}{2} \in \mathbb{R}^d")
        ('M ≤ (R / γ)²', '(n+1)/2 ∈ ℝᵈ')
    """
    if tex.count("{") > _DEEPEST or tex.count("\\") > 20 * _DEEPEST:
        return tex
    try:
        text = str(_converter().latex_to_text(f"\\({' '.join(tex.split())}\\)"))
    except Exception:  # whatever a parser makes of something that is not LaTeX
        return tex
    rows = [" ".join(row.split()) for row in text.strip().split("\n")]
    return _spaced("; ".join(rows)) or tex


def _spaced(text: str) -> str:
    """Spaces around relations, none inside brackets."""
    text = re.sub(r"\s*([≤≥∈∉≈≠∼→⟹⟺⊂⊆∝≪≫])\s*", r" \1 ", text)
    text = re.sub(r"\s+([,;.)⟩\]])", r"\1", text)
    return re.sub(r"([(⟨\[⌊⌈])\s+", r"\1", text).strip()


def scripts(text: str) -> str:
    """Simple raised and lowered parts of a label in Unicode; the rest as it is.

    Example:
        >>> scripts("n^{-2}"), scripts("x_i^2"), scripts("snake_case"), scripts("n^{-1/2}")
        ('n⁻²', 'xᵢ²', 'snake_case', 'n^(-1/2)')
        >>> scripts("σ_iσ_j"), scripts("w_*")
        ('σᵢσⱼ', 'w⁎')
    """

    def one(match: re.Match[str]) -> str:
        body = next(part for part in match.groups()[1:] if part is not None)
        after = text[match.end() : match.end() + 1]
        word = after.isascii() and after.isalnum()
        if match.group(1) == "_" and match.group(2) is None and word:
            return match.group(0)  # part of a word, not an index
        return _script(match.group(1), body)

    return _SCRIPT.sub(one, text)


def _script(sign: str, body: str) -> str:
    table = _HIGH if sign == "^" else _LOW
    body = body.strip()
    if body and all(c in table for c in body):
        return "".join(table[c] for c in body)
    if body in ("′", "'", "″"):
        return body
    return sign + (body if len(body) <= 1 else f"({body})")


@lru_cache(maxsize=1)
def _converter() -> Any:
    """A converter that knows the macros of our statements beside those of pylatexenc."""
    from pylatexenc import latex2text, latexwalker, macrospec

    walker = latexwalker.get_default_latex_context_db()
    two = ("tfrac", "dfrac", "cfrac", "frac", "binom", "tbinom", "dbinom", "stackrel", "overset")
    one = (
        "overline",
        "underline",
        "widehat",
        "widetilde",
        "boldsymbol",
        "bm",
        "mathbbm",
        "mathscr",
    )
    words = ("mathsf", "mathrm", "texttt")
    walker.add_context_category(
        "statements",
        prepend=True,
        macros=[macrospec.MacroSpec(name, "{{") for name in (*two, "underset")]
        + [macrospec.MacroSpec(name, "{") for name in (*one, *words)],
        specials=[
            macrospec.SpecialsSpec(sign, macrospec.MacroStandardArgsParser("{")) for sign in "^_"
        ],
    )
    texts = latex2text.get_default_latex_context_db()
    spec = latex2text.MacroTextSpec
    texts.add_context_category(
        "statements",
        prepend=True,
        macros=[spec(n, simplify_repl=_fraction) for n in ("tfrac", "dfrac", "cfrac", "frac")]
        + [spec(n, simplify_repl=_choose) for n in ("binom", "tbinom", "dbinom")]
        + [spec(n, simplify_repl=_second) for n in ("stackrel", "overset", "underset")]
        + [spec(n, simplify_repl="%s") for n in ("underline", "boldsymbol", "bm", *words)]
        + [spec("mathbbm", simplify_repl="%s"), spec("mathscr", simplify_repl="%s")]
        + [spec("overline", simplify_repl=_bar), spec("widehat", simplify_repl=_hat)]
        + [spec("widetilde", simplify_repl="%s̃")]
        + [spec(name, simplify_repl=text) for name, text in _PLAIN.items()],
        specials=[latex2text.SpecialsTextSpec(sign, simplify_repl=_raised) for sign in "^_"],
    )
    converter = latex2text.LatexNodes2Text(latex_context=texts, math_mode="text")
    parse = converter.latex_to_text
    converter.latex_to_text = lambda tex: parse(tex, latex_context=walker)
    return converter


def _parts(node: Any, to_text: Any) -> list[str]:
    given = node.nodeargd.argnlist if node.nodeargd is not None else []
    return [to_text.nodelist_to_text([a]).strip() if a is not None else "" for a in given]


def _raised(node: Any, l2tobj: Any) -> str:
    return _script(node.specials_chars, (_parts(node, l2tobj) or [""])[0])


def _fraction(node: Any, l2tobj: Any) -> str:
    above, below = (_parts(node, l2tobj) + ["", ""])[:2]
    return f"{_grouped(above)}/{_grouped(below)} "


def _choose(node: Any, l2tobj: Any) -> str:
    return "C({}, {})".format(*(_parts(node, l2tobj) + ["", ""])[:2])


def _second(node: Any, l2tobj: Any) -> str:
    return f" {(_parts(node, l2tobj) + ['', ''])[1]} "


def _bar(node: Any, l2tobj: Any) -> str:
    return _accented(_parts(node, l2tobj), "\u0304")


def _hat(node: Any, l2tobj: Any) -> str:
    return _accented(_parts(node, l2tobj), "\u0302")


def _accented(parts: list[str], accent: str) -> str:
    body = parts[0] if parts else ""
    return body + accent if len(body) == 1 else f"({body}){accent}" if body else ""


def _grouped(text: str) -> str:
    """In parentheses where a sum or a product would be misread beside a slash."""
    whole = text.startswith(("(", "‖", "|", "√")) and text.endswith((")", "‖", "|"))
    return f"({text})" if re.search(r"[+\-−·/ ]", text[1:]) and not whole else text
